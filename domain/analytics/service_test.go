package analytics_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/domain/analytics"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// fixture is the service under test over a store in memory.
type fixture struct {
	*analytics.Service
	*memory

	mu  sync.Mutex
	now value.Instant
}

// at sets the clock.
func (d *fixture) at(now string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = value.MustInstant(now)
}

func (d *fixture) clock() value.Instant {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

// newFixture returns a fixture with a small catalog of every market, two sectors, an index
// and no bars, on a Wednesday at 15:00 in Istanbul.
func newFixture() *fixture {
	d := &fixture{memory: newMemory(), now: value.MustInstant("2026-03-18T12:00:00Z")}
	m := &market.Service{Live: market.NewLive(), History: market.NewHistoryCache(d.memory, 0, func() bool { return true }), Now: d.clock,
		FXMaxAge: time.Hour}
	d.Service = &analytics.Service{
		Market: m, Store: d.memory, Figures: analytics.NewFigureCache(),
		Fundamentals: &fundamentals.Service{Market: m, Store: d.memory, Histories: fundamentals.NewHistoryCache(d.memory, 0, nil),
			Live: fundamentals.NewLive(), Lines: fundamentals.ShippedLines()},
	}
	m.Live.PutCatalog([]*market.Instrument{
		instrument("bist:AAA", market.Stock, "TRY"), instrument("bist:BBB", market.Stock, "TRY"),
		instrument("bist:CCC", market.Stock, "TRY"),
		with(instrument("bist:GLDF", market.ETF, "TRY"), func(in *market.Instrument) { in.FundCode = new("GLD") }),
		with(instrument("us:USX", market.Stock, "USD"), func(in *market.Instrument) {
			in.Session = &market.Session{Timezone: "America/New_York", Open: new(market.ClockTime("09:30")),
				Close: new(market.ClockTime("16:00"))}
		}),
		instrument("fund:FND", market.FundUnit, "TRY"), instrument("cmdty:XAU", market.Commodity, "USD"),
		instrument("cmdty:PALM", market.Commodity, "MYR"),
		with(instrument("crypto:1", market.Coin, "USD"), func(in *market.Instrument) { in.CmcID = new(1) }),
		instrument("fx:USDTRY", market.Pair, "TRY"), instrument("fx:USDMYR", market.Pair, "MYR"),
		instrument("index:SPX", market.WorldIndex, "USD"),
	}, nil)
	m.Live.PutQuotes([]*market.Observation{
		{InstrumentID: "fx:USDTRY", AsOf: d.now, Last: value.MustDecimal("40")},
		{InstrumentID: "fx:USDMYR", AsOf: d.now, Last: value.MustDecimal("4")},
	})
	d.sectors(&market.Sector{Code: "auto", Name: "Otomotiv", Members: []market.ID{"bist:AAA", "bist:BBB", "us:USX"}},
		&market.Sector{Code: "bank", Name: "Banka", Members: []market.ID{"bist:BBB"}},
		&market.Sector{Code: "old", Name: "Eski", Successors: []string{"auto"}})
	m.Live.PutIndices([]*market.BistIndex{{Code: "XU100", Name: "BIST 100", Verified: true}, {Code: "XNEW", Name: "Not yet"}})
	return d
}

// sectors replaces the sectors, as a change of the catalog does.
func (d *fixture) sectors(sectors ...*market.Sector) {
	d.Market.Live.PutSectors(sectors)
	d.CatalogChanged(nil)
}

func instrument(id market.ID, of market.AssetType, currency string) *market.Instrument {
	return &market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Name: "Name of " + id.Symbol(), Market: id.Market(), AssetType: of,
		Currency: currency}
}

func with[T any](v *T, change func(*T)) *T {
	change(v)
	return v
}

// put stores daily bars, as a change that is noticed.
func (d *fixture) put(bars ...*market.Bar) {
	d.memory.put(bars...)
	changed := map[string]bool{}
	for _, b := range bars {
		if b.Resolution == market.Day {
			changed[string(b.InstrumentID)] = true
		}
	}
	d.DailyBarsChanged(slices.Collect(maps.Keys(changed)))
}

// daily is a daily bar with a close only.
func daily(id market.ID, date, last string) *market.Bar {
	t := value.MustInstant(date + "T00:00:00Z")
	if id.Market() == market.BIST {
		t = value.MustDate(date).TurkeyStart()
	}
	b := &market.Bar{InstrumentID: id, Resolution: market.Day, T: t}
	if last != "" {
		b.Close = value.MustDecimal(last)
	}
	return b
}

