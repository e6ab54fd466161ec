// Package rest is the compatibility API under /v1: a table of routes, each one
// call on the resolver of its GraphQL twin, so a schema change that breaks a
// route does not compile. Routes decode parameters and return bodies; the
// server around them authenticates, limits, meters and writes.
package rest

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"time"

	"piyasa/access"
	"piyasa/graph"
	"piyasa/problem"
)

// Route is one row of the table that serves REST and describes it.
type Route struct {
	Pattern string // path as net/http matches it
	Legacy  string // an older path of the same route, deprecated; empty: none
	Counterpart    string // root field of GraphQL that gives the same values
	Summary string
	Scope   string   // in words, for people; the service behind Answer enforces it
	Tag     string   // what it is about
	Media   []string // media types that it answers in, the usual one first
	// KeyInQuery lets the key come as the parameter api_key: for image tags, which
	// send no header of ours.
	KeyInQuery bool
	// Literal makes the fixed words of the pattern win over wildcards of other
	// patterns, where net/http sees a conflict.
	Literal  bool
	params   reflect.Type
	problems []problem.Kind
	body     reflect.Type // nil: bytes that caches may keep
	// Answer runs the route. The request carries an access.Call; accepted is the
	// one of Media that its header asks for.
	Answer func(r *http.Request, accepted string) (*Answer, error)
}

// Answer is what a route says.
type Answer struct {
	Media   string
	Body    any      // []byte is spelled already; anything else is encoded as JSON
	Missing []string // ids without an answer that the body does not name
	Stale   bool     // the source is down: this is the last good copy
	Keep    *Keep    // nil: nobody keeps it; else its body is read where it is sent
}

// Keep says of an answer that any cache may keep it, and tells its versions
// apart.
type Keep struct {
	ETag   string // of the present version, strong and in its quotes
	MaxAge time.Duration
	// Read fetches the body, and the ETag that it has by then. Who has the present
	// version already is answered without it.
	Read func(context.Context) (etag string, body []byte, err error)
}

// Scopes in words where no single one is needed.
const (
	anyKey         = "any key"
	eitherIPOScope = string(access.QuotesBIST + " or " + access.IPORead)
)

// Routes is the table over the resolvers.
func Routes(root graph.Relations) []Route {
	q := root.Query()
	return slices.Concat(
		about("Instruments and prices", instrumentRoutes(q)), about("Companies", companyRoutes(q)), about("Windows, indices and sectors", groupRoutes(q)),
		about("Economy, funds and offerings", macroRoutes(q)), about("Disclosures and news", disclosureRoutes(q)))
}

// about gives routes a tag.
func about(tag string, routes []Route) []Route {
	for i := range routes {
		routes[i].Tag = tag
	}
	return routes
}

// failing says which problems a route has besides those that follow from its
// scope and parameters.
func (r Route) failing(kinds ...problem.Kind) Route {
	r.problems = kinds
	return r
}

// literal makes a route Literal.
func (r Route) literal() Route {
	r.Literal = true
	return r
}

// formerly gives a route its older path.
func (r Route) formerly(legacy string) Route {
	r.Legacy = legacy
	return r
}

// paramsFrom reads the parameters of a request. A mistake in them travels with
// the call, so that the operation reports it after the scope.
func paramsFrom[P any](r *http.Request, read func(*http.Request, reflect.Value) error) P {
	var params P
	if err := read(r, reflect.ValueOf(&params).Elem()); err != nil {
		access.CallOf(r.Context()).SetParameterError(err)
	}
	return params
}

// get is a route that reads parameters P and answers with body B.
func get[P, B any](pattern, twin, summary, scope string, call func(context.Context, P) (*B, error)) Route {
	read, media := decoderOf(reflect.TypeFor[P]()), []string{JSON}
	if reflect.TypeFor[*B]().Implements(reflect.TypeFor[table]()) {
		media = append(media, CSV)
	}
	return Route{
		Pattern: pattern, Counterpart: twin, Summary: summary, Scope: scope, Media: media,
		params: reflect.TypeFor[P](), body: reflect.TypeFor[B](),
		Answer: func(r *http.Request, accepted string) (*Answer, error) {
			params := paramsFrom[P](r, read)
			body, err := call(r.Context(), params)
			if err != nil {
				return nil, err
			}
			if t, ok := any(body).(table); ok {
				return answerOf(t, any(params).(interface{ media(string) string }).media(accepted)), nil
			}
			copied, ok := any(body).(interface{ IsStale() bool })
			return &Answer{Media: JSON, Body: body, Stale: ok && copied.IsStale()}, nil
		},
	}
}
