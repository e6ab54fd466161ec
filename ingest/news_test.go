package ingest_test

import (
	"strings"
	"testing"
)

// newsItem returns a line about a news item with no more than it needs.
func newsItem(id, title, at string) string {
	return `{"record":"news","news_id":"` + id + `","title":"` + title + `","published_at":"` + at + `","symbols":["DMOST"]}`
}

func TestNewsThatCannotBe(t *testing.T) {
	refuse(t, []refusal{
		{"a word of the API", newsItem("stream", "x", t1), "news_id", "must not be one of disclosures, financials, companies, stream"},
		{"a long id", newsItem(strings.Repeat("n", 101), "x", t1), "news_id", "at most 100 bytes"},
		{"news of another age", newsItem("n-1", "x", "1799-12-31T23:59:59Z"), "published_at", "must be from 1800"},
	})
}

func TestNewsAgain(t *testing.T) {
	again(t, newsItem("n-1", "x", "2026-03-18T11:45:00Z"), newsItem("n-1", "y", "2026-03-18T11:46:00Z"))
}
