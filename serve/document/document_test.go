package document

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/99designs/gqlgen/complexity"
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"piyasa/graph"
)

// priced returns the schema with prices that differ by field and depend on
// arguments.
func priced() graphql.ExecutableSchema {
	return pricedSchema{graph.NewExecutableSchema(graph.Config{})}
}

type pricedSchema struct{ graphql.ExecutableSchema }

func (pricedSchema) Complexity(_ context.Context, object, field string, below int, arguments map[string]any) (int, bool) {
	limit, _ := arguments["limit"].(int64)
	return (len(object)+int(limit))*below + len(field)%3, len(field)%2 == 0
}

var schema = priced().Schema()

// seeds are random, and the same at every run.
func seeds(n int) []*rand.Rand {
	all := make([]*rand.Rand, n)
	for i := range all {
		all[i] = rand.New(rand.NewPCG(1, uint64(i)))
	}
	return all
}

func TestComplexityIsThatOfGqlgen(t *testing.T) {
	valid := 0
	for _, r := range seeds(3000) {
		h := hostile{Rand: r, schema: schema, wide: 4, again: 1 + r.IntN(2)}
		text := h.document(1, 1+r.IntN(5), 8+r.IntN(15))
		doc, errs := NewReader(schema, 0).Read(text)
		if len(errs) > 0 {
			continue
		}
		valid++
		ours := Complexity(t.Context(), priced(), doc.Operations[0], nil, nil, AnyRows)
		if theirs := complexity.Calculate(t.Context(), priced(), doc.Operations[0], nil); ours != theirs && theirs < dear {
			t.Fatalf("%d, and by gqlgen %d: %s", ours, theirs, text)
		}
	}
	if valid < 500 {
		t.Fatalf("only %d documents were valid", valid)
	}
}

func TestConflictsAreThoseOfGqlparser(t *testing.T) {
	refused, passed := 0, 0
	for _, r := range seeds(8000) {
		h := hostile{Rand: r, schema: schema, wide: 4, again: 1 + r.IntN(3), names: r.IntN(3)}
		text := h.document(1, r.IntN(6), 5+r.IntN(20))
		if r.IntN(3) == 0 {
			text = subscription(&h)
		}
		doc, err := parser.ParseQuery(&ast.Source{Input: text})
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		known := rules.NewDefaultRules()
		known.RemoveRule("OverlappingFieldsCanBeMerged")
		if len(validator.ValidateWithRules(schema, doc, known)) > 0 {
			continue
		}
		theirs := validator.ValidateWithRules(schema, doc, rules.NewRules(rules.OverlappingFieldsCanBeMergedRule))
		ours := conflicts(schema, doc, new(Work))
		if (len(ours) > 0) != (len(theirs) > 0) {
			t.Fatalf("%v, and by gqlparser %v: %s", ours, theirs, text)
		}
		if len(ours) > 0 {
			refused++
		} else {
			passed++
		}
	}
	if refused < 200 || passed < 200 {
		t.Fatalf("%d refused and %d passed", refused, passed)
	}
}

// subscription selects from a union, whose members share response names.
func subscription(h *hostile) string {
	var text strings.Builder
	text.WriteString(`subscription { disclosureStream(topics: ["all"]) { `)
	for _, member := range schema.GetPossibleTypes(schema.Types["DisclosureStreamEvent"]) {
		h.left = 6
		fmt.Fprintf(&text, "... on %s { ", member.Name)
		h.set(&text, member, len(h.fragments), 3)
		fmt.Fprintf(&text, "a: %s } ", leafOf(h, member))
	}
	return text.String() + "__typename } }"
}

func leafOf(h *hostile, def *ast.Definition) string {
	leaves := slices.DeleteFunc(slices.Clone(def.Fields), func(f *ast.FieldDefinition) bool {
		return !schema.Types[f.Type.Name()].IsLeafType()
	})
	if len(leaves) == 0 {
		return "__typename"
	}
	return leaves[h.IntN(len(leaves))].Name
}

// within checks that reading and pricing text took no more work than a constant
// for each of its tokens, or was refused.
func within(t *testing.T, text string) (refused bool) {
	t.Helper()
	var work Work
	doc, errs := NewReader(schema, 0).read(text, &work)
	// An expanded selection is looked at once for its shape and, for each of
	// the members of the widest union, once for its meaning.
	if limit := 5 * MaxSelections; work.Measured > 3*MaxTokens+MaxValidated || work.Validated > MaxValidated+MaxTokens ||
		work.Compared > limit {
		t.Errorf("%+v for %d bytes: %.300s", work, len(text), text)
	}
	if len(errs) > maxErrors+1 {
		t.Errorf("%d errors", len(errs))
	}
	if len(errs) > 0 {
		return true
	}
	asked := 0
	count := countedSchema{priced(), &asked}
	for _, o := range doc.Operations {
		asked = 0
		Complexity(t.Context(), count, o, nil, nil, AnyRows)
		DescriptionOf(schema).Fields(o)
		if asked > 2*MaxTokens {
			t.Errorf("%d fields priced for %d bytes: %.300s", asked, len(text), text)
		}
	}
	return false
}

