package news_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/domain/news"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// G-70: newest first, days in Turkey time, every code of a company.
func TestNews(t *testing.T) {
	s := service(&memory{items: []*news.Item{
		item("n-1", "2026-03-17T20:59:59.999Z", "DMOST"),
		item("n-2", "2026-03-17T21:00:00Z", "DMBNK"),
		item("n-3", "2026-03-18T20:59:59.999Z", "DMOSR", "DMBNK"),
		item("n-4", "2026-03-18T21:00:00Z"),
	}})
	day := func(text string) *value.Date { return new(value.MustDate(text)) }
	for _, c := range []struct {
		name   string
		filter news.Filter
		want   []string
	}{
		{"all", news.Filter{}, []string{"n-4", "n-3", "n-2", "n-1"}},
		{"a day", news.Filter{From: day("2026-03-18"), To: day("2026-03-18")}, []string{"n-3", "n-2"}},
		{"from a day", news.Filter{From: day("2026-03-19")}, []string{"n-4"}},
		{"to a day", news.Filter{To: day("2026-03-17")}, []string{"n-1"}},
		{"the last day there is", news.Filter{To: day("9999-12-31")}, []string{"n-4", "n-3", "n-2", "n-1"}},
		{"a company", news.Filter{Symbol: new("bist:dmost")}, []string{"n-3", "n-1"}},
		{"its other code", news.Filter{Symbol: new("DMOSR")}, []string{"n-3", "n-1"}},
		{"a code of a company that nobody described", news.Filter{Symbol: new("DMBNK")}, []string{"n-3", "n-2"}},
		{"a code of nobody", news.Filter{Symbol: new("ZZZZZ")}, []string{}},
		{"together", news.Filter{Symbol: new("DMOST"), To: day("2026-03-17")}, []string{"n-1"}},
	} {
		ctx := calls.Caller(access.News)
		call := access.CallOf(ctx)
		page, err := s.News(ctx, c.filter, nil, nil)
		if err != nil || !slices.Equal(ids(page), c.want) || page.Count != len(c.want) || page.NextCursor != nil || call.Units() != 1 {
			t.Errorf("%s: %+v, %v, %d units; want %v", c.name, page, err, call.Units(), c.want)
		}
	}
}

func TestNewsRefusals(t *testing.T) {
	s := service(&memory{items: []*news.Item{item("n-1", "2026-03-17T20:00:00Z", "DMOST"), item("n-2", "2026-03-17T21:00:00Z")}})
	day := func(text string) *value.Date { return new(value.MustDate(text)) }
	ctx := calls.Caller(access.News)
	call := access.CallOf(ctx)
	page, err := s.News(ctx, news.Filter{}, nil, new(1))
	if err != nil || page.NextCursor == nil {
		t.Fatalf("%+v, %v", page, err)
	}
	spent := call.Units()
	for _, c := range []struct {
		name   string
		filter news.Filter
		cursor *string
		limit  *int
		want   problem.Kind
	}{
		{"limit 0", news.Filter{}, nil, new(0), problem.InvalidParameter},
		{"limit 101", news.Filter{Symbol: new("D-M")}, nil, new(101), problem.InvalidParameter},
		{"malformed", news.Filter{Symbol: new("D-M")}, nil, nil, problem.MalformedCode},
		{"inverted", news.Filter{From: day("2026-03-18"), To: day("2026-03-17")}, nil, nil, problem.InvertedWindow},
		{"garbage", news.Filter{}, new("garbage"), nil, problem.InvalidCursor},
		{"cursor of another list", news.Filter{}, new(s.Signer.Cursor("1773820800000 1501", "disclosures", `"" null null`)), nil,
			problem.InvalidCursor},
		{"cursor of another symbol", news.Filter{Symbol: new("DMOST")}, page.NextCursor, nil, problem.InvalidCursor},
		{"cursor of another from", news.Filter{From: day("2026-03-17")}, page.NextCursor, nil, problem.InvalidCursor},
		{"cursor of another to", news.Filter{To: day("2026-03-18")}, page.NextCursor, nil, problem.InvalidCursor},
	} {
		if page, err := s.News(ctx, c.filter, c.cursor, c.limit); page != nil || calls.KindOf(err) != c.want {
			t.Errorf("%s: %+v, %v; want %s", c.name, page, err, c.want)
		}
	}
	if item, err := s.Item(ctx, "n-nope"); item != nil || calls.KindOf(err) != problem.NotFound {
		t.Errorf("unknown id: %v, %v", item, err)
	}
	if call.Units() != spent {
		t.Errorf("problems cost %d units", call.Units()-spent)
	}
	ctx = calls.Caller(access.KAP, access.QuotesBIST)
	if _, err := s.News(ctx, news.Filter{Symbol: new("D-M")}, nil, new(0)); calls.KindOf(err) != problem.MissingScope {
		t.Errorf("without the scope: %v", err)
	}
	if _, err := s.Item(ctx, "n-nope"); calls.KindOf(err) != problem.MissingScope {
		t.Errorf("an item without the scope: %v", err)
	}
}

// A walk gives every item once, newest first, whatever the pages, and whatever
// is published meanwhile.
func TestAnyWalkOverNews(t *testing.T) {
	noon := value.MustInstant("2026-03-18T12:00:00Z")
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringOfN(rapid.RuneFrom([]rune("ab 1ş\n\x01")), 1, 3, -1), 0, 25, rapid.ID).Draw(t, "ids")
		store := &memory{}
		for _, name := range names { // many at one moment
			at := noon.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "ms")) * time.Millisecond)
			store.items = append(store.items, &news.Item{NewsID: name, PublishedAt: at})
		}
		s := service(store)
		ctx := calls.Caller(access.News)
		var cursor *string
		var got []string
		for {
			page, err := s.News(ctx, news.Filter{}, cursor, new(rapid.IntRange(1, 5).Draw(t, "limit")))
			need.NoError(t, err)
			got = append(got, ids(page)...)
			if cursor = page.NextCursor; cursor == nil {
				break
			}
			store.items = append(store.items, item("late", "2026-03-18T13:00:00Z"))
		}
		first := slices.SortedFunc(slices.Values(store.items[:len(names)]), func(a, b *news.Item) int { return newer(place(a), place(b)) })
		want := []string{}
		for _, i := range first {
			want = append(want, i.NewsID)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("walked over %q, want %q", got, want)
		}
	})
}
