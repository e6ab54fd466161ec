package loaders

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/graph-gophers/dataloader/v7"
	"github.com/vektah/gqlparser/v2/ast"
)

// family is the loaders of one edge, one for each place in the document. K is
// the parent, A the edge's arguments, V the answer.
type family[K comparable, A, V any] struct {
	fetch func(context.Context, []K, A) ([]V, []error)
	wait  time.Duration

	mu     sync.Mutex // of the levels, too
	levels map[place]*level[K, V]
}

// place is where in the answer an edge is asked for: the names that lead there,
// and the selection, whose address stands for its arguments.
type place struct {
	path      string
	selection *ast.Field
}

func placeOf(field *graphql.FieldContext) place {
	var path strings.Builder
	for at := field; at != nil; at = at.Parent {
		if at.Index == nil && at.Field.Field != nil {
			path.WriteString(at.Field.Alias)
			path.WriteByte('.')
		}
	}
	return place{path.String(), field.Field.Field}
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

func (f *family[K, A, V]) load(ctx context.Context, key K, args A) (V, error) {
	field := graphql.GetFieldContext(ctx)
	at := placeOf(field)
	f.mu.Lock()
	l := f.levels[at]
	if l == nil {
		if f.levels == nil {
			f.levels = map[place]*level[K, V]{}
		}
		l = &level[K, V]{coming: 1, lists: map[*graphql.FieldContext]bool{}, asked: map[K]*group[K, V]{}}
		f.levels[at] = l
	}
	l.arrive(field)
	g := l.asked[key]
	if g == nil {
		if g = l.next; g == nil {
			g = &group[K, V]{full: make(chan struct{})}
			g.late = time.AfterFunc(f.wait, func() {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.complete(l, g, args)
			})
			l.next = g
		}
		g.late.Reset(f.wait) // the last to come may be far behind on a busy machine
		g.parents++
		l.asked[key] = g
	}
	if l.coming <= 0 && l.next != nil {
		f.complete(l, l.next, args)
	}
	f.mu.Unlock()
	<-g.full
	return g.loader.Load(ctx, key)()
}

// allAsk is longer than it takes a group's siblings, who all wait for it, to ask
// their loader.
const allAsk = time.Minute

// complete lets a group go, unless it is gone: its siblings find a loader that
// sends a batch when the last of them has asked it.
func (f *family[K, A, V]) complete(l *level[K, V], g *group[K, V], args A) {
	if l.next != g {
		return
	}
	l.next = nil
	g.late.Stop()
	g.loader = dataloader.NewBatchedLoader(func(ctx context.Context, keys []K) []*dataloader.Result[V] {
		values, errs := f.fetch(ctx, keys, args)
		results := make([]*dataloader.Result[V], len(keys))
		for i := range keys {
			results[i] = &dataloader.Result[V]{Data: values[i], Error: errs[i]}
		}
		return results
	}, dataloader.WithBatchCapacity[K, V](g.parents), dataloader.WithInputCapacity[K, V](g.parents), dataloader.WithWait[K, V](allAsk))
	close(g.full)
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

// listsAbove are the lists that field is in, the outermost first.
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
