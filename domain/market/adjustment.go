package market

import (
	"cmp"
	"context"
	"slices"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// Adjustments of histories: whether their prices are adjusted for corporate actions, such as
// dividends and splits.
const (
	Adjusted   = "adjusted"
	Unadjusted = "unadjusted" // as they were traded
)

// HistoryAdjustment is the adjustment that the bars of an instrument stated.
type HistoryAdjustment struct {
	InstrumentID ID
	Adjustment   string
}

// Adjust says what the prices of an answer are adjusted for. Adjusted prices all mean the same
// as the newest one.
type Adjust string

// What to adjust for.
const (
	AdjustNone   Adjust = "none"
	AdjustSplits Adjust = "splits" // actions that change what one share is
	AdjustAll    Adjust = "all"    // and cash dividends
)

var _ = value.Enum(AdjustNone, AdjustSplits, AdjustAll)

// Or returns the adjustment asked for, or otherwise if a is nil.
func (a *Adjust) Or(otherwise Adjust) Adjust {
	if a == nil {
		return otherwise
	}
	return *a
}

// CashDividend is the cash that a share pays on a day.
type CashDividend struct {
	ExDate   value.Date
	Amount   value.Decimal // per share, before tax; null: not stated
	Currency string
}

// Closes returns the last close before a day and the day of that close; both are null if there
// is none.
type Closes func(day value.Date) (last value.Decimal, of value.Date)

// ClosesOf returns the closes of bars, which must ascend by time.
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

// Adjusting holds what adjusts prices of instruments, as of one moment: their corporate actions
// and, if asked for, their dividends. Service.Adjusting makes one.
type Adjusting struct {
	snapshot  *Snapshot
	adjust    Adjust
	dividends map[ID][]CashDividend
}

// Adjusting returns how to adjust the prices of instruments. It reads their dividends only for
// AdjustAll. The caller must have checked the scope.
func (s *Service) Adjusting(ctx context.Context, ids []ID, adjust Adjust) (*Adjusting, error) {
	a := &Adjusting{snapshot: s.Live.Snapshot(), adjust: adjust}
	if adjust != AdjustAll || s.Dividends == nil {
		return a, nil
	}
	var err error
	a.dividends, err = s.Dividends(ctx, ids)
	return a, err
}

// Boundaries returns where the prices of an instrument change their meaning, with the bridges
// that the adjustment allows. Some bridges need closes of the series, in its own currency.
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

// needCloses reports whether an action of the instrument has a price: its factor then depends
// on the close before.
func (s *Snapshot) needCloses(id ID) bool {
	return slices.ContainsFunc(s.actions.of[id], func(a *CorporateAction) bool { return !a.Price.IsNull() })
}

// seriesMeaning is what the newest prices of a series mean, and the changes before them.
type seriesMeaning struct {
	changes              segment.Boundaries
	currency, adjustment string // empty: not stated
}

// meaningOf returns what the prices of a series mean. Only shares may come adjusted from their
// source; prices of other markets are unadjusted.
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

// before returns the value that an aspect had before a day.
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
