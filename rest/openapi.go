package rest

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/swaggest/jsonschema-go"
	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"
	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/account/usage"
	"piyasa/domain/coverage"
	"piyasa/domain/funds"
	"piyasa/domain/ipo"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/domain/segment"
	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// OpenAPI describes the routes, and all other operations, as an OpenAPI 3.1 document in JSON.
// Parameters come from the types that decode them, bodies from the types that are encoded. What a
// member means, and whether it can be null, comes from the GraphQL schema, so that it is written
// once for both. A test recorded the answers in the examples.
func OpenAPI(routes []Route, baseURL, version string) []byte {
	r := openapi31.NewReflector()
	r.Spec.Info.WithTitle("piyasa").WithVersion(version).
		WithDescription("Market data, exact and honest. Decimals are text; an unknown figure is null. " +
			"Every answer carries X-Request-Id; answers of an authenticated request carry X-RateLimit-Limit, X-RateLimit-Remaining, " +
			"X-RateLimit-Reset and X-Usage-Units. " +
			"Answers carry an ETag while the server knows whether anything in them has changed; If-None-Match with it is answered " +
			"with 304 from memory. " +
			"GET operations also answer HEAD; other methods return 405. The examples use the base URL " + exampleBase + ".")
	r.Spec.WithServers(openapi31.Server{URL: baseURL})
	r.SpecEns().SetAPIKeySecurity("key", "X-API-Key", openapi.InHeader, "An API key; `piyasa keys create` creates one.")
	r.SpecEns().SetAPIKeySecurity("keyInQuery", "api_key", openapi.InQuery,
		"The same key for image tags, which cannot send headers; a key in the header takes precedence.")
	Describe(&r.Reflector)
	for _, route := range routes {
		describeRoute(r, route, route.Pattern, "")
		if route.Legacy != "" {
			describeRoute(r, route, route.Legacy, route.Pattern)
		}
	}
	for _, o := range others() {
		o.describe(r)
	}
	r.Spec.WithTags(tags(routes)...)
	doc, err := json.MarshalIndent(r.Spec, "", "  ")
	must(err)
	return doc
}

// tags lists the topics of operations, in the order of the table.
func tags(routes []Route) []openapi31.Tag {
	var names []string
	for _, route := range routes {
		names = append(names, route.Tag)
	}
	for _, o := range others() {
		names = append(names, o.tag)
	}
	var all []openapi31.Tag
	for i, name := range names {
		if slices.Index(names, name) == i {
			all = append(all, openapi31.Tag{Name: name})
		}
	}
	return all
}

// describeRoute adds a route at a path. With a successor, the path is deprecated.
func describeRoute(r *openapi31.Reflector, route Route, path, successor string) {
	op, err := r.NewOperationContext(http.MethodGet, path)
	must(err)
	id := operationID(route)
	description := "Scope: " + route.Scope + ". Cost: " + route.Charge.String() + ". GraphQL counterpart: `" + route.Counterpart + "`."
	if route.Columns != nil {
		description += " As CSV it has the columns `" + strings.Join(route.Columns, "`, `") + "`."
	}
	if successor != "" {
		id += "Formerly"
		description = "The former path of " + successor + " with the same answer, plus the headers Deprecation and Link. " + description
		op.SetIsDeprecated(true)
	}
	op.SetID(id)
	op.SetTags(route.Tag)
	op.SetSummary(route.Summary)
	op.SetDescription(description)
	op.AddSecurity("key")
	if route.KeyInQuery {
		op.AddSecurity("keyInQuery")
	}
	op.AddReqStructure(reflect.New(route.params).Interface())
	describeAnswer(op, route)
	if route.Columns != nil {
		op.AddRespStructure(new(tableHeaders), openapi.WithHTTPStatus(http.StatusOK), openapi.WithContentType(CSV),
			withExample(route.Counterpart))
	}
	describeProblems(op, route.Problems())
	must(r.AddOperation(op))
}

// confused are counterparts whose names collide with others that generators of clients make: for a
// member of a schema with the name of a parameter, and for the function that reads an answer.
var confused = []string{"disclosureBody", "financials", "fundRanking", "marketCalendar", "parseInstrument", "sectorConstituents",
	"sectorReturns", "sectorValuation"}

