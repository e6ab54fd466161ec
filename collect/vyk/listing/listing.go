// Package listing reads what the publication service of KAP says of which disclosures there are:
// the newest number, lists of disclosures, and those that must not be shown.
package listing

import (
	"fmt"
	"slices"

	"piyasa/collect"
	"piyasa/collect/vyk/answer"
)

// Bounds of lists.
const (
	mostRows    = 1000
	mostAhead   = 10_000 // of a row, to the newest number that the service states
	mostBlocked = 5000
)

// Newest reads the newest number.
func Newest(body []byte) (int64, error) {
	var in struct {
		Last answer.Scalar `json:"lastDisclosureIndex"`
	}
	if err := collect.ReadJSON(body, &in); err != nil {
		return 0, err
	}
	n, err := in.Last.Number()
	if err != nil {
		return 0, fmt.Errorf("lastDisclosureIndex %w", err)
	}
	return n, nil
}

// Row is a disclosure in a list.
type Row struct {
	Number int64
	HTML   bool // it has no data
}

// Rows reads a list of disclosures from a number on, in the order of their numbers; last is the
// newest number. One that is there twice counts once.
func Rows(body []byte, from, last int64) (all []Row, err error) {
	var rows *[]struct {
		Number answer.Scalar              `json:"disclosureIndex"`
		Types  answer.Many[answer.Scalar] `json:"acceptedDataFileTypes"`
	}
	if err := collect.ReadJSON(body, &rows); err != nil {
		return nil, err
	}
	if rows == nil || len(*rows) > mostRows {
		return nil, fmt.Errorf("a list must have at most %d rows", mostRows)
	}
	next := from
	for i, row := range *rows {
		n, err := row.Number.Number()
		switch {
		case err != nil:
			return nil, fmt.Errorf("row %d: disclosureIndex %w", i+1, err)
		case i > 0 && n == next-1:
			continue
		case n < next:
			return nil, fmt.Errorf("row %d: %d is not after those before, and not from %d on", i+1, n, from)
		case n > last+mostAhead:
			return nil, fmt.Errorf("row %d: %d is far beyond the newest number, %d", i+1, n, last)
		}
		html := len(row.Types) > 0 && !slices.ContainsFunc(row.Types, func(t answer.Scalar) bool { return t != "html" })
		all, next = append(all, Row{n, html}), n+1
	}
	return all, nil
}

// Blocked reads the numbers of the disclosures that must not be shown.
func Blocked(body []byte) (all []int64, err error) {
	var rows *[]struct {
		Number answer.Scalar `json:"disclosureIndex"`
	}
	if err := collect.ReadJSON(body, &rows); err != nil {
		return nil, err
	}
	if rows == nil || len(*rows) > mostBlocked {
		return nil, fmt.Errorf("it must be a list of at most %d rows", mostBlocked)
	}
	for _, row := range *rows {
		n, err := row.Number.Number()
		if err != nil {
			return nil, fmt.Errorf("disclosureIndex %w", err)
		}
		all = append(all, n)
	}
	return all, nil
}
