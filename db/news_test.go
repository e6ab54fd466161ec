package db_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/news"
	"piyasa/internal/value"
)

// anyNews state anything under an id.
func anyNews(id string) *rapid.Generator[*news.Item] {
	return rapid.Custom(func(t *rapid.T) *news.Item {
		item := &news.Item{
			NewsID: id, Title: texts.Draw(t, "title"), PublishedAt: instants.Draw(t, "at"),
			Symbols: rapid.SliceOfN(texts, 0, 4).Draw(t, "symbols"),
			Summary: optional(texts).Draw(t, "summary"), Link: optional(texts).Draw(t, "link"),
		}
		if rapid.Bool().Draw(t, "felt") {
			item.Sentiment = &news.Sentiment{Label: texts.Draw(t, "label"), Score: figures.Draw(t, "score")}
		}
		return item
	})
}

func TestNewsComeBackExactly(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		rapid.Check(t, func(t *rapid.T) {
			id := texts.Draw(t, "id")
			item := anyNews(id).Draw(t, "item")
			put(t, s, item)
			same(t, "item", must[map[string]*news.Item](t)(s.NewsItems(background, []string{id, "n-nope"})),
				map[string]*news.Item{id: item})
			want(t, put(t, s, item), db.Unchanged)
		})
		for _, ids := range [][]string{nil, {"n-nope"}} {
			if found, err := s.NewsItems(t.Context(), ids); len(found) > 0 || err != nil {
				t.Errorf("%v: %s, %v", ids, encoded(found), err)
			}
		}
	})
}

// Replaced news are found by their new codes, at their new place.
func TestNewsReplace(t *testing.T) {
	item := func(at string, symbols ...string) *news.Item {
		return &news.Item{NewsID: "n-1", Title: "t", PublishedAt: value.MustInstant(at), Symbols: symbols}
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, item("2026-03-18T06:05:00Z", "DMOST", "DMBNK", "DMOST"), item("2026-03-18T06:06:00Z", "DMOST")),
			db.Stored, db.Stored)
		want(t, put(t, s, item("2026-03-18T06:07:00Z", "DMBNK", "DMTEK")), db.Stored)
		for code, found := range map[string]bool{"DMOST": false, "DMBNK": true, "DMTEK": true} {
			items := must[[]*news.Stored](t)(s.News(background,
				news.Query{Of: reach(code), From: value.MustInstant("2026-03-18T06:07:00Z"), Limit: 5}))
			if (len(items) == 1) != found || found && items[0].Seq != 2 {
				t.Errorf("%s: %s", code, encoded(items))
			}
		}
	})
}

// The widest window that there is.
func TestNewsOfAllTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		put(t, s, &news.Item{NewsID: "n-1", Title: "t", PublishedAt: value.MustInstant("2026-03-18T06:05:00Z"), Symbols: []string{"DMOST"}})
		q := news.Query{Of: reach("DMOST"), From: value.MustDate("0001-01-02").TurkeyStart(),
			To: value.MustDate("9999-12-31").AddDays(1).TurkeyStart().Add(-time.Millisecond), Limit: 2}
		if items := must[[]*news.Stored](t)(s.News(background, q)); len(items) != 1 {
			t.Errorf("%s to %s: %s", q.From, q.To, encoded(items))
		}
	})
}

// The answer is that of a slow look at every item: with any filter, in pages of
// any size, with ids that collations would order otherwise.
func TestAnyNewsInPages(t *testing.T) {
	t.Parallel()
	noon := value.MustInstant("2026-03-18T12:00:00Z")
	moments := rapid.Custom(func(t *rapid.T) value.Instant {
		return noon.Add(time.Duration(rapid.IntRange(0, 5).Draw(t, "ms")) * time.Millisecond)
	})
	codes := rapid.SampledFrom([]string{"DMOST", "DMOSR", "DMBNK", "A1"})
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		all := map[string]*news.Item{}
		rapid.Check(t, func(t *rapid.T) {
			for range rapid.IntRange(0, 4).Draw(t, "new") {
				item := &news.Item{NewsID: rapid.StringOfN(rapid.RuneFrom([]rune("aAbB-_ 1ğĞşi")), 1, 3, -1).Draw(t, "id"), Title: "t",
					PublishedAt: moments.Draw(t, "at"), Symbols: rapid.SliceOfN(codes, 0, 3).Draw(t, "symbols")}
				all[item.NewsID] = item
				put(t, s, item)
			}
			q := news.Query{Limit: rapid.IntRange(1, 7).Draw(t, "limit")}
			if rapid.Bool().Draw(t, "by code") {
				q.Of = reach(rapid.SliceOfN(codes, 1, 3).Draw(t, "codes")...)
			}
			if rapid.Bool().Draw(t, "from") {
				q.From = moments.Draw(t, "from")
			}
			if rapid.Bool().Draw(t, "to") {
				q.To = moments.Draw(t, "to")
			}
			expected := []*news.Item{}
			for _, i := range all {
				about := q.Of == nil || slices.ContainsFunc(i.Symbols, func(c string) bool { return slices.Contains(q.Of.Codes(), c) })
				if about && (q.From.IsNull() || !i.PublishedAt.Before(q.From)) && (q.To.IsNull() || !i.PublishedAt.After(q.To)) {
					expected = append(expected, i)
				}
			}
			slices.SortFunc(expected, func(a, b *news.Item) int {
				return cmp.Or(b.PublishedAt.Time().Compare(a.PublishedAt.Time()), strings.Compare(b.NewsID, a.NewsID))
			})
			got := []*news.Item{}
			for {
				page := must[[]*news.Stored](t)(s.News(background, q))
				for _, stored := range page {
					got = append(got, &stored.Item)
				}
				if len(page) < q.Limit {
					break
				}
				last := page[len(page)-1]
				q.After = &news.Place{PublishedAt: last.PublishedAt, NewsID: last.NewsID}
			}
			same(t, "news", got, expected)
		})
	})
}
