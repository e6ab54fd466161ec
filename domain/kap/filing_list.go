package kap

import (
	"context"
	"fmt"
	"slices"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// FilingLimit is the range of a page of filings.
var FilingLimit = value.Limit{Min: 1, Max: 12, Default: 4}

// filingList is the list of a company's filings for one request.
type filingList struct {
	head   FilingPage // without its filings
	terms  terms
	pages  access.Pages
	chosen []*FilingSummary // one for each period, the newest first
}

// filingList checks the arguments, then calls start, which checks the cursor, and finds the
// filings.
func (s *Service) filingList(ctx context.Context, symbol string, args FilingArgs, start func(access.Pages) error) (*filingList, error) {
	args.Year, args.Period = value.NonEmpty(args.Year), value.NonEmpty(args.Period)
	as, err := args.terms(s.Inflation.Prices())
	if err != nil {
		return nil, err
	}
	code, err := parseFilterCode("symbol", symbol)
	if err != nil {
		return nil, err
	}
	reach, err := s.Live.Resolve("symbol", symbol)
	if err != nil {
		return nil, err
	}
	l := &filingList{terms: as, head: FilingPage{Symbol: code, Basis: as.basis, Unit: as.unit, AsOfMonth: as.month,
		Consolidation: value.Or(args.Consolidation, Consolidated)}}
	l.pages = access.Pages{Signer: s.Signer, Epochs: s.Epochs, List: "filings",
		Query: fmt.Sprintf("%q %v %v %v %v %q %q", reach.Asked, l.head.Basis, l.head.Unit, l.head.AsOfMonth, l.head.Consolidation,
			value.Or(args.Year, ""), value.Or(args.Period, ""))}
	if err := start(l.pages); err != nil {
		return nil, err
	}
	summaries, err := s.Store.FilingSummaries(ctx, reach.Origins)
	if err != nil {
		return nil, err
	}
	if company := s.Live.Companies().byCode[code]; company != nil {
		l.head.Symbol = company.name()
	} else if len(summaries) == 0 {
		return nil, unknownCode(code)
	}
	l.chosen = choose(summaries, l.head.Consolidation, func(h *FilingSummary) bool {
		return (args.Year == nil || h.Year == *args.Year) && (args.Period == nil || h.Period == *args.Period)
	})
	l.head.MissingReason = value.MissingFrom(len(l.chosen), len(summaries) > 0)
	return l, nil
}

// place returns the key of a filing for a cursor, and its number.
func (h *FilingSummary) place() (key string, seq int64) { return h.key(), h.Seq }

// after returns the filings after a key; all for an empty key.
func (l *filingList) after(key string) []*FilingSummary {
	return slices.DeleteFunc(slices.Clone(l.chosen), func(h *FilingSummary) bool { return key != "" && h.key() >= key })
}

// before returns the filings before a key, the nearest first; all for an empty key.
func (l *filingList) before(key string) []*FilingSummary {
	found := slices.DeleteFunc(slices.Clone(l.chosen), func(h *FilingSummary) bool { return key != "" && h.key() <= key })
	slices.Reverse(found)
	return found
}

// stated reads whole filings and converts them to the list's terms.
func (s *Service) stated(ctx context.Context, l *filingList, summaries []*FilingSummary) ([]*Filing, error) {
	filings, err := s.filings(ctx, summaries)
	for _, f := range filings {
		l.terms.state(f)
	}
	return filings, err
}

// Filings returns one page of the financial statements of the company that
// files under a code: one filing for each period, newest first. Following
// NextCursor until it is null returns each period once. Needs kap. Problems:
// invalid-parameter, malformed-code, conflicting-parameters, invalid-cursor,
// position-gone, not-found.
func (s *Service) Filings(ctx context.Context, symbol string, args FilingArgs, cursor *string, limit *int) (*FilingPage, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	count, err := FilingLimit.Of(limit)
	if err != nil {
		return nil, err
	}
	var walk access.Walk
	l, err := s.filingList(ctx, symbol, args, func(p access.Pages) (err error) {
		walk, err = p.Start(cursor)
		return err
	})
	if err != nil {
		return nil, err
	}
	page := &l.head
	rows, next := access.Cut(walk, l.after(walk.Key), count, (*FilingSummary).place)
	if page.Items, err = s.stated(ctx, l, rows); err != nil {
		return nil, err
	}
	page.Count, page.NextCursor = len(page.Items), next
	access.Charge(ctx, access.Unit)
	return page, nil
}

// filings reads whole filings in the order of summaries, without those that have been deleted
// since.
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
