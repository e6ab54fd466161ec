package queryplan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/serve/queryplan"
	"piyasa/serve/queryplan/plantest"
	"piyasa/serve/queryplan/plantest/world"
)

// What a plan cannot express is refused.
func TestWhatIsRefused(t *testing.T) {
	for _, c := range []struct {
		document, says string
		variables      map[string]any
	}{
		{`query($if: Boolean!) {node(id: "n1") @include(if: $if) {id}}`, "", map[string]any{"if": false}},
		{`query($if: Boolean = true) {node(id: "n1") @include(if: $if) {id}}`, "need a boolean", map[string]any{"if": nil}},
		{exploding(5), "more than 10000 fields", nil},
		{exploding(2), "", nil},
		{`{node(id: "n1") {id ...F @defer}} fragment F on Node {name}`, "@defer is not supported", nil},
	} {
		got := plantest.Ask(t.Context(), ours(world.New(1, world.Odds{})), plantest.Document{Text: c.document, Variables: c.variables})
		if c.says == "" && len(got.Errors) > 0 || c.says != "" &&
			(len(got.Errors) != 1 || got.Data != "" || !strings.Contains(got.Errors[0], c.says)) {
			t.Errorf("%.80s: %+v", c.document, got)
		}
	}
}

// Introspection and events of subscriptions are written as gqlgen's executor writes them.
func TestIntrospectionAndEvents(t *testing.T) {
	for _, document := range []string{
		`{node(id: "n1") {id} __schema {queryType {name}}}`,
		`{...F} fragment F on Query {__type(name: "Node") {name}}`,
		`{__schema @skip(if: true) {queryType {name}} node(id: "n1") {id}}`,
		`{__type(name: "Nothing") {name}}`,
		introspection,
		`subscription {ticks}`,
		`subscription {again: ticks}`,
		`subscription {nodes(first: 4) {id name next {id} again: next(by: 2) {id name} thing {... on Box {name next {id}}}}}`,
		`subscription {nodes(first: 99) {id}}`,
		`subscription {ticks nodes(first: 1) {id}}`,
	} {
		for seed := range uint64(5) {
			odds := world.Odds{Null: int(seed % 3 * 8), Fail: int(seed % 2 * 5)}
			theirs := slices.Collect(plantest.Answers(t.Context(), theirs(world.New(seed, odds)), plantest.Document{Text: document}))
			ours := slices.Collect(plantest.Answers(t.Context(), ours(world.New(seed, odds)), plantest.Document{Text: document}))
			for i := range max(len(theirs), len(ours)) {
				if i >= len(theirs) || i >= len(ours) {
					t.Fatalf("%.80s: %d answers, and %d with gqlgen", document, len(ours), len(theirs))
				}
				theirs[i].Data = plantest.Compact(theirs[i].Data)
				// gqlgen leaves the field of the stream out of the path
				if strings.HasPrefix(document, "subscription") && theirs[i].Data != "" {
					for j := range theirs[i].Errors {
						theirs[i].Errors[j] = strings.Replace(theirs[i].Errors[j], `"path":[`, `"path":["nodes",`, 1)
					}
				}
				if different := plantest.Difference(theirs[i], ours[i]); different != "" {
					t.Errorf("seed %d, answer %d to %.80s: %s", seed, i, document, different)
				}
			}
		}
	}
}

// introspection is what clients ask of a schema.
const introspection = `{__schema {description queryType {name} mutationType {name} subscriptionType {name} types {...T}
	directives {name description isRepeatable locations args(includeDeprecated: true) {...V}}}}
fragment T on __Type {kind name description specifiedByURL isOneOf fields(includeDeprecated: true) {name description args {...V} type {...R} isDeprecated deprecationReason}
	inputFields(includeDeprecated: true) {...V} interfaces {...R} enumValues(includeDeprecated: true) {name description isDeprecated deprecationReason} possibleTypes {...R}}
fragment V on __InputValue {name description type {...R} defaultValue isDeprecated deprecationReason}
fragment R on __Type {kind name ofType {kind name ofType {kind name ofType {kind name}}}}`

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
			a := plantest.Ask(t.Context(), ours(s), plantest.Document{Text: `{mustNodes(first: 3) {` + fields.String() + `}}`})
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
	a := plantest.Ask(ctx, ours(s), plantest.Document{Text: `{mustNodes(first: 3) {next {next {next {id}}}}}`})
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
	if whole := plantest.Ask(t.Context(), ours(s.World), d); strings.Count(whole.Data, "}") < 500 {
		t.Fatalf("a short answer: %s", whole.Data)
	}
	a := plantest.Ask(ctx, ours(s), d)
	if a.Data != "null" || len(a.Errors) != 1 || !strings.Contains(a.Errors[0], gone.Error()) {
		t.Errorf("%.200s, errors %q", a.Data, a.Errors)
	}
}

// A plan that is kept serves any number of requests at once.
func TestPlansAreShared(t *testing.T) {
	w := world.New(5, world.Odds{Null: 20})
	e := ours(w)
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
	schema := queryplan.New(world.NewExecutableSchema(world.Config{}), world.Objects(w), func() {})
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
	queryplan.New(world.NewExecutableSchema(world.Config{}), tables, func() {})
}
