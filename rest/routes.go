// Package rest is REST, the compatibility API under /v1: a table of routes. Each route is one call
// of the resolver of its GraphQL counterpart, so a schema change that breaks a route does not
// compile. Routes decode parameters and return bodies; the server around them authenticates,
// limits, meters and writes.
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

// Route is one row of the table that serves REST and describes it: the server, the OpenAPI document
// and the pages of routes use the same row. See also Parameters, Problems and Example.
type Route struct {
	Pattern     string // path as net/http matches it; the method is GET
	Legacy      string // an older path of the same route, deprecated; empty: none
	Counterpart string // root field of GraphQL that gives the same values; the id of the operation comes of it
	Summary     string
	Tag         string       // its topic
	Scope       string       // in words, for documentation; the service behind Answer enforces it
	Charge      Charge       // what an answer costs; the service behind Answer charges it
	Media       []string     // media types of its answers, the default first
	Columns     []string     // of its answer as a table; nil: it has no table
	Body        reflect.Type // the type encoded as JSON; nil: bytes that caches may keep

	// Known are the names of its query parameters. A Strict route rejects other parameters; a
	// route that is not Strict ignores them.
	Known  []string
	Strict bool

	// KeyInQuery allows the key as the parameter api_key: for image tags, which cannot send
	// headers.
	KeyInQuery bool
	// Literal makes the fixed words of the pattern win over wildcards of other patterns, which
	// net/http would treat as a conflict.
	Literal bool

	figures  []string // the columns that hold decimals
	params   reflect.Type
	problems []problem.Kind
	list     func(costs *graph.ComplexityRoot, below int, params any) int // the cost of Counterpart, if it is a list

	// Prepare reads the parameters of a request, which must carry an access.Call; accepted is the
	// media type, one of Media, that its header asks for.
	Prepare func(r *http.Request, accepted string) Prepared
}

// Prepared is a request whose parameters have been read.
type Prepared struct {
	params any
	media  string // of the answer

	// Answer runs the route.
	Answer func(context.Context) (*Answer, error)
}

// Cost returns the cost of a request, in fields of an answer.
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

// Charge is what an answer is charged: Units request units for the answer, or for each Per.
type Charge struct {
	Units int
	Per   string                     // such as "id in ids"; empty: the answer
	most  func(q url.Values) (n int) // the most of Per that a request asks for
}

// Most returns the most request units that the answer to a query costs.
func (c Charge) Most(query string) int64 {
	if c.Per == "" {
		return int64(c.Units)
	}
	q, _ := url.ParseQuery(query)
	return int64(c.Units * c.most(q))
}

// String returns the charge in words.
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

// Answer is the answer of a route.
type Answer struct {
	Media   string
	Body    any      // [][]byte: already encoded, in pieces; anything else is encoded as JSON
	Missing []string // ids without an answer that the body does not name
	Next    string   // cursor of the next page, if the body does not name it; empty: there is none
	Gaps    []string // missing reasons: why it is empty or cut, each as a header states it
	File    string   // the name under which a browser saves it; empty: none
	Stale   bool     // the source is down, and this is the last good copy
	Keep    *Keep    // nil: caches may not keep it; otherwise Keep reads the body
}

// Keep marks an answer that any cache may keep, and states its version.
type Keep struct {
	ETag   string // of the current version, strong and with its quotes
	MaxAge time.Duration
	// Read fetches the body and its current ETag. It is not called if If-None-Match names the
	// current version.
	Read func(context.Context) (etag string, body []byte, err error)
}

// Scopes in words, for routes that need no single scope.
const (
	anyKey         = "any key"
	eitherIPOScope = string(access.QuotesBIST + " or " + access.IPORead)
)

// Routes returns the table of routes over the resolvers.
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

// about sets the tag of the routes of some topics.
func about(tag string, topics ...[]Route) []Route {
	routes := slices.Concat(topics...)
	for i := range routes {
		routes[i].Tag = tag
	}
	return routes
}

// failing sets the problems of a route besides those that follow from its scope and parameters.
func (r Route) failing(kinds ...problem.Kind) Route {
	r.problems = kinds
	return r
}

// charging makes a route charge per something other than the answer; most returns the most of it
// that a request asks for.
func (r Route) charging(per string, most func(q url.Values) int) Route {
	r.Charge.Per, r.Charge.most = per, most
	return r
}

// costing sets the cost of a route that answers with a list: of returns it from below, the cost of
// one of its objects.
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

// formerly sets the older path of a route.
func (r Route) formerly(legacy string) Route {
	r.Legacy = legacy
	return r
}

// paramsFrom decodes the parameters of a request. The operation reports an error in them after it
// has checked the scope.
func paramsFrom[P any](r *http.Request, read func(*http.Request, reflect.Value) error) P {
	var params P
	if err := read(r, reflect.ValueOf(&params).Elem()); err != nil {
		access.CallOf(r.Context()).SetParameterError(err)
	}
	return params
}

// get returns a route that reads parameters P and answers with body B. If P has a format, the
// answer can be a table, which B itself writes, or asTable.
func get[P, B any](pattern, counterpart, summary, scope string, call func(context.Context, P) (*B, error)) Route {
	read, media := decoderOf(reflect.TypeFor[P](), "json"), []string{JSON}
	known := namesOf(paramsOf(reflect.TypeFor[P]()))
	if !slices.Contains(known, "format") { // every route accepts format
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
