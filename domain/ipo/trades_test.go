package ipo_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"piyasa/domain/ipo"
	"piyasa/domain/market"
	"piyasa/value"
)

// tape is the first days of shares: the days of each share's bars.
type tape struct {
	mu    sync.Mutex
	days  map[market.ID][]string // ascending
	reads [][]ipo.Trade
	fails error
	while func() // something that happens while a read is under way
}

func (t *tape) FirstDays(_ context.Context, trades []ipo.Trade) ([]value.Instant, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reads = append(t.reads, trades)
	starts := make([]value.Instant, len(trades))
	for i, trade := range trades {
		for _, day := range t.days[trade.Share] {
			if d := value.MustDate(day); !d.Before(trade.From) {
				starts[i] = d.TurkeyStart()
				break
			}
		}
	}
	if t.while != nil {
		t.while()
	}
	return starts, t.fails
}

// listed is an exchange at noon of 2026-03-18 with stocks of these symbols.
func listed(t *tape, symbols string, records ...*ipo.Record) *exchange {
	x := newExchange(records...)
	x.Store = t
	var stocks []*market.Instrument
	for symbol := range strings.FieldsSeq(symbols) {
		id := market.ID("bist:" + symbol)
		stocks = append(stocks, &market.Instrument{InstrumentID: id, Symbol: symbol, Name: symbol, Market: market.BIST, AssetType: market.Stock, Currency: "TRY"})
	}
	x.Market.Live.PutCatalog(stocks, nil)
	return x
}

func of(symbol string, r *ipo.Record) *ipo.Record {
	r.Symbol = &symbol
	return r
}

