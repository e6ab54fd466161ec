package news_test

import (
	"context"
	"errors"
	"testing"

	"piyasa/domain/news"
	"piyasa/test/fixture/calls"
)

// failing is a store whose methods fail one at a time.
type failing struct {
	*memory
	news, item error
}

func (s *failing) News(ctx context.Context, q news.Query) ([]*news.Stored, error) {
	found, err := s.memory.News(ctx, q)
	return found, errors.Join(err, s.news)
}

func (s *failing) NewsItems(ctx context.Context, ids []string) (map[string]*news.Item, error) {
	found, err := s.memory.NewsItems(ctx, ids)
	return found, errors.Join(err, s.item)
}

func TestStoreFailures(t *testing.T) {
	store := &failing{memory: &memory{items: []*news.Item{item("n-1", "2026-03-17T20:00:00Z")}}}
	s := service(store.memory)
	s.Store = store
	calls.StoreFailures(t, func(err error) { store.news = err }, map[string]func(context.Context) error{
		"News": func(ctx context.Context) error { _, err := s.News(ctx, news.Filter{}, nil, nil); return err },
	})
	calls.StoreFailures(t, func(err error) { store.item = err }, map[string]func(context.Context) error{
		"NewsItem": func(ctx context.Context) error { _, err := s.Item(ctx, "n-1"); return err },
	})
}
