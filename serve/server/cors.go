package server

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/rs/cors"

	"piyasa/internal/problem"
)

// Origins lists other origins whose pages may read answers and open streams: exact origins,
// AnyOrigin, or LocalOrigins.
type Origins []string

// Words that stand for many origins.
const (
	AnyOrigin    = "*"
	LocalOrigins = "local" // of this machine, on any port
)

// Name reports whether the list covers an origin, in any letter case.
func (o Origins) Name(origin string) bool {
	origin = strings.ToLower(origin)
	return slices.Contains(o, AnyOrigin) || slices.Contains(o, origin) && origin != LocalOrigins || slices.Contains(o, LocalOrigins) &&
		isLocal(origin)
}

// isLocal reports whether an origin is on this machine: localhost or a name below it, or a
// loopback address.
func isLocal(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Scheme+"://"+u.Host != origin {
		return false
	}
	return u.Hostname() == "localhost" || strings.HasSuffix(u.Hostname(), ".localhost") || net.ParseIP(u.Hostname()).IsLoopback()
}

// readHeaders are the headers that pages of other origins may read, besides those that every page may.
var readHeaders = []string{
	"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After", "X-Usage-Units", "X-Not-Found",
	"X-Missing-Reason",
	"X-Data-Stale", "ETag", "Warning", "Deprecation", "Sunset", "Link",
}

// preflightAge is how many seconds a browser may cache the answer to a preflight.
const preflightAge = 600

// SetOrigins replaces the other origins whose pages may read answers and open streams.
func (s *Server) SetOrigins(origins Origins) { s.origins.Store(&origins) }

// Origins returns the other origins whose pages may read answers and open streams.
func (s *Server) Origins() Origins { return *s.origins.Load() }

// Allow reports whether the page that sends r may open a stream: one of the server's own, or of the
// list. A request without an Origin header does not come from a page and is allowed.
func (o Origins) Allow(r *http.Request) bool {
	origin := strings.ToLower(r.Header.Get("Origin"))
	if origin == "" || o.Name(origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}

func (s *Server) mayStream(r *http.Request) bool { return s.Origins().Allow(r) }

// crossOrigin lets pages of the configured origins read answers. Without any, it sets no CORS
// headers, and browsers keep to the server's own origin.
func (s *Server) crossOrigin(next http.Handler) http.Handler {
	options := cors.Options{
		AllowOriginFunc: func(origin string) bool { return s.Origins().Name(origin) },
		AllowedMethods:  []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete},
		AllowedHeaders:  []string{"*"}, // tracing and clients of GraphQL send their own
		ExposedHeaders:  readHeaders, MaxAge: preflightAge,
	}
	named := cors.New(options).Handler(next)
	options.AllowedOrigins, options.AllowOriginFunc = []string{AnyOrigin}, nil
	anyone := cors.New(options).Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origins := s.Origins()
		origin := r.Header.Get("Origin")
		switch {
		case isPreflight(r) && !origins.Name(origin):
			w.Header().Add("Vary", "Origin")
			s.problems.Write(w, r, refusedOrigin(origin, "read answers"))
		case slices.Contains(origins, AnyOrigin):
			anyone.ServeHTTP(w, r)
		case len(origins) > 0:
			named.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isPreflight reports whether a browser asks whether a page may send a request.
func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Method") != ""
}

// refusedOrigin returns the problem of a page whose origin is not allowed, with the setting to
// change.
func refusedOrigin(origin, what string) *problem.Error {
	if u, err := url.Parse(origin); err != nil || u.Host == "" || u.Scheme+"://"+u.Host != origin { // the page is a file, or in a sandbox
		return problem.New(problem.OriginNotAllowed,
			"Pages without an origin may not %s here; the operator lists the origins whose pages may with --origins (PIYASA_ORIGINS).",
			what)
	}
	return problem.New(problem.OriginNotAllowed,
		"Pages of %s may not %s here; the operator lets them with --origins %[1]s (PIYASA_ORIGINS).", problem.Clip(origin), what)
}
