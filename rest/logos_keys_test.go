package rest_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/test/fixture"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// LG-08, AU-03: the parameter is a key here and nowhere else, and the header
// wins.
func TestKeyInTheQuery(t *testing.T) {
	g := newGallery(t)
	for _, c := range []struct {
		target, header string
		status         int
	}{
		{"/v1/logos/bist:DMOST?api_key=" + fixture.All, "", 200},
		{"/v1/logos/bist:DMOST?width=3&api_key=" + fixture.All, "", 200},
		{"/v1/logos/bist:DMOST?api_key=wrong", fixture.All, 200},
		{"/v1/logos/bist:DMOST?api_key=" + fixture.All, "wrong", 401},
		{"/v1/logos/bist:DMOST?api_key=" + fixture.All, fixture.None, 403},
		{"/v1/logos/bist:DMOST?api_key=" + fixture.None, "", 403},
		{"/v1/logos/bist:DMOST?api_key=wrong", "", 401},
		{"/v1/logos/bist:DMOST?api_key=", "", 401},
		{"/v1/logos/bist:DMOST?API_KEY=" + fixture.All, "", 401},
		{"/v1/logos/bist:DMOST?apikey=" + fixture.All, "", 401},
		{"/v1/logos/bist:DMOST", "", 401},
		{"/v1/logos/?api_key=" + fixture.All, "", 404},
		{"/v1/quotes/bist:DMOST?api_key=" + fixture.All, "", 401},
		{"/v1/instruments/bist:DMOST?api_key=" + fixture.All, "", 401},
		{"/v1/kap/disclosures?api_key=" + fixture.All, "", 401},
		{"/v1/stream-token?api_key=" + fixture.All, "", 401},
		{"/graphql?query={marketStatus{state}}&api_key=" + fixture.All, "", 401},
		{"/graphql/stream?query={marketStatus{state}}&api_key=" + fixture.All, "", 401},
	} {
		res := g.Get(c.target, c.header)
		if res.StatusCode != c.status {
			t.Errorf("%s with the header %q: %d %s", c.target, c.header, res.StatusCode, res.Text)
		}
		if c.status == 401 && res.Header.Get("X-RateLimit-Limit") != "" {
			t.Errorf("%s takes a token", c.target)
		}
	}
}

// A secret in a query string is in no log, no metric, no header and no body,
// whatever becomes of its request.
func TestSecretsInTheQueryNeverShow(t *testing.T) {
	var said bytes.Buffer
	before := slog.Default()
	// and what net/http logs
	slog.SetDefault(slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug, AddSource: true})))
	t.Cleanup(func() { slog.SetDefault(before) })

	const mark = "Sup3rSecret"
	good, poor, tired, unknown := "piyasa_live_"+mark+"1", "piyasa_live_"+mark+"2", "piyasa_live_"+mark+"3", "piyasa_live_"+mark+"4"
	g := newGallery(t)
	keys := []*access.Key{fixture.Key(good, access.Scopes...), fixture.Key(poor, calls.Without(access.AssetsLogos)...),
		fixture.Key(tired, access.Scopes...)}
	for i, k := range keys {
		k.ID = fmt.Sprint("key_", i) // the harness calls keys by their secrets
	}
	keys[2].Plan = "test"
	g.Keys(keys...)
	live := httptest.NewServer(g)
	defer live.Close()

	seen := map[int]bool{}
	ask := func(method, target string, header ...string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, live.URL+target, nil)
		need.NoError(t, err)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		res, err := client.Do(r)
		if err != nil {
			t.Fatalf("%s %s: %v", method, target, err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		need.NoError(t, err)
		seen[res.StatusCode] = true
		if shown := fmt.Sprint(res.Header) + string(body); strings.Contains(shown, mark) {
			t.Errorf("%s %s answers %d with the secret: %s", method, target, res.StatusCode, shown)
		}
	}
	const stock = "/v1/logos/bist:DMOST?api_key="
	ask("GET", stock+good)
	ask("HEAD", stock+good)
	ask("GET", stock+good, "If-None-Match", "*")
	ask("GET", "/v1/logos/bist:DMALTF?api_key="+good)
	ask("GET", "/v1/logos/bist:NOPE?api_key="+good)
	ask("GET", "/v1/logos/crypto:ONE?api_key="+good)
	ask("GET", stock+unknown)
	ask("GET", stock+unknown+"&api_key="+good)
	ask("GET", stock+poor)
	for range 31 { // one more than its bucket holds
		ask("GET", stock+tired)
	}
	ask("POST", stock+good)
	ask("GET", stock+good+"%zz;x=1")
	for _, path := range []string{"/v1//logos/bist:DMOST", "/v1/logos/../logos/bist:DMOST", "/v1/logos/", "/v1/logos",
		"/v1/logos/bist:DMOST/", "/", "/v1/quotes/bist:DMOST", "/v1/kap/disclosures", "/v1/dividends", "/graphql", "/graphql/stream",
		"/v1/ws", "/docs", "/graphiql/"} {
		ask("GET", path+"?api_key="+good)
	}
	ask("GET", "/v1/dividends?api_key="+good, "X-API-Key", good)
	g.away = func() {}
	ask("GET", stock+good)
	g.away = func() { panic("the shelf fell down") }
	ask("GET", stock+good)

	for _, status := range []int{200, 301, 304, 400, 401, 403, 404, 405, 426, 429, 500} {
		if !seen[status] {
			t.Errorf("no answer was %d; they were %v", status, slices.Sorted(maps.Keys(seen)))
		}
	}
	for _, word := range []string{"no disk", "the shelf fell down", "goroutine"} {
		if !strings.Contains(said.String(), word) {
			t.Errorf("the log lacks %q: %s", word, said.String())
		}
	}
	w := httptest.NewRecorder()
	g.Metrics().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if !strings.Contains(w.Body.String(), `route="/v1/logos/{id}",status="304"`) {
		t.Error("the metrics lack the route")
	}
	for where, text := range map[string]string{"log": said.String(), "metrics": w.Body.String()} {
		for line := range strings.Lines(text) {
			if strings.Contains(line, mark) || strings.Contains(line, "api_key") {
				t.Errorf("in the %s: %s", where, line)
			}
		}
	}
}
