package loaders

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/graph-gophers/dataloader/v7"
	"github.com/vektah/gqlparser/v2/ast"
)

// place is where in the answer a relation is asked for: the names that lead
// there, the type of the parents, and the selection, whose address stands for
// its arguments.
type place struct {
	path, object string
	selection    *ast.Field
}

func placeOf(field *graphql.FieldContext) place {
	var path strings.Builder
	for at := field; at != nil; at = at.Parent {
		if at.Index == nil && at.Field.Field != nil {
			path.WriteString(at.Field.Alias)
			path.WriteByte('.')
		}
	}
	return place{path.String(), field.Object, field.Field.Field}
}

// level is the siblings that ask at one place.
type level[K comparable, V any] struct {
	coming int                            // siblings that have yet to ask, and lists that are yet to be resolved
	lists  map[*graphql.FieldContext]bool // those that are
	asked  map[K]*group[K, V]             // which group a parent is in
	next   *group[K, V]                   // is being gathered; nil: none
}

// group is the siblings that one batch answers. Its loader is made once it is
// known how many they are, since that is the loader's capacity.
type group[K comparable, V any] struct {
	parents int
	late    *time.Timer
	full    chan struct{} // closed once the loader is there
	loader  *dataloader.Loader[K, V]
}

// Load answers the relation that ctx is resolving, of key: one call of fetch
// answers all parents of the place.
func Load[K comparable, V any](ctx context.Context, key K, fetch func(context.Context, []K) ([]V, []error)) (V, error) {
	s, field := ctx.Value(setKey{}).(*set), graphql.GetFieldContext(ctx)
	at := placeOf(field)
	s.mu.Lock()
	l, _ := s.levels[at].(*level[K, V])
	if l == nil {
		l = &level[K, V]{coming: 1, lists: map[*graphql.FieldContext]bool{}, asked: map[K]*group[K, V]{}}
		s.levels[at] = l
	}
	l.arrive(field)
	g := l.asked[key]
	if g == nil {
		if g = l.next; g == nil {
			g = &group[K, V]{full: make(chan struct{})}
			g.late = time.AfterFunc(wait, func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				l.complete(g, fetch)
			})
			l.next = g
		}
		g.late.Reset(wait) // the last to come may be far behind on a busy machine
		g.parents++
		l.asked[key] = g
	}
	if l.coming <= 0 && l.next != nil {
		l.complete(l.next, fetch)
	}
	s.mu.Unlock()
	<-g.full
	return g.loader.Load(ctx, key)()
}

// allAsk is longer than it takes a group's siblings, who all wait for it, to ask
// their loader.
const allAsk = time.Minute

// complete lets a group go, unless it is gone: its siblings find a loader that
// sends a batch when the last of them has asked it.
func (l *level[K, V]) complete(g *group[K, V], fetch func(context.Context, []K) ([]V, []error)) {
	if l.next != g {
		return
	}
	l.next = nil
	g.late.Stop()
	g.loader = dataloader.NewBatchedLoader(func(ctx context.Context, keys []K) []*dataloader.Result[V] {
		values, errs := safely(ctx, keys, fetch)
		results := make([]*dataloader.Result[V], len(keys))
		for i := range keys {
			results[i] = &dataloader.Result[V]{Data: values[i], Error: errs[i]}
		}
		return results
	}, dataloader.WithBatchCapacity[K, V](g.parents), dataloader.WithInputCapacity[K, V](g.parents), dataloader.WithWait[K, V](allAsk))
	close(g.full)
}

// safely makes a panic the error of each sibling.
func safely[K comparable, V any](ctx context.Context, keys []K, fetch func(context.Context, []K) ([]V, []error)) (values []V, errs []error) {
	defer func() {
		if p := recover(); p != nil {
			err := graphql.GetOperationContext(ctx).RecoverFunc(ctx, p)
			values, errs = make([]V, len(keys)), slices.Repeat([]error{err}, len(keys))
		}
	}()
	return fetch(ctx, keys)
}

// arrive counts a sibling that asks, and the lists it is in.
func (l *level[K, V]) arrive(field *graphql.FieldContext) {
	for _, list := range listsAbove(field) {
		if !l.lists[list] {
			l.lists[list] = true
			l.coming += elements(list) - 1
		}
	}
	l.coming--
}

// listsAbove returns the lists that field is in, the outermost first.
func listsAbove(field *graphql.FieldContext) (lists []*graphql.FieldContext) {
	for at := field.Parent; at != nil; at = at.Parent {
		if at.Index != nil {
			lists = append(lists, at.Parent)
		}
	}
	slices.Reverse(lists)
	return lists
}

// elements counts the elements of list that are there.
func elements(list *graphql.FieldContext) int {
	of := reflect.ValueOf(list.Result)
	if of.Kind() != reflect.Slice {
		return 1
	}
	n := 0
	for i := range of.Len() {
		if e := of.Index(i); e.Kind() != reflect.Pointer || !e.IsNil() {
			n++
		}
	}
	return n
}
