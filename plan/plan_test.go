package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/plan"
	"piyasa/plan/plantest"
	"piyasa/plan/plantest/world"
)

// What a plan cannot express is gqlgen's, and is counted by its reason.
func TestWhatGqlgenRuns(t *testing.T) {
	for _, c := range []struct {
		by, document string
		variables    map[string]any
	}{
		{"plan", `{node(id: "n1") {id __typename} __typename}`, nil},
		{"plan", `{node(id: "n1") @skip(if: true) {id}}`, nil},
		{"plan", `query($if: Boolean!) {node(id: "n1") @include(if: $if) {id}}`, map[string]any{"if": false}},
		{"introspection", `{node(id: "n1") {id} __schema {queryType {name}}}`, nil},
		{"introspection", `{...F} fragment F on Query {__type(name: "Node") {name}}`, nil},
		{"plan", `{__schema @skip(if: true) {queryType {name}} node(id: "n1") {id}}`, nil},
		{"condition", `query($if: Boolean = true) {node(id: "n1") @include(if: $if) {id}}`, map[string]any{"if": nil}},
		{"large", exploding(5), nil},
		{"plan", exploding(2), nil},
		{"subscription", `subscription {ticks}`, nil},
	} {
		var by []string
		e := ours(world.New(1, world.Odds{}), func(what string) { by = append(by, what) })
		d := plantest.Document{Text: c.document, Variables: c.variables}
		func() {
			defer func() { _ = recover() }() // gqlgen panics on a null condition
			got := plantest.Ask(t.Context(), e, d)
			if expected := plantest.Ask(t.Context(), theirs(world.New(1, world.Odds{})), d); got.Data != plantest.Compact(expected.Data) || len(got.Errors) != len(expected.Errors) {
				t.Errorf("%.80s: %+v, want %+v", c.document, got, expected)
			}
		}()
		if len(by) != 1 || by[0] != c.by {
			t.Errorf("%.80s: run by %v, want %s", c.document, by, c.by)
		}
	}
}

// exploding returns a document of few words and 8 to the power of levels fields.
func exploding(levels int) string {
	var text strings.Builder
	text.WriteString(`{nodes(ids: []) {...A0}}`)
	for i := range levels {
		fmt.Fprintf(&text, " fragment A%d on Node {", i)
		for _, field := range []string{"child", "mustChild", "children", "orphans", "next", "nexts", "other", "mustOther"} {
			fmt.Fprintf(&text, "%s {...A%d} ", field, i+1)
		}
		text.WriteString("}")
	}
	fmt.Fprintf(&text, " fragment A%d on Node {id}", levels)
	return text.String()
}

// slow is a world whose batches take a second each.
type slow struct {
	*world.World
	at    func()
	began *atomic.Int64
}

// Node implements world.Relations.
func (s slow) Node() world.NodeRelations { return slowNode{s.World.Node(), s} }

type slowNode struct {
	world.NodeRelations
	slow slow
}

// Next implements world.NodeRelations.
func (n slowNode) Next(ctx context.Context, of []*world.Node, by *int, colour *world.Colour) ([]*world.Node, []error) {
	n.slow.began.Add(1)
	n.slow.at()
	return n.NodeRelations.Next(ctx, of, by, colour)
}

// Relations of one place are asked at once, a few at a time.
func TestRelationsAreConcurrent(t *testing.T) {
	for _, relations := range []int{1, 4, 20} {
		synctest.Test(t, func(t *testing.T) {
			var at, most atomic.Int64
			s := slow{world.New(3, world.Odds{}), func() {
				most.Store(max(most.Load(), at.Add(1)))
				time.Sleep(time.Second)
				at.Add(-1)
			}, new(atomic.Int64)}
			var fields strings.Builder
			for i := range relations {
				fmt.Fprintf(&fields, "f%d: next(by: %d) {id} ", i, i)
			}
			a := plantest.Ask(t.Context(), oursOf(s), plantest.Document{Text: `{mustNodes(first: 3) {` + fields.String() + `}}`})
			if most.Load() != min(int64(relations), 4) || len(a.Errors) > 0 || s.began.Load() != int64(relations) {
				t.Errorf("%d relations: %d calls, %d at once, errors %v", relations, s.began.Load(), most.Load(), a.Errors)
			}
		})
	}
}

