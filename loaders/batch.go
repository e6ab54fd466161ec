package loaders

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
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
	asked  map[K]*batch[K, V]             // which batch answers a parent
	next   *batch[K, V]                   // is being gathered; nil: none
}

// batch is what goes out together. Answers are there once it is done.
type batch[K comparable, V any] struct {
	ctx    context.Context // of who asked first
	keys   []K
	places map[K]int // of keys
	late   *time.Timer
	gone   bool

	done   chan struct{}
	values []V
	errs   []error
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
		l = &level[K, V]{coming: 1, lists: map[*graphql.FieldContext]bool{}, asked: map[K]*batch[K, V]{}}
		f.levels[at] = l
	}
	l.arrive(field)
	b := l.asked[key]
	if b == nil {
		if l.next == nil {
			gathered := &batch[K, V]{ctx: ctx, places: map[K]int{}, done: make(chan struct{})}
			gathered.late = time.AfterFunc(f.wait, func() { f.send(l, gathered, args) })
			l.next = gathered
		}
		b = l.next
		b.places[key] = len(b.keys)
		b.keys = append(b.keys, key)
		l.asked[key] = b
	}
	var full *batch[K, V]
	if l.coming <= 0 {
		full = l.next
	}
	f.mu.Unlock()
	if full != nil {
		f.send(l, full, args)
	}
	<-b.done
	i := b.places[key]
	return b.values[i], b.errs[i]
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

// send lets a batch go out, once. A panic is the error of all who asked.
func (f *family[K, A, V]) send(l *level[K, V], b *batch[K, V], args A) {
	f.mu.Lock()
	gone := b.gone
	b.gone = true
	if l.next == b {
		l.next = nil
	}
	f.mu.Unlock()
	if gone {
		return
	}
	b.late.Stop()
	defer close(b.done)
	defer func() {
		if p := recover(); p != nil {
			b.values = make([]V, len(b.keys))
			b.errs = slices.Repeat([]error{fmt.Errorf("panic in a batch: %v\n%s", p, debug.Stack())}, len(b.keys))
		}
	}()
	b.values, b.errs = f.fetch(b.ctx, b.keys, args)
}
