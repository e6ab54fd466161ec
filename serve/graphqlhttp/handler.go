// Package graphqlhttp is GraphQL over HTTP, over WebSockets and as server-sent events: it reads
// and limits requests, runs their operations, and writes their answers. Keys, rate limits and
// problems are the same as for REST.
package graphqlhttp

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"

	"piyasa/account/access"
	"piyasa/account/cost"
	"piyasa/graph"
	"piyasa/internal/cache"
	"piyasa/internal/problem"
	"piyasa/serve/admission"
	"piyasa/serve/answer"
	"piyasa/serve/document"
	"piyasa/serve/queryplan"
	"piyasa/serve/stream"
	"piyasa/services"
)

// Limits of a GraphQL request, besides those of its document. A request above them is rejected
// before anything runs.
const (
	maxBody       = 256 << 10 // bytes of a request
	keptDocuments = 32 << 20  // bytes of heap for parsed documents
	keptTexts     = 4 << 20   // bytes of the documents registered by their hashes
)

// The routes of GraphQL: Path for everything, and EventsPath for server-sent events, with the
// methods that only they have.
const (
	Path       = "/graphql"
	EventsPath = "/graphql/stream"
)

// Config configures a Handler.
type Config struct {
	Relations graph.Relations
	Below     func(ctx context.Context, arguments map[string]any) context.Context // the context of everything below a field; may be nil
	Door      admission.Door
	Costs     *cost.Table
	Tokens    admission.StreamTokens
	Streams   *stream.Sockets                             // the streams that connections join
	Ran       func(by string)                             // called for each operation: "plan" if it runs, "memory" if its answer was kept
	Kept      *answer.Memory[services.Stamp]              // nil: no answers are kept
	Batch     int                                         // most requests in an array; 0: arrays are rejected
	Documents func() *document.List                       // the documents that may run; nil: any may
	Stamp     func(services.Reads) (services.Stamp, bool) // the stamp of the data read; not ok: not known
}

// Handler answers GraphQL requests: ServeHTTP those that carry a call and get one answer, and
// Streamed those that stay open.
type Handler struct {
	answers http.Handler
	events  *eventTransport
	door    admission.Door
	caches  map[string]func() cache.Counts
}

// Caches returns the counts of the caches of documents, by name.
func (h *Handler) Caches() map[string]func() cache.Counts { return h.caches }

// New returns the handler of a schema.
func New(c Config) *Handler {
	schema := queryplan.New(graph.NewExecutableSchema(graph.Config{}), graph.Objects(c.Relations), func() { c.Ran("plan") })
	schema.Begin, schema.Below = metered, c.Below
	var kept *again
	if c.Kept != nil {
		kept = &again{schema, c.Kept, c.Stamp, c.Ran, c.Door}
	}
	texts := document.NewCache(keptTexts, func(hash, text string) int { return len(hash) + len(text) })
	documents := &documents{
		reader: document.NewReader(schema.Schema(), keptDocuments),
		check:  schema.Check,
		costs:  c.Costs, gate: c.Door.Gate,
		persisted: extension.AutomaticPersistedQuery{Cache: texts},
		list:      c.Documents,
	}
	if documents.list == nil {
		documents.list = func() *document.List { return nil }
	}
	events := &eventTransport{
		documents: documents, door: c.Door, tokens: c.Tokens, streams: c.Streams, reserved: map[string]*eventStream{},
		unopened: map[string]int{},
	}
	h := handler.New(schema)
	h.AddTransport(&askTransport{documents: documents, door: c.Door})
	h.AddTransport(&socketTransport{documents: documents, door: c.Door, tokens: c.Tokens, streams: c.Streams})
	h.AddTransport(events)
	h.AddTransport(&httpTransport{documents: documents, again: kept, door: c.Door, most: c.Batch})
	h.SetQueryCache(alreadyRead{})
	h.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		return next(answer.WithFailures(ctx)) // each response logs its own failures
	})
	h.SetErrorPresenter(errorPresenter(c.Door.Problems))
	h.SetRecoverFunc(panicked)
	caches := map[string]func() cache.Counts{"documents": documents.reader.Counts, "texts": texts.Counts, "plans": schema.Counts}
	return &Handler{answers: h, events: events, door: c.Door, caches: caches}
}

// metered returns the context of a root field of a query: the units of the field and everything
// below it are metered under its name.
func metered(ctx context.Context, field string) context.Context {
	return access.WithPart(ctx, Path+":"+field)
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.answers.ServeHTTP(w, r) }

// Streamed answers requests that stay open and passes every other request to next. It checks
// keys itself; sockets show theirs later.
func (h *Handler) Streamed(next http.Handler) http.Handler {
	events := h.door.Admit(h.events.keyOf, h.answers)
	reservations := h.door.AdmitFree(h.events.keyOf, h.answers) // the operations on them pay
	allEvents := h.door.Problems.Methods("GET, POST, PUT, DELETE", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut || r.Method == http.MethodDelete {
			reservations.ServeHTTP(w, r)
			return
		}
		events.ServeHTTP(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == EventsPath:
			allEvents.ServeHTTP(w, r)
		case r.URL.Path != Path:
			next.ServeHTTP(w, r)
		case (&socketTransport{}).Supports(r):
			h.answers.ServeHTTP(w, r)
		case h.events.Supports(r):
			events.ServeHTTP(w, r)
		case takesEvents(r.Header.Values("Accept")) && h.events.subscribes(w, r): // no other transport can answer it
			r.Header.Set("Accept", mediaEvents)
			events.ServeHTTP(w, r)
		case takesParts(r.Header.Values("Accept")) && h.events.subscribes(w, r):
			r.Header.Set("Accept", mediaParts)
			events.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// panicked logs a panic and returns the internal problem.
func panicked(ctx context.Context, p any) error {
	slog.ErrorContext(ctx, "panic", "path", Path, "panic", p, "stack", string(debug.Stack()))
	return problem.Wrap(nil)
}
