package market

import (
	"context"
	"time"
)

// series reads, presents and converts the bars of instruments: one statement
// for all of them, and at most two for the pairs that convert them.
func (s *Service) series(ctx context.Context, snapshot *Snapshot, instruments []*Instrument, args SeriesArgs, start func(Market) Date) ([]*CandleSeries, []error) {
	now := s.Now()
	series, errs := make([]*CandleSeries, len(instruments)), make([]error, len(instruments))
	var spans []Span
	var places []int // of the spans among the instruments
	past := &pastRates{snapshot: snapshot, args: args, now: now, maxAge: s.FXMaxAge}
	for i, in := range instruments {
		span, err := args.span(in, start(in.Market), now)
		if err == nil {
			err = past.cover(in, span)
		}
		if errs[i] = err; err == nil {
			spans, places = append(spans, span), append(places, i)
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
	return series, errs
}

// span is the time of the window that is shown of an instrument.
func (a SeriesArgs) span(in *Instrument, start Date, now Instant) (Span, error) {
	if err := a.check(now, string(in.InstrumentID)); err != nil {
		return Span{}, err
	}
	w, _ := a.window(in.Market, now)
	w.from = latest(w.from, start, in.coverageStart())
	if a.resolution() == FiveMinutes {
		w.from = latest(w.from, in.Market.shortStart(now))
	}
	first, last := w.instants(in.Market.zone())
	return Span{in.InstrumentID, first, last}, nil
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

// extremesSince is the first day whose coin bars state more than close and
// turnover.
var extremesSince = At(time.Date(2026, time.January, 29, 0, 0, 0, 0, time.UTC))

// present nulls what the market never states at the bar's resolution, whatever
// the source sent.
func (b *Bar) present(m Market) {
	null := Decimal{}
	switch {
	case m == BIST && b.Resolution == FiveMinutes:
		b.High, b.Low = null, null
	case m == BIST && b.Resolution == Day:
		b.Open = null
	case m == Crypto && b.Resolution == TwoHours:
		b.Open, b.High, b.Low, b.Volume, b.Turnover, b.TradeCount = null, null, null, null, null, nil
	case m == Crypto && b.T.Before(extremesSince):
		b.Open, b.High, b.Low, b.Volume, b.TradeCount = null, null, null, null, nil
	}
}

// convert turns the bar's money into the currency that r leads to; without a
// rate the money is null. Counts stay.
func (b *Bar) convert(r Rate) {
	for _, price := range []*Decimal{&b.Open, &b.High, &b.Low, &b.Close} {
		*price = r.Price(*price)
	}
	b.Turnover, b.FxRate = r.Amount(b.Turnover), r.Factor
}
