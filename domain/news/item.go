package news

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Item is one piece of news.
type Item struct {
	NewsID      string        `json:"news_id" record:"required"`
	Title       string        `json:"title" record:"required"`
	PublishedAt value.Instant `json:"published_at" record:"required" time:"past"`
	Symbols     []string      `json:"symbols" record:"required" most:"10000"` // codes of the companies that it is about
	Summary     *string       `json:"summary"`                                // by a machine
	Sentiment   *Sentiment    `json:"sentiment"`
	Link        *string       `json:"link"`
}

// Stored is an item with its number in the store.
type Stored struct {
	Item
	Seq int64
}

// Sentiment is the mood of a piece of news, as a machine reads it.
type Sentiment struct {
	Label string        `json:"label" record:"required"`
	Score value.Decimal `json:"score"`
}

// notIDs are path segments that other routes use, so that no item may have them as its id.
var notIDs = []string{"disclosures", "financials", "companies", "stream"}

// Normalize changes the symbols to capital letters and removes duplicates.
func (i *Item) Normalize() { i.Symbols = kap.Codes(i.Symbols) }

// Validate returns a value.Invalid if the item is not valid.
func (i *Item) Validate() error {
	err := cmp.Or(value.CheckKey("news_id", i.NewsID), value.CheckMoment("published_at", i.PublishedAt), value.CheckLink("link", i.Link))
	if err != nil {
		return err
	}
	if slices.Contains(notIDs, i.NewsID) {
		return value.Invalidf("news_id", "must not be one of %s, which are paths of the API", strings.Join(notIDs, ", "))
	}
	return nil
}

// Item returns one piece of news by its id. Needs news. Problems: not-found.
func (s *Service) Item(ctx context.Context, id string) (*Item, error) {
	if err := access.Enter(ctx, access.News); err != nil {
		return nil, err
	}
	found, err := s.Store.NewsItems(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	item := found[id]
	if item == nil {
		return nil, problem.New(problem.NotFound, "There is no news item with the id %s.", problem.Shown(id))
	}
	access.Charge(ctx, access.Unit)
	return item, nil
}
