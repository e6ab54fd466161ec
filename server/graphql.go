package server

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/gorilla/websocket"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/graph"
	"piyasa/loaders"
	"piyasa/problem"
)

// Limits of a GraphQL request. Documents that cross one are refused before
// anything runs.
const (
	maxBody       = 256 << 10 // bytes of a request
	maxTokens     = 2_000     // of a document; validation is quadratic in its fields
	maxDepth      = 8         // nested fields; introspection is not counted
	maxRootFields = 20
	maxAliases    = 100
	maxComplexity = 250_000 // fields of the answer, lists at their full length
	cachedQueries = 1000
	cachedSize    = 8 << 10 // bytes of a document worth keeping
)

// Where GraphQL is asked: everything at the first, streams of server-sent
// events at the second too, with the methods that only they know.
const (
	graphQLPath = "/graphql"
	eventsPath  = "/graphql/stream"
)

// graphQL is the handler of /graphql.
func (s *Server) graphQL(root graph.ResolverRoot) http.Handler {
	config := graph.Config{Resolvers: root}
	setComplexity(&config.Complexity, s.Market.Now)
	schema := graph.NewExecutableSchema(config)
	h := handler.New(schema)
	run := runner{s, schema.Schema()}
	s.events = &eventTransport{runner: run, reserved: map[string]*eventStream{}}
	h.AddTransport(&socketTransport{run})
	h.AddTransport(s.events)
	h.AddTransport(&httpTransport{schema: schema.Schema()})
	h.SetQueryCache(small[*ast.QueryDocument]{lru.New[*ast.QueryDocument](cachedQueries), func(query string, _ *ast.QueryDocument) int { return len(query) }})
	h.SetParserTokenLimit(maxTokens)
	h.Use(extension.Introspection{})
	h.Use(extension.AutomaticPersistedQuery{Cache: small[string]{lru.New[string](cachedQueries), func(_, query string) int { return len(query) }}})
	h.Use(&exactVariables{})
	h.Use(documentLimits{})
	h.Use(extension.FixedComplexityLimit(maxComplexity))
	h.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response { return next(s.loaded(ctx)) })
	h.SetErrorPresenter(s.presentError)
	h.SetRecoverFunc(s.panicked)
	return h
}

