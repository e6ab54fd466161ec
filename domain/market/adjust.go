package market

import (
	"cmp"
	"context"
	"slices"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// Adjust says what prices are adjusted for, so that they are of one meaning: that of the
// newest.
type Adjust string

// What to adjust for.
const (
	AdjustNone   Adjust = "none"
	AdjustSplits Adjust = "splits" // what changes what one share is
	AdjustAll    Adjust = "all"    // cash dividends, too
)

var _ = value.Enum(AdjustNone, AdjustSplits, AdjustAll)

// Or returns what is asked for; without anything, otherwise.
func (a *Adjust) Or(otherwise Adjust) Adjust {
	if a == nil {
		return otherwise
	}
	return *a
}

// Why a factor is not known, besides value.MeaningChanged: the close before is of another
// thing.
const (
	ValueNotStated      = "value_not_stated"      // of what a spin-off takes away, or of a dividend before tax
	OtherCurrency       = "other_currency"        // than the price
	NoCloseBefore       = "no_close_before"       // the day
	NotBelowClose       = "not_below_close"       // as much as the share costs, or more
	AdjustmentNotStated = "adjustment_not_stated" // nothing says whether the series is adjusted already
)

// CashDividend is what a share pays on a day.
type CashDividend struct {
	ExDate   value.Date
	Amount   value.Decimal // of one share, before tax; null: not stated
	Currency string
}

// Closes returns the last close before a day, and of which day it is; null if there is none.
type Closes func(day value.Date) (last value.Decimal, of value.Date)

// ClosesOf returns the closes of bars, which ascend.
func ClosesOf(m Market, bars []*Bar) Closes {
	return func(day value.Date) (value.Decimal, value.Date) {
		at, _ := slices.BinarySearchFunc(bars, day, func(b *Bar, day value.Date) int { return m.DayOf(b).Compare(day) })
		for _, b := range slices.Backward(bars[:at]) {
			if !b.Close.IsNull() {
				return b.Close, m.DayOf(b)
			}
		}
		return value.Decimal{}, value.Date{}
	}
}

// Adjusting knows what prices of instruments are multiplied by, as of one moment.
type Adjusting struct {
	snapshot  *Snapshot
	adjust    Adjust
	dividends map[ID][]CashDividend
}

// Adjusting returns how the prices of instruments are adjusted, with their dividends if these
// are asked for. It is for services that have checked the scope.
func (s *Service) Adjusting(ctx context.Context, ids []ID, adjust Adjust) (*Adjusting, error) {
	a := &Adjusting{snapshot: s.Live.Snapshot(), adjust: adjust}
	if adjust != AdjustAll || s.Dividends == nil {
		return a, nil
	}
	var err error
	a.dividends, err = s.Dividends(ctx, ids)
	return a, err
}

// Boundaries returns where prices change their meaning, with the bridges that are asked for.
// Some need closes of the series, in its own currency.
func (a *Adjusting) Boundaries(id ID, closes Closes) segment.Boundaries {
	if a.adjust == AdjustSplits && !a.snapshot.needCloses(id) {
		return a.snapshot.Boundaries(id)
	}
	all := slices.Clone(a.snapshot.changes[id])
	for _, one := range a.steps(id, closes) {
		all = append(all, one.boundary(a.adjust != AdjustNone))
	}
	return segment.Arrange(all)
}

// needCloses reports whether an action has a price, which counts beside the close.
func (s *Snapshot) needCloses(id ID) bool {
	return slices.ContainsFunc(s.actions.of[id], func(a *CorporateAction) bool { return !a.Price.IsNull() })
}

// shareStep is something that changes what a price buys: an action, or a dividend.
type shareStep struct {
	on       value.Date
	action   *CorporateAction // nil: a dividend
	dividend CashDividend
	together value.Decimal // all dividends of the day in its currency
	ratio    value.Ratio   // of prices before, unless there is a reason
	reason   string
}

// boundary returns the step as a boundary, with the bridge over it where that is known and
// wanted.
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

// steps returns what changes the prices of a series, by day; of one day dividends come first,
// which are paid for each share of before. A series that is adjusted has none.
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
	case s.together.Cmp(last) >= 0: // whichever comes first
		return value.Ratio{}, NotBelowClose
	}
	return without(last, earlier, s.dividend.Amount)
}

// seriesMeaning is what the newest prices of a series mean, and what changed before.
type seriesMeaning struct {
	changes              segment.Boundaries
	currency, adjustment string // empty: not stated
}

// meaningOf returns what the prices of a series mean. Only a share's may be adjusted by who
// delivers them: those of other markets are as they were.
func (s *Snapshot) meaningOf(id ID) seriesMeaning {
	m := seriesMeaning{changes: segment.Arrange(slices.Clone(s.changes[id]))}
	if in := s.Catalog.ByID(id); in != nil {
		m.currency = in.Currency
		if in.Adjustment != nil {
			m.adjustment = *in.Adjustment
		}
	}
	if of := id.Market(); of != BIST && of != US && of != Fund {
		m.adjustment = cmp.Or(m.adjustment, Unadjusted)
	}
	return m
}

// before returns what an aspect was before a day.
func (m seriesMeaning) before(day value.Date, aspect segment.Aspect) string {
	for _, b := range m.changes.Between(day.AddDays(-1), lastDate) {
		if b.What == aspect && b.From != nil {
			return *b.From
		}
	}
	if aspect == segment.Currency {
		return m.currency
	}
	return m.adjustment
}

// lastDate is after every day of a record.
var lastDate = value.NewDate(9999, 12, 31)
