package market

import (
	"slices"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// Prices of an instrument that mean different things are not shown as one series, and none is
// labelled with a later meaning.

// meaning is what prices mean in the part of a history that a series shows: the part in which
// its range ends.
type meaning struct {
	of     *Instrument     // with the currency of that part
	unit   *string         // what one price buys; nil unless some meaning has changed
	left   *segment.Change // bars before it are left out; nil: none
	before []meant         // former currencies of bars that are shown and converted, ascending
}

// meant is an instrument as it was until a day.
type meant struct {
	of    *Instrument
	until value.Date
}

// meaningIn returns what an instrument's prices mean in a range of days.
func (s *Snapshot) meaningIn(in *Instrument, days value.Range, args SeriesArgs) meaning {
	m := meaning{of: in}
	all := s.boundaries[in.InstrumentID]
	if len(all) == 0 {
		return m
	}
	converted := args.Currency != nil && in.Market != Index
	for _, b := range all.Between(value.Date{}, days.To.Date) { // in ascending order
		changes := b.What == segment.Currency && converted
		switch {
		case changes:
			m.before = append(m.before, meant{in.in(*b.From), b.On})
		case !args.whole && b.Bridge == nil && (b.What == segment.Currency || b.What == segment.Unit || b.What == segment.Adjustment):
			m.left = &b.Change
		}
	}
	m.of, m.unit = s.asOn(in, days.To.Date)
	if m.left != nil && !days.From.Date.Before(m.left.On) {
		m.left = nil // the range has no bar of it
	}
	first := days.From.Date
	if m.left != nil {
		first = m.left.On
	}
	m.before = slices.DeleteFunc(m.before, func(b meant) bool { return !first.Before(b.until) })
	return m
}

// asOn returns an instrument with its currency on a day, and its unit on that day if any
// meaning has changed.
func (s *Snapshot) asOn(in *Instrument, day value.Date) (of *Instrument, unit *string) {
	currency, unit, changed := in.Currency, in.Unit, false
	for _, b := range slices.Backward(s.boundaries[in.InstrumentID]) {
		changed = changed || b.What == segment.Currency || b.What == segment.Unit
		switch after := !day.Before(b.On); {
		case after:
		case b.What == segment.Currency:
			currency = *b.From
		case b.What == segment.Unit:
			unit = b.From
		}
	}
	if !changed {
		unit = nil
	}
	return in.in(currency), unit
}

// in returns the instrument with another currency.
func (in *Instrument) in(currency string) *Instrument {
	if currency == in.Currency {
		return in
	}
	then := *in
	then.Currency = currency
	return &then
}

// shows narrows a span to the bars that mean the same.
func (m *meaning) shows(span Span, r Resolution, days TradingCalendar) Span {
	if m.left != nil {
		if first := days.firstBar(r, m.left.On); span.First.Before(first) {
			span.First = first
		}
	}
	return span
}

// at returns the instrument as it was at the time of a bar.
func (m *meaning) at(b *Bar, days TradingCalendar) *Instrument {
	if len(m.before) == 0 {
		return m.of
	}
	day := days.dayOf(b)
	for _, was := range m.before {
		if day.Before(was.until) {
			return was.of
		}
	}
	return m.of
}

// converts reports whether any bar needs conversion.
func (m *meaning) converts(target *Currency) bool {
	is := func(of *Instrument) bool { return converts(of.Market, of.Currency, target) }
	return is(m.of) || slices.ContainsFunc(m.before, func(was meant) bool { return is(was.of) })
}

// dayOf returns the day of a bar.
func (c TradingCalendar) dayOf(b *Bar) value.Date {
	if b.Resolution == Day {
		return c.market.DayOf(b)
	}
	return c.day(b.T)
}

// firstBar returns the time of the first bar of a day or later.
func (c TradingCalendar) firstBar(r Resolution, d value.Date) value.Instant {
	if r == Day {
		return d.Start(c.market.zone())
	}
	for !c.begins(d) {
		d = d.AddDays(1)
	}
	return c.start(d)
}

// CurrencyOn returns the currency of an instrument's money on a day.
func (s *Service) CurrencyOn(in *Instrument, day value.Date) string {
	of, _ := s.Live.Snapshot().asOn(in, day)
	return of.Currency
}

// CurrencyChanged returns the newest change of an instrument's currency between two days, or
// nil. After a change, money of the first day is in another currency than money of the second.
func (s *Service) CurrencyChanged(id ID, from, to value.Date) *segment.Change {
	return s.newestChange(id, from, to, segment.Currency)
}

// PricesChanged returns the newest change of the currency or unit of an instrument's prices after a
// day, up to today, or nil. After a change, a price of that day is none in the present meaning.
func (s *Service) PricesChanged(id ID, since value.Date) *segment.Change {
	return s.newestChange(id, since, s.Today(), segment.Currency, segment.Unit)
}

func (s *Service) newestChange(id ID, from, to value.Date, of ...segment.Aspect) *segment.Change {
	for _, b := range slices.Backward(s.Live.Snapshot().Boundaries(id).Between(from, to)) {
		if slices.Contains(of, b.What) {
			return &b.Change
		}
	}
	return nil
}

// outdated returns the newest change of the meaning of an instrument's prices since an
// observation, or nil.
func (s *Snapshot) outdated(in *Instrument, o *Observation) *segment.Change {
	all := s.boundaries[in.InstrumentID]
	if len(all) == 0 {
		return nil
	}
	day := s.TradingCalendar(in.Market, in).day(o.AsOf)
	for _, b := range slices.Backward(all) {
		if (b.What == segment.Currency || b.What == segment.Unit) && b.Bridge == nil && day.Before(b.On) {
			return &b.Change
		}
	}
	return nil
}

// isPriceOf reports whether an observation states a price of an instrument in its present
// meaning.
func (s *Snapshot) isPriceOf(in *Instrument, o *Observation) bool {
	return o.isPriceOf(in) && s.outdated(in, o) == nil
}
