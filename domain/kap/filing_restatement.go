package kap

import (
	"fmt"

	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// indexOf is the price index of each adjusted basis.
var indexOf = map[FilingBasis]macro.Series{TUFEAdjusted: macro.TUFE, YIUFEAdjusted: macro.YIUFE}

// unitPlaces are the powers of ten that units divide by.
var unitPlaces = map[FilingUnit]int32{Thousand: 3, Million: 6}

// terms say how amounts are stated: in the money of which month, and in which unit.
type terms struct {
	basis  FilingBasis
	unit   FilingUnit
	index  macro.Series // empty as reported
	month  value.Month
	prices *macro.Prices
}

// indexNotPublished is the null reason of an amount for whose month no price index is
// published.
const indexNotPublished = "index_not_published"

// state converts the amounts of f to the money of the month, then to the unit. It does not
// restate amounts that are not in lira, not under the inflation standard, or already in the
// money of the month.
func (s terms) state(f *Filing) {
	ratio, reason, changed := value.Same, "", (*segment.Change)(nil)
	restated := s.index != "" && f.Currency == string(market.TRY) && f.Tms29Applied && (f.MeasuringMonth != s.month || s.month.IsNull())
	if restated {
		between, crossed, published := s.prices.Between(s.index, f.MeasuringMonth, s.month)
		changed = crossed.Unbridged()
		switch {
		case f.MeasuringMonth.IsNull():
			reason = value.MissingInput
		case !published:
			reason = indexNotPublished
		case changed != nil:
			reason = value.MeaningChanged
		default:
			ratio = between
			f.Restatement = &Restatement{string(s.index), f.MeasuringMonth, s.month, ratio.Factor(), crossed.Bridges()}
		}
	}
	for _, lines := range [][]*FilingLine{f.BalanceSheet, f.IncomeStatement, f.CashFlow} {
		for _, l := range lines {
			switch {
			case l.Value.IsNull():
				l.NullReason = new(value.NotProvidedBySource)
			case l.ValueType == monetary:
				switch {
				case reason != "":
					l.Value, l.NullReason, l.MeaningChanged = value.Decimal{}, &reason, changed
				case restated:
					l.Value = ratio.Amount(l.Value)
				}
				if shift := unitPlaces[s.unit]; shift != 0 {
					l.Value = l.Value.Shifted(-shift)
				}
			}
		}
	}
}

// FilingArgs select filings and how their amounts are stated. A nil member has
// a default or does not restrict.
type FilingArgs struct {
	Basis         *FilingBasis
	Unit          *FilingUnit
	AsOf          *value.Month // with an adjusted basis only
	Consolidation *Consolidation
	Year, Period  *string // as filed
}

// terms checks the arguments, single values before combinations, and completes
// them from the price indices.
func (a FilingArgs) terms(prices *macro.Prices) (terms, error) {
	as := terms{basis: value.Or(a.Basis, AsReported), unit: value.Or(a.Unit, One), prices: prices}
	as.index = indexOf[as.basis]
	switch {
	case a.AsOf != nil && !a.AsOf.EndsQuarter():
		return as, problem.Parameter("as_of", a.AsOf.String(), "the last month of a quarter: 03, 06, 09 or 12")
	case a.AsOf != nil && as.index == "":
		return as, problem.New(problem.ConflictingParameters,
			"as_of needs an adjusted basis (tufe_adjusted or yiufe_adjusted): it is the month whose money amounts are stated in.")
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
		return as, problem.Parameter("as_of", as.month.String(),
			fmt.Sprintf("at most %s, the newest month that %s is published of", newest, as.index))
	}
	return as, nil
}