// operationID returns the id of a route's operation.
func operationID(route Route) string {
	if id := route.Counterpart; slices.Contains(confused, id) {
		return "get" + strings.ToUpper(id[:1]) + id[1:]
	}
	return route.Counterpart
}

// describeAnswer adds the successful answers of a route.
func describeAnswer(op openapi.OperationContext, route Route) {
	if route.Body != nil {
		op.AddRespStructure(reflect.New(route.Body).Interface(), openapi.WithHTTPStatus(http.StatusOK), withExample(route.Counterpart))
		op.AddRespStructure(new(unchanged), openapi.WithHTTPStatus(http.StatusNotModified), func(u *openapi.ContentUnit) {
			u.Description = "If-None-Match names the answer that would be given: no body. Costs one request unit."
		})
		return
	}
	op.AddRespStructure(new(kept), openapi.WithHTTPStatus(http.StatusOK), openapi.WithContentType(route.Media[0]))
	op.AddRespStructure(new(kept), openapi.WithHTTPStatus(http.StatusNotModified), func(u *openapi.ContentUnit) {
		u.Description = "If-None-Match matches the current version: the same headers without a body."
	})
}

// unchanged has the headers of 304, the answer to a client that has the current version.
type unchanged struct {
	ETag         string `header:"ETag" required:"true" description:"Weak entity tag of the answer."`
	CacheControl string `header:"Cache-Control" required:"true" description:"The client may keep the answer, and must ask whether it is still the same."`
}

// kept has the headers of an answer that caches may keep.
type kept struct {
	ETag         string `header:"ETag" required:"true" description:"Strong entity tag of this version, for If-None-Match."`
	CacheControl string `header:"Cache-Control" required:"true" description:"How long caches may keep it."`
}

// tableHeaders has the headers of a table as CSV.
type tableHeaders struct {
	NotFound string `header:"X-Not-Found" description:"Requested ids without an answer, separated by commas; absent if there are none."`
	Missing  string `header:"X-Missing-Reason" description:"Why the answer is empty or cut: not_covered, before_history, starts_later, in_future, market_closed, filtered_out or none_stored; with the parameter available_from where the first day is why, and id where there are several series."`
	Link     string `header:"Link" description:"Address of the next page, with rel=\"next\"; absent on the last one and where there are no pages."`
	Warning  string `header:"Warning" description:"One for each parameter that is unknown and was ignored."`
}

// must panics if the table of routes cannot be described; the tests build the document.
func must(err error) {
	if err != nil {
		panic("rest: describe the routes: " + err.Error())
	}
}

// Describe makes a reflector describe our types as the GraphQL schema does, under the same names.
func Describe(r *jsonschema.Reflector) {
	d := describer{schema: graph.NewExecutableSchema(graph.Config{}).Schema()}
	r.DefaultOptions = append(r.DefaultOptions,
		jsonschema.InterceptDefName(func(t reflect.Type, _ string) string { return schemaName(t) }),
		jsonschema.InterceptSchema(d.scalar), jsonschema.InterceptProp(d.member))
}

// describer completes reflected schemas.
type describer struct{ schema *ast.Schema }

