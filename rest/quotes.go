package rest

import (
	"context"

	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/problem"
)

type quoteParams struct {
	instrumentID
	currency
	tableParams
}

type quotesParams struct {
	IDs []string `query:"ids" required:"true" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 instrument ids, separated by commas."`
	currency
	tableParams
}

// quoteRoutes returns the routes of quotes.
func quoteRoutes(q graph.QueryResolver) []Route {
	return []Route{
		asTable(itself[market.Quote], get("/v1/quotes/{instrument_id}", "quote", "The latest quote of one instrument",
			"the quotes scope of the id's market",
			func(ctx context.Context, p quoteParams) (*market.Quote, error) {
				return q.Quote(ctx, p.ID, p.Currency)
			}).failing(problem.AmbiguousTicker)),
		costing(func(costs *graph.ComplexityRoot, below int, p quotesParams) int {
			return costs.Query.Quotes(below, p.IDs, p.Currency)
		}, asTable(func(b *quoteBatch) []*market.Quote { return b.Quotes },
			get("/v1/quotes", "quotes", "The latest quotes of up to 100 instruments", "the quotes scope of every id's market",
				func(ctx context.Context, p quotesParams) (*quoteBatch, error) {
					return viewOf(quoteBatchView)(q.Quotes(ctx, p.IDs, p.Currency))
				}).failing(problem.AmbiguousTicker))),
	}
}

// quoteBatch is the batch of quotes, with the missing ids keyed by id.
type quoteBatch struct {
	Quotes          []*market.Quote   `json:"quotes"`
	Count           int               `json:"count"`
	NotFound        []string          `json:"not_found"`
	NotFoundReasons map[string]string `json:"not_found_reasons"`
}

func quoteBatchView(b *market.QuoteBatch) *quoteBatch {
	return &quoteBatch{b.Quotes, b.Count, misses(b.NotFound), reasons(b.NotFound)}
}
