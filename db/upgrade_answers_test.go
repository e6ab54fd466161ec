package db_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/resolvers"
	"piyasa/rest"
	"piyasa/serve/server"
	"piyasa/services"
	"piyasa/test/fixture"
)

// renamed leads the requests of other tests to what testdata/rows has.
var renamed = strings.NewReplacer("/1505", "/1600707", "/1501", "/1600708", "dmipo-2026", "demo-2026", "n-2", "n-1", "DMF", "DMA",
	"fund:dmx", "fund:dma", "DMX", "DMA",
	"otomotiv", "gida", "xu100", "XU030", "XU100", "XU030", "crypto:1", "crypto:1600707", "crypto:btc", "crypto:1600707", "dmosr", "DMOST",
	"DMOSR", "DMOST")

// requestID is what each problem has of its own.
var requestID = regexp.MustCompile(`"request_id":"[^"]*"`)

// An upgraded database is answered from as one that this version made and that has the same
// rows: every route says the same, to the byte.
func TestUpgradedStoresAnswerAsFreshOnes(t *testing.T) {
	t.Parallel()
	dbtest.EachEmpty(t, func(t *testing.T, url string) {
		for _, from := range []string{"0009", "0018"} { // before bars and lists changed, and before codes did
			upgraded, fresh := another(t, url, from[:4]+"old"), another(t, url, from[:4]+"new")
			grow(t, upgraded, from)
			for _, each := range []string{upgraded, fresh} {
				if _, err := db.Migrate(t.Context(), each); err != nil {
					t.Fatal(err)
				}
			}
			copyRows(t, upgraded, fresh)
			want, answered := answers(t, fresh)
			got, _ := answers(t, upgraded)
			for _, path := range slices.Sorted(maps.Keys(want)) {
				if got[path] != want[path] {
					t.Errorf("from %s: %s\nupgraded %s\nfresh    %s", from, path, got[path], want[path])
				}
			}
			if least := len(want) / 2; answered < least {
				t.Errorf("from %s: %d of %d requests are answered", from, answered, len(want))
			}
		}
	})
}

// copyRows makes the rows of a database those of another one, of this version, in another
// order.
func copyRows(t *testing.T, from, to string) {
	t.Helper()
	raw := dbtest.Raw(t, to)
	defer raw.Close()
	raw.SetMaxOpenConns(1)
	do := func(statement string, args ...any) {
		t.Helper()
		if _, err := raw.Exec(statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	source := ""
	if dbtest.IsPostgres(to) {
		_, source, _ = strings.Cut(from, "search_path=")
		do("SET session_replication_role = replica") // in any order, whatever refers to what
	} else {
		source = "upgraded"
		do("ATTACH ? AS upgraded", strings.TrimPrefix(from, "sqlite:"))
	}
	for table, expressions := range columns(t, to, raw) {
		names := `"` + strings.Join(slices.Sorted(maps.Keys(expressions)), `", "`) + `"`
		do("DELETE FROM " + table)
		do("INSERT INTO " + table + " (" + names + ") SELECT " + names + " FROM " + source + "." + table + " ORDER BY " +
			strings.ReplaceAll(names, ",", " DESC,") + " DESC")
	}
	if _, err := db.Migrate(t.Context(), to); err != nil { // it indexes the words of disclosures copied after their words
		t.Fatal(err)
	}
}

// answers asks every route of a server over a database, and counts those that are no
// problem.
func answers(t *testing.T, url string) (by map[string]string, answered int) {
	t.Helper()
	store := open(t, url)
	root := services.New(fixture.Settings(), store)
	a := &fixture.Server{T: t, Store: store, Services: root,
		Server: server.New(server.Config{Version: "test", Services: root, Ready: func() (server.Readiness, error) {
			return server.Readiness{}, nil
		}})}
	fixture.Apply(t, root)
	a.Keys(fixture.Unlimited())
	by = map[string]string{}
	ask := func(path, accept string) {
		t.Helper()
		res := a.Send("GET", path, fixture.All, "", "Accept", accept)
		if by[accept+" "+path] = res.Status + " " + res.Header.Get("Content-Type") + " " +
			requestID.ReplaceAllString(res.Text, ""); res.StatusCode == 200 {
			answered++
		}
	}
	for _, route := range rest.Routes(resolvers.New(nil)) {
		paths := []string{route.Pattern} // of what takes no argument
		if strings.Contains(route.Pattern, "{") {
			paths = nil
		}
		for _, c := range fixture.Counterparts {
			if c.Pattern == route.Pattern {
				paths = append(paths, renamed.Replace(c.Path))
			}
		}
		switch route.Pattern {
		case "/v1/logos/{id}":
			paths = append(paths, "/v1/logos/bist:DMOST")
		case "/v1/attachments/{token}":
			continue // it leads elsewhere
		}
		if len(paths) == 0 {
			t.Errorf("nothing asks %s", route.Pattern)
		}
		for _, path := range paths {
			ask(path, "*/*")
			if route.Columns != nil {
				ask(path, rest.CSV)
			}
		}
	}
	return by, answered
}
