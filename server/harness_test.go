package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"piyasa/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/analytics"
	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/ipo"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/server"
	"piyasa/stream"
	"piyasa/value"
)

func TestMain(m *testing.M) { os.Exit(dbtest.Main(m)) }

// now is the moment at which every test asks: a Wednesday, 15:00 in Istanbul.
var now = value.MustInstant("2026-03-18T12:00:00Z")

const baseURL = "https://api.example.test"

// api is a server under test and the keys to it.
type api struct {
	t    testing.TB
	live *market.Live
	gate *access.Gate
	http.Handler
	ready error
	store *db.Store
	reads atomic.Int64 // of history
}

// counted is a history that counts its reads; one is one statement.
type counted struct {
	market.History
	reads *atomic.Int64
}

// Bars implements market.History.
func (c counted) Bars(ctx context.Context, r market.Resolution, spans []market.Span) ([][]*market.Bar, error) {
	c.reads.Add(1)
	return c.History.Bars(ctx, r, spans)
}

// FirstBars implements market.History.
func (c counted) FirstBars(ctx context.Context, r market.Resolution, ids []market.ID, since value.Instant) (map[market.ID]value.Instant, error) {
	c.reads.Add(1)
	return c.History.FirstBars(ctx, r, ids, since)
}

// The secrets of the keys that every test has.
const (
	all  = "piyasa_live_all"  // every scope
	none = "piyasa_live_none" // no scope
)

func newAPI(t testing.TB, changes ...func(*server.Config)) *api {
	t.Helper()
	return newAPIOn(t, "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"), changes...)
}

// newAPIOn is newAPI over the database at url.
func newAPIOn(t testing.TB, url string, changes ...func(*server.Config)) *api {
	t.Helper()
	plans := access.ShippedPlans()
	plans["unlimited"] = access.Plan{Bucket: 1 << 30, RefillPerSec: 1 << 30}
	a := &api{t: t, live: market.NewLive(), gate: access.NewGate(plans)}
	store, err := db.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	fillBars(t, store)
	a.store = store
	clock := func() value.Instant { return now }
	quotes := &market.Service{Live: a.live, History: counted{store, &a.reads}, Now: clock, FXMaxAge: time.Hour}
	companies, inflation, signer := kap.NewLive(), macro.NewLive(), access.Signer{Secret: []byte("secret")}
	fillKAP(t, store, companies, inflation)
	figures := &fundamentals.Service{
		Market: quotes, Store: store, Histories: fundamentals.NewHistoryCache(store, time.Minute), Live: fundamentals.NewLive(),
		Lines: fundamentals.ShippedLines(), Signer: signer, TestStocks: []market.ID{"bist:DMOST", "bist:DMBNK", "bist:DMSIG", "bist:DMTEK"},
	}
	fillCompanies(t, store, a.live, figures.Live)
	config := server.Config{
		Version: "test", BaseURL: baseURL, Gate: a.gate,
		Market: quotes,
		KAP:    &kap.Service{Store: store, Live: companies, Inflation: inflation, Signer: signer, Now: clock, BaseURL: baseURL},
		News:   &news.Service{Store: store, Companies: companies, Signer: signer},
		Ready:  func() (string, error) { return "", a.ready },

		Fundamentals: figures,
		Analytics:    &analytics.Service{Market: quotes, Fundamentals: figures, Store: store, Computed: analytics.NewComputed()},
		Macro:        &macro.Service{Store: store, Live: inflation, Now: clock},
		Funds:        &funds.Service{Market: quotes, Store: store, Live: funds.NewLive()},
		IPO:          &ipo.Service{Market: quotes, Store: store, Live: ipo.NewLive(), Links: kap.Links{Signer: signer, Now: clock, BaseURL: baseURL}},

		Sockets: &stream.Sockets{Gate: a.gate}, Disclosures: stream.NewDisclosures(store), Prices: stream.NewPrices(quotes),
	}
	fillEconomy(t, store, &config)
	for _, change := range changes {
		change(&config)
	}
	a.Handler = server.New(config)
	a.keys(key(all, access.Scopes...), key(none))
	fill(a.live)
	return a
}

func (a *api) keys(keys ...*access.Key) { a.gate.Replace(keys) }

