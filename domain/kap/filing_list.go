package kap

import (
	"context"
	"fmt"
	"slices"

	"piyasa/access"
	"piyasa/value"
)

// FilingLimit is the range of a page of filings.
var FilingLimit = value.Limit{Min: 1, Max: 12, Default: 4}

// Filings returns one page of the financial statements of the company that
// files under a code: one filing for each period, newest first. Following
// NextCursor until it is null returns each period once. Needs kap. Problems:
// invalid-parameter, malformed-code, conflicting-parameters, invalid-cursor,
// position-gone, not-found.
func (s *Service) Filings(ctx context.Context, symbol string, args FilingArgs, cursor *string, limit *int) (*FilingPage, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	asked, err := FilingLimit.Of(limit)
	if err != nil {
		return nil, err
	}
	args.Year, args.Period = value.NonEmpty(args.Year), value.NonEmpty(args.Period)
	as, err := args.terms(s.Inflation.Prices())
	if err != nil {
		return nil, err
	}
	code, err := parseFilterCode(symbol)
	if err != nil {
		return nil, err
	}
	companies := s.Live.Companies()
	page := &FilingPage{Symbol: code, Basis: as.basis, Unit: as.unit, AsOfMonth: as.month, Consolidation: value.Or(args.Consolidation, Consolidated)}
	reach := companies.reach(code)
	pages := access.Pages{Signer: s.Signer, Epochs: s.Epochs, List: "filings", Query: fmt.Sprintf("%q %v %v %v %v %q %q", reach.Whose, page.Basis, page.Unit, page.AsOfMonth, page.Consolidation, value.Or(args.Year, ""), value.Or(args.Period, ""))}
	walk, err := pages.Start(cursor)
	if err != nil {
		return nil, err
	}
	summaries, err := s.Store.FilingSummaries(ctx, reach.Origins)
	if err != nil {
		return nil, err
	}
	if company := companies.byCode[code]; company != nil {
		page.Symbol = company.name()
	} else if len(summaries) == 0 {
		return nil, unknownCode(code)
	}
	chosen := slices.DeleteFunc(choose(summaries, page.Consolidation), func(h *FilingSummary) bool {
		return (args.Year != nil && h.Year != *args.Year) || (args.Period != nil && h.Period != *args.Period) || (walk.Key != "" && h.key() >= walk.Key)
	})
	chosen, page.NextCursor = access.Cut(walk, chosen, asked, func(h *FilingSummary) (string, int64) { return h.key(), h.Seq })
	if page.Items, err = s.filings(ctx, chosen); err != nil {
		return nil, err
	}
	for _, f := range page.Items {
		as.state(f)
	}
	page.Count = len(page.Items)
	access.Charge(ctx, access.Unit)
	return page, nil
}

// filings reads whole filings in the order of summaries, without those that are
// gone since.
func (s *Service) filings(ctx context.Context, summaries []*FilingSummary) ([]*Filing, error) {
	filings := make([]*Filing, len(summaries))
	if len(summaries) == 0 {
		return filings, nil
	}
	numbers, places := make([]int, len(summaries)), make(map[int]int, len(summaries))
	for i, h := range summaries {
		numbers[i], places[h.DisclosureIndex] = h.DisclosureIndex, i
	}
	stored, err := s.Store.Filings(ctx, numbers)
	if err != nil {
		return nil, err
	}
	for _, f := range stored {
		i := places[f.DisclosureIndex]
		f.PublishedAt = summaries[i].PublishedAt
		filings[i] = f
	}
	return slices.DeleteFunc(filings, func(f *Filing) bool { return f == nil }), nil
}
