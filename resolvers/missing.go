package resolvers

import (
	"context"

	"piyasa/domain/analytics"
	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// MissingReason asks the relation itself, for all instruments at once, and returns why it has
// nothing for an instrument.
func (i instrument) MissingReason(ctx context.Context, all []*market.Instrument, of market.Relation) ([]*value.MissingReason, []error) {
	first := 1
	switch of {
	case market.RelationQuote:
		return i.whyNoQuote(ctx, all)
	case market.RelationPeriodic:
		return missing(all, of, isNil[analytics.Periodic]).of(i.Periodic(ctx, all, nil, nil))
	case market.RelationIndicators:
		return missing(all, of, isNil[analytics.IndicatorSet]).of(i.Indicators(ctx, all, nil, nil, nil, nil))
	case market.RelationValuation:
		return missing(all, of, isNil[fundamentals.Valuation]).of(i.Valuation(ctx, all, nil, nil))
	case market.RelationValuationHistory:
		return missing(all, of, func(h *fundamentals.ValuationHistory) bool {
			return h == nil || h.Count == 0
		}).of(i.ValuationHistory(ctx, all, nil, nil, nil))
	case market.RelationFinancials:
		return missing(all, of, func(f *fundamentals.Financials) bool {
			return f == nil || f.Count == 0
		}).of(i.Financials(ctx, all, nil, nil, nil, nil, &first, nil))
	case market.RelationDividends:
		return missing(all, of, isEmpty[*fundamentals.Dividend]).of(i.Dividends(ctx, all, &first, nil))
	case market.RelationActions:
		return missing(all, of, isEmpty[*market.ShownAction]).of(i.CorporateActions(ctx, all, &first, nil))
	case market.RelationHolders:
		return missing(all, of, isEmpty[*funds.Holder]).of(i.Holders(ctx, all, &first))
	case market.RelationHoldings:
		return missing(all, of, isEmpty[*funds.Position]).of(i.Holdings(ctx, all, &first))
	case market.RelationDisclosures:
		return missing(all, of, isEmpty[*kap.Disclosure]).of(i.Disclosures(ctx, all, &first))
	}
	indices, errs := make([][]*market.IndexInfo, len(all)), make([]error, len(all))
	for n, in := range all {
		indices[n], errs[n] = i.Indices(ctx, in, &first)
	}
	return missing(all, of, isEmpty[*market.IndexInfo]).of(indices, errs)
}

func isNil[T any](t *T) bool       { return t == nil }
func isEmpty[T any](list []T) bool { return len(list) == 0 }

// reasons finds why instruments lack something.
type reasons[T any] struct {
	all  []*market.Instrument
	what market.Relation
	none func(T) bool
}

func missing[T any](all []*market.Instrument, what market.Relation, none func(T) bool) reasons[T] {
	return reasons[T]{all, what, none}
}

// of returns the reasons by the answers of the relation; nil where there is something.
func (r reasons[T]) of(answers []T, errs []error) ([]*value.MissingReason, []error) {
	missing := make([]*value.MissingReason, len(r.all))
	for i, in := range r.all {
		switch {
		case i < len(errs) && errs[i] != nil || i >= len(answers) || !r.none(answers[i]):
		case r.what.Covers(in):
			missing[i] = value.Missing(value.NoneStored)
		default:
			missing[i] = value.Missing(value.NotCovered)
		}
	}
	return missing, errs
}

// whyNoQuote returns the reasons that the answer about quotes of several ids states.
func (i instrument) whyNoQuote(ctx context.Context, all []*market.Instrument) ([]*value.MissingReason, []error) {
	quotes, errs := i.Quote(ctx, all, nil)
	missing := make([]*value.MissingReason, len(all))
	for n, in := range all {
		if quotes[n] == nil && errs[n] == nil {
			missing[n] = i.services.Market.WhyNoQuote(in)
		}
	}
	return missing, errs
}