// key is a key whose secret is also its id.
func key(secret string, scopes ...access.Scope) *access.Key {
	return &access.Key{ID: secret, Hash: access.Secret(secret).Hash(), Plan: "enterprise", Scopes: scopes}
}

// unlimited is the key all with no limit.
func unlimited() *access.Key {
	k := key(all, access.Scopes...)
	k.Plan = "unlimited"
	return k
}

// without is every scope but one.
func without(scope access.Scope) []access.Scope {
	var rest []access.Scope
	for _, s := range access.Scopes {
		if s != scope {
			rest = append(rest, s)
		}
	}
	return rest
}

func ptr[T any](v T) *T { return &v }

// fill puts a small catalog with quotes into live.
func fill(live *market.Live) {
	d, at := value.MustDecimal, value.MustInstant
	hours := &market.Session{Timezone: "Europe/Istanbul", Open: ptr(market.ClockTime("10:00")), Close: ptr(market.ClockTime("18:00"))}
	live.PutCatalog([]*market.Instrument{
		{InstrumentID: "bist:DMOST", Symbol: "DMOST", Name: "Demo Otomotiv Şirketi", Market: market.BIST, AssetType: market.Stock, Currency: "TRY", Session: hours, Delay: ptr(900), CoverageFrom: value.MustDate("2019-06-03"), Sector: ptr("Otomotiv"), SectorCode: ptr("otomotiv")},
		{InstrumentID: "bist:DMALTF", Symbol: "DMALTF", Name: "Demo Altın Borsa Yatırım Fonu", Market: market.BIST, AssetType: market.ETF, Currency: "TRY", Session: hours, FundCode: ptr("DMA"), IsParticipation: ptr(false)},
		{InstrumentID: "crypto:1", Symbol: "1", Ticker: ptr("BTC"), Name: "Bitcoin", Market: market.Crypto, AssetType: market.Coin, Currency: "USD", Delay: ptr(60), CmcID: ptr(1), Slug: ptr("bitcoin")},
		{InstrumentID: "crypto:90001", Symbol: "90001", Ticker: ptr("ONE"), Name: "Harmony", Market: market.Crypto, AssetType: market.Coin, Currency: "USD", CmcID: ptr(90001)},
		{InstrumentID: "crypto:90002", Symbol: "90002", Ticker: ptr("ONE"), Name: "One Coin", Market: market.Crypto, AssetType: market.Coin, Currency: "USD", CmcID: ptr(90002)},
		{InstrumentID: "fx:USDTRY", Symbol: "USDTRY", Name: "USD/TRY", Market: market.FX, AssetType: market.Pair, Currency: "TRY"},
		{InstrumentID: "index:SPX", Symbol: "SPX", Name: "S&P 500 <index>", Market: market.Index, AssetType: market.WorldIndex, Currency: "USD", Source: ptr("cash index"), Region: ptr("US")},
		{InstrumentID: "cmdty:RAWX", Symbol: "RAWX", Name: "Ham seri", Market: market.Cmdty, AssetType: market.Commodity, Currency: "USD", Unit: ptr("ton")},
	}, nil)
	live.PutQuotes([]*market.Observation{
		{InstrumentID: "bist:DMOST", AsOf: at("2026-03-18T11:45:00Z"), Last: d("305.25"), PrevClose: d("300.00"), Change: d("5.25"), ChangePct: d("1.75"), Volume: d("4050000"), Turnover: d("1234567890.50"), LimitUp: d("330.00")},
		{InstrumentID: "bist:DMALTF", AsOf: at("2026-03-18T11:45:00.500Z"), Last: d("64.12"), ChangePct: d("-0.90"), Turnover: d("19850000")},
		{InstrumentID: "crypto:1", AsOf: at("2026-03-18T11:59:10Z"), Last: d("68250.12"), MarketCap: d("1351234567890.12")},
		{InstrumentID: "fx:USDTRY", AsOf: at("2026-03-18T11:44:30Z"), Last: d("41.25")},
		{InstrumentID: "index:SPX", AsOf: at("2026-03-17T20:00:00Z"), Last: d("5712.35")},
		{InstrumentID: "cmdty:RAWX", AsOf: at("2026-03-18T06:00:00Z")},
	})
}

