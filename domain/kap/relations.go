package kap

import (
	"context"
	"slices"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// DisclosuresOf returns the first disclosures of each instrument, the newest first, in the
// order of instruments and read together. An instrument of bist has those of its company, by
// all its codes and its id; an ETF also those of its fund code. A fund has those of its code;
// others have none. first is within value.RelationLimit. Needs kap. Each instrument of bist or
// fund costs one unit.
func (s *Service) DisclosuresOf(ctx context.Context, instruments []*market.Instrument, first *int) ([][]*Disclosure, []error) {
	companies, of := s.Live.Companies(), make([][]Origin, len(instruments))
	for i, in := range instruments {
		switch codes := s.Live.filingCodes(in); {
		case in.Market == market.Fund:
			of[i] = []Origin{{Code: in.Symbol}}
		case len(codes) == 1:
			of[i] = companies.originsOfCode(codes[0])
		default:
			of[i] = companies.reach(codes...).Origins
		}
	}
	return s.newest(ctx, of, first)
}

// filingCodes returns the present and former codes of an instrument itself.
func (l *Live) filingCodes(in *market.Instrument) []string {
	codes := ownCodes(in)
	if in.Market == market.BIST && in.Predecessor != nil && l.OtherCodes != nil {
		for _, other := range l.OtherCodes(in.Symbol) {
			if !slices.Contains(codes, other) {
				codes = append(codes, other)
			}
		}
	}
	return codes
}

func ownCodes(in *market.Instrument) []string {
	switch {
	case in.Market != market.Fund && in.Market != market.BIST:
		return nil
	case in.FundCode == nil || in.Market == market.Fund:
		return []string{in.Symbol}
	}
	return []string{in.Symbol, *in.FundCode}
}

// DisclosuresOfCompanies returns the disclosures of companies, by all codes and
// the id of each, as DisclosuresOf does. Each company costs one unit.
func (s *Service) DisclosuresOfCompanies(ctx context.Context, companies []*CompanyProfile, first *int) ([][]*Disclosure, []error) {
	known, of := s.Live.Companies(), make([][]Origin, len(companies))
	for i, c := range companies {
		of[i] = known.originsOf(c.Identity.CompanyID)
	}
	return s.newest(ctx, of, first)
}

// newest returns the first disclosures of each list of origins, the newest
// first. Each list that is not empty costs one unit.
func (s *Service) newest(ctx context.Context, of [][]Origin, first *int) ([][]*Disclosure, []error) {
	return access.Relation[[]Origin, []*Disclosure]{
		Enter: access.Needs(access.KAP),
		Read: func(of [][]Origin) ([][]*Disclosure, error) {
			n, err := value.First(first)
			if err != nil {
				return nil, err
			}
			stored, err := s.Store.NewestDisclosures(ctx, of, n)
			newest := make([][]*Disclosure, len(stored))
			for i, found := range stored {
				newest[i] = make([]*Disclosure, len(found))
				for j, d := range found {
					newest[i][j] = &d.Disclosure
				}
			}
			return newest, err
		},
		Charged: func(of []Origin, _ []*Disclosure) bool { return len(of) > 0 },
	}.Answer(ctx, of)
}

// RelatedOf returns the earlier disclosures that disclosures change, read together: nil for an
// original, and if the earlier one is not stored. Needs kap; each disclosure found costs one
// unit.
func (s *Service) RelatedOf(ctx context.Context, disclosures []*Disclosure) ([]*Disclosure, []error) {
	return together(ctx, disclosures, func(d *Disclosure) *int { return d.RelatedIndex }, s.byNumber)
}

// AnnouncementsOf returns the disclosures that announced corporate actions, read together: nil
// if none is stated or stored. Needs kap; each disclosure found costs one unit.
func (s *Service) AnnouncementsOf(ctx context.Context, actions []*market.ShownAction) ([]*Disclosure, []error) {
	return together(ctx, actions, func(a *market.ShownAction) *int { return a.DisclosureIndex }, s.byNumber)
}

// byNumber returns the stored disclosures among some numbers.
func (s *Service) byNumber(ctx context.Context, numbers []int) (map[int]*Disclosure, error) {
	stored, err := s.Store.DisclosuresByNumber(ctx, numbers)
	found := make(map[int]*Disclosure, len(stored))
	for n, d := range stored {
		found[n] = &d.Disclosure
	}
	return found, err
}

// DetailsOf returns the details of disclosures as Disclosure does, read
// together. Needs kap; each costs one unit.
func (s *Service) DetailsOf(ctx context.Context, disclosures []*Disclosure) ([]*Detail, []error) {
	return together(ctx, disclosures, func(d *Disclosure) *int { return &d.DisclosureIndex },
		func(ctx context.Context, numbers []int) (map[int]*Detail, error) {
			records, err := s.Store.DisclosureRecords(ctx, numbers)
			details := make(map[int]*Detail, len(records))
			for n, r := range records {
				details[n] = s.detail(ctx, r)
			}
			return details, err
		})
}

// together answers a relation of objects that each name at most one disclosure, with one read
// for all. Each answer costs one unit.
func together[P, T any](ctx context.Context, of []*P, number func(*P) *int,
	read func(context.Context, []int) (map[int]*T, error)) ([]*T, []error) {
	return access.Relation[*P, *T]{
		Enter:  access.Needs(access.KAP),
		Covers: func(p *P) bool { return number(p) != nil },
		Read: func(of []*P) ([]*T, error) {
			if len(of) == 0 {
				return nil, nil
			}
			numbers := make([]int, len(of))
			for i, d := range of {
				numbers[i] = *number(d)
			}
			found, err := read(ctx, numbers)
			answers := make([]*T, len(of))
			for i, n := range numbers {
				answers[i] = found[n]
			}
			return answers, err
		},
	}.Answer(ctx, of)
}

// CompanyOf returns the company that files under the code of an instrument of
// bist or fund, or nil. Needs kap.
func (s *Service) CompanyOf(ctx context.Context, in *market.Instrument) (*CompanyProfile, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	companies := s.Live.Companies()
	for _, code := range s.Live.filingCodes(in) {
		if company := companies.byCode[code]; company != nil {
			return company.profile(), nil
		}
	}
	return nil, nil
}

// FilerOf returns the company that filed a disclosure: the one with the
// platform's id, or else with one of the filer's codes; nil if neither is
// known, as for market-wide notices. Needs kap.
func (s *Service) FilerOf(ctx context.Context, d *Disclosure) (*CompanyProfile, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	companies := s.Live.Companies()
	if d.CompanyID != nil {
		if filer := companies.byID[*d.CompanyID]; filer != nil {
			return filer.profile(), nil
		}
	}
	for _, code := range d.FilerCodes {
		if filer := companies.byCode[code]; filer != nil {
			return filer.profile(), nil
		}
	}
	return nil, nil
}
