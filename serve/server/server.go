// Package server is the HTTP server: it assembles REST, GraphQL and the pages, and wraps them
// in the middleware of every request.
package server

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"piyasa/account/cost"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/resolvers"
	"piyasa/rest"
	"piyasa/serve/admission"
	"piyasa/serve/answer"
	"piyasa/serve/bulk"
	"piyasa/serve/document"
	"piyasa/serve/graphqlhttp"
	"piyasa/serve/mcp"
	"piyasa/serve/stream"
	"piyasa/services"
	"piyasa/site/book"
	"piyasa/site/reference"
	"piyasa/site/web"
)

// Config configures a Server.
type Config struct {
	Version  string
	Services *services.Services

	Ready func() (Readiness, error) // the error says why requests cannot be served
	// the lag of some feeds, or of all; MaxInt64: nothing was applied yet; nil: there is no lag
	Behind      func(feeds ...string) time.Duration
	Pools       map[string]*sql.DB // database connections by their purpose; may be nil
	Pages       web.Settings
	Operators   Operators
	Samples     reference.Samples // the requests that pages show, in place of recorded ones
	Batch       int               // most GraphQL operations in one request; 0: arrays are rejected
	Origins     Origins           // other origins whose pages may read answers (CORS)
	Streams     Streams
	Attachments Attachments
	Documents   func() *document.List // the GraphQL documents that may run; nil: any may
	Connections Connections
	Proxies     Proxies   // in front of the server
	Sunset      time.Time // until when the older paths work; zero: no date is set
	AccessLog   bool      // whether every answer is logged
	Traces      Traces
	Collectors  []prometheus.Collector // further metrics
	Sinks       http.Handler           // serves the state of sinks on the private listener; nil: none
	FirstRun    *FirstRun              // nil: pages cannot make a first key or store a file
}

// Streams configures the long-lived connections.
type Streams struct {
	Available  func() bool // whether the server follows the log
	Max        int         // connections at once; 0: any number
	PerAddress int         // of one client address (IPv6: /64) at once; 0: any number
	Deflating  int         // WebSockets at once whose messages may be compressed; 0: none
}

// Server is one gateway: the HTTP handler with all routes, the admission of requests (key,
// rate, quota, turn), the answers kept in memory, the open streams, and the state behind
// /metrics, /healthz and /readyz. New builds it over the services; to shut down, call Leave,
// Drain and Close.
type Server struct {
	config       Config
	services     *services.Services
	problems     answer.Problems
	costs        *cost.Table
	descriptions []func() // make the descriptions of the APIs
	door         admission.Door
	routes       []rest.Route
	patterns     []string // of the mux, without those of REST routes
	site         *web.Site
	book         func() *book.Book // the documentation, made once
	metrics      *metrics
	streams      *stream.Sockets // the open streams
	kept         *answer.Memory[services.Stamp]
	files        *bulk.Files // the files of /v1/bulk
	origins      atomic.Pointer[Origins]
	handler      http.Handler

	readiness   readiness
	connections *connections
	asked       atomic.Bool // whether /readyz was ever asked
	leaving     atomic.Bool
	first       *firstRun // may be nil
}

// tagSecret returns the secret of ETags. Servers on one database share it, unless their version
// or base URL differs, since then bodies may differ.
func tagSecret(c Config) []byte {
	return fmt.Appendf(nil, "%d %s %q %q", len(c.Services.Signer.Secret), c.Services.Signer.Secret, c.Version, c.Services.BaseURL)
}