// fillBars stores some history: of a stock, a coin and the pair that converts
// them. The pair has no day 2026-03-13.
func fillBars(t testing.TB, store *db.Store) {
	d, at := value.MustDecimal, value.MustInstant
	putBars(t, store,
		&market.Bar{InstrumentID: "bist:DMOST", Resolution: market.Day, T: at("2026-03-12T21:00:00Z"), Open: d("1"), High: d("298.50"), Low: d("295"), Close: d("297.10"), Volume: d("3000000"), Turnover: d("900000000.50"), TradeCount: ptr(50000)},
		&market.Bar{InstrumentID: "bist:DMOST", Resolution: market.Day, T: at("2026-03-15T21:00:00Z"), High: d("301.00"), Low: d("293.25"), Close: d("300.00"), Volume: d("3950000"), Turnover: d("1180000000"), TradeCount: ptr(51234)},
		&market.Bar{InstrumentID: "bist:DMOST", Resolution: market.FiveMinutes, T: at("2026-03-16T08:05:00Z"), Open: d("299"), High: d("1"), Low: d("1"), Close: d("300.10"), Turnover: d("100")},
		&market.Bar{InstrumentID: "bist:DMALTF", Resolution: market.Day, T: at("2023-12-29T21:00:00Z"), Close: d("20")},
		&market.Bar{InstrumentID: "crypto:1", Resolution: market.TwoHours, T: at("2026-03-17T01:00:00Z"), Open: d("1"), Close: d("68000.10"), Turnover: d("5")},
		&market.Bar{InstrumentID: "crypto:1", Resolution: market.Day, T: at("2026-01-28T00:00:00Z"), Open: d("1"), Close: d("70120.00"), Turnover: d("28000000000")},
		&market.Bar{InstrumentID: "index:SPX", Resolution: market.Day, T: at("2026-03-16T00:00:00Z"), Open: d("5690.1"), Close: d("5700.25")},
		&market.Bar{InstrumentID: "fx:USDTRY", Resolution: market.Day, T: at("2026-03-15T21:00:00Z"), Close: d("41.10")},
	)
}

// putBars stores bars.
func putBars(t testing.TB, store *db.Store, bars ...*market.Bar) {
	t.Helper()
	batch, outcomes := new(db.Batch), make([]db.Outcome, len(bars))
	for i, b := range bars {
		batch.Put(b, &outcomes[i])
	}
	if err := store.Store(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	text string
	body map[string]any
}

func (a *api) send(method, target, key, body string, header ...string) answer {
	a.t.Helper()
	r := httptest.NewRequestWithContext(a.t.Context(), method, target, strings.NewReader(body))
	if key != "" {
		r.Header.Set("X-API-Key", key)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	res := answer{Response: w.Result(), text: w.Body.String()}
	if strings.Contains(res.Header.Get("Content-Type"), "json") && res.Header.Get("Content-Encoding") == "" && res.text != "" {
		dec := json.NewDecoder(bytes.NewBufferString(res.text))
		dec.UseNumber()
		if err := dec.Decode(&res.body); err != nil {
			a.t.Fatalf("%s %s: not JSON: %v: %s", method, target, err, res.text)
		}
	}
	res.wantDescribed(a.t, method, r.URL.EscapedPath())
	return res
}

func (a *api) get(target, key string) answer {
	a.t.Helper()
	return a.send("GET", target, key, "")
}

// query runs a GraphQL document as a client that knows the new media type.
func (a *api) query(document, key string) answer {
	a.t.Helper()
	body, err := json.Marshal(map[string]string{"query": document})
	if err != nil {
		a.t.Fatal(err)
	}
	return a.send("POST", "/graphql", key, string(body), "Content-Type", "application/json", "Accept", "application/graphql-response+json")
}

// wantProblem checks that res is the problem of the given status and kind.
func (res answer) wantProblem(t testing.TB, status int, kind string) {
	t.Helper()
	if res.StatusCode != status || res.Header.Get("Content-Type") != "application/problem+json" || res.body["type"] != baseURL+"/problems/"+kind {
		t.Errorf("got %d %s %s, want %d %s", res.StatusCode, res.Header.Get("Content-Type"), res.text, status, kind)
		return
	}
	if id := res.Header.Get("X-Request-Id"); res.body["request_id"] != id || len(id) != 36 {
		t.Errorf("request_id %v, X-Request-Id %q", res.body["request_id"], id)
	}
	if res.body["detail"] == "" {
		t.Errorf("no detail: %s", res.text)
	}
}
