package rest

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/news"
	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

type newsParams struct {
	Symbol *string     `query:"symbol" description:"A code, optionally after bist:. Any code of a company finds all its news."`
	From   *value.Date `query:"from" description:"First day of publication, in Turkey time."`
	To     *value.Date `query:"to" description:"Last day of publication."`
	Cursor *string     `query:"cursor" description:"next_cursor of the previous page; filters must be the same."`
	Limit  *int        `query:"limit" description:"Rows per page."`
	tableParams
}

func (newsParams) limit() value.Limit { return news.Limit }

type newsItemParams struct {
	newsID
	tableParams
}

type newsID struct {
	NewsID string `path:"news_id" description:"Id of a news item."`
}

// newsRoutes returns the routes of news.
func newsRoutes(q graph.QueryResolver) []Route {
	return []Route{
		costing(func(costs *graph.ComplexityRoot, below int, p newsParams) int {
			return costs.Query.News(below, p.Symbol, p.From, p.To, p.Cursor, p.Limit)
		}, asTable(func(p *news.Page) []*news.Item { return p.Items },
			get("/v1/kap", "news", "News by publication time, newest first", string(access.News),
				func(ctx context.Context, p newsParams) (*news.Page, error) {
					return q.News(ctx, p.Symbol, p.From, p.To, p.Cursor, p.Limit)
				}).failing(problem.MalformedCode))),
		asTable(itself[news.Item], get("/v1/kap/{news_id}", "newsItem", "One news item", string(access.News),
			func(ctx context.Context, p newsItemParams) (*news.Item, error) { return q.NewsItem(ctx, p.NewsID) })),
	}
}
