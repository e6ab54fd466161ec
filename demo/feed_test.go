package demo

import (
	"context"
	"math/big"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

func number(t *testing.T, d value.Decimal) *big.Rat {
	t.Helper()
	n, ok := new(big.Rat).SetString(d.String())
	if !ok {
		t.Fatalf("%q is no number", d)
	}
	return n
}

// checkFigures holds a quote against the rules of its market.
func checkFigures(t *testing.T, q *market.Observation) {
	t.Helper()
	wrong := func(what string) { t.Helper(); t.Errorf("%s: %+v", what, *q) }
	if q.InstrumentID == "cmdty:LITHIUM" {
		if !q.Last.IsNull() {
			wrong("has a value")
		}
		return
	}
	last, change := number(t, q.Last), number(t, q.Change)
	before := new(big.Rat).Sub(last, change)
	if last.Sign() <= 0 || before.Sign() <= 0 {
		wrong("not above zero")
	}
	if !q.PrevClose.IsNull() && number(t, q.PrevClose).Cmp(before) != 0 {
		wrong("change is not last − prev_close")
	}
	exact := new(big.Rat).Quo(new(big.Rat).Mul(change, big.NewRat(100, 1)), before)
	if off := exact.Sub(exact, number(t, q.ChangePct)); off.Abs(off).Cmp(big.NewRat(1, 200)) > 0 {
		wrong("change_pct is off")
	}
	if !q.Open.IsNull() {
		high, low := number(t, q.High), number(t, q.Low)
		for _, p := range []value.Decimal{q.Open, q.Last} {
			if n := number(t, p); n.Cmp(high) > 0 || n.Cmp(low) < 0 {
				wrong("outside the day's range")
			}
		}
	}
	if !q.Ask.IsNull() && number(t, q.Bid).Cmp(number(t, q.Ask)) >= 0 {
		wrong("bid not below ask")
	}
	if !q.Volume.IsNull() && number(t, q.Volume).Sign() > 0 {
		average := new(big.Rat).Quo(number(t, q.Turnover), number(t, q.Volume))
		if average.Cmp(number(t, q.High)) > 0 || average.Cmp(number(t, q.Low)) < 0 {
			wrong("turnover does not fit the volume")
		}
	}
	if q.InstrumentID.Market() == market.BIST {
		checkBand(t, q, before)
	}
}

// checkBand holds a quote against the daily limits, which are the last ticks
// within 10 %.
func checkBand(t *testing.T, q *market.Observation, before *big.Rat) {
	t.Helper()
	up, down := number(t, q.LimitUp), number(t, q.LimitDown)
	if last := number(t, q.Last); last.Cmp(up) > 0 || last.Cmp(down) < 0 {
		t.Errorf("outside the limits: %+v", *q)
	}
	highest := new(big.Rat).Mul(before, big.NewRat(11, 10))
	lowest := new(big.Rat).Mul(before, big.NewRat(9, 10))
	if up.Cmp(highest) > 0 || new(big.Rat).Add(up, tickAt(up)).Cmp(highest) <= 0 ||
		down.Cmp(lowest) < 0 || new(big.Rat).Sub(down, tickAt(down)).Cmp(lowest) >= 0 {
		t.Errorf("wrong limits: %+v", *q)
	}
	for _, p := range []value.Decimal{q.Last, q.PrevClose, q.Open, q.High, q.Low, q.LimitUp, q.LimitDown} {
		if n := number(t, p); !new(big.Rat).Quo(n, tickAt(n)).IsInt() {
			t.Errorf("%s is on no tick: %+v", p, *q)
		}
	}
}

// tickAt is the exchange's price step at a price.
func tickAt(price *big.Rat) *big.Rat {
	for _, step := range []struct{ below, kurus int64 }{{20, 1}, {50, 2}, {100, 5}, {250, 10}, {500, 25}, {1000, 50}, {2500, 100}} {
		if price.Cmp(big.NewRat(step.below, 1)) < 0 {
			return big.NewRat(step.kurus, 100)
		}
	}
	return big.NewRat(250, 100)
}

// Two and a half days: a half day, a holiday and a whole session.
func TestFeedKeepsEveryRule(t *testing.T) {
	now := value.MustInstant("2026-10-28T06:00:00Z")
	s := New(func() value.Instant { return now })
	newest := map[market.ID]value.Instant{}
	days := map[market.ID]map[value.Date]bool{}
	take := func(lines []byte) {
		for _, q := range quotesOf(t, lines) {
			if before, known := newest[q.InstrumentID]; known && !q.AsOf.After(before) {
				t.Errorf("%s: %s after %s", q.InstrumentID, q.AsOf, before)
			}
			newest[q.InstrumentID] = q.AsOf
			if days[q.InstrumentID] == nil {
				days[q.InstrumentID] = map[value.Date]bool{}
			}
			days[q.InstrumentID][value.TurkeyDay(q.AsOf)] = true
			checkFigures(t, q)
		}
	}
	take(s.present())
	for end := value.MustInstant("2026-10-30T20:00:00Z"); now.Before(end) && !t.Failed(); now = now.Add(2 * time.Minute) {
		take(s.turn())
	}
	for _, c := range []struct {
		id   market.ID
		want []string
	}{
		{Sample, []string{"2026-10-27", "2026-10-28", "2026-10-30"}},
		{"bist:DMDOK", []string{"2026-10-27", "2026-10-28", "2026-10-30"}},
		{"fund:DMF", []string{"2026-10-27", "2026-10-28", "2026-10-30"}},
		{"us:DMSW", []string{"2026-10-27", "2026-10-28", "2026-10-29", "2026-10-30"}},
		{"fx:USDTRY", []string{"2026-10-28", "2026-10-29", "2026-10-30"}},
	} {
		if len(days[c.id]) != len(c.want) {
			t.Errorf("%s: quotes of %v, want %v", c.id, days[c.id], c.want)
		}
		for _, day := range c.want {
			if !days[c.id][value.MustDate(day)] {
				t.Errorf("%s: no quote of %s", c.id, day)
			}
		}
	}
}

func TestFeedLeavesClosedMarketsAlone(t *testing.T) {
	now := value.MustInstant("2026-03-21T09:00:00Z") // a Saturday
	s := New(func() value.Instant { return now })
	moved := map[market.Market]int{}
	rates := map[market.ID]value.Instant{}
	for range 600 {
		now = now.Add(time.Second)
		for _, q := range quotesOf(t, s.turn()) {
			moved[q.InstrumentID.Market()]++
			if q.InstrumentID.Market() == market.FX {
				rates[q.InstrumentID] = q.AsOf
			}
		}
		for id, at := range rates {
			if age := now.Sub(at); age > 30*time.Minute { // half of what conversion allows
				t.Fatalf("the rate %s is %s old", id, age)
			}
		}
	}
	if len(rates) != 12 {
		t.Errorf("%d pairs moved", len(rates))
	}
	for m := range manners {
		open := m == market.FX || m == market.Crypto || m == market.Cmdty
		if (moved[m] > 0) != open {
			t.Errorf("%s moved %d times", m, moved[m])
		}
	}
}

func TestCoinChangesOver24Hours(t *testing.T) {
	now := session
	s := New(func() value.Instant { return now })
	coin := s.series[0]
	for _, p := range s.series {
		if p.Ticker != nil && *p.Ticker == "DMC" {
			coin = p
		}
	}
	var passing int64 // the price when 15:00 was passed on the first day
	compared := false
	for now.Before(session.Add(28 * time.Hour)) {
		now = now.Add(time.Minute)
		at, due := coin.due(now)
		if !due {
			continue
		}
		before := coin.last
		coin.trade(at)
		if at.Hour() == 15 && passing == 0 {
			passing = before
		}
		if now.Sub(session) > 27*time.Hour && at.Hour() == 15 {
			compared = true
			if coin.reference != passing {
				t.Fatalf("at %s the change counts from %d, want %d", at, coin.reference, passing)
			}
		}
	}
	if !compared {
		t.Error("nothing was compared")
	}
}

// stepping is a clock that goes on as seconds does.
func stepping(at value.Instant) (clock value.Clock, seconds *atomic.Int64) {
	seconds = new(atomic.Int64)
	return func() value.Instant { return at.Add(time.Duration(seconds.Load()) * time.Second) }, seconds
}

func TestRunStoresWhatTheFeedSays(t *testing.T) {
	store := load(t, session)
	clock, seconds := stepping(session)
	s, twin := New(clock), New(clock)
	ctx, stop := context.WithCancel(t.Context())
	ticks, done := make(chan time.Time), make(chan error)
	go func() { done <- s.Feed(ctx, store, ticks, t.Output()) }()
	isStored := func(q *market.Observation) bool {
		stored, err := store.Observations(t.Context(), q.InstrumentID)
		need.NoError(t, err)
		return slices.ContainsFunc(stored, q.Same)
	}
	for range 5 {
		seconds.Add(1)
		said := quotesOf(t, twin.turn())
		if len(said) == 0 {
			t.Fatal("the feed said nothing")
		}
		ticks <- time.Time{}
		for _, q := range said { // and until then the clock stands still
			for waited := time.Now(); !isStored(q); time.Sleep(time.Millisecond) {
				if time.Since(waited) > 20*time.Second {
					t.Fatalf("said and not stored: %+v", *q)
				}
			}
		}
	}
	stop()
	need.NoError(t, <-done)
}

func TestRunEndsWithTheDatabase(t *testing.T) {
	store := openStore(t)
	need.NoError(t, store.Close())
	ticks := make(chan time.Time, 1)
	ticks <- time.Time{}
	clock, seconds := stepping(session)
	simulation := New(clock)
	seconds.Add(1) // when something trades
	if err := simulation.Feed(t.Context(), store, ticks, t.Output()); err == nil {
		t.Error("no error")
	}
}