// scalars completes the schemas of types that are encoded as text. JSON may be anything, and
// figures of the calendar are numbers.
var scalars = map[reflect.Type]func(*jsonschema.Schema){
	reflect.TypeFor[value.Decimal](): func(s *jsonschema.Schema) { s.WithPattern(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`) },
	reflect.TypeFor[value.Instant](): func(s *jsonschema.Schema) { s.WithFormat("date-time") },
	reflect.TypeFor[value.Date]():    func(s *jsonschema.Schema) { s.WithFormat("date") },
	reflect.TypeFor[kap.JSON]():      func(s *jsonschema.Schema) { s.Type = nil },
	reflect.TypeFor[macro.Number]():  func(s *jsonschema.Schema) { s.WithType(jsonschema.Number.Type()) },
	reflect.TypeFor[value.Month]():   func(s *jsonschema.Schema) { s.WithPattern(`^[0-9]{4}-(0[1-9]|1[0-2])$`) },
}

// scalar describes our types that encode as text.
func (describer) scalar(p jsonschema.InterceptSchemaParams) (stop bool, err error) {
	complete, ok := scalars[plain(p.Value.Type())]
	if !ok {
		return false, nil
	}
	p.Schema.WithType(jsonschema.String.Type())
	complete(p.Schema)
	return true, nil
}

// graphTypes holds the GraphQL names of types where they differ from the Go names.
var graphTypes = map[reflect.Type]string{
	reflect.TypeFor[coverage.Report]():  "Coverage",
	reflect.TypeFor[coverage.Row]():     "CoverageRow",
	reflect.TypeFor[coverage.Gap]():     "CoverageGap",
	reflect.TypeFor[usage.Report]():     "Usage",
	reflect.TypeFor[usage.Rate]():       "RequestRate",
	reflect.TypeFor[market.Session]():   "TradingSession",
	reflect.TypeFor[market.ParsedID]():  "ParsedInstrument",
	reflect.TypeFor[value.Instant]():    "DateTime",
	reflect.TypeFor[bar]():              "Bar",
	reflect.TypeFor[candleSeries]():     "CandleSeries",
	reflect.TypeFor[candlesBatch]():     "CandlesBatch",
	reflect.TypeFor[eodRecord]():        "EodRecord",
	reflect.TypeFor[eodSeries]():        "EodSeries",
	reflect.TypeFor[quoteBatch]():       "QuoteBatch",
	reflect.TypeFor[instrumentList]():   "InstrumentList",
	reflect.TypeFor[kap.Page]():         "DisclosurePage",
	reflect.TypeFor[kap.Detail]():       "DisclosureDetail",
	reflect.TypeFor[kap.Context]():      "FactContext",
	reflect.TypeFor[kap.Dimension]():    "FactDimension",
	reflect.TypeFor[body]():             "DisclosureBody",
	reflect.TypeFor[kap.Field]():        "BodyField",
	reflect.TypeFor[news.Page]():        "NewsPage",
	reflect.TypeFor[news.Item]():        "NewsItem",
	reflect.TypeFor[problem.Document](): "Problem",
	reflect.TypeFor[financials]():       "Financials",
	reflect.TypeFor[financialPeriod]():  "FinancialPeriod",
	reflect.TypeFor[statementItem]():    "StatementItem",
	reflect.TypeFor[valuation]():        "Valuation",
	reflect.TypeFor[metric]():           "Metric",
	reflect.TypeFor[valuationBatch]():   "ValuationBatch",
	reflect.TypeFor[dividendHistory]():  "DividendHistory",
	reflect.TypeFor[dividendRow]():      "Dividend",

	reflect.TypeFor[market.ShownAction]():   "CorporateAction",
	reflect.TypeFor[market.ActionHistory](): "CorporateActionHistory",
	reflect.TypeFor[market.ActionPage]():    "CorporateActionPage",
	reflect.TypeFor[segment.Change]():       "MeaningChange",
	reflect.TypeFor[segment.Bridge]():       "Bridge",

	reflect.TypeFor[periodic]():         "Periodic",
	reflect.TypeFor[periodicBatch]():    "PeriodicBatch",
	reflect.TypeFor[market.IndexInfo](): "BistIndex",
	reflect.TypeFor[funds.Profile]():    "FundProfile",
	reflect.TypeFor[funds.Ranking]():    "FundRanking",
	reflect.TypeFor[funds.Ranked]():     "RankedFund",
	reflect.TypeFor[funds.Flows]():      "InvestorFlows",
	reflect.TypeFor[funds.Summary]():    "FlowSummary",
	reflect.TypeFor[funds.Holders]():    "FundHolders",
	reflect.TypeFor[funds.Holder]():     "FundHolding",
	reflect.TypeFor[funds.Portfolio]():  "FundHoldings",
	reflect.TypeFor[funds.Position]():   "FundPosition",
	reflect.TypeFor[ipo.List]():         "IpoList",

	reflect.TypeFor[funds.PortfolioTotal](): "HoldingsSummary",

	reflect.TypeFor[ipo.Detail]():     "IpoDetail",
	reflect.TypeFor[graphQLRequest](): "GraphQLRequest",
	reflect.TypeFor[graphQLAnswer]():  "GraphQLAnswer",
	reflect.TypeFor[graphQLError]():   "GraphQLError",
	reflect.TypeFor[streamToken]():    "StreamToken",
	reflect.TypeFor[health]():         "Health",
	reflect.TypeFor[readiness]():      "Readiness",
}

// schemaNames holds the names of schemas of bodies where another one has the name of the GraphQL
// type.
var schemaNames = map[reflect.Type]string{reflect.TypeFor[dividendRow](): "DividendOfHistory"}

// schemaName returns the name of a body's schema.
func schemaName(t reflect.Type) string {
	if name, ok := schemaNames[plain(t)]; ok {
		return name
	}
	return typeName(t)
}

// typeName returns the name of a body's type, the same as in GraphQL.
func typeName(t reflect.Type) string {
	if name, ok := graphTypes[plain(t)]; ok {
		return name
	}
	return plain(t).Name()
}

// member describes a member of a body as the GraphQL schema describes the same field, and makes it
// required unless it is encoded only if set.
func (d describer) member(p jsonschema.InterceptPropParams) error {
	if !p.Processed {
		return nil
	}
	tag := p.Field.Tag.Get("json")
	if tag == "" { // a parameter
		return d.parameter(p)
	}
	if !strings.Contains(tag, ",omit") && !slices.Contains(p.ParentSchema.Required, p.Name) {
		p.ParentSchema.Required = append(p.ParentSchema.Required, p.Name)
	}
	if p.ParentSchema.ReflectType == nil {
		return nil
	}
	def := d.schema.Types[typeName(p.ParentSchema.ReflectType)]
	if def == nil {
		return nil
	}
	for _, f := range def.Fields {
		if strings.EqualFold(f.Name, p.Field.Name) {
			p.PropertySchema.WithDescription(f.Description)
			setNullable(p.PropertySchema, !f.Type.NonNull)
			if values := p.PropertySchema.AdditionalProperties; values != nil && f.Type.Name() == "NamedValue" { // an object keyed by name
				setNullable(values.TypeObject, true)
			}
			if d.schema.Types[f.Type.Name()].Kind == ast.Enum && f.Type.Elem == nil {
				setWords(p.PropertySchema, value.EnumOf(plain(p.Field.Type)), !f.Type.NonNull)
			}
		}
	}
	return nil
}

// setWords sets the allowed values, if there are any.
func setWords(s *jsonschema.Schema, words []string, nullable bool) {
	for _, w := range words {
		s.Enum = append(s.Enum, w)
	}
	if words != nil && nullable {
		s.Enum = append(s.Enum, nil)
	}
}

// parameter adds the range of a number, and the values of an enum.
func (describer) parameter(p jsonschema.InterceptPropParams) error {
	if limit, ok := limitOf(p.Name, p.Field.Type, plain(p.ParentSchema.ReflectType)); ok {
		p.PropertySchema.WithMinimum(float64(limit.Min)).WithMaximum(float64(limit.Max))
		if p.Name == "limit" {
			p.PropertySchema.WithDefault(limit.Default)
		}
	}
	if p.Field.Tag.Get("enum") == "" {
		setWords(p.PropertySchema, value.EnumOf(plain(p.Field.Type)), false)
	}
	setNullable(p.PropertySchema, false)
	return nil
}

// plain returns t without pointers.
func plain(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// setNullable adds null to the types that a schema allows, or removes it.
func setNullable(s *jsonschema.Schema, nullable bool) {
	switch {
	case s.Ref != nil && nullable:
		of := jsonschema.Schema{Ref: s.Ref}
		null := jsonschema.Schema{}
		null.AddType(jsonschema.Null)
		s.Ref = nil
		s.WithAnyOf(of.ToSchemaOrBool(), null.ToSchemaOrBool())
	case s.Type == nil:
	default:
		own := *s.Type // members of one type share it
		if s.Type = &own; !nullable {
			s.RemoveType(jsonschema.Null)
		} else if !s.HasType(jsonschema.Null) {
			s.AddType(jsonschema.Null)
		}
	}
}
