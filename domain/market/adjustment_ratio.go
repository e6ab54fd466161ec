package market

import (
	"slices"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// Why a factor is not known. A close that means something else has the reason
// value.MeaningChanged instead.
const (
	ValueNotStated      = "value_not_stated"      // the value of a spin-off, or the dividend before tax
	OtherCurrency       = "other_currency"        // the amount is not in the currency of the price
	NoCloseBefore       = "no_close_before"       // no close before the day
	NotBelowClose       = "not_below_close"       // the amount is at least the close
	AdjustmentNotStated = "adjustment_not_stated" // nothing says whether the series is adjusted already
)

// shareStep is an event that changes what a price buys: a corporate action or a dividend.
type shareStep struct {
	on       value.Date
	action   *CorporateAction // nil: a dividend
	dividend CashDividend
	together value.Decimal // all dividends of the day in its currency
	ratio    value.Ratio   // by which earlier prices are multiplied, unless there is a reason
	reason   string
}

// boundary returns the step as a boundary. It has a bridge if the ratio is known and bridged is
// true.
func (s shareStep) boundary(bridged bool) segment.Boundary {
	b := segment.Boundary{Change: segment.Change{What: segment.Share, On: s.on}}
	kind, source := segment.CashDividend, (*string)(nil)
	if s.action != nil {
		b.Change, kind, source = s.action.change(), segment.CorporateAction, s.action.source()
	}
	if bridged && s.reason == "" {
		b.Bridge = segment.NewBridge(kind, s.on, s.ratio, source)
		if s.action != nil && s.action.scalesVolume() {
			b.Bridge.Counts = s.ratio.Inverse()
		}
	}
	return b
}

// steps returns the events that change the prices of a series, by day. The dividends of a day
// come before its actions, because they are paid on the old shares. An adjusted series has no
// steps.
func (a *Adjusting) steps(id ID, closes Closes) []shareStep {
	var all []shareStep
	for i, d := range a.dividends[id] {
		one := shareStep{on: d.ExDate, dividend: d, together: d.Amount}
		for k, other := range a.dividends[id] {
			if k != i && other.ExDate == d.ExDate && other.Currency == d.Currency && !d.Amount.IsNull() && !other.Amount.IsNull() {
				one.together = one.together.Plus(other.Amount)
			}
		}
		all = append(all, one)
	}
	for _, action := range a.snapshot.actions.of[id] {
		if action.Kind.changesShare() {
			all = append(all, shareStep{on: action.ExDate, action: action})
		}
	}
	slices.SortStableFunc(all, func(a, b shareStep) int { return a.on.Compare(b.on) })
	meaning := a.snapshot.meaningOf(id)
	all = slices.DeleteFunc(all, func(s shareStep) bool { return meaning.before(s.on, segment.Adjustment) == Adjusted })
	earlier := value.Same
	for i := range all {
		one := &all[i]
		if i == 0 || all[i-1].on != one.on {
			earlier = value.Same
		}
		if one.ratio, one.reason = one.of(meaning, closes, earlier); one.reason == "" {
			earlier = earlier.Times(one.ratio)
		}
	}
	return all
}

// of returns the ratio of a step, or why it is not known.
func (s *shareStep) of(meaning seriesMeaning, closes Closes, earlier value.Ratio) (value.Ratio, string) {
	if meaning.before(s.on, segment.Adjustment) == "" {
		return value.Ratio{}, AdjustmentNotStated
	}
	var last value.Decimal
	if closes != nil && (s.action == nil || !s.action.Price.IsNull()) {
		var day value.Date
		last, day = closes(s.on)
		if !last.IsNull() && meaning.changes.Between(day, s.on).Unbridged() != nil {
			return value.Ratio{}, value.MeaningChanged
		}
	}
	currency := meaning.before(s.on, segment.Currency)
	switch {
	case s.action != nil:
		return s.action.ratio(last, earlier, currency)
	case s.dividend.Amount.IsNull():
		return value.Ratio{}, ValueNotStated
	case s.dividend.Currency != currency:
		return value.Ratio{}, OtherCurrency
	case last.Sign() <= 0:
		return value.Ratio{}, NoCloseBefore
	case s.together.Cmp(last) >= 0: // in whatever order they are subtracted
		return value.Ratio{}, NotBelowClose
	}
	return without(last, earlier, s.dividend.Amount)
}

// ratio returns the factor of prices before the action, or the reason why it is not known. last
// is the close before the action and currency is that of the price; earlier is the ratio of
// earlier steps on the same day, which lowers the close.
func (a *CorporateAction) ratio(last value.Decimal, earlier value.Ratio, currency string) (value.Ratio, string) {
	switch {
	case a.Kind.hasRatio() && a.Price.IsNull():
		return value.NewRatio(a.Old, a.New), ""
	case a.Price.IsNull():
		return value.Ratio{}, ValueNotStated
	case *a.Currency != currency:
		return value.Ratio{}, OtherCurrency
	case last.Sign() <= 0:
		return value.Ratio{}, NoCloseBefore
	case a.Kind == SpinOff:
		return without(last, earlier, a.Price)
	}
	// The value of Old shares, plus the price paid for the added ones, per each of New shares.
	num, den := earlier.Parts()
	last = last.Times(num)
	if a.Price.Times(den).Cmp(last) >= 0 { // the right is worth nothing
		return value.Ratio{}, NotBelowClose
	}
	worth := a.Old.Times(last).Plus(a.New.Minus(a.Old).Times(a.Price).Times(den))
	return value.NewRatio(worth, a.New.Times(last)), ""
}

// without returns the part of a price that is left without an amount. earlier scales the price
// first.
func without(price value.Decimal, earlier value.Ratio, amount value.Decimal) (value.Ratio, string) {
	num, den := earlier.Parts()
	price, amount = price.Times(num), amount.Times(den)
	if amount.Cmp(price) >= 0 {
		return value.Ratio{}, NotBelowClose
	}
	return value.NewRatio(price.Minus(amount), price), ""
}

// scalesVolume reports whether the action also multiplies the volumes before it.
func (a *CorporateAction) scalesVolume() bool {
	return a.Kind.hasRatio() && a.Kind != RightsIssue && a.InstrumentID.market() != Index && !a.InstrumentID.isCode()
}
