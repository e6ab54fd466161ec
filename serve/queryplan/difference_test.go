package queryplan_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/serve/queryplan"
	"piyasa/serve/queryplan/plantest"
	"piyasa/serve/queryplan/plantest/world"
)

// theirs is gqlgen's executor over a world.
func theirs(w *world.World) *executor.Executor {
	return prepared(world.NewExecutableSchema(world.Config{Resolvers: world.Resolvers(w)}))
}

// ours is package queryplan over a world, or over relations that wrap one.
func ours(r world.Relations) *executor.Executor {
	return prepared(queryplan.New(world.NewExecutableSchema(world.Config{}), world.Objects(r), func() {}))
}

// prepared returns an executor whose errors show which field they report.
func prepared(schema graphql.ExecutableSchema) *executor.Executor {
	e := executor.New(schema)
	e.SetQueryCache(lru.New[*ast.QueryDocument](10))
	e.SetRecoverFunc(func(_ context.Context, p any) error { return fmt.Errorf("recovered: %v", p) })
	e.SetErrorPresenter(func(ctx context.Context, err error) *gqlerror.Error {
		shown := graphql.DefaultErrorPresenter(ctx, err)
		shown.Extensions = map[string]any{}
		for at := graphql.GetFieldContext(ctx); at != nil; at = at.Parent {
			if at.Field.Field != nil {
				shown.Extensions["field"] = at.Object + "." + at.Field.Name
				break
			}
		}
		return shown
	})
	e.Use(extension.Introspection{})
	return e
}

// ask runs a document, where what loaders wait takes no time.
func ask(t *testing.T, e *executor.Executor, d plantest.Document) (a plantest.Answer) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { a = plantest.Ask(t.Context(), e, d) })
	return a
}

// compare runs a document through both executors over equal worlds, also with
// its conditions turned round, for which a kept plan is of no use.
func compare(t *testing.T, seed uint64, odds world.Odds, d plantest.Document) (failed bool) {
	t.Helper()
	turned := plantest.Document{Text: d.Text, Variables: maps.Clone(d.Variables)}
	for name, value := range turned.Variables {
		if condition, ok := value.(bool); ok {
			turned.Variables[name] = !condition
		}
	}
	theirWorld, ourWorld := world.New(seed, odds), world.New(seed, odds)
	byGqlgen := theirs(theirWorld)
	expected := ask(t, byGqlgen, d)
	e := ours(ourWorld)
	got := ask(t, e, d)
	asked := maps.Clone(ourWorld.Asked())
	expected.Data = plantest.Compact(expected.Data)
	if different := plantest.Difference(expected, got); different != "" {
		t.Errorf("seed %d, odds %+v\n%s\n%v\n%s", seed, odds, d.Text, d.Variables, different)
	}
	if odds.Panic == 0 && !maps.EqualFunc(asked, theirWorld.Asked(), func(ours, theirs int) bool { return ours <= theirs }) {
		t.Errorf("seed %d: %s asks %v, and with gqlgen %v", seed, d.Text, asked, theirWorld.Asked())
	}
	expected = ask(t, byGqlgen, turned)
	expected.Data = plantest.Compact(expected.Data)
	if different := plantest.Difference(expected, ask(t, e, turned)); different != "" {
		t.Errorf("seed %d, odds %+v\n%s\n%v\n%s", seed, odds, d.Text, turned.Variables, different)
	}
	again := ask(t, e, d)
	if again.Data != got.Data || !slices.Equal(again.InTurn, got.InTurn) {
		t.Errorf("seed %d: the second answer to %s differs", seed, d.Text)
	}
	return len(got.Errors) > 0
}

var grammar = plantest.Grammar{Schema: world.NewExecutableSchema(world.Config{}).Schema(), Depth: 4, Width: 4}

// anyOdds returns the odds of a seed.
func anyOdds(r *rand.Rand) world.Odds {
	one := func(of ...int) int { return of[r.IntN(len(of))] }
	return world.Odds{Null: one(0, 3, 8, 30, 200), Fail: one(0, 0, 5, 20), Panic: one(0, 0, 6, 20), Odd: one(0, 0, 10)}
}

// Whatever is asked, both executors answer with the same bytes and errors.
func TestDifference(t *testing.T) {
	documents, failed := 500, 0
	if testing.Short() {
		documents = 100
	}
	for seed := range uint64(documents) {
		r := rand.New(rand.NewPCG(seed, 1))
		if compare(t, seed, anyOdds(r), grammar.Random(r)) {
			failed++
		}
		if t.Failed() {
			break
		}
	}
	if failed < documents/5 || failed > documents*4/5 {
		t.Errorf("%d of %d answers have errors", failed, documents)
	}
}

// FuzzDifference looks for a document that the executors answer differently.
func FuzzDifference(f *testing.F) {
	for seed := range uint64(10) {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, seed, words uint64) {
		r := rand.New(rand.NewPCG(seed, words))
		compare(t, seed, anyOdds(r), grammar.Random(r))
	})
}
