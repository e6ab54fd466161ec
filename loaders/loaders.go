// Package loaders batches the edges of the graph: the siblings of one list ask
// one by one, and their answers come from one call.
//
// A batch goes out when the last sibling has asked. How many siblings there
// are is known, because the list above them is resolved already; a short wait
// is only the fallback for siblings that turn out not to ask. Loaders live as
// long as one request and are reached from edges only: REST calls the services
// itself.
package loaders

import (
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/graph-gophers/dataloader/v7"

	"piyasa/domain/analytics"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
)

// Services answer the edges.
type Services struct {
	Market       *market.Service
	Fundamentals *fundamentals.Service
	Analytics    *analytics.Service
}

// Set holds the loaders of one request.
type Set struct {
	quotes           edge[*market.Currency, *market.Quote]
	candles          edge[market.SeriesArgs, *market.CandleSeries]
	eod              edge[market.SeriesArgs, *market.EodSeries]
	periodic         edge[*market.Currency, *analytics.Periodic]
	indicators       edge[analytics.IndicatorArgs, *analytics.IndicatorSet]
	valuation        edge[*market.Currency, *fundamentals.Valuation]
	valuationHistory edge[fundamentals.ValuationHistoryArgs, *fundamentals.ValuationHistory]
	financials       edge[fundamentals.FinancialsArgs, *fundamentals.Financials]
	dividends        edge[*int, []*fundamentals.Dividend]
	sectorValuation  family[*market.SectorInfo, *market.EquityMarket, *analytics.SectorValuation]
	sectorReturns    family[*market.SectorInfo, analytics.SectorReturnsArgs, *analytics.SectorReturns]
}

// edge is the loaders of an edge of instruments.
type edge[A, V any] = family[*market.Instrument, A, V]

type setKey struct{}

// With returns a context that carries a new Set over the services.
func With(ctx context.Context, s Services) context.Context {
	return context.WithValue(ctx, setKey{}, &Set{
		quotes:           edge[*market.Currency, *market.Quote]{fetch: s.Market.QuotesOf, wait: shortWait},
		candles:          edge[market.SeriesArgs, *market.CandleSeries]{fetch: s.Market.CandlesOf, wait: longWait},
		eod:              edge[market.SeriesArgs, *market.EodSeries]{fetch: s.Market.EodOf, wait: longWait},
		periodic:         edge[*market.Currency, *analytics.Periodic]{fetch: s.Analytics.PeriodicOf, wait: longWait},
		indicators:       edge[analytics.IndicatorArgs, *analytics.IndicatorSet]{fetch: s.Analytics.IndicatorsOf, wait: longWait},
		valuation:        edge[*market.Currency, *fundamentals.Valuation]{fetch: s.Fundamentals.ValuationsOf, wait: longWait},
		valuationHistory: edge[fundamentals.ValuationHistoryArgs, *fundamentals.ValuationHistory]{fetch: s.Fundamentals.ValuationHistoryOf, wait: longWait},
		financials:       edge[fundamentals.FinancialsArgs, *fundamentals.Financials]{fetch: s.Fundamentals.FinancialsOf, wait: longWait},
		dividends:        edge[*int, []*fundamentals.Dividend]{fetch: s.Fundamentals.DividendsOf, wait: longWait},
		sectorValuation:  family[*market.SectorInfo, *market.EquityMarket, *analytics.SectorValuation]{fetch: s.Analytics.SectorValuationsOf, wait: longWait},
		sectorReturns:    family[*market.SectorInfo, analytics.SectorReturnsArgs, *analytics.SectorReturns]{fetch: s.Analytics.SectorReturnsOf, wait: longWait},
	})
}

func of(ctx context.Context) *Set { return ctx.Value(setKey{}).(*Set) }

// Quote is the quote of in, or nil when it has no price.
func Quote(ctx context.Context, in *market.Instrument, currency *market.Currency) (*market.Quote, error) {
	return of(ctx).quotes.load(ctx, in, currency)
}

// Candles is the bars of in.
func Candles(ctx context.Context, in *market.Instrument, args market.SeriesArgs) (*market.CandleSeries, error) {
	return of(ctx).candles.load(ctx, in, args)
}

// Eod is the daily records of in.
func Eod(ctx context.Context, in *market.Instrument, args market.SeriesArgs) (*market.EodSeries, error) {
	return of(ctx).eod.load(ctx, in, args)
}

// Periodic is the windows of in, or nil when its market has none.
func Periodic(ctx context.Context, in *market.Instrument, currency *market.Currency) (*analytics.Periodic, error) {
	return of(ctx).periodic.load(ctx, in, currency)
}

