// Package cost states what a request costs before it runs, in fields of an answer. A written
// field costs 1, and a list as much as its rows can. Reading the store and computing cost as
// many fields as take the same work. The same figures hold for GraphQL, REST and the events
// of subscriptions.
package cost

import (
	"context"
	"sort"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/account/access"
	"piyasa/graph"
	"piyasa/internal/value"
	"piyasa/serve/document"
)

// Request is what every request costs: to read, check and answer it. access.BaseCost is a
// part of it.
const Request = access.RequestCost

// Table states what a document costs before it runs. A field costs the work that it makes for
// the server, and a list counts at its greatest possible length. A REST route costs what the
// field that it names costs.
type Table struct {
	lists     graph.ComplexityRoot
	schema    graphql.ExecutableSchema
	described document.Description
	held      map[string]bool // fields that their parents hold, such as Quote.last
	asking    map[string]bool // fields that ask the store for all their parents
	charging  map[string]bool // relations that are charged for each parent
	whole     map[string]int  // by type: the cost of an object's own fields, without relations
}

// New returns the table; ranges without an end reach to the current day of the clock.
func New(now value.Clock) *Table {
	t := &Table{
		held: map[string]bool{"CandleSeries.bars": true}, charging: map[string]bool{"Instrument.logo": true},
		asking: map[string]bool{}, whole: map[string]int{},
	}
	setLists(&t.lists, now)
	t.schema = graph.NewExecutableSchema(graph.Config{Complexity: t.lists})
	t.described = document.DescriptionOf(t.schema.Schema())
	query, mutation := t.schema.Schema().Query, t.schema.Schema().Mutation
	for _, o := range graph.Objects(nil) {
		for _, f := range o.Fields {
			name := o.Name + "." + f.Name
			t.held[name] = t.held[name] || f.Append != nil || f.Get != nil
			t.charging[name] = t.charging[name] || f.All != nil
			t.asking[name] = f.All != nil || o.Name == mutation.Name ||
				o.Name == query.Name && !fromMemory[f.Name] && !strings.HasPrefix(f.Name, "__")
		}
	}
	for _, name := range besides {
		t.held[name] = false
	}
	for _, f := range query.Fields {
		t.wholeOf(f.Type.Name())
	}
	return t
}

// besides are fields about adjustments that a series states once: they do not cost for each
// row.
var besides = []string{
	"CandleSeries.adjust", "CandleSeries.factors", "CandleSeries.adjustNote", "EodSeries.adjust", "EodSeries.factors",
	"EodSeries.adjustNote",
	"SectorReturns.adjustment", "SectorReturns.adjust", "SectorReturns.bridges", "Periodic.adjust", "Periodic.adjustment",
	"PeriodicWindow.meaningChanged", "PeriodicWindow.bridges", "IndicatorSet.adjustment", "IndicatorSet.adjust", "IndicatorSet.bridges",
	"IndicatorValue.meaningChanged", "IndicatorSeries.meaningChanged",
}

// Lists returns what lists cost, by their arguments.
func (t *Table) Lists() *graph.ComplexityRoot { return &t.lists }

// Schema returns the schema.
func (t *Table) Schema() *ast.Schema { return t.schema.Schema() }

// Operation returns the cost of a request for an operation; for a subscription, the cost of
// starting it and of one event.
func (t *Table) Operation(ctx context.Context, o *ast.OperationDefinition, variables map[string]any) int {
	fields := document.Complexity(ctx, t.schema, o, variables, t.once, document.AnyRows)
	return Request + max(fields, t.Introspection(o))
}

// Rows returns how many rows or ids each list of an operation may ask for so that the
// operation costs at most limit; 0: not even one fits.
func (t *Table) Rows(ctx context.Context, o *ast.OperationDefinition, variables map[string]any, limit int) int {
	return sort.Search(longestList, func(rows int) bool { // the first number that is too many
		return Request+document.Complexity(ctx, t.schema, o, variables, t.once, rows+1) > limit
	})
}

// longestList is how many rows or ids the longest list may ask for.
const longestList = 10_000

// Introspection returns how many fields of an operation's answer describe the schema.
func (t *Table) Introspection(o *ast.OperationDefinition) int { return t.described.Fields(o) }

// once returns what a field costs besides its rows, for any number of parents: one query of
// the store answers all of them.
func (t *Table) once(object, field string) int {
	if t.asking[object+"."+field] {
		return access.AskingCost
	}
	return 0
}

// Change is the cost of a REST request that changes something of its key in the store.
const Change = Request + access.AskingCost

// Again returns the cost of sending an answer of some bytes that was made before.
func Again(bytes int) int { return bytes / 64 }
