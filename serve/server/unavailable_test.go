package server_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/services"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// wantUnavailable checks that an answer of whatever route is the problem of an
// unavailable store, and tells nothing of what lies behind it.
func wantUnavailable(t *testing.T, res fixture.Answer, what string) {
	t.Helper()
	if res.StatusCode != 503 || res.JSON["type"] != fixture.BaseURL+"/problems/store-unavailable" || res.Header.Get("Retry-After") != "5" ||
		res.Header.Get("X-Usage-Units") == "1" {
		t.Errorf("%s: %d %v %s", what, res.StatusCode, res.Header, res.Text)
	}
	tellsNothing(t, what, res.Text)
}

func tellsNothing(t *testing.T, what, text string) {
	t.Helper()
	for _, internal := range []string{"sql", "SQL", "database", "relation", "no such table", "dial", "closed", "INTERNAL",
		"/problems/internal"} {
		if strings.Contains(text, internal) {
			t.Errorf("%s tells %q: %s", what, internal, text)
		}
	}
}

// askAll asks every route and its twin, and says of each field that failed
// whether it did as an unavailable store. It returns how many routes failed.
func askAll(t *testing.T, a *fixture.Server, when string) (failed map[string]bool) {
	t.Helper()
	failed = map[string]bool{}
	for _, twin := range fixture.Counterparts {
		over := a.Get(twin.Path, fixture.All)
		if over.StatusCode != 200 {
			failed[twin.Pattern] = true
			wantUnavailable(t, over, when+" "+twin.Path)
		}
		asked := a.Query("{ it: "+twin.Field+fixture.Selection(fixture.RootField(twin.Field).Type.Name())+" }", fixture.All)
		errs, _ := asked.JSON["errors"].([]any)
		if asked.StatusCode != 200 || (len(errs) > 0) != (over.StatusCode != 200) {
			t.Errorf("%s %s: GraphQL %d %s, REST %d", when, twin.Field, asked.StatusCode, asked.Text, over.StatusCode)
		}
		for _, e := range errs {
			if code := e.(map[string]any)["extensions"].(map[string]any)["code"]; code != "STORE_UNAVAILABLE" {
				t.Errorf("%s %s: %s", when, twin.Field, asked.Text)
			}
		}
		tellsNothing(t, when+" "+twin.Field, asked.Text)
	}
	return failed
}

// While the store is gone, what memory knows is answered, and all else is the
// same problem on every route and every field.
func TestStoreThatIsGone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := fixture.New(t, fixture.On(url))
		a.Keys(fixture.Unlimited())
		need.NoError(t, a.Store.Close())
		failed := askAll(t, a, "gone")
		for _, pattern := range []string{
			"/v1/candles/{instrument_id}", "/v1/eod/{instrument_id}", "/v1/kap-feed/disclosures", "/v1/kap-feed/disclosures/{index}",
			"/v1/kap-feed/disclosures/{index}/body",
			"/v1/kap", "/v1/kap/{news_id}", "/v1/calendar", "/v1/dividends", "/v1/stocks/{id}/financials", "/v1/stocks/{id}/indicators",
			"/v1/funds/holders-of/{id}", "/v1/funds/{code}/holdings",
			"/v1/funds/{code}/investor-flows", "/v1/kap-feed/financials/{symbol}",
		} {
			if !failed[pattern] {
				t.Errorf("%s is answered without a store", pattern)
			}
		}
		if failed["/v1/quotes/{instrument_id}"] {
			t.Error("a quote needs the store")
		}
	})
}