type countedSchema struct {
	graphql.ExecutableSchema
	asked *int
}

func (c countedSchema) Complexity(ctx context.Context, object, field string, below int, arguments map[string]any) (int, bool) {
	*c.asked++
	return c.ExecutableSchema.Complexity(ctx, object, field, below, arguments)
}

// bombs are documents that made some algorithm take more than linear time.
func bombs() map[string]string {
	chain := func(n int, on, first, last string, spread func(next int) string) string {
		var b strings.Builder
		b.WriteString(first)
		for i := range n {
			fmt.Fprintf(&b, " fragment F%d on %s { %s }", i, on, spread(i+1))
		}
		fmt.Fprintf(&b, " fragment F%d on %s { %s }", n, on, last)
		return b.String()
	}
	twice := func(next int) string { return fmt.Sprintf("...F%d ...F%d", next, next) }
	return map[string]string{
		"doubling": chain(40, "Query", "{ ...F0 }", "__typename", twice),
		"doubling fields": chain(40, "Instrument", `{ instrument(id: "bist:DMOST") { ...F0 } }`, "symbol", func(n int) string {
			return fmt.Sprintf("sectorInfo { ... on Sector { code } } ...F%d ...F%d", n, n)
		}),
		"doubling directives": chain(40, "Query", "{ ...F0 }", "__typename", func(n int) string {
			return fmt.Sprintf("...F%d @skip(if: false) ...F%d @include(if: true)", n, n)
		}),
		"doubling introspection": chain(40, "__Type", "{ __schema { types { ...F0 } } }", "name", func(n int) string {
			return fmt.Sprintf("a: ofType { ...F%d } b: ofType { ...F%d }", n, n)
		}),
		"one field often":  `{ quote(id: "bist:DMOST") { ` + strings.Repeat("last ", 1900) + "} }",
		"one object often": "{ " + strings.Repeat(`quote(id: "bist:DMOST") { last } `, 180) + "}",
		"fragment often": "{ " + strings.Repeat("...F ", 900) + "} fragment F on Query { " +
			strings.Repeat("__typename ", 100) + "}",
		"long chain, large end": chain(99, "Query", "{ ...F0 }", strings.Repeat("__typename ", 900), func(n int) string {
			return fmt.Sprintf("...F%d", n)
		}),
		"unknown fields": chain(90, "Query", "{ ...F0 }", strings.Repeat("wrong ", 900), func(n int) string {
			return fmt.Sprintf("...F%d", n)
		}),
		"many operations": strings.Repeat("query Q { ...F } ", 200) + "fragment F on Query { __typename }",
		"cycle":           strings.Replace(chain(50, "Query", "{ ...F0 }", "...F0 ...F1", twice), "XX", "", 1),
		"conflicts everywhere": "{ " +
			strings.Repeat(`a: quote(id: "bist:DMOST") { a: last } a: quote(id: "bist:DMALT") { a: high } `, 60) + "}",
		"nested introspection":    "{ " + strings.Repeat("__schema { ", 300) + "x " + strings.Repeat("} ", 300) + "}",
		"nested values":           "{ watchlist(ids: " + strings.Repeat("[", 900) + strings.Repeat("]", 900) + ") { symbol } }",
		"nested types":            "query($a: " + strings.Repeat("[", 450) + "Int" + strings.Repeat("]", 450) + ") { __typename }",
		"nested inline fragments": strings.Repeat("{ ... ", 600) + "{ __typename }" + strings.Repeat(" }", 600),
		"many variables":          "query(" + strings.Repeat("$a: Int ", 300) + ") { __typename }",
		"long name":               "{ " + strings.Repeat("a", 100_000) + " }",
		"long enum":               `{ instruments(market: "` + strings.Repeat("a", 100_000) + `") { count } }`,
		"many directives":         "{ __typename " + strings.Repeat("@include(if: true) ", 250) + "}",
		"many arguments":          "{ instruments(" + strings.Repeat("limit: 1 ", 600) + ") { count } }",
	}
}

// Nothing of a document is worse than linear in its tokens.
func TestHostileDocumentsAreReadCheaply(t *testing.T) {
	for name, text := range bombs() {
		t.Run(name, func(t *testing.T) { within(t, text) })
	}
	read := 0
	for i, r := range seeds(300) {
		h := hostile{Rand: r, schema: schema, wide: 1 + i%8, again: 1 + i%5, names: i % 3}
		if !within(t, h.document(1+i%4, i%60, 40+i)) {
			read++
		}
	}
	if read < 30 {
		t.Errorf("only %d of the random documents were read", read)
	}
}

