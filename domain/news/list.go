package news

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/internal/value"
)

// Limit is the range of a page of news.
var Limit = value.Limit{Min: 1, Max: 100, Default: 25}

// Filter selects news; a nil field selects any.
type Filter struct {
	Symbol   *string     // a code, bare or behind bist:; any code of a company means all of them
	From, To *value.Date // of the publication, in Turkey time, both included
}

// Query is a resolved Filter for the store. Its order is by publication, newest first, then by id,
// greatest first.
type Query struct {
	Of        *kap.Reach    // the company whose codes the news name; nil: any
	From, To  value.Instant // both included; null: open
	After     *Place        // only items after it in the order; nil: from the start
	Limit     int
	Ascending bool // oldest first
}

// Place is where an item stands in the list.
type Place struct {
	PublishedAt value.Instant
	NewsID      string
}

// Page is one page of news.
type Page struct {
	Items      []*Item `json:"items"`
	Count      int     `json:"count"`
	NextCursor *string `json:"next_cursor"` // null: the last page

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty or cut
}

// News returns one page of the news that match filter, newest first. Following
// NextCursor until it is null returns each item once. Needs news. Problems:
// invalid-parameter, malformed-code, inverted-window, invalid-cursor,
// position-gone.
func (s *Service) News(ctx context.Context, filter Filter, cursor *string, limit *int) (*Page, error) {
	if err := access.Enter(ctx, access.News); err != nil {
		return nil, err
	}
	q, err := s.query(filter, limit)
	if err != nil {
		return nil, err
	}
	walk, err := access.Pages{Signer: s.Signer, Epochs: s.Epochs, List: "news", Query: q.name()}.Start(cursor)
	if err != nil {
		return nil, err
	}
	if walk.Key != "" {
		q.After = placeOf(walk.Key)
	}
	wanted := q.Limit
	q.Limit++ // to know whether there is more
	found, err := s.Store.News(ctx, q)
	if err != nil {
		return nil, err
	}
	found, next := access.Cut(walk, found, wanted, placeKey)
	page := &Page{Items: make([]*Item, len(found)), Count: len(found), NextCursor: next}
	page.MissingReason = value.MissingFrom(page.Count, q.Of != nil || q.After != nil || !q.From.IsNull() || !q.To.IsNull())
	for i, stored := range found {
		page.Items[i] = &stored.Item
	}
	access.Charge(ctx, access.Unit)
	return page, nil
}

// query checks a filter (single values before combinations) and resolves its code.
func (s *Service) query(f Filter, limit *int) (q Query, err error) {
	if q.Limit, err = Limit.Of(limit); err != nil {
		return q, err
	}
	if f.Symbol != nil {
		if q.Of, err = s.Companies.Resolve("symbol", *f.Symbol); err != nil {
			return q, err
		}
	}
	if err := value.CheckOrder(f.From, f.To); err != nil {
		return q, err
	}
	if f.From != nil {
		q.From = f.From.TurkeyStart()
	}
	if f.To != nil {
		q.To = f.To.TurkeyEnd()
	}
	return q, nil
}

// name returns a text that identifies the list that the query selects.
func (q Query) name() string {
	query := ""
	if q.Of != nil {
		query = q.Of.Asked
	}
	return fmt.Sprintf("%q %v %v", query, q.From, q.To)
}

// placeKey encodes the place of an item for a cursor, and returns its number.
func placeKey(i *Stored) (key string, seq int64) {
	return fmt.Sprintf("%d %s", i.PublishedAt.Time().UnixMilli(), i.NewsID), i.Seq
}

// placeOf decodes a place.
func placeOf(key string) *Place {
	ms, id, _ := strings.Cut(key, " ")
	at, _ := strconv.ParseInt(ms, 10, 64)
	return &Place{value.At(time.UnixMilli(at)), id}
}
