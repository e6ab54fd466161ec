package market

import (
	"cmp"
	"context"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// singleSeries reads the series of one id; start gives the first day that a
// market shows.
func (s *Service) singleSeries(ctx context.Context, id string, args SeriesArgs, start func(Market) value.Date) (*CandleSeries, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	snapshot := s.Live.Snapshot()
	if err := args.check(snapshot.Catalog, s.Now(), id); err != nil {
		return nil, err
	}
	in, err := snapshot.Catalog.Resolve(id, AnyForm)
	if err != nil {
		return nil, err
	}
	series, errs := s.series(ctx, snapshot, []*Instrument{in}, args, start, true)
	if errs[0] != nil {
		return nil, errs[0]
	}
	access.Charge(ctx, access.Unit)
	return series[0], nil
}

// seriesOf answers a relation of instruments to their series.
func (s *Service) seriesOf(ctx context.Context, instruments []*Instrument, args SeriesArgs,
	start func(Market) value.Date) ([]*CandleSeries, []error) {
	return access.Relation[*Instrument, *CandleSeries]{
		Enter: access.Needs(access.History),
		ReadEach: func(instruments []*Instrument) ([]*CandleSeries, []error) {
			return s.series(ctx, s.Live.Snapshot(), instruments, args, start, true)
		},
	}.Answer(ctx, instruments)
}

// series reads, presents and converts the bars of instruments. It needs one statement for bars
// that are not in memory, and at most three for the pairs that convert them. keep is as in
// HistoryCache.read.
func (s *Service) series(ctx context.Context, snapshot *Snapshot, instruments []*Instrument, args SeriesArgs, start func(Market) value.Date,
	keep bool) ([]*CandleSeries, []error) {
	now, r := s.Now(), args.resolution()
	args = args.Stored()
	series, errs := make([]*CandleSeries, len(instruments)), make([]error, len(instruments))
	var spans []Span
	var places []int                // of the spans among the instruments
	var ranges, whole []value.Range // as asked for, and widened to whole weeks or months
	meanings := make([]meaning, len(instruments))
	past := &historicalRates{snapshot: snapshot, args: args, now: now, maxAge: s.FXMaxAge}
	for i, in := range instruments {
		asked, err := args.rangeOf(in, now)
		calendar := snapshot.TradingCalendar(in.Market, in)
		days := calendar.whole(r, asked)
		m := snapshot.meaningIn(in, days, args)
		span := m.shows(args.span(in, days, start(in.Market), now), args.resolution(), calendar)
		if meanings[i] = m; err == nil {
			err = past.cover(m.of, span)
		}
		for _, was := range m.before {
			err = cmp.Or(err, past.cover(was.of, span))
		}
		if errs[i] = err; err == nil {
			spans, places = append(spans, span), append(places, i)
			ranges, whole = append(ranges, asked), append(whole, days)
		}
	}
	read, err := s.History.read(ctx, s.Live, args.resolution(), spans, keep)
	if err == nil {
		err = past.read(ctx, s)
	}
	var factors []*seriesFactors
	if err == nil {
		factors, err = s.factorsOf(ctx, at(instruments, places), whole, read, args, r, keep)
	}
	for n, i := range places {
		if errs[i] = err; err == nil {
			series[i] = past.presented(&meanings[i], read[n], factors[n])
			if keep && factors[n] != nil {
				s.History.weigh(seriesKey{instruments[i].InstrumentID, args.resolution()})
			}
		}
	}
	if err == nil {
		err = s.addHistoryStart(ctx, instruments, places, ranges, series, args, start)
	}
	for n, i := range places {
		if err == nil {
			in := instruments[i]
			shown := latest(args.shownFrom(in, start(in.Market), now), in.CoverageFrom)
			series[i].MissingReason = snapshot.missing(in, series[i], ranges[n], shown, args.From != nil, now)
			series[i].finish(in, snapshot, factors[n], r, shown, now)
		}
	}
	if err != nil {
		for _, i := range places {
			series[i], errs[i] = nil, err
		}
	}
	return series, errs
}

// sameCurrency is the rate of bars that need no conversion, in a series in which others do.
var sameCurrency = value.MustDecimal("1")

// at returns the elements at some places.
func at[T any](all []T, places []int) []T {
	some := make([]T, len(places))
	for n, i := range places {
		some[n] = all[i]
	}
	return some
}

// presented returns an instrument's bars in the currency asked for, multiplied by the factors of
// by; nil: nothing is adjusted.
func (p *historicalRates) presented(m *meaning, of shownBars, by *seriesFactors) *CandleSeries {
	in := m.of
	c := &CandleSeries{
		InstrumentID: in.InstrumentID, Resolution: p.args.resolution(), Currency: in.Currency, Unit: m.unit, Count: of.count(),
		MeaningChanged: m.left, of: of, Adjust: AdjustNone, Factors: []*PriceFactor{},
	}
	if by != nil {
		c.Adjust, c.Factors, c.AdjustNote, c.scales = by.adjust, by.factors, by.note, by.scales
		for _, f := range by.factors { // by day
			if f.NullReason != nil && by.adjust != AdjustNone {
				c.known = f.ExDate.Start(in.Market.zone())
			}
		}
	}
	if !m.converts(p.args.Currency) {
		c.of = of.scaled(c.scales, c.Adjust)
		return c
	}
	bars, days := of.own(), p.snapshot.TradingCalendar(in.Market, in)
	for _, b := range bars {
		if b.Close.IsNull() {
			if c.unclosed == nil {
				c.unclosed = map[value.Instant]bool{}
			}
			c.unclosed[b.T] = true
		}
		rate := Rate{Factor: sameCurrency}
		then := m.at(b, days)
		if converts(in.Market, then.Currency, p.args.Currency) {
			rate = p.at(then, b.T)
		}
		if s := c.scales.of(b.T); s != nil {
			s.convert(b, rate)
		} else if rate.Factor == sameCurrency {
			b.FxRate = sameCurrency
		} else {
			b.convert(rate)
		}
	}
	c.Currency, c.Converted, c.of = string(*p.args.Currency), true, shownBars{unpacked: bars}
	return c
}
