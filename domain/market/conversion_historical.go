package market

import (
	"context"
	"slices"
	"time"

	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// historicalRates are the rates to one currency at the times of bars. A daily
// bar uses the pair's daily close of the same date, and today's unfinished one
// the current rate. A shorter bar uses the pair's newest 5m bar that is at most
// an hour older, else the day's close. The rates are read once for all
// instruments of a batch.
type historicalRates struct {
	snapshot *Snapshot
	args     SeriesArgs
	now      value.Instant
	maxAge   time.Duration // of the current rate

	pairs []string                                // that the instruments covered so far may need
	span  Span                                    // of all of them
	daily map[string]map[value.Date]value.Decimal // closes by Turkey-time day
	short map[string]shortRates                   // of 5m bars
}

// maxRateAge is how much older than a short bar its rate may be.
const maxRateAge = time.Hour

// cover notes the pairs that may convert an instrument. It is a problem if no
// path of pairs leads to the currency at all; a rate that is unknown at some
// time is not.
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

// shortRates are the rates of one pair by time.
type shortRates struct {
	times  []value.Instant
	closes []value.Decimal
}

// pairID returns the id of a currency pair.
func pairID(pair string) ID { return ID("fx:" + pair) }

// read loads the bars of the pairs. Bars before the shown history are not used.
func (p *historicalRates) read(ctx context.Context, s *Service) error {
	if len(p.pairs) == 0 {
		return nil
	}
	// A day in UTC is the Turkey-time day of the same date, which begins earlier.
	daily, err := p.barsSince(ctx, s, Day, p.span.First.Add(-24*time.Hour), worldStart)
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
	if p.args.resolution() == Day {
		return nil
	}
	short, err := p.barsSince(ctx, s, FiveMinutes, p.span.First.Add(-maxRateAge), FX.shortStart(p.now))
	if err != nil {
		return err
	}
	p.short = make(map[string]shortRates, len(p.pairs))
	for i, pair := range p.pairs {
		p.short[pair] = shortRates{short[i].times(), short[i].figure(closeFigure)}
	}
	return nil
}

// barsSince reads the bars of every pair from first, but not from before the
// first day shown.
func (p *historicalRates) barsSince(ctx context.Context, s *Service, r Resolution, first value.Instant,
	shown value.Date) ([]shownBars, error) {
	if start := shown.Start(value.Turkey); first.Before(start) {
		first = start
	}
	spans := make([]Span, len(p.pairs))
	for i, pair := range p.pairs {
		spans[i] = Span{pairID(pair), first, p.span.Last}
	}
	return s.History.read(ctx, s.Live, r, spans, true)
}

// at returns the rate from the instrument's currency at the time of one of its
// bars; without a factor when it is unknown.
func (p *historicalRates) at(in *Instrument, t value.Instant) Rate {
	zone := in.Market.zone()
	day := value.DayIn(t, zone)
	if p.args.resolution() == Day && day == value.DayIn(p.now, zone) {
		rate, _ := p.snapshot.currentRate(in.Currency, *p.args.Currency, p.now, p.maxAge)
		return rate
	}
	known := p.on(day)
	if p.args.resolution() != Day {
		known = p.before(t, value.DayIn(t, value.Turkey))
	}
	rate, _ := known.rate(in.Currency, string(*p.args.Currency))
	return rate
}

// on returns the rates of a day.
func (p *historicalRates) on(day value.Date) pairs {
	return func(pair string) (value.Decimal, value.Instant, bool) {
		c := p.daily[pair][day]
		return c, value.Instant{}, c.Sign() > 0
	}
}

// before returns the rates at a moment, or else those of its day.
func (p *historicalRates) before(t value.Instant, day value.Date) pairs {
	return func(pair string) (value.Decimal, value.Instant, bool) {
		of := p.short[pair]
		i, exact := slices.BinarySearchFunc(of.times, t, value.Instant.Compare)
		if !exact {
			i--
		}
		if i >= 0 && t.Sub(of.times[i]) <= maxRateAge && of.closes[i].Sign() > 0 {
			return of.closes[i], value.Instant{}, true
		}
		return p.on(day)(pair)
	}
}
