package market

import (
	"cmp"
	"slices"

	"piyasa/value"
)

// OfCodes are the first instruments that codes of the disclosure platform
// denote, in the order of the codes, each once: of a code the one of bist, or
// else the fund, or the ETF that a fund lives on as; codes that are none of
// these are left out. It is an edge of records
// that name codes: no scope, no cost. first is within EdgeLimit. Problems:
// invalid-parameter.
func (s *Service) OfCodes(codes []string, first *int) ([]*Instrument, error) {
	n, err := value.First(first)
	if err != nil {
		return nil, err
	}
	c, found := s.Live.Snapshot().Catalog, []*Instrument{}
	for _, code := range codes {
		in := cmp.Or(c.byID[ID("bist:"+code)], c.byID[FundID(code)], c.byID[c.retired[FundID(code)]])
		if in != nil && len(found) < n && !slices.Contains(found, in) {
			found = append(found, in)
		}
	}
	return found, nil
}
