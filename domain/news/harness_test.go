package news_test

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/domain/news"
	"piyasa/internal/value"
)

// memory is a store of news in memory that keeps the last query.
type memory struct {
	items []*news.Item
	news.Query
}

// newer orders places as lists do.
func newer(a, b news.Place) int {
	return cmp.Or(b.PublishedAt.Time().Compare(a.PublishedAt.Time()), strings.Compare(b.NewsID, a.NewsID))
}

func place(i *news.Item) news.Place { return news.Place{PublishedAt: i.PublishedAt, NewsID: i.NewsID} }

// News implements news.Store.
func (s *memory) News(_ context.Context, q news.Query) ([]*news.Stored, error) {
	s.Query = q
	found := []*news.Stored{}
	for n, i := range s.items {
		about := q.Of == nil || slices.ContainsFunc(i.Symbols, func(c string) bool { return slices.Contains(q.Of.Codes(), c) })
		within := (q.From.IsNull() || !i.PublishedAt.Before(q.From)) && (q.To.IsNull() || !i.PublishedAt.After(q.To))
		if about && within && (q.After == nil || (newer(*q.After, place(i)) < 0) != q.Ascending && newer(*q.After, place(i)) != 0) {
			found = append(found, &news.Stored{Item: *i, Seq: int64(n) + 1})
		}
	}
	slices.SortFunc(found, func(a, b *news.Stored) int { return newer(place(&a.Item), place(&b.Item)) })
	if q.Ascending {
		slices.Reverse(found)
	}
	return found[:min(len(found), q.Limit)], nil
}

// NewsItems implements news.Store.
func (s *memory) NewsItems(_ context.Context, ids []string) (map[string]*news.Item, error) {
	found := map[string]*news.Item{}
	for _, i := range s.items {
		if slices.Contains(ids, i.NewsID) {
			found[i.NewsID] = i
		}
	}
	return found, nil
}

func service(s *memory) *news.Service {
	companies := kap.NewLive()
	companies.PutCompanies([]*kap.CompanyRecord{{CompanyID: "K1", Codes: []string{"DMOST", "DMOSR"}}})
	return &news.Service{Store: s, Companies: companies, Signer: access.Signer{Secret: []byte("s")}}
}

func item(id, at string, symbols ...string) *news.Item {
	return &news.Item{NewsID: id, PublishedAt: value.MustInstant(at), Symbols: symbols}
}

func ids(p *news.Page) []string {
	all := []string{}
	for _, i := range p.Items {
		all = append(all, i.NewsID)
	}
	return all
}
