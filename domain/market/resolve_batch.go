package market

import (
	"slices"

	"piyasa/problem"
	"piyasa/value"
)

// resolveAll resolves every id; unknown ones are nil. Shared tickers are one
// problem that names them all.
func resolveAll(c *Catalog, ids []string) ([]*Instrument, error) {
	found := make([]*Instrument, len(ids))
	var shared *problem.Error
	for i, id := range ids {
		in, err := c.Resolve(id, AnyForm)
		if found[i] = in; err == nil {
			continue
		}
		e := problem.From(err)
		switch {
		case e.Kind != problem.AmbiguousTicker: // unknown: reported, not refused
		case shared == nil:
			shared = e
		case !slices.Contains(shared.Members.Candidates, e.Members.Candidates[0]):
			shared.Detail += " " + e.Detail
			shared.Members.Candidates = append(shared.Members.Candidates, e.Members.Candidates...)
		}
	}
	if shared != nil {
		return nil, shared
	}
	return found, nil
}

// found is an id as written and what it denotes; nil when it is unknown.
type found struct {
	id string
	in *Instrument
}

// resolveOnce is resolveAll with every instrument, and every unknown id, once:
// at its first position.
func resolveOnce(c *Catalog, ids []string) ([]found, error) {
	resolved, err := resolveAll(c, ids)
	if err != nil {
		return nil, err
	}
	var all []found
	seen := map[string]bool{} // by canonical id, or as written when there is none
	for i, in := range resolved {
		key := ids[i]
		if in != nil {
			key = string(in.InstrumentID)
		}
		if !seen[key] {
			seen[key] = true
			all = append(all, found{ids[i], in})
		}
	}
	return all, nil
}

// MaxIDs is how many ids one batch may ask for, counted as written.
const MaxIDs = 100

// checkIDs refuses an empty list of ids, and one of more than limit.
func checkIDs(ids []string, limit int) error {
	return value.CheckCount("ids", "instrument ids", ids, limit)
}
