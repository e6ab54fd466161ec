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
	"github.com/gorilla/websocket"
	"github.com/vektah/gqlparser/v2/ast"

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

// Where GraphQL is asked: everything at the first, streams of server-sent
// events at the second too, with the methods that only they know.
const (
	graphQLPath = "/graphql"
	eventsPath  = "/graphql/stream"
)

// graphQL is the handler of /graphql.
func (s *Server) graphQL(root graph.ResolverRoot) http.Handler {
	config := graph.Config{Resolvers: root}
	setComplexity(&config.Complexity, s.Market.Now)
	schema := graph.NewExecutableSchema(config)
	h := handler.New(schema)
	run := runner{s, schema.Schema()}
	s.events = &eventTransport{runner: run, reserved: map[string]*eventStream{}}
	h.AddTransport(&socketTransport{run})
	h.AddTransport(s.events)
	h.AddTransport(&httpTransport{schema: schema.Schema()})
	h.SetQueryCache(small[*ast.QueryDocument]{lru.New[*ast.QueryDocument](cachedQueries), func(query string, _ *ast.QueryDocument) int { return len(query) }})
	h.SetParserTokenLimit(maxTokens)
	h.Use(extension.Introspection{})
	h.Use(extension.AutomaticPersistedQuery{Cache: small[string]{lru.New[string](cachedQueries), func(_, query string) int { return len(query) }}})
	h.Use(&exactVariables{})
	h.Use(documentLimits{})
	h.Use(extension.FixedComplexityLimit(maxComplexity))
	h.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response { return next(s.loaded(ctx)) })
	h.SetErrorPresenter(s.presentError)
	h.SetRecoverFunc(s.panicked)
	return h
}

// streamed hands what stays open at /graphql past everything that is meant for
// requests with one answer. Sockets show their key later.
func (s *Server) streamed(graphQL, next http.Handler) http.Handler {
	events := s.admitted(s.events.keyOf, graphQL)
	allEvents := s.methods("GET, POST, PUT, DELETE", events)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == eventsPath:
			allEvents.ServeHTTP(w, r)
		case r.URL.Path != graphQLPath:
			next.ServeHTTP(w, r)
		case websocket.IsWebSocketUpgrade(r):
			graphQL.ServeHTTP(w, r)
		case s.events.Supports(r):
			events.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// loaded gives a response loaders of its own: those of the event before would
// answer from then.
func (s *Server) loaded(ctx context.Context) context.Context {
	return loaders.With(ctx, loaders.Services{Market: s.Market, Fundamentals: s.Fundamentals, Analytics: s.Analytics, Macro: s.Macro, Funds: s.Funds, KAP: s.KAP})
}

// panicked logs a panic and is what is told of it.
func (*Server) panicked(ctx context.Context, p any) error {
	slog.Error("panic", "request_id", requestID(ctx), "path", graphQLPath, "panic", p, "stack", string(debug.Stack()))
	return problem.Wrap(nil)
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
