package ipo_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/ipo"
	"piyasa/domain/market"
	"piyasa/internal/attachment"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// fixture is the service under test.
type fixture struct {
	*ipo.Service
	now value.Instant
}

func newFixture(records ...*ipo.Record) *fixture {
	x := &fixture{now: value.MustInstant("2026-03-18T12:00:00Z")}
	clock := func() value.Instant { return x.now }
	x.Service = &ipo.Service{
		Market: &market.Service{Live: market.NewLive(), Now: clock}, Live: ipo.NewLive(),
		Links: attachment.Links{Signer: access.Signer{Secret: []byte("s")}, Now: clock, BaseURL: "https://api.example.test"},
	}
	x.Live.PutRecords(records)
	return x
}

// recordOf returns an IPO with nothing but its days, each of which may be empty.
func recordOf(id, demandStart, demandEnd, firstTrade string) *ipo.Record {
	r := &ipo.Record{Facts: ipo.Facts{ID: id, Company: id + " A.Ş.", Currency: "TRY"}}
	for _, d := range []struct {
		of   *value.Date
		text string
	}{{&r.DemandStart, demandStart}, {&r.DemandEnd, demandEnd}, {&r.FirstTradeDate, firstTrade}} {
		if d.text != "" {
			*d.of = value.MustDate(d.text)
		}
	}
	return r
}

// source says whether the source is up.
func (x *fixture) source(up bool) {
	x.Live.PutSources([]*market.SourceStatus{{Source: "kap", Up: !up}, {Source: "ipo", Up: up}})
}

func second[T any](_ T, err error) error { return err }

func day(text string) *value.Date {
	if text == "" {
		return nil
	}
	return new(value.MustDate(text))
}

func ids(l *ipo.List) string {
	var all []string
	for _, i := range l.Ipos {
		all = append(all, i.ID)
	}
	return strings.Join(all, " ")
}

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

// listed returns a fixture at noon of 2026-03-18 with stocks of these symbols.
func listed(t *tape, symbols string, records ...*ipo.Record) *fixture {
	x := newFixture(records...)
	x.Store = t
	var stocks []*market.Instrument
	for symbol := range strings.FieldsSeq(symbols) {
		id := market.ID("bist:" + symbol)
		stocks = append(stocks, &market.Instrument{InstrumentID: id, Symbol: symbol, Name: symbol, Market: market.BIST,
			AssetType: market.Stock, Currency: "TRY"})
	}
	x.Market.Live.PutCatalog(stocks, nil)
	return x
}

func of(symbol string, r *ipo.Record) *ipo.Record {
	r.Symbol = &symbol
	return r
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	need.NoError(t, err)
	return string(b)
}