// A store that hangs fails in time what needs it, at no charge, and what was asked meanwhile holds nothing
// that others need afterwards.
func TestStoreThatHangs(t *testing.T) {
	const limit, together = time.Second, 20
	url := dbtest.PostgresURL(t)
	proxy := dbtest.NewProxy(t, url, "")
	store := dbtest.Open(t, proxy.URL, db.Timeout(limit), db.Connections(4))
	a := fixture.New(t, fixture.On(url), func(s *fixture.Setup) {
		s.Wrap = func(services.Store) services.Store { return store }
		s.Settings.HistoryCache = 0
	})
	a.Keys(fixture.Unlimited())
	a.Get("/v1/stocks/bist:DMOST/indicators", fixture.All) // from now on memory knows the values, and only series are read
	targets := []struct{ path, field, null string }{
		{"/v1/stocks/bist:DMOST/indicators?last=3", `indicators(id: "bist:DMOST") { series(last: 3) { value } }`, "series"},
		{"/v1/stocks/bist:DMOST/indicators?last=3&resolution=5m",
			`indicators(id: "bist:DMOST", resolution: M5) { series(last: 3) { value } }`, ""},
		{"/v1/funds/DMF/holdings", `fundHoldings(code: "DMF") { count }`, ""},
		{"", `instrument(id: "fund:DMF") { holdings(first: 2) { weightPct } }`, "holdings"},
	}
	each := func(ask func(path, document, null string)) {
		var all sync.WaitGroup
		for _, c := range targets {
			for range together {
				all.Go(func() { ask(c.path, "{ it: "+c.field+" }", c.null) })
			}
		}
		all.Wait()
	}
	proxy.Silence()
	each(func(path, document, null string) {
		began := time.Now()
		res := a.Query(document, fixture.All)
		data, _ := res.JSON["data"].(map[string]any)
		it, answered := data["it"].(map[string]any)
		errs, _ := res.JSON["errors"].([]any)
		if len(errs) != 1 || answered != (null != "") || it[null] != nil ||
			errs[0].(map[string]any)["extensions"].(map[string]any)["code"] != "STORE_UNAVAILABLE" {
			t.Errorf("%s: %s", document, res.Text)
		}
		if path != "" {
			wantUnavailable(t, a.Get(path, fixture.All), path)
		}
		if took := time.Since(began); took > 20*limit {
			t.Errorf("%s took %s", document, took)
		}
	})
	proxy.Speak()
	fixture.Eventually(t, "an answer again", func() bool { return a.Get("/v1/funds/DMF/holdings", fixture.All).StatusCode == 200 })
	each(func(path, document, _ string) {
		if res := a.Query(document, fixture.All); res.JSON["errors"] != nil {
			t.Errorf("%s: %s", document, res.Text)
		}
		if path != "" {
			if res := a.Get(path, fixture.All); res.StatusCode != 200 {
				t.Errorf("%s: %d %s", path, res.StatusCode, res.Text)
			}
		}
	})
}

// A table that is missing fails every reader, at whichever statement of the
// answer that is, with the same problem.
func TestEachTableThatIsGone(t *testing.T) {
	url := "sqlite:" + t.TempDir() + "/piyasa.db"
	a := fixture.New(t, fixture.On(url))
	a.Keys(fixture.Unlimited())
	raw := dbtest.Raw(t, url)
	rows, err := raw.Query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'bun%'")
	need.NoError(t, err)
	var tables []string
	for rows.Next() {
		var name string
		need.NoError(t, rows.Scan(&name))
		tables = append(tables, name)
	}
	need.NoError(t, errors.Join(rows.Err(), rows.Close()))
	rename := func(from, to string) {
		t.Helper()
		if _, err := raw.Exec("PRAGMA legacy_alter_table = ON; ALTER TABLE " + from + " RENAME TO " + to); err != nil {
			t.Fatal(err)
		}
	}
	needed := 0
	for _, table := range tables {
		rename(table, "elsewhere")
		if len(askAll(t, a, "without "+table)) > 0 {
			needed++
		}
		rename("elsewhere", table)
	}
	if needed < 10 {
		t.Errorf("only %d of %d tables are needed", needed, len(tables))
	}
	if failed := askAll(t, a, "with everything"); len(failed) > 0 {
		t.Errorf("still failing: %v", failed)
	}
}

// While the keys cannot be checked, every request with a key is asked to come
// again.
func TestKeysThatCannotBeChecked(t *testing.T) {
	current := false
	a := fixture.New(t, func(s *fixture.Setup) { s.Settings.Current = func(string) bool { return current } })
	for _, target := range []string{"/v1/quotes/bist:DMOST", "/v1/logos/bist:DMOST?api_key=" + fixture.All, "/v1/kap-feed/disclosures",
		"/v1/stream-token"} {
		key := fixture.All
		if strings.Contains(target, "api_key") {
			key = ""
		}
		wantUnavailable(t, a.Get(target, key), target)
	}
	wantUnavailable(t, a.Query("{ marketStatus { state } }", fixture.All), "GraphQL")
	a.Get("/v1/quotes/bist:DMOST", "").WantProblem(t, 401, "unauthenticated")
	if res := a.Get("/v1/logos/bist:DMOST", ""); res.StatusCode != 401 {
		t.Errorf("no key: %d", res.StatusCode)
	}
	current = true
	if res := a.Get("/v1/quotes/bist:DMOST", fixture.All); res.StatusCode != 200 {
		t.Errorf("afterwards: %d %s", res.StatusCode, res.Text)
	}
	a.Keys(fixture.Key("other", access.Scopes...))
	a.Get("/v1/quotes/bist:DMOST", fixture.All).WantProblem(t, 401, "unauthenticated")
}
