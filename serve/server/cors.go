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

// Origins are other origins whose pages may read answers and open streams: each exactly, or
// AnyOrigin, or LocalOrigins.
type Origins []string

// Origins that stand for many.
const (
	AnyOrigin    = "*"
	LocalOrigins = "local" // of this machine, on any port
)

// Name reports whether they are or stand for an origin, whose letter case does not matter.
func (o Origins) Name(origin string) bool {
	origin = strings.ToLower(origin)
	return slices.Contains(o, AnyOrigin) || slices.Contains(o, origin) && origin != LocalOrigins || slices.Contains(o, LocalOrigins) &&
		isLocal(origin)
}

// isLocal reports whether an origin is one of this machine: a name that resolvers keep for it,
// or an address of its own.
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

// preflightAge is how many seconds a browser may keep what a preflight said.
const preflightAge = 600

// SetOrigins replaces the other origins whose pages may read answers and open streams.
func (s *Server) SetOrigins(origins Origins) { s.origins.Store(&origins) }

// Origins returns the other origins whose pages may read answers and open streams.
func (s *Server) Origins() Origins { return *s.origins.Load() }

// crossOrigin lets pages of the configured origins read answers. Without any,
// nothing is said about origins, and browsers keep to the server's own.
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

// refusedOrigin returns the problem of a page that may not do something, with what to set.
func refusedOrigin(origin, what string) *problem.Error {
	if u, err := url.Parse(origin); err != nil || u.Host == "" || u.Scheme+"://"+u.Host != origin { // of a file, or of a sandbox
		return problem.New(problem.OriginNotAllowed,
			"Pages without an origin may not %s here; the operator lists the origins whose pages may with --origins (PIYASA_ORIGINS).",
			what)
	}
	return problem.New(problem.OriginNotAllowed,
		"Pages of %s may not %s here; the operator lets them with --origins %[1]s (PIYASA_ORIGINS).", problem.Clip(origin), what)
}