// G-84: an offering whose share has traded since demand was collected is
// completed, also while its source states no first trade date.
func TestOfferingsThatTrade(t *testing.T) {
	const ofBars, ofPrice, earlier = "The source states no first trade date; this is the day", "The source states no first trade date; bist:AAA has a price", "The first trade date is that of the source"
	for _, c := range []struct {
		name       string
		record     *ipo.Record
		bars       string
		price      string // when the last price was observed
		state      ipo.State
		firstTrade string
		note       string
	}{
		{"bars since", of("AAA", offering("a", "2026-03-02", "2026-03-04", "")), "2026-03-10 2026-03-11", "", ipo.Completed, "2026-03-10", ofBars},
		{"bars from before, of another company", of("AAA", offering("a", "2026-03-02", "2026-03-04", "")), "2019-01-02 2026-03-04 2026-03-09", "", ipo.Completed, "2026-03-09", ofBars},
		{"the day after", of("AAA", offering("a", "2026-03-02", "2026-03-04", "")), "2026-03-05", "", ipo.Completed, "2026-03-05", ofBars},
		{"the last day of demand", of("AAA", offering("a", "2026-03-02", "2026-03-04", "")), "2026-03-04", "2026-03-04T20:59:59Z", ipo.Active, "", ""},
		{"a bar of a day to come", of("AAA", offering("a", "2026-03-02", "2026-03-04", "")), "2026-03-19", "", ipo.Active, "", ""},
		{"today's bar", of("AAA", offering("a", "2026-03-02", "2026-03-04", "")), "2026-03-18", "", ipo.Completed, "2026-03-18", ofBars},
		{"a price and no bar", of("AAA", offering("a", "2026-03-02", "2026-03-04", "")), "", "2026-03-18T08:00:00Z", ipo.Completed, "", ofPrice},
		{"a price of the day after", of("AAA", offering("a", "2026-03-02", "2026-03-04", "")), "", "2026-03-04T21:00:00Z", ipo.Completed, "", ofPrice},
		{"a price from before", of("AAA", offering("a", "2026-03-02", "2026-03-04", "")), "", "2026-03-02T08:00:00Z", ipo.Active, "", ""},
		{"no end of demand", of("AAA", offering("a", "2026-03-02", "", "")), "2026-03-02 2026-03-10", "", ipo.Completed, "2026-03-10", ofBars},
		{"no days at all", of("AAA", offering("a", "", "", "")), "2026-03-10", "", ipo.Upcoming, "", ""},
		{"demand to come", of("AAA", offering("a", "2026-03-20", "2026-03-21", "")), "2026-03-10", "2026-03-18T08:00:00Z", ipo.Upcoming, "", ""},
		{"demand of today", of("AAA", offering("a", "2026-03-17", "2026-03-18", "")), "2026-03-10", "2026-03-18T08:00:00Z", ipo.Active, "", ""},
		{"a stated day stands", of("AAA", offering("a", "2026-03-02", "2026-03-04", "2026-03-12")), "2026-03-10", "", ipo.Completed, "2026-03-12", ""},
		{"a stated day to come", of("AAA", offering("a", "2026-03-02", "2026-03-04", "2026-03-25")), "2026-03-10", "", ipo.Completed, "2026-03-25", earlier},
		{"a stated day to come, and no bar", of("AAA", offering("a", "2026-03-02", "2026-03-04", "2026-03-25")), "", "", ipo.Active, "2026-03-25", ""},
		{"another share", of("BBB", offering("a", "2026-03-02", "2026-03-04", "")), "2026-03-10", "", ipo.Active, "", ""},
		{"no symbol", offering("a", "2026-03-02", "2026-03-04", ""), "2026-03-10", "", ipo.Active, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := listed(&tape{days: map[market.ID][]string{"bist:AAA": strings.Fields(c.bars)}}, "AAA", c.record)
			if c.price != "" {
				x.Market.Live.PutQuotes([]*market.Observation{{InstrumentID: "bist:AAA", AsOf: value.MustInstant(c.price), Last: value.MustDecimal("10")}})
			}
			list, err := x.Ipos(anyone(), ipo.Filter{})
			if err != nil || list.Count != 1 {
				t.Fatal(list, err)
			}
			got := list.Ipos[0]
			if got.State != c.state || got.FirstTradeDate.String() != c.firstTrade || (got.Note == nil) != (c.note == "") || (got.Note != nil && !strings.HasPrefix(*got.Note, c.note)) {
				t.Errorf("%s, first trade %s, %+v; want %s, %s, %s", got.State, got.FirstTradeDate, got.Note, c.state, c.firstTrade, c.note)
			}
			if linked := got.InstrumentID != nil && *got.InstrumentID == "bist:AAA"; linked != (c.state == ipo.Completed) {
				t.Errorf("%s, and leads to %v", got.State, got.InstrumentID)
			}
			one, err := x.Ipo(anyone(), "a")
			if a, b := text(t, got), text(t, one.Ipo); err != nil || a != b {
				t.Errorf("the list says %s, the detail %s, %v", a, b, err)
			}
			if strings.Contains(text(t, got), `"note"`) != (c.note != "") {
				t.Errorf("%s", text(t, got))
			}
			for bound, want := range map[string]bool{"2026-03-01": c.firstTrade != "", "2026-03-30": false} { // bounds go by the day that is shown
				if some, err := x.Ipos(anyone(), ipo.Filter{From: day(bound)}); err != nil || (some.Count == 1) != want {
					t.Errorf("from %s: %+v, %v", bound, some, err)
				}
			}
		})
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Offerings go by the days that are shown, whoever states them.
func TestOrderOfOfferingsThatTrade(t *testing.T) {
	x := listed(&tape{days: map[market.ID][]string{"bist:AAA": {"2026-03-10"}, "bist:BBB": {"2026-03-16"}}}, "AAA BBB",
		of("AAA", offering("by-bar", "2026-03-02", "2026-03-04", "")), offering("stated", "", "", "2026-03-12"), of("BBB", offering("late", "2026-03-02", "2026-03-04", "")),
		offering("undated", "", "", ""))
	if list, err := x.Ipos(anyone(), ipo.Filter{}); err != nil || ids(list) != "undated late stated by-bar" {
		t.Errorf("%s, %v", ids(list), err)
	}
}

// First days are read once for all offerings, and again when the bars of one of
// their shares change, or the offerings do.
func TestFirstDaysAreKept(t *testing.T) {
	kept := &tape{days: map[market.ID][]string{}}
	x := listed(kept, "AAA BBB CCC", of("AAA", offering("a", "2026-03-02", "2026-03-04", "")), of("BBB", offering("b", "2026-03-02", "2026-03-05", "")), of("CCC", offering("c", "", "", "2026-03-06")))
	states := func(want string) {
		t.Helper()
		list, err := x.Ipos(anyone(), ipo.Filter{State: new(ipo.Completed)})
		if err != nil || ids(list) != want {
			t.Errorf("completed: %s, %v; want %s", ids(list), err, want)
		}
	}
	reads := func(want int) {
		t.Helper()
		if len(kept.reads) != want {
			t.Errorf("%d reads, want %d: %v", len(kept.reads), want, kept.reads)
		}
	}
	states("c")
	states("c")
	reads(1)
	if len(kept.reads[0]) != 2 {
		t.Errorf("read %v", kept.reads[0])
	}
	kept.days["bist:AAA"] = []string{"2026-03-10"}
	x.Live.DailyBarsChanged([]string{"bist:CCC", "bist:OTHER", "XU100", "crypto:1"})
	states("c")
	reads(1)
	x.Live.DailyBarsChanged([]string{"bist:AAA"})
	states("a c")
	states("a c")
	reads(2)
	if len(kept.reads[1]) != 1 || kept.reads[1][0].Share != "bist:AAA" {
		t.Errorf("read %v", kept.reads[1])
	}
	kept.days["bist:AAA"] = nil // withdrawn
	x.Live.DailyBarsChanged([]string{"bist:AAA"})
	states("c")
	reads(3)
	x.Live.PutRecords([]*ipo.Record{of("BBB", offering("b", "2026-02-02", "2026-02-05", ""))})
	states("c")
	reads(4)
	// What changes while it is read is not kept.
	kept.while = func() { x.Live.DailyBarsChanged([]string{"bist:BBB"}) }
	x.Live.DailyBarsChanged([]string{"bist:BBB"})
	states("c")
	kept.while, kept.days["bist:BBB"] = nil, []string{"2026-02-10"}
	states("c b")
	reads(6)
	kept.fails = errors.New("no disk")
	x.Live.DailyBarsChanged([]string{"bist:BBB"})
	if _, err := x.Ipos(anyone(), ipo.Filter{}); !errors.Is(err, kept.fails) {
		t.Errorf("a store that fails: %v", err)
	}
	if _, err := x.Ipo(anyone(), "b"); !errors.Is(err, kept.fails) {
		t.Errorf("a store that fails: %v", err)
	}
	kept.fails = nil
	states("c b")
}

// Many ask while bars change; none of them sees anything but what is stored.
func TestFirstDaysUnderChange(t *testing.T) {
	kept := &tape{days: map[market.ID][]string{"bist:AAA": {"2026-03-10"}}}
	x := listed(kept, "AAA", of("AAA", offering("a", "2026-03-02", "2026-03-04", "")))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				x.Live.DailyBarsChanged([]string{"bist:AAA"})
				if one, err := x.Ipo(anyone(), "a"); err != nil || one.State != ipo.Completed || one.FirstTradeDate.String() != "2026-03-10" {
					t.Errorf("%+v, %v", one, err)
				}
			}
		})
	}
	all.Wait()
}
