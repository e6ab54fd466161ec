package market

import (
	"context"
	"slices"
	"time"

	"piyasa/problem"
)

// ratesOver returns the rate from the instrument's currency to the target at
// the time of each of its bars: a daily bar takes the pair's daily close of the
// same date, today's forming one the current rate, a shorter bar the pair's
// newest 5m bar at most an hour older, else the day's. No path of pairs at all
// is a problem; a rate that is unknown at some time is not.
func (s *Service) ratesOver(ctx context.Context, snapshot *Snapshot, in *Instrument, r Resolution, target Currency, first, last, now Instant) (func(Instant) (Rate, bool), error) {
	from, to := in.Currency, string(target)
	there := pairs(func(pair string) (Decimal, Instant, bool) {
		return MustDecimal("1"), Instant{}, snapshot.Catalog.byID[ID("fx:"+pair)] != nil
	})
	if _, ok := there.rate(from, to); !ok {
		return nil, problem.New(problem.FXRateUnavailable, "There is no pair, and no two pairs through USD or TRY, from %s to %s.", from, to)
	}
	past := pairHistory{daily: map[string]map[Date]Decimal{}, short: map[string][]*Bar{}}
	for _, pair := range pathPairs(from, to) {
		if _, _, ok := there(pair); !ok {
			continue
		}
		if err := past.read(ctx, s.History, pair, r, first, last); err != nil {
			return nil, err
		}
	}
	zone := in.Market.zone()
	today := dayIn(now, zone)
	return func(t Instant) (Rate, bool) {
		day := dayIn(t, zone)
		if r == Day && day == today {
			rate, err := snapshot.spot(from, target, now, s.FXMaxAge)
			return rate, err == nil
		}
		at := past.on(day)
		if r != Day {
			at = past.before(t, dayIn(t, turkey))
		}
		return at.rate(from, to)
	}, nil
}

// pathPairs are the pairs that a path from one currency to another may use.
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

// pairHistory is what pairs were worth over a window.
type pairHistory struct {
	daily map[string]map[Date]Decimal // closes by Turkey-time day
	short map[string][]*Bar           // 5m bars by time
}

// maxRateAge is how much older than a short bar its rate may be.
const maxRateAge = time.Hour

// read loads the bars of a pair that a window needs.
func (p pairHistory) read(ctx context.Context, history History, pair string, r Resolution, first, last Instant) error {
	id := ID("fx:" + pair)
	// A day in UTC is the Turkey-time day of the same date, which begins earlier.
	from := first.Add(-24 * time.Hour)
	if start, _ := (window{historyStart, historyStart}).instants(turkey); from.Before(start) {
		from = start // what is not shown is not used either
	}
	bars, err := history.Bars(ctx, id, Day, from, last)
	if err != nil {
		return err
	}
	closes := make(map[Date]Decimal, len(bars))
	for _, b := range bars {
		closes[dayIn(b.T, turkey)] = b.Close
	}
	p.daily[pair] = closes
	if r == Day {
		return nil
	}
	p.short[pair], err = history.Bars(ctx, id, FiveMinutes, first.Add(-maxRateAge), last)
	return err
}

// on finds rates of a day.
func (p pairHistory) on(day Date) pairs {
	return func(pair string) (Decimal, Instant, bool) {
		c := p.daily[pair][day]
		return c, Instant{}, c.Sign() > 0
	}
}

// before finds rates at a moment, else of its day.
func (p pairHistory) before(t Instant, day Date) pairs {
	return func(pair string) (Decimal, Instant, bool) {
		bars := p.short[pair]
		i, exact := slices.BinarySearchFunc(bars, t, func(b *Bar, t Instant) int { return b.T.Time().Compare(t.Time()) })
		if !exact {
			i--
		}
		if i >= 0 && t.Sub(bars[i].T) <= maxRateAge && bars[i].Close.Sign() > 0 {
			return bars[i].Close, Instant{}, true
		}
		return p.on(day)(pair)
	}
}
