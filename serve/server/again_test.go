package server_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"piyasa/db"
	"piyasa/serve/server"
	"piyasa/serve/stream"
	"piyasa/services"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// A tag is of one version and address: another one may write another body of the same data.
func TestTagsOfOtherVersions(t *testing.T) {
	a := followed(t)
	ask := func(s http.Handler, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/instruments", nil)
		r.Header.Set("X-API-Key", fixture.All)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	tag := ask(a.Server, "").Header().Get("Etag")
	if w := ask(server.New(a.Config), tag); tag == "" || w.Code != http.StatusNotModified {
		t.Errorf("a server of the same version answers %q with %d", tag, w.Code)
	}
	next := a.Config
	next.Version = "next"
	if w := ask(server.New(next), tag); w.Code != http.StatusOK {
		t.Errorf("a server of another version answers with %d", w.Code)
	}
	a.Services.BaseURL = "https://elsewhere.example.com"
	if w := ask(server.New(a.Config), tag); w.Code != http.StatusOK {
		t.Errorf("a server at another address answers with %d", w.Code)
	}
}

// Servers that have applied as many rows, but of other feeds, are in other states.
func TestStatesOfServers(t *testing.T) {
	reads, _ := services.ReadsOf("Query.quotes", false)
	ahead := func(feed string) (first, then services.Stamp) {
		a := followed(t)
		first, _ = a.Services.Stamp(reads)
		need.NoError(t, a.Services.Feeds()[feed](t.Context(), stream.Rows{Head: a.Services.Applied(feed) + 1}))
		then, ok := a.Services.Stamp(reads)
		if !ok || first == then {
			t.Errorf("%s: %v, then %v", feed, first, then)
		}
		return first, then
	}
	first, quotes := ahead(db.FeedQuotes)
	same, catalog := ahead(db.FeedCatalog)
	if first.Feeds != same.Feeds || quotes.Feeds == catalog.Feeds {
		t.Errorf("%v and %v, then %v and %v", first, same, quotes, catalog)
	}
}