// Indicators is the indicators of in, or nil outside bist.
func Indicators(ctx context.Context, in *market.Instrument, args analytics.IndicatorArgs) (*analytics.IndicatorSet, error) {
	return of(ctx).indicators.load(ctx, in, args)
}

// Valuation is the valuation of in, or nil when there is none.
func Valuation(ctx context.Context, in *market.Instrument, currency *market.Currency) (*fundamentals.Valuation, error) {
	return of(ctx).valuation.load(ctx, in, currency)
}

// ValuationHistory is the daily market cap and P/E of in, or nil when it is no
// stock of bist.
func ValuationHistory(ctx context.Context, in *market.Instrument, args fundamentals.ValuationHistoryArgs) (*fundamentals.ValuationHistory, error) {
	return of(ctx).valuationHistory.load(ctx, in, args)
}

// Financials is the statements of in, or nil outside bist and us.
func Financials(ctx context.Context, in *market.Instrument, args fundamentals.FinancialsArgs) (*fundamentals.Financials, error) {
	return of(ctx).financials.load(ctx, in, args)
}

// Dividends is the newest dividends of in.
func Dividends(ctx context.Context, in *market.Instrument, first *int) ([]*fundamentals.Dividend, error) {
	return of(ctx).dividends.load(ctx, in, first)
}

// SectorValuation is the medians of a sector.
func SectorValuation(ctx context.Context, sector *market.SectorInfo, m *market.EquityMarket) (*analytics.SectorValuation, error) {
	return of(ctx).sectorValuation.load(ctx, sector, m)
}

// SectorReturns is the return series of a sector.
func SectorReturns(ctx context.Context, sector *market.SectorInfo, args analytics.SectorReturnsArgs) (*analytics.SectorReturns, error) {
	return of(ctx).sectorReturns.load(ctx, sector, args)
}

// How long a batch waits for siblings that never ask: longer where each batch
// costs statements, since a busy machine is slow to let a hundred of them ask.
const (
	shortWait = time.Millisecond
	longWait  = 25 * time.Millisecond
)

// family is the loaders of one edge, one for each place in the document and
// each list there. K is the parent, A the edge's arguments, V the answer.
type family[K comparable, A, V any] struct {
	fetch func(context.Context, []K, A) ([]V, []error)
	wait  time.Duration

	mu     sync.Mutex
	levels map[level]*dataloader.Loader[K, V]
}

// level is the siblings under one resolved list that ask at one place of the
// document. The selection's address stands for the place and its arguments.
type level struct {
	list  *graphql.FieldContext
	place any
}

func (f *family[K, A, V]) load(ctx context.Context, key K, args A) (V, error) {
	field := graphql.GetFieldContext(ctx)
	list := listAbove(field)
	at := level{list, field.Field.Field}

	f.mu.Lock()
	loader := f.levels[at]
	if loader == nil {
		if f.levels == nil {
			f.levels = map[level]*dataloader.Loader[K, V]{}
		}
		fetch := func(ctx context.Context, keys []K) []*dataloader.Result[V] {
			values, errs := f.fetch(ctx, keys, args)
			results := make([]*dataloader.Result[V], len(keys))
			for i := range keys {
				results[i] = &dataloader.Result[V]{Data: values[i], Error: errs[i]}
			}
			return results
		}
		siblings := siblings(list)
		loader = dataloader.NewBatchedLoader(fetch,
			dataloader.WithBatchCapacity[K, V](siblings),
			dataloader.WithInputCapacity[K, V](siblings),
			dataloader.WithWait[K, V](f.wait))
		f.levels[at] = loader
	}
	f.mu.Unlock()
	return loader.Load(ctx, key)()
}

// listAbove is the nearest list that field is in, or nil.
func listAbove(field *graphql.FieldContext) *graphql.FieldContext {
	for at := field.Parent; at != nil; at = at.Parent {
		if at.Index != nil {
			return at.Parent
		}
	}
	return nil
}

// siblings counts the distinct elements of list that are there; outside any
// list a field is alone.
func siblings(list *graphql.FieldContext) int {
	if list == nil {
		return 1
	}
	elements := reflect.ValueOf(list.Result)
	if elements.Kind() != reflect.Slice {
		return 1
	}
	distinct := map[any]bool{}
	for i := range elements.Len() {
		if e := elements.Index(i); e.Kind() != reflect.Pointer || !e.IsNil() {
			distinct[e.Interface()] = true
		}
	}
	return max(1, len(distinct))
}