// year are 400 days of an instrument up to 2026-03-17: 1.25 more each day, with
// a dent every seventh.
func year(id market.ID, start int) []*market.Bar {
	var bars []*market.Bar
	first := value.MustDate("2026-03-17").AddDays(-399)
	for i := range 400 {
		b := daily(id, first.AddDays(i).String(), cents(int64(start*100+125*i-300*(i%7))).String())
		b.High, b.Low, b.Volume = b.Close.Plus(value.MustDecimal("1.5")), b.Close.Minus(value.MustDecimal("2")), value.MustDecimal("1000")
		bars = append(bars, b)
	}
	return bars
}

// allowed is the context of a call with these scopes.
func allowed(t testing.TB, scopes ...access.Scope) context.Context {
	ctx, _ := access.WithCall(t.Context(), &access.Key{Scopes: scopes})
	return ctx
}

// must is the value of a call that may not fail.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		need.NoError(t, err)
		return v
	}
}

// memory is a store of bars and statements.
type memory struct {
	mu         sync.Mutex
	bars       map[market.ID][]*market.Bar
	index      map[string][]*market.IndexBar
	statements map[market.ID][]*fundamentals.Filed
	reads      []string // what each read was of
	failure    error
	hold       func() // called with what was read in hand; may be nil
}

func newMemory() *memory {
	return &memory{bars: map[market.ID][]*market.Bar{}, index: map[string][]*market.IndexBar{},
		statements: map[market.ID][]*fundamentals.Filed{}}
}

func (m *memory) put(bars ...*market.Bar) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range bars {
		kept := slices.DeleteFunc(m.bars[b.InstrumentID], func(o *market.Bar) bool { return o.Resolution == b.Resolution && o.T == b.T })
		m.bars[b.InstrumentID] = append(kept, b)
		slices.SortFunc(m.bars[b.InstrumentID], func(a, b *market.Bar) int { return a.T.Time().Compare(b.T.Time()) })
	}
}

// Bars implements market.History.
func (m *memory) Bars(ctx context.Context, r market.Resolution, spans []market.Span) ([]market.StoredBars, error) {
	m.mu.Lock()
	all := make([]market.StoredBars, len(spans))
	for i, span := range spans {
		for _, b := range m.bars[span.ID] {
			if b.Resolution == r && !b.T.Before(span.First) && !b.T.After(span.Last) {
				own := *b
				all[i].Bars = append(all[i].Bars, &own)
			}
		}
	}
	if len(spans) > 0 {
		m.reads = append(m.reads, fmt.Sprint("bars of ", len(spans)))
	}
	err, hold := m.failure, m.hold
	m.mu.Unlock()
	if hold != nil {
		hold()
	}
	return all, cmp.Or(err, ctx.Err())
}

// FirstBars implements market.History.
func (m *memory) FirstBars(_ context.Context, r market.Resolution, ids []market.ID,
	since value.Instant) (map[market.ID]value.Instant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	firsts := map[market.ID]value.Instant{}
	for _, id := range ids {
		for _, b := range m.bars[id] {
			if _, known := firsts[id]; !known && b.Resolution == r && !b.T.Before(since) {
				firsts[id] = b.T
			}
		}
	}
	return firsts, m.failure
}

// IndexBars implements analytics.Store.
func (m *memory) IndexBars(_ context.Context, codes []string) ([][]*market.IndexBar, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([][]*market.IndexBar, len(codes))
	for i, code := range codes {
		all[i] = slices.Clone(m.index[code])
	}
	m.reads = append(m.reads, fmt.Sprint("index bars of ", len(codes)))
	return all, m.failure
}

// Statements implements fundamentals.StatementStore.
func (m *memory) Statements(_ context.Context, keys []fundamentals.HistoryKey) (map[fundamentals.HistoryKey][]*fundamentals.Filed,
	int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[fundamentals.HistoryKey][]*fundamentals.Filed{}
	for _, k := range keys {
		all[k] = m.statements[k.Company]
	}
	m.reads = append(m.reads, fmt.Sprint("statements of ", len(keys)))
	return all, 0, m.failure
}

// Metrics implements fundamentals.MetricsStore.
func (m *memory) Metrics(_ context.Context, ids []market.ID, _, _ value.Date) ([][]*fundamentals.Metrics, error) {
	return make([][]*fundamentals.Metrics, len(ids)), nil
}

// Dividends implements fundamentals.DividendStore.
func (m *memory) Dividends(context.Context, []market.ID, int) (map[market.ID][]*fundamentals.DividendRecord, error) {
	return nil, nil
}

// DividendPage implements fundamentals.DividendStore.
func (m *memory) DividendPage(context.Context, fundamentals.DividendQuery) ([]*fundamentals.StoredDividend, error) {
	return nil, nil
}

// takeReads are the reads since the last call.
func (m *memory) takeReads() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	reads := m.reads
	m.reads = nil
	return reads
}

func (m *memory) set(change func(*memory)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(m)
}

