package catalog

import (
	"errors"
	"strings"

	"piyasa/collect"
	"piyasa/collect/vyk/answer"
)

// secure adds what the list of securities says of the companies that wait for their details: the
// ceiling of their capital, and which groups of shares are traded. The list is an array, though
// the service describes an object.
func (c *State) secure(body []byte) error {
	var rows answer.Many[struct {
		Member *struct {
			ID      answer.Scalar `json:"id"`
			Ceiling answer.Scalar `json:"kayitliSermayeTavani"`
		} `json:"member"`
		Securities answer.Many[struct {
			Group  answer.Scalar `json:"tertipGroup"`
			Traded *bool         `json:"borsadaIslemeAcik"`
		}] `json:"securities"`
	}]
	if err := collect.ReadJSON(body, &rows); err != nil {
		return err
	}
	if len(rows) == 0 {
		return errors.New("it has no securities")
	}
	at := map[answer.Scalar]int{}
	for i, f := range c.Firms {
		at[f.ID] = i
	}
	for _, row := range rows {
		if row.Member == nil || row.Member.ID == "" {
			return errors.New("a row has no member")
		}
		i, known := at[row.Member.ID]
		if !known {
			continue
		}
		f := &c.Firms[i]
		if row.Member.Ceiling != "" {
			ceiling, err := collect.Plain(string(row.Member.Ceiling))
			if err != nil {
				return err
			}
			if strings.Trim(ceiling, "0.") != "" { // 0: it has no registered capital
				f.Ceiling = ceiling
			}
		}
		for _, one := range row.Securities {
			if one.Group == "" || one.Traded == nil {
				continue
			}
			if f.Traded == nil {
				f.Traded = map[string]bool{}
			}
			f.Traded[string(one.Group)] = f.Traded[string(one.Group)] || *one.Traded
		}
	}
	return nil
}
