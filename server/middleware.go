package server

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"piyasa/access"
	"piyasa/problem"
)

type requestIDKey struct{}

// requestID is the id of the request that ctx belongs to.
func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// identified gives every request an id of its own, in the header X-Request-Id
// and in every problem.
func (s *Server) identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := uuid.NewString()
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

// recovered turns a panic into the problem internal.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				slog.Error("panic", "request_id", requestID(r.Context()), "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
				s.fail(w, r, problem.Wrap(nil))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// methods refuses every method but the allowed ones.
func (s *Server) methods(allowed string, next http.Handler) http.Handler {
	list := strings.Split(allowed, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, m := range list {
			if r.Method == m {
				next.ServeHTTP(w, r)
				return
			}
		}
		w.Header().Set("Allow", allowed)
		s.fail(w, r, problem.New(problem.MethodNotAllowed, "%s is not allowed here; allowed: %s.", r.Method, allowed))
	})
}

// authenticated lets requests with a live key in their header through while
// its bucket has tokens. The request then carries the call.
func (s *Server) authenticated(next http.Handler) http.Handler {
	return s.admitted(s.headerKey, next)
}

func (s *Server) headerKey(r *http.Request) (*access.Key, error) {
	return s.Services.Gate.Authenticate(r.Header.Get("X-API-Key"))
}

// authenticatedAnyhow is authenticated for routes that take the key as the
// parameter api_key, too. A key in the header wins.
func (s *Server) authenticatedAnyhow(next http.Handler) http.Handler {
	return s.admitted(func(r *http.Request) (*access.Key, error) {
		secret := r.Header.Get("X-API-Key")
		if secret == "" {
			secret = r.URL.Query().Get("api_key")
		}
		key, err := s.Services.Gate.Authenticate(secret)
		if err != nil && problem.From(err).Kind == problem.Unauthenticated {
			return nil, problem.New(problem.Unauthenticated, "Send a valid API key in the header X-API-Key or, on this route only, in the parameter api_key.")
		}
		return key, err
	}, next)
}

// admitted is authenticated for requests that show their key in another way.
func (s *Server) admitted(keyOf func(*http.Request) (*access.Key, error), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, err := keyOf(r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		a := s.Services.Gate.Take(key, time.Now())
		h := w.Header()
		h.Set("X-RateLimit-Limit", strconv.Itoa(a.Limit))
		h.Set("X-RateLimit-Remaining", strconv.Itoa(a.Remaining))
		h.Set("X-RateLimit-Reset", strconv.Itoa(a.Reset))
		if !a.Allowed {
			h.Set("X-Usage-Units", "0")
			s.fail(w, r, rateLimited(a))
			return
		}
		ctx, _ := access.WithCall(r.Context(), key)
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// rateLimited is the problem of a request for which no token was left.
func rateLimited(a access.Allowance) error {
	e := problem.New(problem.RateLimited, "This key may send %d requests at once; try again in %d s.", a.Limit, a.RetryAfter)
	e.RetryAfter = a.RetryAfter
	return e
}
