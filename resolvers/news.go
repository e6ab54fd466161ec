package resolvers

import (
	"context"

	"piyasa/domain/news"
	"piyasa/internal/value"
)

func (q query) News(ctx context.Context, symbol *string, from, to *value.Date, cursor *string, limit *int) (*news.Page, error) {
	return q.services.News.News(ctx, news.Filter{Symbol: symbol, From: from, To: to}, cursor, limit)
}

func (q query) NewsItem(ctx context.Context, id string) (*news.Item, error) {
	return q.services.News.Item(ctx, id)
}