// New assembles a server.
func New(c Config) *Server {
	root := resolvers.New(c.Services)
	if c.Behind == nil {
		c.Behind = func(...string) time.Duration { return 0 }
	}
	s := &Server{
		config: c, services: c.Services, problems: answer.Problems{BaseURL: c.Services.BaseURL}, routes: rest.Routes(root),
		kept:        answer.NewMemory[services.Stamp](tagSecret(c)),
		files:       bulk.NewFiles(),
		connections: &connections{Connections: c.Connections, proxies: c.Proxies, tells: maxRefused},
	}
	if c.FirstRun != nil {
		s.first = &firstRun{FirstRun: *c.FirstRun}
	}
	s.book = sync.OnceValue(s.newBook)
	s.SetOrigins(c.Origins)
	c.Pages.Version, c.Pages.Clock = c.Version, func() time.Time { return c.Services.Clock().Time() }
	s.site = web.New(c.Pages)
	tokens := admission.StreamTokens{Gate: c.Services.Gate, Signer: c.Services.Signer, Clock: c.Services.Clock, BaseURL: c.Services.BaseURL}
	s.streams = &stream.Sockets{
		Gate: c.Services.Gate, Authenticate: tokens.Authenticate, AddressToken: admission.InAddress, Meter: c.Services.Meter,
		Available: c.Streams.Available, Origin: s.mayStream, Max: c.Streams.Max, Deflating: c.Streams.Deflating,
		Refuse:     s.refusedUpgrade,
		PerAddress: c.Streams.PerAddress, Client: func(ctx context.Context) netip.Prefix { return site(answer.ClientOf(ctx)) },
		Shown: answer.NoteKey,
	}
	turns := admission.NewTurns()
	s.metrics = newMetrics(c.Services, s.streams, s.connections, turns)
	s.streams.Closed = s.metrics.closed
	s.metrics.registry.MustRegister(c.Collectors...)
	s.metrics.followStore(c.Services, c.Behind, c.Pools)
	s.problems.Refused = s.metrics.refusal
	s.problems.Tell = func(h http.Header, r *http.Request) { s.door.Tell(h, r) }
	s.costs = cost.New(c.Services.Clock)
	s.door = admission.Door{Gate: c.Services.Gate, Meter: c.Services.Meter, Problems: s.problems, Turns: turns, Paid: s.metrics.paid}
	graphQL := graphqlhttp.New(graphqlhttp.Config{
		Relations: root, Below: resolvers.Below, Door: s.door, Costs: s.costs, Tokens: tokens, Streams: s.streams,
		Ran: s.metrics.operation, Documents: c.Documents, Batch: c.Batch, Kept: s.kept, Stamp: c.Services.Stamp,
	})
	all := caches{"answers": s.kept.Counts}
	maps.Copy(all, c.Services.Caches())
	maps.Copy(all, graphQL.Caches())
	s.metrics.registry.MustRegister(all, sources(func() []*market.Source { return c.Services.Market.Sources.At(c.Services.Clock()) }))
	sockets := s.socketHandlers()
	mux := s.mux(tokens, graphQL, root.Mutation())
	s.patterns = slices.AppendSeq(append(s.patterns, graphqlhttp.EventsPath), maps.Keys(sockets))
	s.handler = chain(mux,
		yielding,
		contained,                           // around every answer
		answer.Identified(c.Proxies.Client), // before everything that writes a problem
		s.traced,                            // around everything that logs
		s.accessLog,                         // around every answer
		s.crossOrigin,                       // before recovery, so that pages can read every problem
		s.closing,
		s.recovered,         // around everything that can panic
		s.upgraded(sockets), // before timing and compression: sockets live long
		graphQL.Streamed,    // for the same reason
		s.metrics.observed,  // by the pattern that the mux chooses
		compressed,          // inside the metrics, which include it
		s.asWritten,         // last before the mux, which would redirect
	)
	return s
}

// chain puts middleware around a handler, the first one outermost.
func chain(h http.Handler, middleware ...func(http.Handler) http.Handler) http.Handler {
	for _, around := range slices.Backward(middleware) {
		h = around(h)
	}
	return h
}

