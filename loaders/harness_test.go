package loaders_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/transport"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/value"
	"piyasa/resolvers"
	"piyasa/serve/queryplan"
	"piyasa/services"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// newMarket knows 200 stocks and three coins, with a quote each, and two rates.
func newMarket() *services.Services {
	m := services.New(fixture.Settings(), noHistory{})
	var instruments []*market.Instrument
	var quotes []*market.Observation
	add := func(id market.ID, currency, last string, change func(*market.Instrument)) {
		in := &market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Name: id.Symbol(), Market: id.Market(), Currency: currency}
		change(in)
		instruments = append(instruments, in)
		if last != "" {
			quotes = append(quotes, &market.Observation{InstrumentID: id, AsOf: fixture.Now, Last: value.MustDecimal(last)})
		}
	}
	for i := range 200 {
		add(stock(i), "TRY", fmt.Sprint(100+i), func(in *market.Instrument) { in.AssetType = market.Stock })
	}
	for number, ticker := range []string{"AAA", "BBB", "CCC"} {
		add(market.ID(fmt.Sprint("crypto:", number+1)), "USD", "5", func(in *market.Instrument) {
			in.AssetType, in.CmcID, in.Ticker = market.Coin, new(number+1), &ticker
		})
	}
	pair := func(in *market.Instrument) { in.AssetType = market.Pair }
	add("fx:USDTRY", "TRY", "40", pair)
	add("fx:EURTRY", "TRY", "50", pair)
	add("cmdty:PALM", "MYR", "4125", func(in *market.Instrument) { in.AssetType = market.Commodity }) // no rate leads anywhere
	add("cmdty:RAWX", "USD", "", func(in *market.Instrument) { in.AssetType = market.Commodity })
	live := m.Market.Live
	live.PutCatalog(instruments, nil)
	live.PutQuotes(quotes)
	live.PutSectors([]*market.Sector{
		{Code: "one", Name: "One", Members: []market.ID{stock(1), stock(2), stock(3)}},
		{Code: "two", Name: "Two", Members: []market.ID{stock(3)}},
		{Code: "three", Name: "Three", Members: []market.ID{stock(4), stock(5)}},
	})
	return m
}

// noHistory is a store without bars, of which nothing else can be read.
type noHistory struct{ services.Store }

// Bars implements market.History.
func (noHistory) Bars(_ context.Context, _ market.Resolution, spans []market.Span) ([]market.StoredBars, error) {
	return make([]market.StoredBars, len(spans)), nil
}

// FirstBars implements market.History.
func (noHistory) FirstBars(context.Context, market.Resolution, []market.ID, value.Instant) (map[market.ID]value.Instant, error) {
	return nil, nil
}

// stock returns the id of the i-th stock.
func stock(i int) market.ID { return market.ID(fmt.Sprintf("bist:S%03d", i)) }

// stocks returns the first n ids as a GraphQL list of strings.
func stocks(n int) string {
	var ids []string
	for i := range n {
		ids = append(ids, string(stock(i)))
	}
	return list(ids...)
}

// list is ids as a GraphQL list of strings.
func list(ids ...string) string { return `["` + strings.Join(ids, `", "`) + `"]` }

// answer is what a document brought.
type answer struct {
	data    map[string]any
	errors  []string      // their paths, sorted
	batches []int         // sizes, sorted
	waited  time.Duration // until the answer was there
	units   int64
}

// ask runs a document with these scopes in a bubble of its own: no work takes
// time there, so that waited is what the loaders waited on purpose.
func ask(t *testing.T, m *services.Services, document string, scopes ...access.Scope) answer {
	t.Helper()
	var a answer
	// The bubble's clock stands still while siblings wait for each other on a lock.
	stuck := time.AfterFunc(time.Minute, func() { panic("no answer to " + document) })
	defer stuck.Stop()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		seen := func(size int) {
			mu.Lock()
			defer mu.Unlock()
			a.batches = append(a.batches, size)
		}
		relations := watched{resolvers.New(m), seen}
		h := handler.New(queryplan.New(graph.NewExecutableSchema(graph.Config{}), graph.Objects(relations), func() {}))
		h.AddTransport(transport.POST{})
		h.SetRecoverFunc(func(_ context.Context, p any) error { return fmt.Errorf("%v", p) })
		body, err := json.Marshal(map[string]string{"query": document})
		need.NoError(t, err)
		ctx, call := access.WithCall(t.Context(), &access.Key{Scopes: scopes})
		began := time.Now()
		response := post(ctx, h, string(body))
		a.waited, a.units = time.Since(began), call.Units()
		var got struct {
			Data   map[string]any
			Errors []struct {
				Message string
				Path    []any
			}
		}
		if err := json.Unmarshal(response.Body.Bytes(), &got); err != nil || response.Code != http.StatusOK {
			t.Fatalf("%d %s: %v", response.Code, response.Body, err)
		}
		a.data = got.Data
		for _, e := range got.Errors {
			if e.Path == nil {
				t.Fatalf("the document is refused: %s", e.Message)
			}
			a.errors = append(a.errors, strings.Trim(fmt.Sprint(e.Path), "[]"))
		}
		slices.Sort(a.errors)
		slices.Sort(a.batches)
	})
	return a
}

// watched tells seen the size of every batch of these relations before it goes
// out.
type watched struct {
	*resolvers.Root
	seen func(size int)
}

// Instrument implements graph.Relations.
func (w watched) Instrument() graph.InstrumentRelations {
	return watchedInstrument{w.Root.Instrument(), w.seen}
}

type watchedInstrument struct {
	graph.InstrumentRelations
	seen func(size int)
}

// Quote implements graph.InstrumentRelations.
func (w watchedInstrument) Quote(ctx context.Context, of []*market.Instrument, currency *market.Currency) ([]*market.Quote, []error) {
	w.seen(len(of))
	return w.InstrumentRelations.Quote(ctx, of, currency)
}

// Candles implements graph.InstrumentRelations.
func (w watchedInstrument) Candles(ctx context.Context, of []*market.Instrument, resolution *market.Resolution, from, to *value.Date,
	currency *market.Currency, adjust *market.Adjust) ([]*market.CandleSeries, []error) {
	w.seen(len(of))
	return w.InstrumentRelations.Candles(ctx, of, resolution, from, to, currency, adjust)
}

// Eod implements graph.InstrumentRelations.
func (w watchedInstrument) Eod(ctx context.Context, of []*market.Instrument, from, to *value.Date,
	currency *market.Currency, adjust *market.Adjust) ([]*market.EodSeries, []error) {
	w.seen(len(of))
	return w.InstrumentRelations.Eod(ctx, of, from, to, currency, adjust)
}

func post(ctx context.Context, h http.Handler, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// at walks an answer: member names and list positions.
func at(t *testing.T, from any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch s := step.(type) {
		case string:
			from = from.(map[string]any)[s]
		case int:
			from = from.([]any)[s]
		}
	}
	return from
}
