package queryplan_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/value"
	"piyasa/serve/queryplan"
)

// ready answers three questions with objects that are there already, so that
// only the executor costs anything.
type ready struct {
	graph.Relations

	instruments []*market.Instrument
	at          map[*market.Instrument]int
	quotes      []*market.Quote
	valuations  []*fundamentals.Valuation
	disclosures [][]*kap.Disclosure
	series      *market.CandleSeries
}

func newReady() *ready {
	d, at := value.MustDecimal, value.MustInstant
	r := &ready{at: map[*market.Instrument]int{}}
	for i := range 100 {
		id := market.ID(fmt.Sprintf("bist:S%03d", i))
		in := &market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Market: market.BIST, AssetType: market.Stock, Currency: "TRY"}
		r.at[in] = i
		r.instruments = append(r.instruments, in)
		r.quotes = append(r.quotes, &market.Quote{
			InstrumentID: id, Symbol: id.Symbol(), Market: market.BIST, Currency: "TRY", Last: d("305.25"), PrevClose: d("300.00"),
			Change: d("5.25"), ChangePct: d("1.75"),
			Open: d("301.00"), High: d("306.50"), Low: d("299.75"), Volume: d("4050000"), Turnover: d("1234567890.50"),
			AsOf: at("2026-03-18T11:45:00Z"), DataDelaySeconds: 900,
		})
		metric := &fundamentals.Metric{Value: d("12.34")}
		r.valuations = append(r.valuations, &fundamentals.Valuation{InstrumentID: id, Currency: "TRY", AsOf: at("2026-03-18T11:45:00Z"),
			PeRatio: metric, PbRatio: metric, EV: metric, MarketCap: &fundamentals.MarketCap{Value: d("51600000000")}})
		newest := make([]*kap.Disclosure, 5)
		for j := range newest {
			title := "Demo Otomotiv Sanayi A.Ş."
			newest[j] = &kap.Disclosure{DisclosureIndex: 1000*i + j, Type: kap.ODA, FilerTitle: &title,
				PublishedAt: at("2026-03-18T06:00:00Z"), Symbols: []string{id.Symbol()}}
		}
		r.disclosures = append(r.disclosures, newest)
	}
	bars := make([]*market.Bar, 1400)
	for i := range bars {
		bars[i] = &market.Bar{
			T: value.At(at("2022-05-18T21:00:00Z").Time().AddDate(0, 0, i)), Open: d("299.00"), High: d("302.50"), Low: d("298.75"),
			Close: d("300.00"), Volume: d("3310000"), Turnover: d("998877665.44"),
		}
	}
	r.series = market.NewCandleSeries("bist:S000", market.Day, "TRY", false, bars)
	return r
}

// Query implements graph.Relations.
func (r *ready) Query() graph.QueryResolver { return readyQuery{r: r} }

type readyQuery struct {
	graph.QueryResolver
	r *ready
}

// Quote implements graph.QueryResolver.
func (q readyQuery) Quote(context.Context, string, *market.Currency) (*market.Quote, error) {
	return q.r.quotes[0], nil
}

// Watchlist implements graph.QueryResolver.
func (q readyQuery) Watchlist(context.Context, []string) ([]*market.Instrument, error) {
	return q.r.instruments, nil
}

// Candles implements graph.QueryResolver.
func (q readyQuery) Candles(context.Context, string, *market.Resolution, *value.Date, *value.Date,
	*market.Currency, *market.Adjust) (*market.CandleSeries, error) {
	return q.r.series, nil
}

// Instrument implements graph.Relations.
func (r *ready) Instrument() graph.InstrumentRelations { return readyInstrument{r: r} }

type readyInstrument struct {
	graph.InstrumentRelations
	r *ready
}

// of returns the answers of some instruments.
func of[V any](r *ready, instruments []*market.Instrument, all []V) ([]V, []error) {
	values := make([]V, len(instruments))
	for i, in := range instruments {
		values[i] = all[r.at[in]]
	}
	return values, make([]error, len(instruments))
}

// Quote implements graph.InstrumentRelations.
func (i readyInstrument) Quote(_ context.Context, instruments []*market.Instrument, _ *market.Currency) ([]*market.Quote, []error) {
	return of(i.r, instruments, i.r.quotes)
}

// Valuation implements graph.InstrumentRelations.
func (i readyInstrument) Valuation(_ context.Context, instruments []*market.Instrument, _ *market.Currency,
	_ *value.Instant) ([]*fundamentals.Valuation, []error) {
	return of(i.r, instruments, i.r.valuations)
}

// Disclosures implements graph.InstrumentRelations.
func (i readyInstrument) Disclosures(_ context.Context, instruments []*market.Instrument, _ *int) ([][]*kap.Disclosure, []error) {
	return of(i.r, instruments, i.r.disclosures)
}

// workloads are what clients ask most, with the allocations that package queryplan
// may make for each: some for the request, none for a leaf.
var workloads = []struct {
	name, document string
	allocations    float64
}{
	{"one quote", `{quote(id: "bist:S000") {instrumentId symbol market currency last prevClose change changePct open high low volume turnover asOf dataDelaySeconds}}`, 60},
	{"a watchlist of 100", `{watchlist(ids: ["` + strings.Repeat(`bist:S000", "`, 99) + `bist:S099"]) {
		instrumentId
		quote {last change changePct high low volume turnover asOf}
		valuation {currency asOf marketCap {value} peRatio {value} pbRatio {value}}
		disclosures(first: 5) {disclosureIndex type filerTitle publishedAt symbols}
	}}`, 3000},
	{"1,400 bars", `{candles(id: "bist:S000", from: "2022-05-19") {bars {t open high low close volume turnover}}}`, 90},
}

// asker asks a document again and again, as the server does once the request is
// read.
func asker(t testing.TB, schema graphql.ExecutableSchema, document string) func() []byte {
	e := executor.New(schema)
	e.SetQueryCache(lru.New[*ast.QueryDocument](10))
	return func() []byte {
		ctx := graphql.StartOperationTrace(context.Background())
		oc, errs := e.CreateOperationContext(ctx, &graphql.RawParams{Query: document})
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		next, ctx := e.DispatchOperation(ctx, oc)
		response := next(ctx)
		if len(response.Errors) > 0 {
			t.Fatal(response.Errors)
		}
		return response.Data
	}
}

func planned() graphql.ExecutableSchema {
	return queryplan.New(graph.NewExecutableSchema(graph.Config{}), graph.Objects(newReady()), func() {})
}

// What an answer allocates does not grow with its leaves.
func TestAllocations(t *testing.T) {
	for _, w := range workloads {
		ask := asker(t, planned(), w.document)
		if got := testing.AllocsPerRun(20, func() { queryplan.Free(ask()) }); got > w.allocations {
			t.Errorf("%s: %v allocations, at most %v are allowed", w.name, got, w.allocations)
		}
	}
}

// BenchmarkPlan measures what the executor costs, apart from the services behind it.
func BenchmarkPlan(b *testing.B) {
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			ask := asker(b, planned(), w.document)
			b.SetBytes(int64(len(ask())))
			b.ReportAllocs()
			before := processorTime()
			for b.Loop() {
				queryplan.Free(ask())
			}
			b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
