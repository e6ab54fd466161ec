package kap

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"piyasa/access"
	"piyasa/domain/macro"
	"piyasa/problem"
	"piyasa/value"
)

// FilingLimit is the range of a page of filings.
var FilingLimit = value.Limit{Min: 1, Max: 12, Default: 4}

// FilingArgs says which filings are asked for and how they are stated; what is
// nil takes its default or does not matter.
type FilingArgs struct {
	Basis         *FilingBasis
	Unit          *FilingUnit
	AsOf          *value.Month // with an adjusted basis only
	Consolidation *Consolidation
	Year, Period  *string // as filed
}

// Filings is one page of the financial statements of the company that files
// under a code: one filing for each period, newest first. Following NextCursor
// until it is null gives each period once. Needs kap. Problems:
// invalid-parameter, malformed-code, conflicting-parameters, invalid-cursor,
// not-found.
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
	query := fmt.Sprintf("%q %v %v %v %v %q %q", reach.Whose, page.Basis, page.Unit, page.AsOfMonth, page.Consolidation, value.Or(args.Year, ""), value.Or(args.Period, ""))
	after, err := s.Signer.Resume(cursor, "filings", query)
	if err != nil {
		return nil, err
	}
	heads, err := s.Store.FilingSummaries(ctx, reach.Origins)
	if err != nil {
		return nil, err
	}
	if company := companies.byCode[code]; company != nil {
		page.Symbol = company.name()
	} else if len(heads) == 0 {
		return nil, unknownCode(code)
	}
	chosen := slices.DeleteFunc(choose(heads, page.Consolidation), func(h *FilingSummary) bool {
		return (args.Year != nil && h.Year != *args.Year) || (args.Period != nil && h.Period != *args.Period) || (after != "" && h.key() >= after)
	})
	if len(chosen) > asked {
		chosen = chosen[:asked]
		next := s.Signer.Cursor(chosen[asked-1].key(), "filings", query)
		page.NextCursor = &next
	}
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

// terms checks how filings are to be stated, single values before
// combinations, and completes it from the price indices.
func (a FilingArgs) terms(prices *macro.Prices) (terms, error) {
	as := terms{basis: value.Or(a.Basis, AsReported), unit: value.Or(a.Unit, One), prices: prices}
	as.index = indexOf[as.basis]
	switch {
	case a.AsOf != nil && !a.AsOf.EndsQuarter():
		return as, problem.Parameter("as_of", a.AsOf.String(), "the last month of a quarter: 03, 06, 09 or 12")
	case a.AsOf != nil && as.index == "":
		return as, problem.New(problem.ConflictingParameters, "as_of needs an adjusted basis (tufe_adjusted or yiufe_adjusted): it is the month whose money amounts are stated in.")
	case as.index == "":
		return as, nil
	case a.AsOf == nil:
		as.month = prices.NewestQuarter(as.index)
		return as, nil
	}
	as.month = *a.AsOf
	newest := prices.Newest(as.index)
	switch {
	case newest.IsNull():
		return as, problem.Parameter("as_of", as.month.String(), fmt.Sprintf("left out: no month of %s is published yet", as.index))
	case newest.Before(as.month):
		return as, problem.Parameter("as_of", as.month.String(), fmt.Sprintf("at most %s, the newest month that %s is published of", newest, as.index))
	}
	return as, nil
}

// choose is the filing that stands for each period, newest period first: of
// the consolidation preferred, the newest one that is not cancelled.
func choose(heads []*FilingSummary, of Consolidation) []*FilingSummary {
	best := map[[2]string]*FilingSummary{}
	for _, h := range heads {
		rank := h.Consolidation.rank(of)
		if h.Cancelled || rank == 0 {
			continue
		}
		period := [2]string{h.Year, h.Period}
		if b := best[period]; b == nil || cmp.Or(cmp.Compare(rank, b.Consolidation.rank(of)), cmp.Compare(h.DisclosureIndex, b.DisclosureIndex)) > 0 {
			best[period] = h
		}
	}
	chosen := make([]*FilingSummary, 0, len(best))
	for _, h := range best {
		chosen = append(chosen, h)
	}
	slices.SortFunc(chosen, func(a, b *FilingSummary) int { return strings.Compare(b.key(), a.key()) })
	return chosen
}

// rank is how well a filing's own consolidation fits the one asked for; 0: not
// at all.
func (c Consolidation) rank(of Consolidation) int {
	switch {
	case c == of, c == CS && of == Consolidated, c == NC && of == Solo:
		return 2
	case of == Consolidated, of == Solo:
		return 1
	}
	return 0
}

// key orders periods; a correction of a filing has the same one.
func (h *FilingSummary) key() string { return h.EndDate.String() + "\x00" + h.Year + "\x00" + h.Period }

// filings are whole filings in the order of heads.
func (s *Service) filings(ctx context.Context, heads []*FilingSummary) ([]*Filing, error) {
	filings := make([]*Filing, len(heads))
	if len(heads) == 0 {
		return filings, nil
	}
	numbers, places := make([]int, len(heads)), make(map[int]int, len(heads))
	for i, h := range heads {
		numbers[i], places[h.DisclosureIndex] = h.DisclosureIndex, i
	}
	stored, err := s.Store.Filings(ctx, numbers)
	if err != nil {
		return nil, err
	}
	for _, f := range stored {
		i := places[f.DisclosureIndex]
		f.PublishedAt = heads[i].PublishedAt
		filings[i] = f
	}
	return filings, nil
}