// operations are every operation that a key may ask for, each with arguments
// that are answered.
var operations = map[string]func(*fixture, context.Context) (any, error){
	"Periodic": func(d *fixture, ctx context.Context) (any, error) { return d.Periodic(ctx, "bist:AAA", nil, nil) },
	"PeriodicBatch": func(d *fixture, ctx context.Context) (any, error) {
		return d.PeriodicBatch(ctx, []string{"bist:AAA"}, nil, nil)
	},
	"IndexPeriodic": func(d *fixture, ctx context.Context) (any, error) { return d.IndexPeriodic(ctx, "xu100", nil) },
	"SectorPeriodic": func(d *fixture, ctx context.Context) (any, error) {
		return d.SectorPeriodic(ctx, "auto", nil, nil)
	},
	"Indicators": func(d *fixture, ctx context.Context) (any, error) {
		return d.Indicators(ctx, "bist:AAA", analytics.IndicatorArgs{})
	},
	"SectorValuation": func(d *fixture, ctx context.Context) (any, error) { return d.SectorValuation(ctx, "auto", nil) },
	"SectorReturns": func(d *fixture, ctx context.Context) (any, error) {
		return d.SectorReturns(ctx, "auto", analytics.SectorReturnsArgs{})
	},
	"PeriodicOf": func(d *fixture, ctx context.Context) (any, error) {
		all, errs := d.PeriodicOf(ctx, []*market.Instrument{d.Market.ByID("bist:AAA")}, nil, nil)
		return all, cmp.Or(errs...)
	},
	"IndicatorsOf": func(d *fixture, ctx context.Context) (any, error) {
		all, errs := d.IndicatorsOf(ctx, []*market.Instrument{d.Market.ByID("bist:AAA")}, analytics.IndicatorArgs{})
		return all, cmp.Or(errs...)
	},
	"SectorValuationsOf": func(d *fixture, ctx context.Context) (any, error) {
		all, errs := d.SectorValuationsOf(ctx, d.infos("auto"), nil)
		return all, cmp.Or(errs...)
	},
	"SectorReturnsOf": func(d *fixture, ctx context.Context) (any, error) {
		all, errs := d.SectorReturnsOf(ctx, d.infos("auto"), analytics.SectorReturnsArgs{})
		return all, cmp.Or(errs...)
	},
}

// infos are sectors as the list of sectors has them.
func (d *fixture) infos(codes ...string) []*market.SectorInfo {
	var all []*market.SectorInfo
	for _, code := range codes {
		g, err := d.Market.Live.Snapshot().Sector(code)
		if err != nil {
			panic(err)
		}
		all = append(all, &g.SectorInfo)
	}
	return all
}

// Every operation needs history, reports a mistake of the transport after the
// scope, and costs one unit once it has succeeded.
func TestEveryOperation(t *testing.T) {
	for name, run := range operations {
		t.Run(name, func(t *testing.T) {
			d := newFixture()
			d.put(year("bist:AAA", 100)...)
			var rest []access.Scope
			for _, s := range access.Scopes {
				if s != access.History {
					rest = append(rest, s)
				}
			}
			ctx, call := access.WithCall(t.Context(), &access.Key{Scopes: rest})
			_, err := run(d, ctx)
			if e := problem.From(err); err == nil || e.Kind != problem.MissingScope ||
				!slices.Equal(e.Members.MissingScopes, []string{"history"}) || call.Units() != 0 {
				t.Errorf("without history: %v, %d units", err, call.Units())
			}
			ctx, call = access.WithCall(t.Context(), &access.Key{Scopes: []access.Scope{access.History}})
			if _, err := run(d, ctx); err != nil || call.Units() != 1 {
				t.Errorf("with history: %v, %d units", err, call.Units())
			}
			mistake := problem.New(problem.InvalidParameter, "wrong")
			ctx, call = access.WithCall(t.Context(), &access.Key{Scopes: []access.Scope{access.History}})
			call.SetParameterError(mistake)
			if _, err := run(d, ctx); !errors.Is(err, mistake) || call.Units() != 0 {
				t.Errorf("with a mistake: %v, %d units", err, call.Units())
			}
			cause := errors.New("disk 7 is gone")
			for kind, failure := range map[problem.Kind]error{problem.StoreUnavailable: problem.StoreFailed(cause),
				problem.Internal: fmt.Errorf("query: %w", cause)} {
				broken := newFixture()
				broken.failure = failure
				ctx, call = access.WithCall(t.Context(), &access.Key{Scopes: access.Scopes})
				_, err := run(broken, ctx)
				if e := problem.From(err); !errors.Is(err, cause) || e.Kind != kind || strings.Contains(e.Detail, "disk") ||
					call.Units() != 0 {
					t.Errorf("with a broken store: %v, %d units, want %s", err, call.Units(), kind)
				}
			}
		})
	}
}