// Nothing is asked once the context has ended.
func TestCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := slow{world.New(3, world.Odds{}), cancel, new(atomic.Int64)}
	a := plantest.Ask(ctx, oursOf(s), plantest.Document{Text: `{mustNodes(first: 3) {next {next {next {id}}}}}`})
	if s.began.Load() != 1 || len(a.Errors) == 0 || !strings.Contains(a.Errors[0], "context canceled") {
		t.Errorf("%d calls, errors %v", s.began.Load(), a.Errors)
	}
}

// A long answer that nobody waits for any more is not written to its end.
func TestWritingEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the client has gone")
	s := slow{world.New(3, world.Odds{}), func() { cancel(gone) }, new(atomic.Int64)}
	d := plantest.Document{Text: `{mustNodes(first: 12) {...A}} fragment A on Node {a: children {...B} b: children {...B}}
		fragment B on Node {a: children {...C} b: children {...C} c: children {...C}} fragment C on Node {a: children {next {id}} b: children {id}}`}
	if whole := plantest.Ask(t.Context(), oursOf(s.World), d); strings.Count(whole.Data, "}") < 500 {
		t.Fatalf("a short answer: %s", whole.Data)
	}
	a := plantest.Ask(ctx, oursOf(s), d)
	if a.Data != "null" || len(a.Errors) != 1 || !strings.Contains(a.Errors[0], gone.Error()) {
		t.Errorf("%.200s, errors %q", a.Data, a.Errors)
	}
}

// A plan that is kept serves any number of requests at once.
func TestPlansAreShared(t *testing.T) {
	w := world.New(5, world.Odds{Null: 20})
	e := ours(w, func(string) {})
	document := `query($if: Boolean!, $by: Int) {mustNodes(first: 5) {id next(by: $by) @include(if: $if) {name} things {... on Node {next {id}} ... on Sack {colour}}}}`
	answers := map[string]string{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			variables := map[string]any{"if": i%2 == 0, "by": i % 3}
			got := plantest.Ask(t.Context(), e, plantest.Document{Text: document, Variables: variables})
			text, _ := json.Marshal(got)
			mu.Lock()
			defer mu.Unlock()
			key := fmt.Sprint(variables)
			if known, ok := answers[key]; ok && known != string(text) {
				t.Errorf("%s: %s and %s", key, known, text)
			}
			answers[key] = string(text)
		})
	}
	wg.Wait()
	if len(answers) != 6 {
		t.Errorf("%d kinds of answers", len(answers))
	}
}

// What is kept is bounded, whatever is asked.
func TestKeptPlansAreBounded(t *testing.T) {
	w := world.New(1, world.Odds{})
	schema := plan.New(world.NewExecutableSchema(world.Config{Resolvers: world.Resolvers(w)}), world.Objects(w), func(string) {})
	e := prepared(schema)
	for i := range 2000 {
		plantest.Ask(t.Context(), e, plantest.Document{Text: fmt.Sprintf(`{node(id: "n%d") {%s}}`, i, strings.Repeat("id ", 100))})
	}
	if bytes, most := schema.Kept(); bytes == 0 || bytes > most {
		t.Errorf("%d bytes are kept, at most %d may be", bytes, most)
	}
}

// Tables of an older schema are refused at once.
func TestTablesAreComplete(t *testing.T) {
	w := world.New(1, world.Odds{})
	tables := world.Objects(w)
	tables[0].Fields = tables[0].Fields[1:]
	defer func() {
		if p := recover(); p != "the tables lack Box.name: run make generate" {
			t.Errorf("%v", p)
		}
	}()
	plan.New(world.NewExecutableSchema(world.Config{Resolvers: world.Resolvers(w)}), tables, func(string) {})
}
