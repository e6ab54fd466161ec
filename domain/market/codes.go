package market

import (
	"cmp"
	"slices"
)

// OfCodes are the first instruments that codes of the disclosure platform
// denote, in the order of the codes, each once: of a code the one of bist, or
// else the fund; codes that are neither are left out. It is an edge of records
// that name codes: no scope, no cost. first is within EdgeLimit. Problems:
// invalid-parameter.
func (s *Service) OfCodes(codes []string, first *int) ([]*Instrument, error) {
	n, err := First(first)
	if err != nil {
		return nil, err
	}
	byID, found := s.Live.Snapshot().Catalog.byID, []*Instrument{}
	for _, code := range codes {
		in := cmp.Or(byID[ID("bist:"+code)], byID[ID("fund:"+code)])
		if in != nil && len(found) < n && !slices.Contains(found, in) {
			found = append(found, in)
		}
	}
	return found, nil
}