func FuzzHostileDocuments(f *testing.F) {
	for i := range uint8(20) {
		f.Add(uint64(i), i%4, 5*i, i%8, 1+i%6, i%3, 20+30*uint16(i))
	}
	f.Fuzz(func(t *testing.T, seed uint64, operations, fragments, wide, again, names uint8, size uint16) {
		h := hostile{Rand: rand.New(rand.NewPCG(2, seed)), schema: schema, wide: 1 + int(wide%10), again: 1 + int(again%20),
			names: int(names % 5)}
		within(t, h.document(1+int(operations%25), int(fragments%120), int(size%1000)))
	})
}

// Requests read the same documents at the same time.
func TestDocumentsAreReadTogether(t *testing.T) {
	r := NewReader(schema, 1<<20)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				doc, errs := r.Read(fmt.Sprintf("query Q%d($n: Int = 1) { instruments(limit: $n) { count } ...F @defer } "+
					"fragment F on Query "+
					"{ sectors { count } }", (i+j)%20))
				if len(errs) > 0 || Complexity(t.Context(), priced(), doc.Operations[0], nil, nil, AnyRows) == 0 {
					t.Error(errs)
				}
			}
		})
	}
	wg.Wait()
	if b := r.kept.Counts().Bytes; b == 0 || b > 1<<20 {
		t.Errorf("%d bytes kept", b)
	}
}

// The cache is bounded in bytes of heap: its estimate is not far below what the
// documents take, whatever they are made of.
func TestKeptDocumentsAreMeasuredInHeap(t *testing.T) {
	for name, text := range map[string]string{
		"fields":    "{ marketStatus { " + strings.Repeat("state ", 900) + "} }",
		"typenames": "{ marketStatus { " + strings.Repeat("__typename ", 900) + "} }",
		"aliases":   "{ marketStatus { " + repeated(100, "a%d: state state ") + "} }",
		"objects":   "{ sectors { " + strings.Repeat("sectors { code } ", 300) + "} }",
		"arguments": `{ instrument(id: "bist:DMOST") { ` + strings.Repeat("quote(currency: USD) { last } ", 150) + "} }",
		"values":    `{ watchlist(ids: [` + strings.Repeat(`"bist:DMOST" `, 1500) + "]) { symbol } }",
		"fragments": "{ ...A ...B } fragment A on Query { " + strings.Repeat("...B ", 30) + "} fragment B on Query { " +
			strings.Repeat("... { __typename } ", 50) + "}",
		"comments": "{ " + strings.Repeat("__typename # a comment\n", 600) + "}",
		"escapes":  `{ watchlist(ids: [` + strings.Repeat(`"bist\u003aDMOST" `, 1500) + "]) { symbol } }",
		"variables": "query(" + repeated(100, "$v%d: Int = 1 ") + `) { indicators(id: "a", periods: [` + repeated(100, "$v%d ") +
			"]) { instrumentId } }",
	} {
		reader := NewReader(schema, 0)
		var kept []*ast.QueryDocument
		estimate := 0
		before := heap()
		for range 40 {
			own := strings.Clone(text)
			doc, errs := reader.Read(own)
			if len(errs) > 0 {
				t.Fatalf("%s: %v", name, errs)
			}
			kept = append(kept, doc)
			estimate += heapOf(own, doc)
		}
		taken := heap() - before
		runtime.KeepAlive(kept)
		t.Logf("%s: %d KiB each, estimated %d", name, taken/40/1024, estimate/40/1024)
		if estimate < taken*8/10 || estimate > taken*3 {
			t.Errorf("%s: estimated %d bytes, taken %d", name, estimate, taken)
		}
	}
}

func repeated(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}

func TestCacheIsBoundedInBytes(t *testing.T) {
	c := NewCache(10_000, func(key string, value int) int { return len(key) + value })
	for i := range 1000 {
		c.put(fmt.Sprint(i), 100)
		c.put("again", 100+i%7)
	}
	if b := c.Counts().Bytes; b > 10_000 || b < 8_000 {
		t.Errorf("%d bytes kept", b)
	}
	if _, ok := c.get("again"); !ok {
		t.Error("what is used most is gone")
	}
	c.put("large", 5_000)
	if _, ok := c.get("large"); ok {
		t.Error("half of the room went to one value")
	}
}

func TestRulesRunOnce(t *testing.T) {
	r := NewReader(schema, 0)
	names := map[string]bool{}
	for _, rule := range r.rules {
		names[rule.Name] = true
	}
	// Two of the library's are left out; three are ours.
	if names["OverlappingFieldsCanBeMerged"] || names["SingleFieldSubscriptions"] || !names["NoFragmentCycles"] || !names["IntsOf32Bits"] ||
		!names["OneStream"] ||
		!names["NoFragmentVariables"] || len(names) != len(rules.NewDefaultRules().GetInner())+1 {
		t.Errorf("rules %v", names)
	}
}
