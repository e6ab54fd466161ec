// Package news is the news product: machine summaries of news about listed
// companies, each with a mood. It is not the official disclosure feed.
package news

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"piyasa/access"
	"piyasa/domain/kap"
	"piyasa/problem"
	"piyasa/value"
)

// Limit is the range of a page of news.
var Limit = value.Limit{Min: 1, Max: 100, Default: 25}

// Item is one piece of news.
type Item struct {
	NewsID      string        `json:"news_id" record:"required"`
	Title       string        `json:"title" record:"required"`
	PublishedAt value.Instant `json:"published_at" record:"required" time:"past"`
	Symbols     []string      `json:"symbols" record:"required"` // codes of the companies it is about
	Summary     *string       `json:"summary"`                   // by a machine
	Sentiment   *Sentiment    `json:"sentiment"`
	Link        *string       `json:"link"`
}

// Sentiment is the mood of a piece of news, as a machine reads it.
type Sentiment struct {
	Label string        `json:"label" record:"required"`
	Score value.Decimal `json:"score"`
}

// notIDs are words that the disclosure feed has under the path of the news.
var notIDs = []string{"disclosures", "financials", "companies", "stream"}

// Check completes the item and returns what is wrong with it as a whole: the
// member, and what is allowed.
func (i *Item) Check() (member, wrong string) {
	i.Symbols = kap.Codes(i.Symbols)
	if slices.Contains(notIDs, i.NewsID) {
		return "news_id", "must not be one of " + strings.Join(notIDs, ", ") + ", which are paths of the API"
	}
	return "", ""
}

// Filter says which news a list holds; what is nil does not matter.
type Filter struct {
	Symbol   *string     // a code, bare or behind bist:; any code of a company means all of them
	From, To *value.Date // of the publication, in Turkey time, both included
}

// Query is a Filter made ready for the store. Newer news come first, of one
// moment those of the greater id.
type Query struct {
	Of       *kap.Reach    // whose codes the news name; nil: anybody's
	From, To value.Instant // both included; null: open
	After    *Place        // only what follows it in the order
	Limit    int
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
	NextCursor *string `json:"next_cursor"` // null: there is no more
}

// Store is where news are read from.
type Store interface {
	// News are the first q.Limit items that q selects, in its order.
	News(ctx context.Context, q Query) ([]*Item, error)
	// NewsItem is one item, or nil.
	NewsItem(ctx context.Context, id string) (*Item, error)
}

// Service answers questions about news. Each method checks the scope of the
// caller, then its arguments, then what there is; it returns a *problem.Error.
type Service struct {
	Store     Store
	Companies *kap.Live // which codes are resolved with
	Signer    access.Signer
}

// News is one page of the news that match filter, newest first. Following
// NextCursor until it is null gives each once. Needs news. Problems:
// invalid-parameter, malformed-code, inverted-window, invalid-cursor.
func (s *Service) News(ctx context.Context, filter Filter, cursor *string, limit *int) (*Page, error) {
	if err := access.Enter(ctx, access.News); err != nil {
		return nil, err
	}
	q, err := s.query(filter, limit)
	if err != nil {
		return nil, err
	}
	pages := access.Pages{Signer: s.Signer, List: "news", Query: q.name()}
	after, err := pages.Start(cursor)
	if err != nil {
		return nil, err
	}
	if after != "" {
		q.After = placeOf(after)
	}
	asked := q.Limit
	q.Limit++ // to know whether there is more
	found, err := s.Store.News(ctx, q)
	if err != nil {
		return nil, err
	}
	page := &Page{}
	page.Items, page.NextCursor = access.Cut(pages, found, asked, placeKey)
	page.Count = len(page.Items)
	access.Charge(ctx, access.Unit)
	return page, nil
}

// Item is one piece of news by its id. Needs news. Problems: not-found.
func (s *Service) Item(ctx context.Context, id string) (*Item, error) {
	if err := access.Enter(ctx, access.News); err != nil {
		return nil, err
	}
	item, err := s.Store.NewsItem(ctx, id)
	if err != nil {
		return nil, err
	}
	if item == nil {
		return nil, problem.New(problem.NotFound, "There is no news item with the id %s.", problem.Shown(id))
	}
	access.Charge(ctx, access.Unit)
	return item, nil
}

// query checks a filter, single values before combinations, and resolves its
// code.
func (s *Service) query(f Filter, limit *int) (q Query, err error) {
	if q.Limit, err = Limit.Of(limit); err != nil {
		return q, err
	}
	if f.Symbol != nil && *f.Symbol != "" { // empty text is the same as none
		if q.Of, err = s.Companies.Companies().Resolve(*f.Symbol); err != nil {
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

// name returns the text of what decides which news the list holds.
func (q Query) name() string {
	whose := ""
	if q.Of != nil {
		whose = q.Of.Whose
	}
	return fmt.Sprintf("%q %v %v", whose, q.From, q.To)
}

// placeKey encodes the place of an item for a cursor.
func placeKey(i *Item) string {
	return fmt.Sprintf("%d %s", i.PublishedAt.Time().UnixMilli(), i.NewsID)
}

// placeOf decodes a place.
func placeOf(key string) *Place {
	ms, id, _ := strings.Cut(key, " ")
	at, _ := strconv.ParseInt(ms, 10, 64)
	return &Place{value.At(time.UnixMilli(at)), id}
}
