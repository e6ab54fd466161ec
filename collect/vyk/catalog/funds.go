package catalog

import (
	"errors"
	"fmt"

	"piyasa/collect"
	"piyasa/collect/vyk/answer"
)

// What the service says of funds.
const (
	activeFund = "Y"
	etf        = "BYF" // it is traded as a share, and no fund of the catalog
)

// funds returns the active funds that have a code: their names and founders. The service has no
// prices.
func funds(body []byte) (records []collect.Record, err error) {
	var rows *[]struct {
		ID      answer.Scalar `json:"fundId"`
		Name    answer.Scalar `json:"fundName"`
		Code    answer.Scalar `json:"fundCode"`
		Type    answer.Scalar `json:"fundType"`
		State   answer.Scalar `json:"fundState"`
		Founder answer.Scalar `json:"fundCompanyTitle"`
	}
	if err := collect.ReadJSON(body, &rows); err != nil {
		return nil, err
	}
	if rows == nil || len(*rows) == 0 || len(*rows) > mostFirms {
		return nil, fmt.Errorf("it must have from 1 to %d funds", mostFirms)
	}
	there := map[answer.Scalar]bool{}
	for i, row := range *rows {
		switch {
		case row.ID == "" || row.State == "" || row.Type == "":
			return nil, fmt.Errorf("row %d: fundId, fundState and fundType must not be empty", i+1)
		case row.State != activeFund || row.Type == etf || row.Code == "" || there[row.Code]:
			continue
		}
		there[row.Code] = true
		fields := map[string]any{"code": row.Code, "name": row.Name, "currency": answer.Lira}
		answer.Add(fields, "founder", row.Founder)
		records = append(records, collect.Record{Kind: "fund", Fields: fields})
	}
	if len(records) == 0 {
		return nil, errors.New("it has no active funds")
	}
	return records, nil
}
