// Package loaders batches the queries of an operation to the store: each relation has one loader
// in an operation. The executor passes it all parents of a place at once, so a batch never waits
// for more parents. A loader does not ask again about a parent that another place of the document
// has asked about with the same arguments. Relations that memory answers need no loader.
package loaders

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/graph-gophers/dataloader/v7"
)

// Relation is a relation with its arguments, such as Instrument.candles and
// {"resolution":"D1"}. It has one loader in an operation.
type Relation struct{ Field, Arguments string }

// set holds the loaders of one operation, or of one event of a subscription.
type set struct {
	mu  sync.Mutex
	all map[Relation]any
}

type setKey struct{}

// With returns a context that carries new loaders: for an operation, and for each event of a
// subscription, since older loaders would answer with what they read before.
func With(ctx context.Context) context.Context {
	return context.WithValue(ctx, setKey{}, &set{all: map[Relation]any{}})
}

// Load returns the answers of a relation for parents, in their order, and the problem of each
// parent that has one. It calls ask once, with the parents that the loader of ctx has not been
// asked about; if ask panics, that is the problem of all of them.
func Load[P comparable, V any](ctx context.Context, of Relation, parents []P, ask func([]P) ([]V, []error)) ([]V, []error) {
	l := loaderOf[P, V](ctx.Value(setKey{}).(*set), of)
	answers := l.load(ctx, parents, ask)
	values, errs := make([]V, len(parents)), make([]error, len(parents))
	for i, answer := range answers {
		values[i], errs[i] = answer()
	}
	return values, errs
}

// loader holds the parents that a relation has been asked about, and their answers.
type loader[P comparable, V any] struct {
	mu    sync.Mutex
	asked answers[P, V]
}

// answers is a dataloader.Cache that its loader locks.
type answers[P comparable, V any] map[P]dataloader.Thunk[V]

// Get implements dataloader.Cache.
func (a answers[P, V]) Get(_ context.Context, p P) (dataloader.Thunk[V], bool) {
	answer, ok := a[p]
	return answer, ok
}

// Set implements dataloader.Cache.
func (a answers[P, V]) Set(_ context.Context, p P, answer dataloader.Thunk[V]) { a[p] = answer }

// Delete implements dataloader.Cache: no answer is forgotten.
func (a answers[P, V]) Delete(context.Context, P) bool { return false }

// Clear implements dataloader.Cache.
func (a answers[P, V]) Clear() {}

func loaderOf[P comparable, V any](s *set, of Relation) *loader[P, V] {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.all[of].(*loader[P, V])
	if !ok {
		l = &loader[P, V]{asked: answers[P, V]{}}
		s.all[of] = l
	}
	return l
}

// neverFull is longer than it takes to hand a batch its parents, which fill it.
const neverFull = time.Minute

// load returns functions that wait for the answers. The size of the batch is the number of new
// parents, so it is sent once it has the last of them.
func (l *loader[P, V]) load(ctx context.Context, parents []P, ask func([]P) ([]V, []error)) []dataloader.Thunk[V] {
	l.mu.Lock()
	defer l.mu.Unlock()
	size := l.unknown(parents)
	batches := dataloader.NewBatchedLoader(func(ctx context.Context, batch []P) []*dataloader.Result[V] {
		values, errs := safely(ctx, batch, ask)
		results, all := make([]*dataloader.Result[V], len(batch)), make([]dataloader.Result[V], len(batch))
		for i := range batch {
			all[i] = dataloader.Result[V]{Data: values[i], Error: errs[i]}
			results[i] = &all[i]
		}
		return results
	}, dataloader.WithCache[P, V](l.asked), dataloader.WithBatchCapacity[P, V](size), dataloader.WithInputCapacity[P, V](size),
		dataloader.WithWait[P, V](neverFull))
	answers := make([]dataloader.Thunk[V], len(parents))
	for i, p := range parents {
		answers[i] = batches.Load(ctx, p)
	}
	return answers
}

// unknown counts the parents that have not been asked about.
func (l *loader[P, V]) unknown(parents []P) int {
	fresh := make(map[P]struct{}, len(parents))
	for _, p := range parents {
		if _, known := l.asked[p]; !known {
			fresh[p] = struct{}{}
		}
	}
	return len(fresh)
}

// safely turns a panic, or an answer of the wrong length, into the problem of each parent.
func safely[P, V any](ctx context.Context, batch []P, ask func([]P) ([]V, []error)) (values []V, errs []error) {
	defer func() {
		if p := recover(); p != nil {
			err := graphql.GetOperationContext(ctx).RecoverFunc(ctx, p)
			values, errs = make([]V, len(batch)), slices.Repeat([]error{err}, len(batch))
		}
	}()
	if ctx.Err() != nil {
		return make([]V, len(batch)), slices.Repeat([]error{context.Cause(ctx)}, len(batch))
	}
	values, errs = ask(batch)
	if len(values) != len(batch) || len(errs) != len(batch) {
		panic("a relation has answered another number of parents than it was asked about")
	}
	return values, errs
}
