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

	"piyasa/domain/market"
)

// Set holds the loaders of one request.
type Set struct {
	quotes  family[*market.Instrument, *market.Currency, *market.Quote]
	candles family[*market.Instrument, market.SeriesArgs, *market.CandleSeries]
	eod     family[*market.Instrument, market.SeriesArgs, *market.EodSeries]
}

type setKey struct{}

// With returns a context that carries a new Set over the services.
func With(ctx context.Context, m *market.Service) context.Context {
	return context.WithValue(ctx, setKey{}, &Set{
		quotes:  family[*market.Instrument, *market.Currency, *market.Quote]{fetch: m.QuotesOf, wait: shortWait},
		candles: family[*market.Instrument, market.SeriesArgs, *market.CandleSeries]{fetch: m.CandlesOf, wait: longWait},
		eod:     family[*market.Instrument, market.SeriesArgs, *market.EodSeries]{fetch: m.EodOf, wait: longWait},
	})
}

// Quote is the quote of in, or nil when it has no price.
func Quote(ctx context.Context, in *market.Instrument, currency *market.Currency) (*market.Quote, error) {
	set := ctx.Value(setKey{}).(*Set)
	return set.quotes.load(ctx, in, currency)
}

// Candles is the bars of in.
func Candles(ctx context.Context, in *market.Instrument, args market.SeriesArgs) (*market.CandleSeries, error) {
	set := ctx.Value(setKey{}).(*Set)
	return set.candles.load(ctx, in, args)
}

// Eod is the daily records of in.
func Eod(ctx context.Context, in *market.Instrument, args market.SeriesArgs) (*market.EodSeries, error) {
	set := ctx.Value(setKey{}).(*Set)
	return set.eod.load(ctx, in, args)
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
