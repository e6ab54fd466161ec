package analytics_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/account/access"
	"piyasa/domain/analytics"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// everything are the answers that are computed ahead.
func everything(t testing.TB, d *fixture) map[string]any {
	t.Helper()
	ctx, all := allowed(t, access.History), map[string]any{}
	batch := must[*analytics.PeriodicBatch](t)(d.PeriodicBatch(ctx,
		[]string{"bist:AAA", "bist:BBB", "bist:GLDF", "us:USX", "fund:FND", "cmdty:XAU"}, nil, nil))
	for _, p := range batch.Periodic {
		all["periodic "+string(*p.InstrumentID)] = p
	}
	for _, id := range []string{"bist:AAA", "bist:BBB"} {
		all["indicators "+id] = must[*analytics.IndicatorSet](t)(d.Indicators(ctx, id, analytics.IndicatorArgs{}))
	}
	all["index"] = must[*analytics.Periodic](t)(d.IndexPeriodic(ctx, "XU100", nil))
	for _, code := range []string{"auto", "bank"} {
		for _, m := range []market.EquityMarket{market.EquityBIST, market.EquityUS} {
			all[fmt.Sprint("sector ", code, m)] = must[*analytics.Periodic](t)(d.SectorPeriodic(ctx, code, &m, nil))
		}
	}
	return all
}

// fill stores a year of everything without telling anybody.
func (d *fixture) fill() {
	for i, id := range []market.ID{"bist:AAA", "bist:BBB", "us:USX", "fund:FND", "cmdty:XAU"} {
		d.memory.put(year(id, 100+50*i)...)
	}
	for i, b := range year("bist:AAA", 9000) {
		d.index["XU100"] = append(d.index["XU100"], &market.IndexBar{Code: "XU100", Date: value.MustDate("2026-03-17").AddDays(i - 399),
			Close: b.Close})
	}
}

// subjects are those that the log names when a server starts.
var subjects = []string{"bist:AAA", "bist:BBB", "us:USX", "fund:FND", "cmdty:XAU", "index:SPX", "crypto:1", "fx:USDTRY", "XU100",
	"bist:NOBODY"}

// What is computed ahead is what a question computes, and answers without a
// read.
func TestComputedAhead(t *testing.T) {
	asked := newFixture()
	asked.fill()
	var ahead *fixture
	synctest.Test(t, func(t *testing.T) {
		ahead = newFixture()
		ahead.fill()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			ahead.Run(ctx)
		}()
		ahead.DailyBarsChanged(subjects)
		synctest.Wait()
		stop()
		<-ended // the bubble fails when anything goes on after it
	})
	if reads := ahead.takeReads(); len(reads) == 0 {
		t.Fatal("nothing was computed")
	}
	want, got := everything(t, asked), everything(t, ahead)
	for name := range want {
		if !reflect.DeepEqual(got[name], want[name]) {
			t.Errorf("%s: ahead %+v, asked %+v", name, got[name], want[name])
		}
	}
	// bist:GLDF has no bars and was named by nobody.
	if reads := ahead.takeReads(); !slices.Equal(reads, []string{"bars of 1"}) {
		t.Errorf("questions read again: %v", reads)
	}
	everything(t, asked)
	asked.takeReads()
	if everything(t, asked); len(asked.takeReads()) != 0 {
		t.Error("a second question reads again")
	}
}

func TestRunStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFixture()
		d.fill()
		d.DailyBarsChanged(subjects)
		ctx, stop := context.WithCancel(t.Context())
		d.hold = stop // in the middle of the first batch
		d.Run(ctx)
		if reads := d.takeReads(); !slices.Equal(reads, []string{"bars of 5"}) {
			t.Errorf("it went on: %v", reads)
		}
		d.set(func(m *memory) { m.hold = nil })
		if got := windowOf(t, d, "bist:AAA", "1w").EndPrice; got.IsNull() {
			t.Error("what was interrupted is not answered")
		}
	})
}

// windowOf is one window of an instrument.
func windowOf(t testing.TB, d *fixture, id, name string) *analytics.PeriodicWindow {
	t.Helper()
	return window(t, must[*analytics.Periodic](t)(d.Periodic(allowed(t, access.History), id, nil, nil)), name)
}

