package vyk

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"piyasa/collect"
)

// Bounds of lists.
const (
	mostRows    = 1000
	mostAhead   = 10_000 // from a row to the newest number that the service states
	mostBlocked = 5000
)

// readNewest reads the newest number.
func (s *source) readNewest(k *kept, r *collect.Result, got *collect.Answer, missing bool) error {
	if missing {
		return errors.New("there is no last number")
	}
	var in struct {
		Last scalar `json:"lastDisclosureIndex"`
	}
	if err := collect.ReadJSON(got.Body, &in); err != nil {
		return err
	}
	n, err := in.Last.number("lastDisclosureIndex")
	if err != nil {
		return err
	}
	r.More, r.Warning = k.stated(s.rules, n, got.At)
	return nil
}

// readList reads a list of disclosures.
func (s *source) readList(k *kept, r *collect.Result, request *collect.Request, got *collect.Answer, missing bool) error {
	from, err := strconv.ParseInt(request.Query.Get("disclosureIndex"), 10, 64)
	if err != nil || !k.wants(from) {
		return errors.New("it is no list that was asked for")
	}
	var listed []entry
	if !missing {
		if listed, err = listedIn(got.Body, from, k.Last); err != nil {
			return err
		}
	}
	r.More, r.Warning = k.listed(s.rules, from, listed, got.At)
	return nil
}

// listedIn returns the disclosures of a list from number from on, in the order of their
// numbers, without repetitions. last is the newest number.
func listedIn(body []byte, from, last int64) (all []entry, err error) {
	rows, err := readRows[struct {
		Number scalar       `json:"disclosureIndex"`
		Types  many[scalar] `json:"acceptedDataFileTypes"`
	}](body, "rows", 0, mostRows)
	if err != nil {
		return nil, err
	}
	next := from
	for i, row := range rows {
		n, err := row.Number.number("disclosureIndex")
		switch {
		case err != nil:
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		case i > 0 && n == next-1:
			continue
		case n < next:
			return nil, fmt.Errorf("row %d: %d is not after those before, and not from %d on", i+1, n, from)
		case n > last+mostAhead:
			return nil, fmt.Errorf("row %d: %d is far beyond the newest number, %d", i+1, n, last)
		}
		html := len(row.Types) > 0 && !slices.ContainsFunc(row.Types, func(t scalar) bool { return t != "html" })
		all, next = append(all, entry{N: n, HTML: html}), n+1
	}
	return all, nil
}

// readBlocked reads which disclosures must not be shown, and warns of those that may be stored
// with their content. It ignores disclosures before the first number of the settings.
func (s *source) readBlocked(k *kept, r *collect.Result, got *collect.Answer, missing bool) error {
	var blocked, shown []int64
	if !missing {
		rows, err := readRows[struct {
			Number scalar `json:"disclosureIndex"`
		}](got.Body, "rows", 0, mostBlocked)
		if err != nil {
			return err
		}
		for _, row := range rows {
			n, err := row.Number.number("disclosureIndex")
			if err != nil {
				return err
			}
			if blocked = append(blocked, n); !k.BlockAt.IsZero() && n >= s.from && k.hasRead(n) && !slices.Contains(k.Blocked, n) {
				shown = append(shown, n)
			}
		}
	}
	k.Blocked, k.BlockAt = blocked, got.At
	if len(shown) > 0 {
		r.Warning = fmt.Sprintf("the service has blocked disclosures that may be stored with their content: %v",
			shown[:min(len(shown), 20)])
	}
	return nil
}
