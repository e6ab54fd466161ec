package vyk

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"piyasa/collect"
)

// members returns the companies that have codes. One may be there twice.
func members(got *collect.Answer, missing bool) (records []collect.Record, err error) {
	var rows *[]struct {
		ID    scalar `json:"id"`
		Title scalar `json:"title"`
		Codes scalar `json:"stockCode"`
	}
	if missing {
		return nil, errors.New("there are no members")
	}
	if err := json.Unmarshal(got.Body, &rows); err != nil {
		return nil, err
	}
	if rows == nil || len(*rows) == 0 {
		return nil, errors.New("it has no members")
	}
	at := map[scalar]int{}
	for i, row := range *rows {
		if _, err := row.ID.number(); err != nil {
			return nil, fmt.Errorf("row %d: id %w", i+1, err)
		}
		all := codes([]scalar{row.Codes})
		if len(all) == 0 {
			continue
		}
		if j, twice := at[row.ID]; twice {
			before, _ := records[j].Fields["codes"].([]string)
			texts := []scalar{scalar(strings.Join(append(before, all...), ","))}
			records[j].Fields["codes"] = codes(texts)
			continue
		}
		at[row.ID] = len(records)
		fields := map[string]any{"company_id": row.ID, "codes": all}
		if row.Title != "" {
			fields["identity"] = map[string]any{"title": row.Title}
		}
		records = append(records, collect.Record{Kind: "company", Fields: fields})
	}
	return records, nil
}