func window(t testing.TB, p *analytics.Periodic, name string) *analytics.PeriodicWindow {
	t.Helper()
	for _, w := range p.Windows {
		if w.Window == name {
			return w
		}
	}
	t.Fatalf("no window %s", name)
	return nil
}

func TestChangedBarChangesTheAnswer(t *testing.T) {
	d := newFixture()
	d.fill()
	before := everything(t, d)
	d.put(daily("bist:BBB", "2026-03-17", "999.5"))
	after := everything(t, d)
	for name := range before {
		of := name == "periodic bist:BBB" || name == "indicators bist:BBB" || name == "sector autobist" || name == "sector bankbist"
		if changed := !reflect.DeepEqual(before[name], after[name]); changed != of {
			t.Errorf("%s changed: %t", name, changed)
		}
	}
	if got := windowOf(t, d, "bist:BBB", "1w").EndPrice.String(); got != "999.5" {
		t.Errorf("end price %s", got)
	}
	d.set(func(m *memory) {
		last := *m.index["XU100"][399]
		last.Close = value.MustDecimal("1")
		m.index["XU100"][399] = &last
	})
	d.DailyBarsChanged([]string{"XU100"})
	if got := window(t, must[*analytics.Periodic](t)(d.IndexPeriodic(allowed(t, access.History), "XU100", nil)),
		"1m").EndPrice.String(); got != "1" {
		t.Errorf("index: end price %s", got)
	}
}

// A computation that began before a change and ends after it must not stay.
func TestComputationThatWasOvertaken(t *testing.T) {
	ask := map[string]func(*fixture, context.Context) (value.Decimal, error){
		"instrument": func(d *fixture, ctx context.Context) (value.Decimal, error) {
			p, err := d.Periodic(ctx, "bist:BBB", nil, nil)
			return p.Windows[0].EndPrice, err
		},
		"sector": func(d *fixture, ctx context.Context) (value.Decimal, error) {
			p, err := d.SectorPeriodic(ctx, "bank", nil, nil)
			return p.Windows[0].EndPrice, err
		},
		"indicators": func(d *fixture, ctx context.Context) (value.Decimal, error) {
			set, err := d.Indicators(ctx, "bist:BBB", analytics.IndicatorArgs{})
			return set.Values[0].Value, err
		},
	}
	for name, ask := range ask {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, ctx := newFixture(), allowed(t, access.History)
				d.fill()
				goOn, slow := make(chan struct{}), make(chan value.Decimal)
				d.set(func(m *memory) { m.hold = func() { <-goOn } })
				go func() {
					old, err := ask(d, ctx)
					if err != nil {
						t.Error(err)
					}
					slow <- old
				}()
				synctest.Wait() // the old bars are in its hands
				d.set(func(m *memory) { m.hold = nil })
				d.put(daily("bist:BBB", "2026-03-17", "9999"))
				between := must[value.Decimal](t)(ask(d, ctx))
				close(goOn)
				old := <-slow
				after := must[value.Decimal](t)(ask(d, ctx))
				fresh := newFixture()
				fresh.fill()
				if was := must[value.Decimal](t)(ask(fresh, ctx)); old != was {
					t.Errorf("the slow question: %s, want %s: it was asked before", old, was)
				}
				fresh.put(daily("bist:BBB", "2026-03-17", "9999"))
				if want := must[value.Decimal](t)(ask(fresh, ctx)); between != want || after != want {
					t.Errorf("after the change: %s, then %s, want %s", between, after, want)
				}
			})
		})
	}
}

// Run, too, must not leave what a change overtook, and computes it again.
func TestRunIsOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFixture()
		d.fill()
		goOn := make(chan struct{})
		d.set(func(m *memory) { m.hold = func() { <-goOn } })
		d.DailyBarsChanged([]string{"bist:CCC"})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { d.Run(ctx) })
		synctest.Wait()
		d.set(func(m *memory) { m.hold = nil })
		d.put(daily("bist:CCC", "2026-03-17", "7"))
		close(goOn)
		synctest.Wait()
		d.takeReads()
		p := must[*analytics.Periodic](t)(d.Periodic(allowed(t, access.History), "bist:CCC", nil, nil))
		if reads := d.takeReads(); len(reads) != 0 || p.AsOf.String() != "2026-03-17T15:00:00Z" {
			t.Errorf("as of %s after %v", p.AsOf, reads)
		}
		stop()
		running.Wait()
	})
}

