// Package rest is the compatibility API under /v1: a table of routes, each one
// call on the resolver of its GraphQL counterpart, so a schema change that breaks
// a route does not compile. Routes decode parameters and return bodies; the
// server around them authenticates, limits, meters and writes.
package rest

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"piyasa/account/access"
	"piyasa/account/cost"
	"piyasa/graph"
	"piyasa/internal/problem"
)

// Route is one row of the table that serves REST and describes it: the OpenAPI
// document, the page of routes and every other reader use the same row. See also
// Parameters, Problems and Example.
type Route struct {
	Pattern     string // path as net/http matches it; the method is GET
	Legacy      string // an older path of the same route, deprecated; empty: none
	Counterpart string // root field of GraphQL that gives the same values; the id of the operation comes of it
	Summary     string
	Tag         string       // what it is about
	Scope       string       // in words, for people; the service behind Answer enforces it
	Charge      Charge       // what an answer costs; the service behind Answer charges it
	Media       []string     // media types that it answers in, the usual one first
	Columns     []string     // of its answer as a table; nil: it is none
	Body        reflect.Type // what is encoded as JSON; nil: bytes that caches may keep

	// Known are the names that its query may hold. A Strict route rejects others; any other
	// ignores them.
	Known  []string
	Strict bool

	// KeyInQuery lets the key come as the parameter api_key: for image tags, which
	// send no header of ours.
	KeyInQuery bool
	// Literal makes the fixed words of the pattern win over wildcards of other
	// patterns, where net/http sees a conflict.
	Literal bool

	figures  []string // the columns that hold decimals
	params   reflect.Type
	problems []problem.Kind
	list     func(costs *graph.ComplexityRoot, below int, params any) int // what Counterpart costs, if it is a list

	// Prepare reads the parameters of a request, which carries an access.Call; accepted is
	// the one of Media that its header asks for.
	Prepare func(r *http.Request, accepted string) Prepared
}

// Prepared is a request whose parameters have been read.
type Prepared struct {
	params any
	media  string // of the answer

	// Answer runs the route.
	Answer func(context.Context) (*Answer, error)
}

// Cost returns what a request costs, in fields of an answer.
func (r Route) Cost(costs *cost.Table, request Prepared) int {
	if r.list == nil {
		return costs.Route(r.Counterpart, nil)
	}
	return costs.Route(r.Counterpart, func(lists *graph.ComplexityRoot, below int) int {
		if request.media == CSV {
			below = cost.AsColumns(below)
		}
		return r.list(lists, below, request.params)
	})
}

// Charge is what an answer is charged: so many request units each time, or for each of
// what it is counted by.
type Charge struct {
	Units int
	Per   string                     // such as "id in ids"; empty: the answer
	most  func(q url.Values) (n int) // how many of Per a request asks for at most
}

// Most returns how many request units the answer to a query costs at most.
func (c Charge) Most(query string) int64 {
	if c.Per == "" {
		return int64(c.Units)
	}
	q, _ := url.ParseQuery(query)
	return int64(c.Units * c.most(q))
}

// String returns the cost in words.
func (c Charge) String() string {
	text := strconv.Itoa(c.Units) + " request unit"
	if c.Units != 1 {
		text += "s"
	}
	if c.Per != "" {
		text += " per " + c.Per
	}
	return text
}

// Answer is what a route answers with.
type Answer struct {
	Media   string
	Body    any      // [][]byte is encoded already, in pieces; anything else is encoded as JSON
	Missing []string // ids without an answer that the body does not name
	Next    string   // cursor of the next page, if the body does not name it; empty: there is none
	Gaps    []string // why it is empty or cut, each as a header states it
	File    string   // the name under which a browser saves it; empty: none
	Stale   bool     // the source is down: this is the last good copy
	Keep    *Keep    // nil: caches do not keep it; else Keep reads the body
}

// Keep marks an answer that any cache may keep, and identifies its version.
type Keep struct {
	ETag   string // of the present version, strong and in its quotes
	MaxAge time.Duration
	// Read fetches the body and its current ETag. It is not called when
	// If-None-Match names the current version.
	Read func(context.Context) (etag string, body []byte, err error)
}

// Scopes in words where no single one is needed.
const (
	anyKey         = "any key"
	eitherIPOScope = string(access.QuotesBIST + " or " + access.IPORead)
)

