package command_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"piyasa/db/dbtest"

	"piyasa/test/fixture/need"
)

// A server and its database say the same of what is stored, over REST, GraphQL and on the
// command line.
func TestStatus(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, database string) {
		lines := instrument + first +
			`{"record":"bar","instrument_id":"bist:DMOST","resolution":"1d","t":"2026-03-12T21:00:00Z","close":"1"}
{"record":"bar","instrument_id":"bist:DMOST","resolution":"1d","t":"2026-03-15T21:00:00Z","close":"1"}
{"record":"instrument","instrument_id":"bist:DMBNK","symbol":"DMBNK","name":"Demo Bankası","market":"bist","asset_type":"STOCK","currency":"TRY"}
{"record":"bar","instrument_id":"bist:DMBNK","resolution":"1d","t":"2026-03-11T21:00:00Z","close":"1"}
{"record":"bar","instrument_id":"bist:DMBNK","resolution":"1d","t":"2026-03-16T21:00:00Z","close":"1"}
{"record":"source_status","source":"kap","up":false,"as_of":"2026-03-18T11:00:00Z","next_due":"2026-03-18T11:00:00Z","error":"not\u001b[2J there"}
`
		if res := run(t, database, lines, nil, "ingest", "-"); res.status != 0 {
			t.Fatal(res)
		}
		secret, _ := newKey(t, database, "--scopes", "all")
		private := need.Address(t)
		s := start(t, database, "PIYASA_METRICS_LISTEN="+private)
		s.eventually(deadline, "the sources", func() bool {
			_, body := s.get("/v1/sources", secret)
			return body["count"] == 1.0
		})
		said := func(args ...string) (got map[string]any) {
			t.Helper()
			res := run(t, database, "", nil, append([]string{"status", "--json"}, args...)...)
			if err := json.Unmarshal([]byte(res.stdout), &got); err != nil || res.status != 0 {
				t.Fatal(res, err)
			}
			return got
		}
		for _, of := range [][2]string{{"", ""}, {"--market", "bist"}, {"--instrument", "bist:dmost"}} {
			var args []string
			query := "?limit=500"
			if of[0] != "" {
				args = of[:]
				query += "&" + strings.TrimPrefix(of[0], "--") + "=" + of[1]
			}
			_, rest := s.get("/v1/coverage"+query, secret)
			byDatabase, byServer := said(args...), said(append(args, "--url", s.base, "--key", secret)...)
			for name, got := range map[string]map[string]any{"database": byDatabase, "server": byServer} {
				coverage := got["coverage"].(map[string]any)
				if !reflect.DeepEqual(coverage["rows"], rest["rows"]) || coverage["total"] != rest["total"] ||
					len(coverage["rows"].([]any)) == 0 {
					t.Errorf("%v: the %s says %v, REST %v", of, name, coverage["rows"], rest["rows"])
				}
				for member, of := range got { // what is null has its reason
					if _, told := got["unknown"].(map[string]any)[member]; of == nil && member != "reason" && !told {
						t.Errorf("the %s does not say why %s is not known", name, member)
					} else if of != nil && told {
						t.Errorf("the %s says that %s is not known: %v", name, member, of)
					}
				}
			}
			if source := byServer["sources"].([]any)[0].(map[string]any); source["name"] != "kap" || source["up"] != false {
				t.Errorf("sources %v", source)
			}
		}
		for _, args := range [][]string{{"status"}, {"status", "--url", s.base, "--metrics-url", "http://" + private}} {
			res := run(t, database, "", []string{"PIYASA_KEY=" + secret}, args...)
			for _, want := range []string{
				"bist  bar 1d ", "4        2  2026-03-12  2026-03-17",
				"\n  bist bar 1d\n    2 of 2 lack records of days on which others have one\n    (--market bist lists them)\n",
				"kap   down   3,6", `not\x1b[2J there`, "Not known here", "enterprise",
			} {
				if res.status != 0 || !strings.Contains(res.stdout, want) {
					t.Errorf("%v does not say %q:\n%s", args, want, res.stdout)
				}
			}
			if len(args) > 1 && !strings.Contains(res.stdout, "streams   0 graphql_websocket, 0 sse, 0 websocket\n") {
				t.Errorf("it does not tell of streams:\n%s", res.stdout)
			}
			if strings.ContainsRune(res.stdout, '\x1b') || strings.Contains(res.stdout+res.err, secret) {
				t.Errorf("%v: it prints what a terminal obeys, or the key", args)
			}
			for line := range strings.Lines(res.stdout) {
				if len([]rune(strings.TrimRight(line, "\n"))) > 80 {
					t.Errorf("%v: a line of %d characters: %s", args, len([]rune(line)), line)
				}
			}
		}
		s.stop(os.Interrupt)
		if res := run(t, database, "", nil, "status", "--url", s.base, "--key", secret); res.status != 1 ||
			!strings.Contains(res.err, "ask the server") {
			t.Error(res)
		}
	})
}

