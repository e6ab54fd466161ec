package market

import (
	"slices"

	"piyasa/internal/value"
)

// MaxIDs is how many ids one batch may ask for, counted as written.
const MaxIDs = 100

// CheckIDs rejects an empty list of ids, and one of more than limit.
func CheckIDs(ids []string, limit int) error {
	return value.CheckCount("ids", "instrument ids", ids, limit)
}

// Reasons for an id to be missing from a batch.
const (
	UnknownID          = "unknown_id"
	MarketNotSupported = "market_not_supported"
)

// Asked is one id of a batch.
type Asked struct {
	ID         string      // as written
	Instrument *Instrument // nil: Reason says why
	Reason     string
}

// Batch resolves the ids of a batch in their order: each instrument once, at its first
// position, and each text without one once. It does not resolve ids of markets for which covers is
// false; a nil covers accepts every market. Problems: ambiguous-ticker, which names all shared
// tickers.
func (c *Catalog) Batch(ids []string, form Form, covers func(Market) bool) ([]Asked, error) {
	all, err := c.resolveEach(ids, form, covers)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(all)) // by canonical id, or as written without one
	return slices.DeleteFunc(all, func(a Asked) bool {
		key := a.ID
		if a.Instrument != nil {
			key = string(a.Instrument.InstrumentID)
		}
		again := seen[key]
		seen[key] = true
		return again
	}), nil
}

// resolveEach resolves ids like Batch, but keeps repeated ids.
func (c *Catalog) resolveEach(ids []string, form Form, covers func(Market) bool) ([]Asked, error) {
	all := make([]Asked, len(ids))
	var shared []Match
	for i, id := range ids {
		all[i] = Asked{ID: id, Reason: UnknownID}
		if m := MarketOf(id); m != "" && covers != nil && !covers(m) {
			all[i].Reason = MarketNotSupported
			continue
		}
		found := c.Find(id, form)
		if found.Instrument != nil {
			all[i].Instrument, all[i].Reason = found.Instrument, ""
		}
		if found.Candidates != nil && !slices.ContainsFunc(shared, func(m Match) bool { return m.Candidates[0] == found.Candidates[0] }) {
			shared = append(shared, found)
		}
	}
	if shared != nil {
		return nil, errShared(shared...)
	}
	return all, nil
}