// Windows end at the newest bar, whatever day it is.
func TestNewestBarOfAnyDay(t *testing.T) {
	d := newFixture()
	d.fill()
	d.put(daily("bist:AAA", "2026-03-31", "777"))
	d.index["XU100"] = append(d.index["XU100"], &market.IndexBar{Code: "XU100", Date: value.MustDate("2026-03-31"),
		Close: value.MustDecimal("888")})
	if got := windowOf(t, d, "bist:AAA", "1m"); got.EndPrice.String() != "777" || got.StartDate.String() != "2026-02-28" {
		t.Errorf("from %s to %s", got.StartDate, got.EndPrice)
	}
	if got := window(t, must[*analytics.Periodic](t)(d.IndexPeriodic(allowed(t, access.History), "XU100", nil)),
		"1w"); got.EndPrice.String() != "888" {
		t.Errorf("the index ends at %s", got.EndPrice)
	}
}

func TestMembershipChangesTheSector(t *testing.T) {
	d := newFixture()
	d.fill()
	ctx := allowed(t, access.History)
	ask := func() string {
		return window(t, must[*analytics.Periodic](t)(d.SectorPeriodic(ctx, "bank", nil, nil)), "3m").EndPrice.String()
	}
	of := func(members ...market.ID) string {
		other := newFixture()
		other.fill()
		other.sectors(&market.Sector{Code: "bank", Name: "Banka", Members: members})
		return window(t, must[*analytics.Periodic](t)(other.SectorPeriodic(ctx, "bank", nil, nil)), "3m").EndPrice.String()
	}
	if got, want := ask(), of("bist:BBB"); got != want {
		t.Errorf("one member: %s, want %s", got, want)
	}
	d.sectors(&market.Sector{Code: "bank", Name: "Banka", Members: []market.ID{"bist:AAA", "bist:BBB"}})
	if got, want := ask(), of("bist:AAA", "bist:BBB"); got != want || got == of("bist:BBB") {
		t.Errorf("two members: %s, want %s", got, want)
	}
	// A member whose bars came first.
	d.sectors(&market.Sector{Code: "bank", Name: "Banka", Members: []market.ID{"bist:BBB", "bist:LATE"}})
	d.put(year("bist:LATE", 10)...)
	if got, want := ask(), of("bist:BBB"); got != want {
		t.Errorf("with a member that is not in the catalog: %s, want %s", got, want)
	}
	late := instrument("bist:LATE", market.Stock, "TRY")
	d.Market.Live.PutCatalog([]*market.Instrument{late}, nil)
	d.CatalogChanged([]*market.Instrument{late})
	if ask() == of("bist:BBB") {
		t.Error("a member that arrives in the catalog does not count")
	}
	if got := windowOf(t, d, "bist:LATE", "1w").EndPrice; got.IsNull() {
		t.Error("an instrument that arrives after its bars has no windows")
	}
}

