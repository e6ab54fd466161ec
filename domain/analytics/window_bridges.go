package analytics

import (
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// changed returns the window of a span whose two ends do not mean the same.
func (s windowSpan) changed(what *segment.Change) *PeriodicWindow {
	return &PeriodicWindow{Window: s.name, NullReason: new(value.MeaningChanged), MeaningChanged: what}
}

// outdated returns windows without figures, since what prices mean has changed after the newest
// one. Windows that were too long stay so.
func outdated(windows []*PeriodicWindow, changed *segment.Change) []*PeriodicWindow {
	all := make([]*PeriodicWindow, len(windows))
	for i, w := range windows {
		if all[i] = w; !w.EndPrice.IsNull() {
			all[i] = windowSpans[i].changed(changed)
		}
	}
	return all
}

// fraction is a price multiplied by an exact ratio: num / den, where den is above 0.
type fraction struct{ num, den value.Decimal }

// less reports whether f is below g.
func (f fraction) less(g fraction) bool { return f.num.Times(g.den).Cmp(g.num.Times(f.den)) < 0 }

// price returns the fraction times a rate, rounded once. With the rate 1 it keeps the digits of
// the source.
func (f fraction) price(rate value.Decimal) value.Decimal {
	if f.num.IsNull() || rate == oneDecimal && f.den == oneDecimal {
		return f.num.Clone()
	}
	return market.PriceTimes(f.num, value.NewRatio(rate, f.den))
}

var oneDecimal = value.MustDecimal("1")

// windowPrices are the prices of a window before they are rounded.
type windowPrices struct{ start, end, high, low, change fraction }

// show sets the prices of w, converted at a rate.
func (p *windowPrices) show(w *PeriodicWindow, rate value.Decimal) {
	w.StartPrice, w.EndPrice, w.High = p.start.price(rate), p.end.price(rate), p.high.price(rate)
	w.Low, w.Change = p.low.price(rate), p.change.price(rate)
}

// across computes the window from the first of days to the last. Both have a close, and bridges
// lead over all boundaries between them.
func (s windowSpan) across(days []Day, crossed segment.Boundaries) *PeriodicWindow {
	first, last := days[0], days[len(days)-1]
	p := &windowPrices{end: fraction{last.Close, oneDecimal}}
	for i, d := range days {
		counts := ratioTo(crossed, d.Date, last.Date)
		if i == 0 {
			p.start = counts(d.Close)
			continue
		}
		var e extremes
		e.add(d)
		if high := counts(e.high); !high.num.IsNull() && (p.high.num.IsNull() || p.high.less(high)) {
			p.high = high
		}
		if low := counts(e.low); !low.num.IsNull() && (p.low.num.IsNull() || low.less(p.low)) {
			p.low = low
		}
	}
	p.change = fraction{last.Close.Times(p.start.den).Minus(p.start.num), p.start.den}
	w := &PeriodicWindow{Window: s.name, StartDate: first.Date, Bridges: crossed.Bridges(), exact: p}
	p.show(w, oneDecimal)
	if p.start.num.Sign() > 0 {
		w.ChangePct = p.change.num.Shifted(2).Over(p.start.num, changePctPlaces)
	} else {
		w.NullReason = new(value.NonPositiveBase)
	}
	return w
}

// ratioTo returns a function that converts prices of a day to the meaning of a later day.
func ratioTo(crossed segment.Boundaries, day, later value.Date) func(value.Decimal) fraction {
	ratio := crossed.Between(day, later).Ratio()
	num, den := ratio.Parts()
	return func(price value.Decimal) fraction {
		if price.IsNull() || ratio.IsSame() {
			return fraction{price, oneDecimal}
		}
		return fraction{price.Times(num), den}
	}
}
