package answer

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"piyasa/account/access"
	"piyasa/internal/problem"
)

// Problems writes errors as problem documents (RFC 9457).
type Problems struct {
	BaseURL string // start of the addresses of problem types
	// Refused is called with the id of a key and the kind of problem (403, 429, overloaded) of
	// its refused request; it may be nil.
	Refused func(key string, kind problem.Kind)
	// Tell sets headers for a request whose route or method does not exist; it may be nil.
	Tell func(h http.Header, r *http.Request)
}

// NoRoute calls Tell, if that is set.
func (p Problems) NoRoute(h http.Header, r *http.Request) {
	if p.Tell != nil {
		p.Tell(h, r)
	}
}

// Note passes a problem of the call of ctx to Refused, if it is a refusal.
func (p Problems) Note(ctx context.Context, e *problem.Error) {
	call := access.CallOf(ctx)
	if status := e.Kind.Status(); p.Refused != nil && call != nil &&
		(status == http.StatusForbidden || status == http.StatusTooManyRequests || e.Kind == problem.Overloaded) {
		p.Refused(call.Key.ID, e.Kind)
	}
}

// Write answers with err as a problem.
func (p Problems) Write(w http.ResponseWriter, r *http.Request, err error) {
	e := problem.From(err)
	LogCause(r.Context(), r.URL.Path, e)
	p.Note(r.Context(), e)
	switch {
	case e.Kind == problem.Unauthenticated:
		w.Header().Set("WWW-Authenticate", "ApiKey")
	case e.RetryAfter > 0:
		w.Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	Write(w, e.Kind.Status(), problem.MediaType, e.Document(p.BaseURL, r.URL.EscapedPath(), RequestID(r.Context())))
}

// Methods rejects every method but the allowed ones, a list such as "GET, HEAD".
func (p Problems) Methods(allowed string, next http.Handler) http.Handler {
	list := strings.Split(allowed, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.Contains(list, r.Method) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Allow", allowed)
		p.NoRoute(w.Header(), r)
		p.Write(w, r, problem.New(problem.MethodNotAllowed, "%s is not allowed here; allowed: %s.", r.Method, allowed))
	})
}