// mux returns the handler of all paths but those of streams. It records its patterns.
func (s *Server) mux(tokens admission.StreamTokens, graphQL *graphqlhttp.Handler, changes graph.MutationResolver) http.Handler {
	door := s.door
	mux, literal := http.NewServeMux(), http.NewServeMux()
	literal.HandleFunc("/", s.notFound)
	var words []string // first words of literal routes
	muxOf := func(r *http.Request) *http.ServeMux {
		if slices.ContainsFunc(words, func(begin string) bool { return strings.HasPrefix(r.URL.Path, begin) }) {
			return literal
		}
		return mux
	}
	patterns := map[string]bool{} // of REST routes
	links := admission.Links{Gate: door.Gate, Signer: tokens.Signer, Clock: tokens.Clock, BaseURL: tokens.BaseURL, Problems: s.problems}
	links.Serves = func(r *http.Request) bool {
		_, of := muxOf(r).Handler(r)
		return patterns[of]
	}
	for _, route := range s.routes {
		keyOf := door.HeaderKey
		if route.KeyInQuery {
			keyOf = door.QueryKey
		}
		admit := door.Admit
		if route.Charge.Units == 0 {
			admit = door.AdmitFree
		}
		patterns[route.Pattern] = true
		answers := s.problems.Methods("GET, HEAD", admit(links.Or(keyOf), s.rest(route)))
		if route.Pattern == webhooksPath {
			var one http.Handler
			answers, one = s.webhooks(changes, answers)
			mux.Handle(webhookPattern, one)
		}
		if route.Literal {
			literal.Handle(route.Pattern, answers)
			begin, _, _ := strings.Cut(route.Pattern, "{")
			words = append(words, begin)
		} else {
			mux.Handle(route.Pattern, answers)
		}
		if route.Legacy != "" {
			mux.Handle(route.Legacy, s.deprecated(answers))
		}
	}
	patterns[bulkPattern] = true
	mux.Handle(bulkPattern, s.problems.Methods("GET, HEAD", door.Admit(links.Or(door.HeaderKey), http.HandlerFunc(s.bulk))))
	mux.Handle(graphqlhttp.Path, s.problems.Methods("GET, HEAD, POST", door.Admit(door.HeaderKey, graphQL)))
	agents := mcp.New(mcp.Config{
		Version: s.config.Version, BaseURL: s.services.BaseURL, Problems: s.problems, Schema: s.costs.Schema(), Ask: graphQL.Ask,
		Origin: s.mayStream,
	})
	mux.Handle(mcp.Path, s.problems.Methods("POST", door.Admit(door.HeaderKey, agents)))
	mux.Handle(admission.LinksPath, s.problems.Methods("POST", door.AdmitFree(door.HeaderKey, links)))
	s.patterns = append(s.patterns, bulkPattern, graphqlhttp.Path, mcp.Path, admission.LinksPath, webhookPattern)
	if s.first != nil {
		mux.Handle(firstKeyPath, s.problems.Methods("POST", s.atHomeOnly(s.firstKey)))
		mux.Handle(firstFilePath, s.problems.Methods("POST", door.AdmitFree(door.HeaderKey, s.atHomeOnly(s.firstFile))))
	}
	pages := map[string]http.Handler{
		"/openapi.json":           s.openAPI(),
		"/openapi-3.0.json":       s.openAPI30(),
		"/asyncapi.json":          s.asyncAPI(),
		"/schema.graphql":         s.schema(),
		attachmentPattern:         http.HandlerFunc(s.attachment),
		ipoDocumentPattern:        http.HandlerFunc(s.ipoDocument),
		admission.StreamTokenPath: door.AdmitFree(door.HeaderKey, tokens),
		healthPath:                http.HandlerFunc(s.health),
		readyPath:                 http.HandlerFunc(s.ready),
	}
	maps.Copy(pages, s.site.Handlers())
	maps.Copy(pages, s.docs())
	for pattern, page := range pages {
		mux.Handle(pattern, s.problems.Methods("GET, HEAD", page))
		s.patterns = append(s.patterns, pattern)
	}
	mux.HandleFunc("/", s.notFound)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { muxOf(r).ServeHTTP(w, r) })
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Drain lets every stream send what is pending and then ends it; when ctx ends, it closes the
// remaining ones. It returns when all streams are closed.
func (s *Server) Drain(ctx context.Context) { s.streams.Drain(ctx) }
