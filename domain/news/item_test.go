package news_test

import (
	"testing"

	"piyasa/account/access"
	"piyasa/domain/news"
	"piyasa/internal/value/valuetest"
	"piyasa/test/fixture/calls"
)

func TestNewsItem(t *testing.T) {
	s := service(&memory{items: []*news.Item{item("n-1", "2026-03-17T20:00:00Z")}})
	ctx := calls.Caller(access.News)
	call := access.CallOf(ctx)
	if got, err := s.Item(ctx, "n-1"); err != nil || got.NewsID != "n-1" || call.Units() != 1 {
		t.Errorf("%+v, %v, %d units", got, err, call.Units())
	}
}

func TestItemValidate(t *testing.T) {
	for id, wrong := range map[string]bool{"n-1": false, "Stream": false, "disclosures": true, "financials": true, "companies": true,
		"stream": true} {
		i := &news.Item{NewsID: id}
		if err := i.Validate(); (err != nil) != wrong || (valuetest.InvalidMember(t, err) == "news_id") != wrong {
			t.Errorf("%q: %v", id, err)
		}
	}
}
