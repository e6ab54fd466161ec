package market

import (
	"context"

	"piyasa/value"
)

// series reads, presents and converts the bars of instruments: one statement
// for all of them, and at most two for the pairs that convert them.
func (s *Service) series(ctx context.Context, snapshot *Snapshot, instruments []*Instrument, args SeriesArgs, start func(Market) value.Date) ([]*CandleSeries, []error) {
	now := s.Now()
	series, errs := make([]*CandleSeries, len(instruments)), make([]error, len(instruments))
	var spans []Span
	var places []int // of the spans among the instruments
	var ranges []value.Range
	past := &pastRates{snapshot: snapshot, args: args, now: now, maxAge: s.FXMaxAge}
	for i, in := range instruments {
		days, err := args.rangeOf(in, now)
		span := args.span(in, days, start(in.Market), now)
		if err == nil {
			err = past.cover(in, span)
		}
		if errs[i] = err; err == nil {
			spans, places, ranges = append(spans, span), append(places, i), append(ranges, days)
		}
	}
	stored, err := s.History.Bars(ctx, args.resolution(), spans)
	if err == nil {
		err = past.read(ctx, s.History)
	}
	for n, i := range places {
		if errs[i] = err; err == nil {
			series[i] = past.seriesOf(instruments[i], stored[n])
		}
	}
	if err == nil {
		err = s.since(ctx, instruments, places, ranges, series, args, start)
	}
	if err != nil {
		for _, i := range places {
			series[i], errs[i] = nil, err
		}
	}
	return series, errs
}

// rangeOf returns the days asked for of an instrument.
func (a SeriesArgs) rangeOf(in *Instrument, now value.Instant) (value.Range, error) {
	if err := a.checkResolution(in.Market); err != nil {
		return value.Range{}, err
	}
	return a.days(in.calendar(), now)
}

// shownFrom is the first day of which bars of an instrument are shown, where a
// start is documented; start is that of its market.
func (a SeriesArgs) shownFrom(in *Instrument, start value.Date, now value.Instant) value.Date {
	start = in.shownFrom(start)
	if a.resolution() == FiveMinutes {
		start = latest(start, in.Market.shortStart(now))
	}
	return start
}

// span returns the part of the days that is shown of an instrument.
func (a SeriesArgs) span(in *Instrument, days value.Range, start value.Date, now value.Instant) Span {
	days.From.Date = latest(days.From.Date, a.shownFrom(in, start, now))
	first, last := days.Instants(in.Market.zone())
	return Span{in.InstrumentID, first, last}
}

// seriesOf presents an instrument's stored bars, in the currency asked for.
func (p *pastRates) seriesOf(in *Instrument, bars []*Bar) *CandleSeries {
	series := &CandleSeries{InstrumentID: in.InstrumentID, Resolution: p.args.resolution(), Currency: in.Currency, Bars: bars, Count: len(bars)}
	if converts(in.Market, in.Currency, p.args.Currency) {
		series.Currency, series.Converted = string(*p.args.Currency), true
	}
	for _, b := range bars {
		b.present(in.Market)
		if series.Converted {
			b.convert(p.at(in, b.T))
		}
	}
	return series
}

// convert turns the bar's money into the currency that r leads to; without a
// rate the money is null. Counts stay.
func (b *Bar) convert(r Rate) {
	for _, price := range []*value.Decimal{&b.Open, &b.High, &b.Low, &b.Close} {
		*price = r.Price(*price)
	}
	b.Turnover, b.FxRate = r.Amount(b.Turnover), r.Factor
}
