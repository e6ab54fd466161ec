package vyk

import (
	"errors"
	"fmt"
	"strings"

	"piyasa/collect"
)

// mostFirms is the most companies, or funds, in a list.
const mostFirms = 20_000

// The states and types of funds that matter.
const (
	activeFund = "Y"
	etf        = "BYF" // traded like a share, and no fund of the catalog
)

// readMembers returns the companies with codes. The list may repeat a company.
func readMembers(body []byte) (all []firm, err error) {
	rows, err := readRows[struct {
		ID    scalar `json:"id"`
		Title scalar `json:"title"`
		Codes scalar `json:"stockCode"`
	}](body, "members", 1, mostFirms)
	if err != nil {
		return nil, err
	}
	at := map[scalar]int{}
	for i, row := range rows {
		if !memberID.MatchString(string(row.ID)) {
			return nil, fmt.Errorf("row %d: id must be a number of at most 5 digits; got %.20q", i+1, string(row.ID))
		}
		codes := codesOf(row.Codes)
		if len(codes) == 0 {
			continue
		}
		if j, twice := at[row.ID]; twice {
			all[j].Codes = codesOf(scalar(strings.Join(append(all[j].Codes, codes...), ",")))
			continue
		}
		at[row.ID] = len(all)
		all = append(all, firm{ID: row.ID, Title: row.Title, Codes: codes})
	}
	return all, nil
}

// readSecurities reads the list of securities. It adds the ceiling of their capital, and which
// groups of their shares are traded, to the companies that wait for their details. The list is
// an array, though the service describes an object.
func (c *catalog) readSecurities(body []byte) error {
	var rows many[struct {
		Member *struct {
			ID      scalar `json:"id"`
			Ceiling scalar `json:"kayitliSermayeTavani"`
		} `json:"member"`
		Securities many[struct {
			Group  scalar `json:"tertipGroup"`
			Traded *bool  `json:"borsadaIslemeAcik"`
		}] `json:"securities"`
	}]
	if err := collect.ReadJSON(body, &rows); err != nil {
		return err
	}
	if len(rows) == 0 {
		return errors.New("it has no securities")
	}
	firms := map[scalar]*firm{}
	for i := range c.Firms {
		firms[c.Firms[i].ID] = &c.Firms[i]
	}
	for _, row := range rows {
		if row.Member == nil || row.Member.ID == "" {
			return errors.New("a row has no member")
		}
		f := firms[row.Member.ID]
		if f == nil {
			continue
		}
		if row.Member.Ceiling != "" {
			ceiling, err := collect.Plain(string(row.Member.Ceiling))
			if err != nil {
				return err
			}
			if strings.Trim(ceiling, "0.") != "" { // 0: no registered capital
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

// readFunds returns the active funds with a code: their names and founders. The service has no
// prices.
func readFunds(body []byte) (records []collect.Record, err error) {
	rows, err := readRows[struct {
		ID      scalar `json:"fundId"`
		Name    scalar `json:"fundName"`
		Code    scalar `json:"fundCode"`
		Type    scalar `json:"fundType"`
		State   scalar `json:"fundState"`
		Founder scalar `json:"fundCompanyTitle"`
	}](body, "funds", 1, mostFirms)
	if err != nil {
		return nil, err
	}
	there := map[scalar]bool{}
	for i, row := range rows {
		switch {
		case row.ID == "" || row.State == "" || row.Type == "":
			return nil, fmt.Errorf("row %d: fundId, fundState and fundType must not be empty", i+1)
		case row.State != activeFund || row.Type == etf || row.Code == "" || there[row.Code]:
			continue
		}
		there[row.Code] = true
		fields := map[string]any{"code": row.Code, "name": row.Name, "currency": lira}
		addText(fields, "founder", row.Founder)
		records = append(records, collect.Record{Kind: "fund", Fields: fields})
	}
	if len(records) == 0 {
		return nil, errors.New("it has no active funds")
	}
	return records, nil
}
