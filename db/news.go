package db

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/news"
	"piyasa/internal/value"
)

type newsRow struct {
	bun.BaseModel `bun:"table:news"`
	news.Stored
}

// newsCodeRow finds news by one of their codes.
type newsCodeRow struct {
	bun.BaseModel `bun:"table:news_codes"`
	Code          string
	PublishedAt   value.Instant
	NewsID        string
}

var newsItems = table[news.Item, newsRow, string]{
	feed:    FeedNews,
	columns: []string{"news_id"},
	key:     func(r *news.Item) string { return r.NewsID },
	lookUp:  func(id string) any { return id },
	row:     func(r *news.Item, seq int64) *newsRow { return &newsRow{Stored: news.Stored{Item: *r, Seq: seq}} },
	record:  func(r *newsRow) *news.Item { return &r.Item },
	also:    storeNewsCodes,
}

// storeNewsCodes makes changed news found only by their present codes, and deleted news not at
// all.
func storeNewsCodes(ctx context.Context, tx *numbered, changed, gone []*news.Item) error {
	var codes []*newsCodeRow
	for i, item := range gone {
		gone[i] = &news.Item{NewsID: item.NewsID}
	}
	for chunk := range slices.Chunk(slices.Concat(changed, gone), upsertChunk) {
		ids := make([]string, len(chunk))
		for i, item := range chunk {
			ids[i] = item.NewsID
			for _, code := range slices.Compact(slices.Sorted(slices.Values(item.Symbols))) {
				codes = append(codes, &newsCodeRow{Code: code, PublishedAt: item.PublishedAt, NewsID: item.NewsID})
			}
		}
		if _, err := tx.NewDelete().Model((*newsCodeRow)(nil)).Where("news_id IN (?)", bun.List(ids)).Exec(ctx); err != nil {
			return err
		}
	}
	for chunk := range slices.Chunk(codes, upsertChunk) {
		if _, err := tx.NewInsert().Model(&chunk).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// News returns the first q.Limit items that q selects, in its order. It takes one
// statement.
func (s *Store) News(ctx context.Context, q news.Query) (_ []*news.Stored, err error) {
	ctx, done := s.reading(ctx, FeedNews)
	defer done(&err)
	var rows []*newsRow
	sel := s.read.NewSelect().Model(&rows)
	if q.Of == nil {
		sel = newest(sel, q)
	} else {
		share := newest(s.read.NewSelect().TableExpr("news_codes").Column("news_id", "published_at").Distinct().Where("code IN (?)",
			bun.List(q.Of.Codes())), q)
		sel = sel.Where("news_id IN (?)", s.read.NewSelect().TableExpr("(?) AS share", share).Column("news_id")).Order(newsOrder(q)...)
	}
	err = sel.Scan(ctx)
	return records(rows, func(r *newsRow) *news.Stored { return &r.Stored }), err
}

// newest adds the order, the bounds along it, and the limit of q.
func newest(sel *bun.SelectQuery, q news.Query) *bun.SelectQuery {
	if !q.From.IsNull() {
		sel = sel.Where("published_at >= ?", q.From)
	}
	if !q.To.IsNull() {
		sel = sel.Where("published_at <= ?", q.To)
	}
	if q.After != nil {
		beyond := "(published_at, news_id) < (?, ?)"
		if q.Ascending {
			beyond = "(published_at, news_id) > (?, ?)"
		}
		sel = sel.Where(beyond, q.After.PublishedAt, q.After.NewsID)
	}
	return sel.Order(newsOrder(q)...).Limit(int64(q.Limit))
}

// newsOrder returns the columns that q orders by.
func newsOrder(q news.Query) []string {
	if q.Ascending {
		return []string{"published_at", "news_id"}
	}
	return []string{"published_at DESC", "news_id DESC"}
}

// NewsItems returns the stored items with these ids.
func (s *Store) NewsItems(ctx context.Context, ids []string) (_ map[string]*news.Item, err error) {
	ctx, done := s.reading(ctx, FeedNews)
	defer done(&err)
	var rows []*newsRow
	if len(ids) > 0 {
		err = s.read.NewSelect().Model(&rows).Where("news_id IN (?)", bun.List(ids)).Scan(ctx)
	}
	found := make(map[string]*news.Item, len(rows))
	for _, r := range rows {
		found[r.NewsID] = &r.Item
	}
	return found, err
}
