package analytics

import (
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// Day is one daily bar of an instrument or an index. Figures that are not stated are null.
type Day struct {
	Date             value.Date
	Close, High, Low value.Decimal
}

// PeriodicWindow is how a price changed from its start date to the newest close. Prices keep
// the digits of the source; the change is exact. Prices before a bridge are multiplied by its
// exact ratio and rounded once, by the rule for converted prices.
type PeriodicWindow struct {
	Window     string        `json:"window"` // 1w, 2w, 1m, 3m, 6m or 1y
	StartDate  value.Date    `json:"start_date"`
	StartPrice value.Decimal `json:"start_price"` // close of the start date
	EndPrice   value.Decimal `json:"end_price"`
	High       value.Decimal `json:"high"` // of the days after the start date up to the last close
	Low        value.Decimal `json:"low"`
	Change     value.Decimal `json:"change"`
	ChangePct  value.Decimal `json:"change_pct"`  // 4 decimals, half away from zero; never converted
	NullReason *string       `json:"null_reason"` // non_positive_base: of the change in percent only; else of all figures

	MeaningChanged *segment.Change   `json:"meaning_changed,omitempty" csv:"any"` // the change, if the reason is meaning_changed
	Bridges        []*segment.Bridge `json:"bridges,omitempty" csv:"any"`         // that the figures crossed

	exact *windowPrices // nil unless bridges changed them
}

// changePctPlaces are the decimals of a change in percent.
const changePctPlaces = 4

// windowSpan is how far a window reaches back from the newest close.
type windowSpan struct {
	name         string
	days, months int
}

// windowSpans are the windows from the shortest to the longest.
var windowSpans = []windowSpan{
	{"1w", 7, 0}, {"2w", 14, 0}, {"1m", 0, 1}, {"3m", 0, 3}, {"6m", 0, 6}, {"1y", 0, 12},
}

// back returns the day on or before which the window that ends on end starts. In a shorter
// month it is the last day.
func (s windowSpan) back(end value.Date) value.Date {
	return end.AddMonths(-s.months).AddDays(-s.days)
}

// tooLong returns the window if the history does not reach back to its start.
func (s windowSpan) tooLong() *PeriodicWindow {
	return &PeriodicWindow{Window: s.name, NullReason: new(value.InsufficientHistory)}
}

// Windows computes the six windows of daily bars, which ascend by date, from 1w to 1y. A window
// ends on the newest day with a close, and starts on the last day with a close that is at least
// the window's length earlier. Days without a close between the two count with their high and
// low. A window has no figures if it starts before the first close, or if a boundary without a
// bridge is inside it.
func Windows(days []Day, boundaries segment.Boundaries) []*PeriodicWindow {
	end := len(days) - 1
	for end >= 0 && days[end].Close.IsNull() {
		end--
	}
	windows := make([]*PeriodicWindow, len(windowSpans))
	var seen extremes
	after := end + 1 // the days from here to the end have been added
	for i, span := range windowSpans {
		if end >= 0 { // each window reaches further back than the one before
			for back := span.back(days[end].Date); after > 0 && !days[after-1].starts(back); after-- {
				seen.add(days[after-1])
			}
		}
		if end < 0 || after == 0 {
			windows[i] = span.tooLong()
			continue
		}
		start := days[after-1]
		switch crossed := boundaries.Between(start.Date, days[end].Date); {
		case len(crossed) == 0:
			windows[i] = span.between(start.Date, start.Close, days[end].Close, seen)
		case crossed.Unbridged() != nil:
			windows[i] = span.changed(crossed.Unbridged())
		default:
			windows[i] = span.across(days[after-1:end+1], crossed)
		}
	}
	return windows
}

// starts reports whether d can start a window that reaches back to a day.
func (d Day) starts(back value.Date) bool { return !d.Close.IsNull() && !back.Before(d.Date) }

// extremes are the highest and the lowest price of some days.
type extremes struct{ high, low value.Decimal }

// add includes a day. Without a high or low, its close counts instead.
func (e *extremes) add(d Day) {
	high, low := d.High, d.Low
	if high.IsNull() {
		high = d.Close
	}
	if low.IsNull() {
		low = d.Close
	}
	if !high.IsNull() && (e.high.IsNull() || high.Cmp(e.high) > 0) {
		e.high = high
	}
	if !low.IsNull() && (e.low.IsNull() || low.Cmp(e.low) < 0) {
		e.low = low
	}
}

// between computes the window's figures. The result is kept for long, so it does not refer to
// the bars.
func (s windowSpan) between(from value.Date, start, end value.Decimal, e extremes) *PeriodicWindow {
	w := &PeriodicWindow{Window: s.name, StartDate: from, StartPrice: start.Clone(), EndPrice: end.Clone(), High: e.high.Clone(),
		Low: e.low.Clone(), Change: end.Minus(start)}
	if start.Sign() > 0 {
		w.ChangePct = w.Change.Shifted(2).Over(start, changePctPlaces)
	} else {
		w.NullReason = new(value.NonPositiveBase)
	}
	return w
}

// Converted returns w with its prices converted at a rate. The change in percent does not
// change.
func (w *PeriodicWindow) Converted(r market.Rate) *PeriodicWindow {
	c := *w
	if w.exact != nil && !r.Factor.IsNull() {
		w.exact.show(&c, r.Factor)
		return &c
	}
	for _, price := range []*value.Decimal{&c.StartPrice, &c.EndPrice, &c.High, &c.Low, &c.Change} {
		*price = r.Price(*price)
	}
	return &c
}
