package server

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/loaders"
	"piyasa/problem"
)

// Limits of a GraphQL request. Documents that cross one are refused before
// anything runs.
const (
	maxBody       = 256 << 10 // bytes of a request
	maxTokens     = 2_000     // of a document; validation is quadratic in its fields
	maxDepth      = 8         // nested fields; introspection is not counted
	maxRootFields = 20
	maxAliases    = 100
	maxComplexity = 250_000 // fields of the answer, lists at their full length
	cachedQueries = 1000
	cachedSize    = 8 << 10 // bytes of a document worth keeping
)

// graphQL is the handler of /graphql.
func (s *Server) graphQL(root graph.ResolverRoot) http.Handler {
	config := graph.Config{Resolvers: root}
	setComplexity(&config.Complexity)
	schema := graph.NewExecutableSchema(config)
	h := handler.New(schema)
	h.AddTransport(&httpTransport{schema: schema.Schema()})
	h.SetQueryCache(small[*ast.QueryDocument]{lru.New[*ast.QueryDocument](cachedQueries), func(query string, _ *ast.QueryDocument) int { return len(query) }})
	h.SetParserTokenLimit(maxTokens)
	h.Use(extension.Introspection{})
	h.Use(extension.AutomaticPersistedQuery{Cache: small[string]{lru.New[string](cachedQueries), func(_, query string) int { return len(query) }}})
	h.Use(&exactVariables{})
	h.Use(documentLimits{})
	h.Use(extension.FixedComplexityLimit(maxComplexity))
	h.SetErrorPresenter(s.presentError)
	h.SetRecoverFunc(func(ctx context.Context, p any) error {
		slog.Error("panic", "request_id", requestID(ctx), "path", "/graphql", "panic", p, "stack", string(debug.Stack()))
		return problem.Wrap(nil)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(loaders.With(r.Context(), s.Market)))
	})
}

// small is a cache that keeps small documents only, so that its size is
// bounded in bytes and not just in entries.
type small[T any] struct {
	graphql.Cache[T]
	size func(key string, value T) int
}

// Add implements graphql.Cache.
func (c small[T]) Add(ctx context.Context, key string, value T) {
	if c.size(key, value) <= cachedSize {
		c.Cache.Add(ctx, key, value)
	}
}

// setComplexity prices the lists: a field costs what its rows can cost.
func setComplexity(c *graph.ComplexityRoot) {
	c.Query.Quotes = func(child int, ids []string, _ *market.Currency) int { return 1 + len(ids)*child }
	c.Query.Candles = func(child int, _ string, _ *market.Resolution, _, _ *market.Date, _ *market.Currency) int {
		return 1 + usualBars*child
	}
	c.Query.Eod = func(child int, _ string, _, _ *market.Date, _ *market.Currency) int { return 1 + usualBars*child }
	c.Query.Watchlist = func(child int, ids []string) int { return 1 + len(ids)*child }
	c.Query.Instruments = func(child int, _ *market.Market, _, _ *string, limit *int) int {
		return 1 + rows(limit, market.InstrumentLimit)*child
	}
	c.Query.Movers = func(child int, limit *int, _ *market.Currency) int { return 1 + rows(limit, market.MoverLimit)*child }
}

// usualBars prices a series, whose length is known only once it is read.
const usualBars = 400

// rows is how many rows a limit allows; a wrong one is refused later.
func rows(asked *int, limit market.Limit) int {
	if asked == nil {
		return limit.Default
	}
	return min(max(*asked, 1), limit.Max)
}

// presentError spells a failed field as its REST twin would, in
// extensions.problem. Errors that have a code already are refusals of the
// document.
func (s *Server) presentError(ctx context.Context, err error) *gqlerror.Error {
	shown := graphql.DefaultErrorPresenter(ctx, err)
	if _, coded := shown.Extensions["code"]; coded {
		return shown
	}
	e := problem.From(err)
	if cause := e.Unwrap(); cause != nil {
		slog.Error("field failed", "request_id", requestID(ctx), "path", shown.Path.String(), "cause", cause)
	}
	shown.Message = e.Detail
	shown.Extensions = map[string]any{
		"code":    e.Kind.Code(),
		"problem": e.Document(s.BaseURL, "/graphql", requestID(ctx)),
	}
	return shown
}