// streamed hands what stays open at /graphql past everything that is meant for
// requests with one answer. Sockets show their key later.
func (s *Server) streamed(graphQL, next http.Handler) http.Handler {
	events := s.admitted(s.events.keyOf, graphQL)
	allEvents := s.methods("GET, POST, PUT, DELETE", events)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == eventsPath:
			allEvents.ServeHTTP(w, r)
		case r.URL.Path != graphQLPath:
			next.ServeHTTP(w, r)
		case websocket.IsWebSocketUpgrade(r):
			graphQL.ServeHTTP(w, r)
		case s.events.Supports(r):
			events.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// loaded gives a response loaders of its own: those of the event before would
// answer from then.
func (s *Server) loaded(ctx context.Context) context.Context {
	return loaders.With(ctx, loaders.Services{Market: s.Market, Fundamentals: s.Fundamentals, Analytics: s.Analytics, Macro: s.Macro, Funds: s.Funds, KAP: s.KAP})
}

// panicked logs a panic and is what is told of it.
func (*Server) panicked(ctx context.Context, p any) error {
	slog.Error("panic", "request_id", requestID(ctx), "path", graphQLPath, "panic", p, "stack", string(debug.Stack()))
	return problem.Wrap(nil)
}

// small is a cache that keeps small documents only, so that its size is
// bounded in bytes and not just in entries.
type small[T any] struct {
	graphql.Cache[T]
	size func(key string, value T) int
}

// Add implements graphql.Cache.
func (c small[T]) Add(ctx context.Context, key string, value T) {
	if c.size(key, value) <= cachedSize {
		c.Cache.Add(ctx, key, value)
	}
}

// setComplexity prices the lists: a field costs what its rows can cost. A
// series is about as long as its window, and to read a bar costs as much as a
// field of it.
func setComplexity(c *graph.ComplexityRoot, now market.Clock) {
	series := func(child int, r *market.Resolution, from, to *market.Date) int {
		args := market.SeriesArgs{Resolution: r, From: from, To: to}
		return 1 + args.UsualBars(now())*(1+child)
	}
	c.Query.Quotes = func(child int, ids []string, _ *market.Currency) int { return 1 + len(ids)*child }
	c.Query.Candles = func(child int, _ string, r *market.Resolution, from, to *market.Date, _ *market.Currency) int {
		return series(child, r, from, to)
	}
	c.Query.CandlesBatch = func(child int, ids []string, r *market.Resolution, from, to *market.Date, _ *market.Currency) int {
		return 1 + min(len(ids), market.MaxSeries)*series(child, r, from, to)
	}
	c.Query.Eod = func(child int, _ string, from, to *market.Date, _ *market.Currency) int {
		return series(child, nil, from, to)
	}
	c.Instrument.Candles = func(child int, r *market.Resolution, from, to *market.Date, _ *market.Currency) int {
		return series(child, r, from, to)
	}
	c.Instrument.Eod = func(child int, from, to *market.Date, _ *market.Currency) int { return series(child, nil, from, to) }
	c.CandleSeries.Columns = func(child int) int { return 1 + child/cheaperAsColumns }
	c.Query.Watchlist = func(child int, ids []string) int { return 1 + len(ids)*child }
	c.Query.Instruments = func(child int, _ *market.Market, _, _ *string, limit *int) int {
		return 1 + rows(limit, market.InstrumentLimit)*child
	}
	c.Query.Movers = func(child int, limit *int, _ *market.Currency) int { return 1 + rows(limit, market.MoverLimit)*child }
	c.Query.Filings = func(child int, _ string, _ *kap.FilingBasis, _ *kap.FilingUnit, _ *market.Month, _ *kap.Consolidation, _, _, _ *string, limit *int) int {
		return 1 + rows(limit, kap.FilingLimit)*child
	}
	c.Query.Valuations = func(child int, ids []string, _ *market.Currency) int { return 1 + len(ids)*child }
	c.Query.PeriodicBatch = func(child int, ids []string, _ *market.Currency) int { return 1 + len(ids)*child }
	c.Query.Financials = func(child int, _ string, _ *fundamentals.Timeframe, _ *market.Currency, _ *fundamentals.StatementBasis, limit *int) int {
		return 1 + rows(limit, fundamentals.FinancialsLimit)*child
	}
	c.Instrument.Financials = func(child int, _ *fundamentals.Timeframe, _ *market.Currency, _ *fundamentals.StatementBasis, limit *int) int {
		return 1 + rows(limit, fundamentals.FinancialsLimit)*child
	}
	c.Query.Dividends = func(child int, _ *market.EquityMarket, _, _ *market.Date, _ *fundamentals.DividendDateField, _ *fundamentals.DividendStatus, _ []string, _ *string, limit *int) int {
		return 1 + rows(limit, fundamentals.DividendLimit)*child
	}
	c.Instrument.Dividends = func(child int, first *int) int { return 1 + rows(first, market.EdgeLimit)*child }
	c.Sector.Members = func(child int, _ *market.EquityMarket, first *int) int {
		return 1 + rows(first, market.EdgeLimit)*child
	}
	c.CalendarEvent.Items = func(child int, _, _ *market.Date, first *int) int { return 1 + rows(first, market.EdgeLimit)*child }
	c.BistIndex.Constituents = func(child int, first *int) int { return 1 + rows(first, market.EdgeLimit)*child }
	c.Instrument.Indices = func(child int, first *int) int { return 1 + rows(first, market.EdgeLimit)*child }
	c.Instrument.Holders = func(child int, first *int) int { return 1 + rows(first, market.EdgeLimit)*child }
	c.Query.FundRanking = func(child int, _ *funds.Period, _ *market.SortOrder, _ *string, limit *int) int {
		return 1 + rows(limit, funds.RankingLimit)*child
	}
	days := func(child int, from, to *market.Date) int { return series(child, nil, from, to) }
	c.Query.ValuationHistory = func(child int, _ string, from, to *market.Date, _ *market.Currency) int { return days(child, from, to) }
	c.Instrument.ValuationHistory = days
	c.Query.SectorReturns = func(child int, _ string, _ *market.EquityMarket, from, to *market.Date) int {
		return days(child, from, to)
	}
	c.Sector.Returns = func(child int, _ *market.EquityMarket, from, to *market.Date) int { return days(child, from, to) }
	statement := func(child int) int { return 1 + usualLines*child }
	c.FinancialPeriod.Items = statement
	c.Filing.BalanceSheet, c.Filing.IncomeStatement, c.Filing.CashFlow = statement, statement, statement
	c.Query.Disclosures = func(child int, _ *string, _ []string, _ *string, _ *kap.Type, _ *string, _ *kap.Reason, _, _ *kap.Bound, _ *market.SortOrder, _ *string, limit *int) int {
		return 1 + rows(limit, kap.ListLimit)*child
	}
	edge := func(child int, first *int) int { return 1 + rows(first, market.EdgeLimit)*child }
	c.Instrument.Disclosures, c.CompanyProfile.Disclosures = edge, edge
	c.CompanyProfile.Instruments, c.Disclosure.Instruments, c.DisclosureDetail.Instruments = edge, edge, edge
	c.DisclosureDetail.Facts = func(child int) int { return 1 + usualFacts*child }
	c.Query.News = func(child int, _ *string, _, _ *market.Date, _ *string, limit *int) int {
		return 1 + rows(limit, news.Limit)*child
	}
}

// cheaperAsColumns is how much less a value costs in a list of its own than in
// an object.
const cheaperAsColumns = 8

// usualLines is about how many lines a statement has.
const usualLines = 80

// usualFacts is about how many facts a structured financial report has.
const usualFacts = 200

// rows is how many rows a limit allows; a wrong one is refused later.
func rows(asked *int, limit market.Limit) int {
	if asked == nil {
		return limit.Default
	}
	return min(max(*asked, 1), limit.Max)
}

// presentError spells a failed field as its REST twin would, in
// extensions.problem. Errors that have a code already are refusals of the
// document.
func (s *Server) presentError(ctx context.Context, err error) *gqlerror.Error {
	shown := graphql.DefaultErrorPresenter(ctx, err)
	if _, coded := shown.Extensions["code"]; coded {
		return shown
	}
	e := problem.From(err)
	if cause := e.Unwrap(); cause != nil {
		slog.Error("field failed", "request_id", requestID(ctx), "path", shown.Path.String(), "cause", cause)
	}
	shown.Message = e.Detail
	shown.Extensions = map[string]any{
		"code":    e.Kind.Code(),
		"problem": e.Document(s.BaseURL, graphQLPath, requestID(ctx)),
	}
	return shown
}
