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

// Problems writes problems.
type Problems struct {
	BaseURL string // start of the addresses of their types
	// Refused is called with the id of a key and the kind of problem (403, 429, overloaded)
	// that refused its request; it may be nil.
	Refused func(key string, kind problem.Kind)
	// Tell sets the headers of a request that nothing answers, since its route or method is
	// none; it may be nil.
	Tell func(h http.Header, r *http.Request)
}

// NoRoute tells what Tell does.
func (p Problems) NoRoute(h http.Header, r *http.Request) {
	if p.Tell != nil {
		p.Tell(h, r)
	}
}

// Note tells Refused of a problem of the call of ctx.
func (p Problems) Note(ctx context.Context, e *problem.Error) {
	call := access.CallOf(ctx)
	if status := e.Kind.Status(); p.Refused != nil && call != nil &&
		(status == http.StatusForbidden || status == http.StatusTooManyRequests || e.Kind == problem.Overloaded) {
		p.Refused(call.Key.ID, e.Kind)
	}
}

// Write answers with the problem that err is.
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

// Methods refuses every method but the allowed ones, a list such as "GET, HEAD".
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
