package market

import (
	"context"
	"slices"
	"time"

	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// historicalRates are the rates to one currency at the times of bars. What a closed bar
// converts at depends on what was observed, and never on when it is asked for.
//
//	daily bar        the pair's close of the same date; where it has none that day, the newest
//	                 earlier one that was still current as its source says. Today's unfinished
//	                 bar has the current rate
//	shorter bar      the newest rate observed until the bar's last moment and current then, on
//	                 any path of pairs; else, once the day is closed, its close
//
// The rates are read once for all instruments of a batch.
type historicalRates struct {
	snapshot *Snapshot
	args     SeriesArgs
	now      value.Instant
	maxAge   time.Duration // of the current rate

	pairs    []string                                // that the instruments covered so far may need
	span     Span                                    // of all of them
	daily    map[string]map[value.Date]value.Decimal // closes by Turkey-time day
	observed map[string]*rateSeries                  // for bars shorter than a day
	held     map[string]*rateSeries
}

// maxRateAge is how old a rate may be at the end of a short bar, unless its source states until
// when it is current.
const maxRateAge = time.Hour

// cover adds the pairs that may convert an instrument. No path of pairs to the currency at all
// is a problem; a rate that is unknown at some time is not.
func (p *historicalRates) cover(in *Instrument, span Span) error {
	if !converts(in.Market, in.Currency, p.args.Currency) {
		return nil
	}
	from, to := in.Currency, string(*p.args.Currency)
	listed := pairs(func(pair string) (value.Decimal, value.Instant, bool) {
		return value.MustDecimal("1"), value.Instant{}, p.snapshot.Catalog.byID[pairID(pair)] != nil
	})
	if _, ok := listed.rate(from, to); !ok {
		return problem.New(problem.FXRateUnavailable, "No currency pair, and no two pairs through USD or TRY, lead from %s to %s.",
			from, to)
	}
	for _, pair := range pathPairs(from, to) {
		if _, _, ok := listed(pair); ok && !slices.Contains(p.pairs, pair) {
			p.pairs = append(p.pairs, pair)
		}
	}
	if p.span.First.IsNull() || span.First.Before(p.span.First) {
		p.span.First = span.First
	}
	if span.Last.After(p.span.Last) {
		p.span.Last = span.Last
	}
	return nil
}

// pathPairs returns the pairs that a path from one currency to another may use.
func pathPairs(from, to string) []string {
	var all []string
	for _, leg := range [][2]string{{from, to}, {from, string(USD)}, {string(USD), to}, {from, string(TRY)}, {string(TRY), to}} {
		for _, pair := range []string{leg[0] + leg[1], leg[1] + leg[0]} {
			if leg[0] != leg[1] && !slices.Contains(all, pair) {
				all = append(all, pair)
			}
		}
	}
	return all
}

// pairID returns the id of a currency pair.
func pairID(pair string) ID { return ID("fx:" + pair) }

// read loads the rates of the pairs. Those before the shown history are not used.
func (p *historicalRates) read(ctx context.Context, s *Service) error {
	if len(p.pairs) == 0 {
		return nil
	}
	// A day in UTC is the Turkey-time day of the same date, which begins earlier. A rate
	// published before a span may be current in it.
	first := p.span.First.Add(-24*time.Hour - MostCurrent)
	daily, err := p.since(ctx, s, Day, first)
	if err != nil {
		return err
	}
	p.daily = make(map[string]map[value.Date]value.Decimal, len(p.pairs))
	for i, pair := range p.pairs {
		closes, of := daily[i].figure(closeFigure), make(map[value.Date]value.Decimal, daily[i].count())
		for n, t := range daily[i].times() {
			of[value.DayIn(t, value.Turkey)] = closes[n]
		}
		p.daily[pair] = of
	}
	if p.held, err = p.seriesSince(ctx, s, HeldRates, first); err != nil || p.args.resolution() == Day {
		return err
	}
	p.observed, err = p.seriesSince(ctx, s, ObservedRates, p.span.First.Add(-maxRateAge))
	return err
}

// since reads the bars of every pair from first, but not from before the first day shown.
func (p *historicalRates) since(ctx context.Context, s *Service, r Resolution, first value.Instant) ([]shownBars, error) {
	if start := worldStart.Start(value.Turkey); first.Before(start) {
		first = start
	}
	spans := make([]Span, len(p.pairs))
	for i, pair := range p.pairs {
		spans[i] = Span{pairID(pair), first, p.span.Last}
	}
	return s.History.read(ctx, s.Live, r, spans, true)
}

// seriesSince reads the rates of every pair from first.
func (p *historicalRates) seriesSince(ctx context.Context, s *Service, r Resolution, first value.Instant) (map[string]*rateSeries, error) {
	read, err := p.since(ctx, s, r, first)
	if err != nil {
		return nil, err
	}
	all := make(map[string]*rateSeries, len(p.pairs))
	for i, pair := range p.pairs {
		all[pair] = newRateSeries(&read[i])
	}
	return all, nil
}

// at returns the rate from the instrument's currency at the time of one of its bars. An unknown
// rate has no factor.
func (p *historicalRates) at(in *Instrument, t value.Instant) Rate {
	from, to, zone := in.Currency, string(*p.args.Currency), in.Market.zone()
	day := value.DayIn(t, zone)
	if p.args.resolution() == Day {
		if day == value.DayIn(p.now, zone) {
			rate, _ := p.snapshot.currentRate(from, *p.args.Currency, p.now, p.maxAge)
			return rate
		}
		rate, _ := p.daysRates(in.Market, day).rate(from, to)
		return rate
	}
	// Observed rates come first on every path: a bar must not change its path once its day is
	// closed.
	observed := p.observedBy(lastOf(p.args.resolution(), t))
	rate, ok := observed.rate(from, to)
	if !ok && !p.now.Before(day.AddDays(1).Start(value.Turkey)) {
		rate, _ = observed.or(p.closes(day)).rate(from, to)
	}
	return rate
}

// closes returns the rates at the end of a day.
func (p *historicalRates) closes(day value.Date) pairs {
	return func(pair string) (value.Decimal, value.Instant, bool) {
		c := p.daily[pair][day]
		return c, value.Instant{}, c.Sign() > 0
	}
}

// daysRates returns the rates of daily bars of a market: the closes of the day, or earlier ones
// that were still current at the end of the bar.
func (p *historicalRates) daysRates(m Market, day value.Date) pairs {
	return p.closes(day).or(func(pair string) (value.Decimal, value.Instant, bool) {
		held := p.held[pair]
		if held == nil || len(held.times) == 0 {
			return value.Decimal{}, value.Instant{}, false
		}
		i := held.newest(m.lastOfDay(day), day)
		if i < 0 {
			return value.Decimal{}, value.Instant{}, false
		}
		return p.closes(value.TurkeyDay(held.times[i]))(pair)
	})
}

// observedBy returns the rates that were observed by a moment and current then.
func (p *historicalRates) observedBy(t value.Instant) pairs {
	return func(pair string) (value.Decimal, value.Instant, bool) {
		of := p.observed[pair]
		if of == nil {
			return value.Decimal{}, value.Instant{}, false
		}
		i := of.before(t)
		if i < 0 || t.Sub(of.times[i]) > maxRateAge {
			of = p.held[pair]
			i = of.newest(t, value.Date{})
		}
		if i < 0 {
			return value.Decimal{}, value.Instant{}, false
		}
		return of.rates[i], of.times[i], of.rates[i].Sign() > 0
	}
}
