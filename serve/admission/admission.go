// Package admission admits HTTP requests: it finds the key, takes a token from its bucket and
// attaches the call.
package admission

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/internal/problem"
	"piyasa/serve/answer"
)

// Door admits requests to handlers. It checks, in this order: a live key, its rate, its quota,
// and a turn of the server. A rejected request gets a problem, and headers that say when to
// try again. An admitted one carries its call, on which operations check scopes and charge.
type Door struct {
	Gate     *access.Gate
	Meter    *usage.Meter
	Problems answer.Problems
	Turns    *Turns         // nil: no limit on requests that run at once
	Paid     func(cost int) // called with the cost of each request that paid; may be nil
}

// HeaderKey returns the live key in the headers of a request.
func (d Door) HeaderKey(r *http.Request) (*access.Key, error) {
	secret, err := Secret(r.Header)
	if err != nil {
		return nil, err
	}
	return d.Gate.Authenticate(secret)
}

// Secret returns the key in the headers of a request: in X-API-Key, or as a bearer token from
// clients that can send it only that way; empty if there is none. Problem:
// conflicting-parameters, if the two differ.
func Secret(h http.Header) (string, error) {
	secret, bearer := "", ""
	if keys := h["X-Api-Key"]; len(keys) > 0 {
		secret = keys[0]
	}
	if given := h["Authorization"]; len(given) > 0 {
		if scheme, token, ok := strings.Cut(given[0], " "); ok && strings.EqualFold(scheme, "Bearer") {
			bearer = strings.TrimSpace(token)
		}
	}
	if secret != "" && bearer != "" && secret != bearer {
		return "", problem.New(problem.ConflictingParameters, "X-API-Key and Authorization have different keys; send one.")
	}
	return cmp.Or(secret, bearer), nil
}

// QueryKey is HeaderKey for routes that also accept the key as the parameter api_key. A key
// in a header wins.
func (d Door) QueryKey(r *http.Request) (*access.Key, error) {
	secret, err := Secret(r.Header)
	if err != nil {
		return nil, err
	}
	if secret == "" {
		secret = r.URL.Query().Get("api_key")
	}
	key, err := d.Gate.Authenticate(secret)
	if err != nil && problem.From(err).Kind == problem.Unauthenticated {
		return nil, problem.New(problem.Unauthenticated,
			"Send a valid API key in the header X-API-Key or, on this route only, in the parameter api_key.")
	}
	return key, err
}

// Take takes a token of the key's bucket for one request, and counts the request, whether it
// is allowed or not.
func (d Door) Take(ctx context.Context, key *access.Key) access.Allowance {
	a := d.Gate.Take(ctx, key, time.Now())
	d.Meter.Of(key).Asked(a.Allowed)
	return a
}

// AdmitFree is Admit for handlers that cost nothing: it needs no unit of the quota.
func (d Door) AdmitFree(keyOf func(*http.Request) (*access.Key, error), next http.Handler) http.Handler {
	return d.admit(keyOf, next, true)
}

// Admit passes a request to next if keyOf returns a key, the key's bucket has a token and its
// quota a unit. The request then carries the call, whose units are metered under the route
// once next returns.
func (d Door) Admit(keyOf func(*http.Request) (*access.Key, error), next http.Handler) http.Handler {
	return d.admit(keyOf, next, false)
}

func (d Door) admit(keyOf func(*http.Request) (*access.Key, error), next http.Handler, free bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, err := keyOf(r)
		if err != nil {
			d.Problems.Write(w, r, err)
			return
		}
		answer.NoteKey(r.Context(), key)
		a := d.Take(r.Context(), key)
		h := w.Header()
		setRate(h, a)
		ctx, call := access.WithCall(r.Context(), key)
		answer.NoteCall(ctx, call)
		if !a.Allowed {
			h.Set("X-Usage-Units", "0")
			d.Problems.Write(w, r.WithContext(ctx), RateLimited(a))
			return
		}
		if free {
			next.ServeHTTP(w, r.WithContext(ctx))
			return
		}
		ctx, reserved, err := d.Meter.Of(key).Reserve(ctx)
		if err != nil {
			h.Set("X-Usage-Units", "0")
			d.Problems.Write(w, r.WithContext(ctx), err)
			return
		}
		call.Operation = operationOf(r)
		var used []access.Used // nothing, if it panics
		defer func() { reserved.Settle(used...) }()
		next.ServeHTTP(w, r.WithContext(ctx))
		used = call.Used()
	})
}

// Tell sets the headers of rate limits for a request that no route answers, if it has a key. It
// takes no token.
func (d Door) Tell(h http.Header, r *http.Request) {
	if key, err := d.HeaderKey(r); err == nil {
		setRate(h, d.Gate.Look(key, time.Now()))
		h.Set("X-Usage-Units", "0")
	}
}

// operationOf returns the name under which a request is metered: its route (as the client
// wrote it, if there are two), and whether it came by a link.
func operationOf(r *http.Request) string {
	switch {
	case r.Pattern == "":
		return r.URL.Path
	case inLink(r):
		return r.Pattern + " by link"
	}
	return r.Pattern
}
