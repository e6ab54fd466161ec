// Package server is the HTTP server: it assembles REST, GraphQL and the pages,
// and puts around them what every request needs: a request id, the key, a
// token of its bucket, limits, metering, and one way to spell a problem.
package server

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"path"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/klauspost/compress/gzhttp"

	"piyasa/graph"
	"piyasa/problem"
	"piyasa/resolvers"
	"piyasa/rest"
	"piyasa/services"
	"piyasa/stream"
	"piyasa/web"
)

// Config is what a Server is made of.
type Config struct {
	Version  string
	Services *services.Services

	Ready       func() (note string, err error) // why requests cannot be served, or nil and what is worth knowing all the same
	GraphiQL    web.Settings
	Origins     []string // of web pages on other hosts that may ask; "*": any
	Streams     Streams
	Attachments Attachments
}

// Streams are the bounds of what stays open.
type Streams struct {
	Available func() bool                // whether the log is being followed
	Origin    func(r *http.Request) bool // whether a page of this origin may connect; nil: of the server's own only
	Max       int                        // connections at once; 0: any number
}

// Server answers every request of the service's listener.
type Server struct {
	Config
	routes   []rest.Route
	patterns []string // that are answered, but for those of routes
	metrics  *metrics
	handler  http.Handler
	streams  *stream.Sockets         // that are open
	sockets  map[string]http.Handler // by path
	events   *eventTransport

	readiness readiness
}

// New assembles a server.
func New(c Config) *Server { return assembled(c, (*Server).planned) }

// assembled is New with an executor for GraphQL.
func assembled(c Config, executable func(*Server, graph.Relations, graph.Config) graphql.ExecutableSchema) *Server {
	root := resolvers.New(c.Services)
	s := &Server{Config: c, routes: rest.Routes(root), metrics: newMetrics()}
	s.streams = &stream.Sockets{Gate: c.Services.Gate, Available: c.Streams.Available, Origin: c.Streams.Origin, Max: c.Streams.Max, Refuse: s.refusedUpgrade}
	mux, literal := http.NewServeMux(), http.NewServeMux()
	literal.Handle("/", mux)
	for _, route := range s.routes {
		admitted := s.authenticated
		if route.KeyInQuery {
			admitted = s.authenticatedAnyhow
		}
		answer := s.methods("GET, HEAD", admitted(s.rest(route)))
		if route.Literal {
			literal.Handle(route.Pattern, answer)
		} else {
			mux.Handle(route.Pattern, answer)
		}
		if route.Legacy != "" {
			mux.Handle(route.Legacy, deprecated(answer))
		}
	}
	config := graph.Config{Resolvers: graph.Resolvers(root)}
	setComplexity(&config.Complexity, s.Services.Clock)
	graphQL := s.graphQL(executable(s, root, config))
	mux.Handle(graphQLPath, s.methods("GET, HEAD, POST", s.authenticated(graphQL)))
	s.patterns = []string{graphQLPath, eventsPath}
	pages := web.GraphiQL(c.GraphiQL)
	for pattern, page := range map[string]http.Handler{
		"/graphiql":        pages,
		"/graphiql/":       pages,
		"/openapi.json":    s.openAPI(),
		"/asyncapi.json":   s.asyncAPI(),
		"/docs":            s.docs(),
		"/problems/{kind}": s.problemPage(),
		attachmentPattern:  http.HandlerFunc(s.attachment),
		ipoDocumentPattern: http.HandlerFunc(s.ipoDocument),
		streamTokenPath:    s.authenticated(http.HandlerFunc(s.streamToken)),
		"/healthz":         http.HandlerFunc(s.health),
		"/readyz":          http.HandlerFunc(s.ready),
		"/{$}":             http.RedirectHandler("/docs", http.StatusFound),
	} {
		mux.Handle(pattern, s.methods("GET, HEAD", page))
		s.patterns = append(s.patterns, pattern)
	}
	mux.HandleFunc("/", s.notFound)
	s.sockets = s.feeds()
	s.patterns = slices.AppendSeq(s.patterns, maps.Keys(s.sockets))
	s.handler = s.identified(crossOrigin(c.Origins, s.recovered(s.upgraded(s.streamed(graphQL, s.metrics.observed(compressed(s.asWritten(literal))))))))
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Drain lets every stream send what waits and ends it; those that are not
// through when ctx ends are closed then. It returns when all are gone.
func (s *Server) Drain(ctx context.Context) { s.streams.Drain(ctx) }

// compressed packs answers for clients that accept it. The pages bring their
// own packed copies.
func compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(1024))
	if err != nil {
		panic(err) // the options are constants
	}
	return wrap(next)
}

// asWritten answers paths that the mux would redirect to a cleaner spelling, or
// refuse without a word: here they are simply not there.
func (s *Server) asWritten(mux http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := r.URL.Path; r.RequestURI == "*" || path.Clean(p) != p && path.Clean(p)+"/" != p {
			s.notFound(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, problem.New(problem.NotFound, "This path does not exist; %s/docs lists the routes.", s.Services.BaseURL))
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "alive", "version": s.Version})
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	note, err := s.Ready()
	s.readiness.told(err)
	if err != nil {
		writeJSON(w, http.StatusServiceUnavailable, readyAnswer{"not ready", err.Error()})
		return
	}
	writeJSON(w, http.StatusOK, readyAnswer{"ready", note})
}

type readyAnswer struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// readiness logs whether a server is ready when that changes.
type readiness struct {
	mu   sync.Mutex
	last string // why it was not; empty: it was, or nobody has asked
}

func (r *readiness) told(err error) {
	reason := ""
	if err != nil {
		reason = err.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case reason == r.last:
		return
	case err != nil:
		slog.Warn("not ready", "reason", reason)
	default:
		slog.Info("ready again")
	}
	r.last = reason
}