// Routes returns the table over the resolvers.
func Routes(root graph.Relations) []Route {
	q := root.Query()
	logos := []Route{logo(q.Logo)}
	return inDialects(slices.Concat(
		about("Instruments and prices", quoteRoutes(q), candleRoutes(q), instrumentRoutes(q), exchangeRoutes(q), logos),
		about("Companies", indicatorRoutes(q, root.IndicatorSet()), statementRoutes(q), valuationRoutes(q), dividendRoutes(q),
			actionRoutes(q)),
		about("Windows, indices and sectors", periodicRoutes(q), indexRoutes(q), sectorRoutes(q)),
		about("Economy, funds and IPOs", calendarRoutes(q), inflationRoutes(q), fundRoutes(q), ipoRoutes(q)),
		about("Disclosures and news", disclosureRoutes(q), filingRoutes(q), companyRoutes(q), newsRoutes(q)),
		about("Your key", usageRoutes(q)),
		about("Sources", sourceRoutes(q), coverageRoutes(q))))
}

// about gives the routes of some topics a tag.
func about(tag string, topics ...[]Route) []Route {
	routes := slices.Concat(topics...)
	for i := range routes {
		routes[i].Tag = tag
	}
	return routes
}

// failing adds the problems that a route has besides those that follow from its
// scope and parameters.
func (r Route) failing(kinds ...problem.Kind) Route {
	r.problems = kinds
	return r
}

// charging sets what a route charges by, if that is not the answer, and how many of that a
// request asks for at most.
func (r Route) charging(per string, most func(q url.Values) int) Route {
	r.Charge.Per, r.Charge.most = per, most
	return r
}

// costing gives a route that answers with a list what its counterpart costs: below is what one
// of its objects holds.
func costing[P any](of func(costs *graph.ComplexityRoot, below int, p P) int, r Route) Route {
	r.list = func(costs *graph.ComplexityRoot, below int, params any) int { return of(costs, below, params.(P)) }
	return r
}

// byID counts the ids of a request.
func byID(q url.Values) int { return len(listOf(strings.Join(q["ids"], ","))) }

// free makes a route cost nothing.
func (r Route) free() Route {
	r.Charge = Charge{}
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

// paramsFrom decodes the parameters of a request. The operation reports an error
// in them after it has checked the scope.
func paramsFrom[P any](r *http.Request, read func(*http.Request, reflect.Value) error) P {
	var params P
	if err := read(r, reflect.ValueOf(&params).Elem()); err != nil {
		access.CallOf(r.Context()).SetParameterError(err)
	}
	return params
}

// get returns a route that reads parameters P and answers with body B. If P has a format,
// the answer is a table: B itself writes it, or asTable does.
func get[P, B any](pattern, counterpart, summary, scope string, call func(context.Context, P) (*B, error)) Route {
	read, media := decoderOf(reflect.TypeFor[P](), "json"), []string{JSON}
	known := namesOf(paramsOf(reflect.TypeFor[P]()))
	if !slices.Contains(known, "format") { // which every route understands
		known = append(known, "format")
	}
	gaps := gapsIn(reflect.TypeFor[B]())
	_, alone := reflect.Zero(reflect.TypeFor[P]()).Interface().(strict)
	if _, tabled := reflect.Zero(reflect.TypeFor[P]()).Interface().(formatted); tabled {
		media = append(media, CSV)
	}
	return Route{
		Pattern: pattern, Counterpart: counterpart, Summary: summary, Scope: scope, Charge: Charge{Units: access.Unit}, Media: media,
		Body: reflect.TypeFor[B](), params: reflect.TypeFor[P](), Known: known, Strict: alone,
		Prepare: func(r *http.Request, accepted string) Prepared {
			params := paramsFrom[P](r, read)
			choice, tabled := any(params).(formatted)
			switch {
			case tabled:
				accepted = choice.media(accepted)
				if err := choice.check(); err != nil {
					access.CallOf(r.Context()).SetParameterError(err)
				}
			case accepted == CSV:
				access.CallOf(r.Context()).SetParameterError(notAcceptable())
			}
			return Prepared{params, accepted, func(ctx context.Context) (*Answer, error) {
				body, err := call(ctx, params)
				if err != nil {
					return nil, err
				}
				if t, ok := any(body).(table); ok {
					a := answerOf(t, accepted)
					a.Gaps = gaps(reflect.ValueOf(body).Elem())
					return a, nil
				}
				copied, ok := any(body).(interface{ IsStale() bool })
				return &Answer{Media: accepted, Body: body, Stale: ok && copied.IsStale(), Gaps: gaps(reflect.ValueOf(body).Elem())}, nil
			}}
		},
	}
}