// Mistakes are reported with what is allowed, and nothing is created.
func TestStatusRefuses(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.db")
	for _, c := range []struct {
		says   string
		status int
		args   []string
	}{
		{"does not exist", 1, []string{"--database", "sqlite:" + missing}},
		{"--market: must be one of bist", 2, []string{"--market", "nyse"}},
		{"cannot both be asked for", 2, []string{"--market", "bist", "--instrument", "bist:A"}},
		{"--metrics-url is of a server", 2, []string{"--metrics-url", "http://127.0.0.1:1"}},
		{"--timeout: must be a duration above 0", 2, []string{"--timeout", "0s"}},
		{"--url: must be an address such as", 2, []string{"--url", "ftp://x", "--key", "k"}},
		{"`piyasa keys create` makes one", 2, []string{"--url", "http://127.0.0.1:1"}},
	} {
		if res := run(t, "", "", nil, append([]string{"status"}, c.args...)...); res.status != c.status ||
			!strings.Contains(res.err, c.says) || res.stdout != "" {
			t.Errorf("%v: %v", c.args, res)
		}
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("a database was created")
	}
}

// What answers otherwise than a piyasa is named, and gets no key; a server that is not ready is
// described, with status 1.
func TestStatusOfOthers(t *testing.T) {
	ready, health, coverage := http.StatusServiceUnavailable, `{"version":"1.2.3"}`,
		`{"as_of":"2026-03-18T12:00:00Z","rows":[],"count":0,"total":0,"next_cursor":null}`
	var keys []string // that other paths got
	var mu sync.Mutex
	mux := http.NewServeMux()
	say := func(pattern string, status *int, text *string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			if !strings.HasPrefix(pattern, "/v1/") && r.Header.Get("X-API-Key") != "" {
				keys = append(keys, pattern)
			}
			if *status/100 == 3 {
				w.Header().Set("Location", "/elsewhere")
			}
			w.WriteHeader(*status)
			_, _ = io.WriteString(w, *text)
		})
	}
	ok, whole := http.StatusOK, http.StatusOK
	say("/healthz", &ok, &health)
	say("/readyz", &ready, new(`{"status":"not ready","reason":"the database is away"}`))
	say("/v1/sources", &ok, new(`{"sources":[],"count":0}`))
	say("/v1/usage", &ok,
		new(`{"plan":"pro","month":"2026-03","units":1234567,"units_per_month":2000000,"ends_at":"2026-04-01T00:00:00Z","operations":[]}`))
	say("/v1/coverage", &whole, &coverage)
	say("/elsewhere", &ok, new("{}"))
	server := httptest.NewServer(mux)
	defer server.Close()
	ask := func() result { return run(t, "", "", nil, "status", "--url", server.URL+"/", "--key", "secret") }
	if res := ask(); res.status != 1 || !strings.Contains(res.stdout, "not ready: the database is away") ||
		!strings.Contains(res.stdout, "plan pro: 1,234,567 request units, of 2,000,000") {
		t.Error(res)
	}
	mu.Lock()
	ready = http.StatusOK
	mu.Unlock()
	for _, c := range []struct {
		status         int
		coverage, says string
	}{
		{302, "", "the server answers /v1/coverage with 302"},
		{200, "<html>", "/v1/coverage is no answer of a piyasa"},
		{401, `{"title":"Not authenticated","detail":"The key is unknown."}`,
			"the server refuses /v1/coverage: Not authenticated: The key is unknown."},
		{502, "bad gateway", "the server answers /v1/coverage with 502"},
		{200, `null`, "/v1/coverage is no answer of a piyasa"},
	} {
		mu.Lock()
		whole, coverage = c.status, c.coverage
		mu.Unlock()
		if res := ask(); res.status != 1 || !strings.Contains(res.err, c.says) || strings.Contains(res.err, "secret") || res.stdout != "" {
			t.Errorf("%d %s: %v", c.status, c.coverage, res)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if keys != nil {
		t.Errorf("the key went to %v", keys)
	}
}
