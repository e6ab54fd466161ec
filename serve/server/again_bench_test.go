package server_test

import (
	"net/http"
	"testing"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/serve/stream"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// followed starts a server whose log is followed.
func followed(t testing.TB, changes ...func(*fixture.Setup)) *fixture.Server {
	t.Helper()
	a := fixture.New(t, changes...)
	follow(t, a)
	return a
}

// follow has a server follow the log: answers are given again.
func follow(t testing.TB, a *fixture.Server) {
	t.Helper()
	m, err := a.Store.Look(t.Context())
	need.NoError(t, err)
	feeds := a.Services.Feeds()
	delete(feeds, db.FeedKeys)
	delete(feeds, db.FeedCompanies)
	delete(feeds, db.FeedCalendar)
	for name, apply := range feeds {
		need.NoError(t, apply(t.Context(), stream.Rows{Head: m.Heads[name], Epochs: m.Epochs}))
	}
}

// BenchmarkQuoteAgain is one quote that nothing has changed since it was asked for last.
func BenchmarkQuoteAgain(b *testing.B) {
	a := followed(b)
	unlimited := fixture.Key(fixture.All, access.Scopes...)
	unlimited.Plan = "unlimited"
	a.Keys(unlimited)
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "/v1/quotes/bist:DMOST", nil)
	need.NoError(b, err)
	r.RequestURI = r.URL.RequestURI()
	r.Header.Set("X-API-Key", fixture.All)
	b.ReportAllocs()
	w := &discard{http.Header{}}
	for b.Loop() {
		clear(w.header)
		again := *r
		a.ServeHTTP(w, &again)
	}
	if w.header.Get("Etag") == "" {
		b.Error("it was not answered from memory")
	}
}