// A change of the catalog computes again what depends on it, and nothing else: no sector for a
// trading day or a price limit.
func TestCatalogChangesComputeWhatDependsOnThem(t *testing.T) {
	d := newFixture()
	d.fill()
	d.ComputeWaiting(t.Context())
	auto := &market.Sector{Code: "auto", Name: "Otomotiv", Members: []market.ID{"bist:AAA", "bist:BBB", "us:USX"}}
	bank := &market.Sector{Code: "bank", Name: "Banka", Members: []market.ID{"bist:BBB"}}
	old := &market.Sector{Code: "old", Name: "Eski", Successors: []string{"auto"}}
	aaa := instrument("bist:AAA", market.Stock, "TRY")
	in := func(instruments ...*market.Instrument) func() {
		return func() { d.Market.Live.PutCatalog(instruments, nil); d.CatalogChanged(instruments) }
	}
	without := &market.Sector{Code: "bank", Name: "Banka"}
	renamed := &market.Sector{Code: "bank", Name: "Bankalar", Members: bank.Members}
	retired := &market.Sector{Code: "bank", Name: "Banka", Successors: []string{"auto"}}
	for _, c := range []struct {
		name   string
		change func()
		want   []string
	}{
		{"a trading day", func() {
			d.Market.Live.PutCatalog(nil, []*market.TradingDay{{Market: market.BIST, Date: value.MustDate("2026-03-19")}})
			d.CatalogChanged(nil)
		}, nil},
		{"a price limit", func() {
			d.Market.Live.PutPriceLimits([]*market.PriceLimits{{InstrumentID: "bist:AAA", Date: value.MustDate("2026-03-18")}})
			d.CatalogChanged(nil)
		}, nil},
		{"the same sectors", func() { d.sectors(auto, bank, old) }, nil},
		{"the name of a sector", func() { d.sectors(auto, renamed, old) }, nil},
		{"an instrument of no sector", in(instrument("cmdty:XAU", market.Commodity, "USD")), []string{"bars of 1"}},
		{"an instrument without windows", in(instrument("fx:USDTRY", market.Pair, "TRY")), nil},
		{"a member", in(aaa), []string{"bars of 1", "bars of 2"}},                         // it, and its sector
		{"a sector that loses its member", func() { d.sectors(auto, without, old) }, nil}, // there is nothing to read
		{"a sector that gains it again", func() { d.sectors(auto, bank, old) }, []string{"bars of 1"}},
		{"a sector that is retired", func() { d.sectors(auto, retired, old) }, nil},
		{"a sector that comes back", func() { d.sectors(auto, bank, old) }, []string{"bars of 1"}},
	} {
		c.change()
		d.takeReads()
		d.ComputeWaiting(t.Context())
		if got := d.takeReads(); !slices.Equal(slices.Sorted(slices.Values(got)), c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Run computes what arrives in the catalog after its bars.
func TestRunKnowsLateInstruments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFixture()
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { d.Run(ctx) })
		d.put(year("bist:LATE", 10)...)
		synctest.Wait()
		late := instrument("bist:LATE", market.Stock, "TRY")
		d.Market.Live.PutCatalog([]*market.Instrument{late}, nil)
		d.CatalogChanged([]*market.Instrument{late})
		synctest.Wait()
		d.takeReads()
		if windowOf(t, d, "bist:LATE", "1y").EndPrice.IsNull() || len(d.takeReads()) != 0 {
			t.Error("it is not computed ahead")
		}
		stop()
		running.Wait()
	})
}

// A store that fails for a while costs nothing but the figures that were to be
// computed ahead.
func TestBrokenStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFixture()
		d.fill()
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { d.Run(ctx) })
		d.set(func(m *memory) { m.failure = errors.New("the disk is gone") })
		d.DailyBarsChanged(subjects)
		synctest.Wait()
		if _, err := d.Periodic(allowed(t, access.History), "bist:AAA", nil, nil); !errors.Is(err, d.failure) {
			t.Errorf("a question meanwhile: %v", err)
		}
		d.set(func(m *memory) { m.failure = nil })
		if windowOf(t, d, "bist:AAA", "1y").EndPrice.IsNull() {
			t.Error("the failure stays")
		}
		d.put(daily("bist:BBB", "2026-03-17", "3"))
		synctest.Wait()
		d.takeReads()
		if got := windowOf(t, d, "bist:BBB", "1w").EndPrice.String(); got != "3" || len(d.takeReads()) != 0 {
			t.Errorf("the next change is not computed ahead: %s", got)
		}
		stop()
		running.Wait()
	})
}

// Questions, changes, passing days and Run at the same time; for the race detector,
// and no answer is older than the last change.
func TestTogether(t *testing.T) {
	d := newFixture()
	d.fill()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { d.Run(ctx) })
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			for range 15 {
				everything(t, d)
			}
		})
	}
	for i := range 30 {
		last := fmt.Sprint(500 + i)
		d.put(daily("bist:AAA", "2026-03-17", last), daily("bist:BBB", "2026-03-17", last), daily("us:USX", "2026-03-17", last))
		d.CatalogChanged(nil)
		if got := windowOf(t, d, "bist:AAA", "1w").EndPrice.String(); got != last {
			t.Errorf("after %s: %s", last, got)
		}
		d.at(value.MustInstant("2026-03-18T12:00:00Z").Add(time.Duration(i%3) * 24 * time.Hour).String())
	}
	asking.Wait()
	stop()
	running.Wait()
}
