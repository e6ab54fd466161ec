package stream_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/serve/stream"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// The database goes away with every connection, comes back, and a client that
// followed goes on where it was.
func TestDatabaseGoneAndBack(t *testing.T) {
	address := dbtest.PostgresURL(t)
	store := open(t, address)
	disclosures := stream.NewDisclosures(store)
	tailer := stream.NewTailer(store, map[string]stream.Apply{db.FeedDisclosures: disclosures.Apply})
	stop := run(t, tailer)
	defer stop()
	listening, deaf := context.WithCancel(t.Context())
	defer deaf()
	go store.Listen(listening)
	caughtUp(t, tailer)

	ctx, _ := access.WithCall(t.Context(), &access.Key{Scopes: []access.Scope{access.KAP}})
	events, err := disclosures.Stream(ctx, func(*access.Key) bool { return true }, []string{"all"}, stream.Resume{})
	need.NoError(t, err)
	hear := func(want int) {
		t.Helper()
		select {
		case e := <-events:
			if d, ok := e.(*stream.DisclosureEvent); !ok && want > 0 || ok && d.Data.DisclosureIndex != want {
				t.Fatalf("heard %+v, want %d", e, want)
			}
		case <-time.After(fixture.Patience):
			t.Fatalf("%d does not come", want)
		}
	}
	tell := func(from, to int) {
		t.Helper()
		writer, err := db.Open(t.Context(), address)
		need.NoError(t, err)
		defer writer.Close()
		for n := from; n <= to; n++ {
			b := &db.Batch{}
			db.Put(b, &kap.Record{Disclosure: kap.Disclosure{DisclosureIndex: n, Type: kap.ODA, Class: "ODA", Symbols: []string{},
				FilerCodes: []string{}}}, new(db.Outcome))
			need.NoError(t, writer.Store(t.Context(), b))
		}
	}
	hear(0) // Subscribed
	tell(1, 3)
	for n := 1; n <= 3; n++ {
		hear(n)
	}

	u, err := url.Parse(address)
	need.NoError(t, err)
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	admin := dbtest.Raw(t, u.String())
	for _, statement := range []string{
		`ALTER DATABASE "` + name + `" ALLOW_CONNECTIONS false`,
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '` + name + `'`,
	} {
		if _, err := admin.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	fixture.Eventually(t, "a look at a database that is gone", func() bool { return tailer.BehindFor() >= 3*time.Second })
	if _, err := admin.ExecContext(t.Context(), `ALTER DATABASE "`+name+`" ALLOW_CONNECTIONS true`); err != nil {
		t.Fatal(err)
	}
	tell(4, 60)
	for n := 4; n <= 60; n++ {
		hear(n)
	}
}
