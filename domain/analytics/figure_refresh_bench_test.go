package analytics_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/analytics"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// listed is a service over a real store, with what waits to be computed.
type listed struct {
	*analytics.Service
	store    *db.Store
	subjects []string
	catalog  []*market.Instrument
	sectors  []*market.Sector
}

func newListed(b *testing.B, url string) *listed {
	b.Helper()
	store, err := db.Open(b.Context(), url)
	need.NoError(b, err)
	b.Cleanup(func() { _ = store.Close() })
	now := value.MustInstant("2026-03-18T16:00:00Z")
	m := &market.Service{Live: market.NewLive(), History: market.NewHistoryCache(store, 0, func() bool { return true }),
		Now: func() value.Instant { return now }, FXMaxAge: time.Hour}
	return &listed{store: store, Service: &analytics.Service{
		Market: m, Store: store, Figures: analytics.NewFigureCache(),
		Fundamentals: &fundamentals.Service{Market: m, Store: store, Histories: fundamentals.NewHistoryCache(store, 0, nil),
			Live: fundamentals.NewLive(), Lines: fundamentals.ShippedLines()},
	}}
}

// list adds instruments of a market, with days of random bars up to today.
func (l *listed) list(b *testing.B, of market.Market, kind market.AssetType, currency string, n, days int) {
	b.Helper()
	batch := new(db.Batch)
	store := func() {
		need.NoError(b, l.store.Store(b.Context(), batch))
		batch = new(db.Batch)
	}
	first := value.MustDate("2026-03-18").AddDays(1 - days)
	for i := range n {
		in := instrument(market.ID(fmt.Sprintf("%s:S%04d", of, i)), kind, currency)
		l.catalog, l.subjects = append(l.catalog, in), append(l.subjects, string(in.InstrumentID))
		p := randomWalk(uint64(i), days, 500)
		for day := range days {
			bar := daily(in.InstrumentID, first.AddDays(day).String(), "")
			bar.Close, bar.Volume = p.Close[day], p.Volume[day]
			if of == market.BIST || of == market.US {
				bar.High, bar.Low = p.High[day], p.Low[day]
			}
			db.Put(batch, bar, new(db.Outcome))
		}
		if i%50 == 49 {
			store()
		}
	}
	store()
}

// indices adds indices with days up to today.
func (l *listed) indices(b *testing.B, n, days int) {
	b.Helper()
	batch, first := new(db.Batch), value.MustDate("2026-03-18").AddDays(1-days)
	for i := range n {
		code := fmt.Sprintf("X%03d", i)
		l.subjects = append(l.subjects, code)
		p := randomWalk(uint64(i), days, 500)
		for day := range days {
			db.Put(batch, &market.IndexBar{Code: code, Date: first.AddDays(day), Close: p.Close[day], High: p.High[day], Low: p.Low[day]},
				new(db.Outcome))
		}
	}
	need.NoError(b, l.store.Store(b.Context(), batch))
}

// run computes everything over and over, as after a restart or on a new day.
func (l *listed) run(b *testing.B, last string) {
	l.Market.Live.PutCatalog(l.catalog, nil)
	l.Market.Live.PutSectors(l.sectors)
	b.ReportAllocs()
	began := processorTime(b)
	for b.Loop() {
		l.DailyBarsChanged(l.subjects)
		l.ComputeWaiting(b.Context())
	}
	b.ReportMetric((processorTime(b)-began).Seconds()/float64(b.N), "cpu-s/op") // of all cores, also of others that use them
	ctx, _ := access.WithCall(b.Context(), &access.Key{Scopes: access.Scopes})
	if p, err := l.Periodic(ctx, last, nil, nil); err != nil || p.Windows[len(p.Windows)-1].EndPrice.IsNull() {
		b.Fatalf("%+v, %v", p, err)
	}
}

// BenchmarkIndicatorsAhead computes the default indicators and the windows of
// every listed stock from five and a half years of days, which are read.
func BenchmarkIndicatorsAhead(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, url string) {
		l := newListed(b, url)
		l.list(b, market.BIST, market.Stock, "TRY", 649, 1400)
		l.run(b, "bist:S0648")
	})
}

// BenchmarkWindowsAhead computes everything that has windows from a year of
// days: every instrument, the indices, and the sectors, which take turns in
// listing the stocks.
func BenchmarkWindowsAhead(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, url string) {
		l := newListed(b, url)
		l.list(b, market.BIST, market.Stock, "TRY", 649, 380)
		l.list(b, market.US, market.Stock, "USD", 1000, 380)
		l.list(b, market.Fund, market.FundUnit, "TRY", 1040, 380)
		l.list(b, market.Cmdty, market.Commodity, "USD", 39, 380)
		l.indices(b, 86, 380)
		l.sectors = make([]*market.Sector, 47)
		for i := range l.sectors {
			l.sectors[i] = &market.Sector{Code: fmt.Sprintf("s%02d", i), Name: "S"}
		}
		for i, in := range l.catalog {
			if in.Market == market.BIST || in.Market == market.US {
				s := l.sectors[i%len(l.sectors)]
				s.Members = append(s.Members, in.InstrumentID)
			}
		}
		l.run(b, "cmdty:S0038")
	})
}

// BenchmarkOneBarChanged computes one stock and its sector of 35, five and a
// half years each: what a new price of the day costs.
func BenchmarkOneBarChanged(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, url string) {
		l := newListed(b, url)
		l.list(b, market.BIST, market.Stock, "TRY", 35, 1400)
		l.sectors = []*market.Sector{{Code: "s", Name: "S"}}
		for _, in := range l.catalog {
			l.sectors[0].Members = append(l.sectors[0].Members, in.InstrumentID)
		}
		l.subjects = l.subjects[:1]
		l.run(b, "bist:S0000")
	})
}

// processorTime is what this process has used so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	need.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
