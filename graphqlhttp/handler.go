package server

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/gorilla/websocket"

	"piyasa/document"
	"piyasa/graph"
	"piyasa/loaders"
	"piyasa/plan"
	"piyasa/problem"
)

// Limits of a GraphQL request, besides those of its document. One that crosses
// them is refused before anything runs.
const (
	maxBody       = 256 << 10 // bytes of a request
	maxComplexity = 250_000   // fields of the answer, lists at their full length
	keptDocuments = 32 << 20  // bytes of heap
	keptTexts     = 4 << 20   // bytes of documents that are known by their hashes
)

// Where GraphQL is asked: everything at the first, streams of server-sent
// events at the second too, with the methods that only they know.
const (
	graphQLPath = "/graphql"
	eventsPath  = "/graphql/stream"
)

// planned is the schema whose queries package plan runs.
func (s *Server) planned(relations graph.Relations, config graph.Config) graphql.ExecutableSchema {
	return plan.New(graph.NewExecutableSchema(config), graph.Objects(relations), s.metrics.operation)
}

// graphQL is the handler of /graphql.
func (s *Server) graphQL(schema graphql.ExecutableSchema) http.Handler {
	h := handler.New(schema)
	documents := &documents{
		reader:    document.NewReader(schema.Schema(), keptDocuments),
		persisted: extension.AutomaticPersistedQuery{Cache: document.NewCache(keptTexts, func(hash, text string) int { return len(hash) + len(text) })},
	}
	run := runner{s, documents}
	s.events = &eventTransport{runner: run, reserved: map[string]*eventStream{}}
	h.AddTransport(&socketTransport{run})
	h.AddTransport(s.events)
	h.AddTransport(&httpTransport{documents})
	h.SetQueryCache(alreadyRead{})
	h.Use(extension.Introspection{})
	h.Use(&exactVariables{})
	h.Use(&priceLimit{})
	h.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response { return next(loaded(ctx)) })
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

// loaded gives a response loaders of its own, as those of the event before would
// answer from then, and failures of its own.
func loaded(ctx context.Context) context.Context {
	return loaders.With(withFailures(ctx))
}

// panicked logs a panic and is what is told of it.
func (*Server) panicked(ctx context.Context, p any) error {
	slog.Error("panic", "request_id", requestID(ctx), "path", graphQLPath, "panic", p, "stack", string(debug.Stack()))
	return problem.Wrap(nil)
}
