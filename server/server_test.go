package server_test

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"piyasa/access"
	"piyasa/fixture"
	"piyasa/fixture/calls"
)

func TestUnknownPathsAndMethods(t *testing.T) {
	a := fixture.New(t)
	for _, path := range []string{"/nope", "/quotes/bist:DMOST", "/v1/nope", "/v1/quotes/", "/v1/quotes/bist:DMOST/more", "/v2/quotes/bist:DMOST", "/problems/nope", "//v1/instruments", "/v1//instruments", "/v1/../v1/instruments"} {
		a.Get(path, "").WantProblem(t, 404, "not-found")
	}
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
		res := a.Send(method, "/v1/quotes/bist:DMOST", "", "")
		res.WantProblem(t, 405, "method-not-allowed")
		if got := res.Header.Get("Allow"); got != "GET, HEAD" {
			t.Errorf("%s: Allow %q", method, got)
		}
	}
	if res := a.Send("HEAD", "/v1/quotes/bist:DMOST", fixture.All, ""); res.StatusCode != 200 {
		t.Errorf("HEAD: %d", res.StatusCode)
	}
}

func TestKeys(t *testing.T) {
	a := fixture.New(t)
	details := map[string]bool{}
	for _, secret := range []string{"", "piyasa_live_unknown", "x"} {
		for _, path := range []string{"/v1/quotes/bist:DMOST", "/graphql?query={__typename}"} {
			res := a.Get(path, secret)
			res.WantProblem(t, 401, "unauthenticated")
			details[res.JSON["detail"].(string)] = true
			if res.Header.Get("WWW-Authenticate") != "ApiKey" {
				t.Error("no WWW-Authenticate: ApiKey")
			}
			for name := range res.Header {
				if strings.HasPrefix(name, "X-Ratelimit") {
					t.Errorf("a 401 carries %s", name)
				}
			}
		}
	}
	if len(details) != 1 {
		t.Errorf("details differ: %v", details)
	}
	if res := a.Get("/v1/quotes/bist:DMOST?api_key="+fixture.All, ""); res.StatusCode != 401 {
		t.Errorf("a key in the query opens a quote: %d", res.StatusCode)
	}
	a.Keys() // all revoked
	a.Get("/v1/quotes/bist:DMOST", fixture.All).WantProblem(t, 401, "unauthenticated")
}

// AU-08: route, key, rate, scope, parameters, existence, upstream state.
func TestOrderOfChecks(t *testing.T) {
	a := fixture.New(t)
	const noBIST = "piyasa_live_nobist"
	a.Keys(fixture.Key(fixture.All, access.Scopes...), fixture.Key(noBIST, calls.Without(access.QuotesBIST)...))
	for _, c := range []struct {
		path, key string
		status    int
		kind      string
	}{
		{"/v1/nope?currency=GBP", "", 404, "not-found"},
		{"/v1/quotes/bist:NOPE?currency=GBP", "", 401, "unauthenticated"},
		{"/v1/quotes/bist:NOPE?currency=GBP", noBIST, 403, "missing-scope"},
		{"/v1/quotes/bist:NOPE?currency=GBP", fixture.All, 422, "unsupported-currency"},
		{"/v1/quotes/bist:NOPE?currency=USD&currency=EUR", fixture.All, 400, "repeated-parameter"},
		{"/v1/quotes/bist:NOPE?currency=USD", fixture.All, 404, "not-found"},
		{"/v1/quotes/bist:NOPE", noBIST, 403, "missing-scope"},
		{"/v1/quotes/bist:DMOST?currency=EUR", fixture.All, 503, "fx-rate-unavailable"},
		{"/v1/markets/bist/movers?limit=x", noBIST, 403, "missing-scope"},
		{"/v1/markets/bist/movers?limit=x&currency=USD&currency=EUR", fixture.All, 422, "invalid-parameter"},
		{"/v1/markets/bist/movers?currency=USD&currency=EUR&limit=0", fixture.All, 422, "invalid-parameter"},
		{"/v1/quotes?ids=bist:DMOST&currency=GBP", noBIST, 403, "missing-scope"},
		{"/v1/quotes?ids=bist:DMOST&currency=GBP", fixture.All, 422, "unsupported-currency"},
		{"/v1/quotes/crypto:ONE", fixture.All, 400, "ambiguous-ticker"},
		{"/v1/quotes/bist:DMOST?x=%zz;y", noBIST, 403, "missing-scope"},
		{"/v1/quotes?ids=bist:DMOST&ids=crypto:1", noBIST, 403, "missing-scope"},
		{"/v1/quotes?ids=bist:DMOST&ids=crypto:1", fixture.All, 400, "repeated-parameter"},
	} {
		t.Run(c.path+" "+c.key, func(t *testing.T) { a.Get(c.path, c.key).WantProblem(t, c.status, c.kind) })
	}
}

func TestProblemMembersSayWhatIsAllowed(t *testing.T) {
	a := fixture.New(t)
	for _, c := range []struct {
		path    string
		status  int
		kind    string
		member  string
		value   any
		mention string
	}{
		{"/v1/instruments?limit=0", 422, "invalid-parameter", "parameter", "limit", "1 to 5000"},
		{"/v1/instruments?limit=%2B5", 422, "invalid-parameter", "value", "+5", "whole number"},
		{"/v1/instruments?limit=", 422, "invalid-parameter", "value", "", "whole number"},
		{"/v1/instruments?limit=99999999999999999999", 422, "invalid-parameter", "parameter", "limit", "1 to 5000"},
		{"/v1/calendar?importance=99999999999999999999", 422, "invalid-parameter", "value", "99999999999999999999", "1 to 3"},
		{"/v1/kap-feed/disclosures/9223372036854775808", 404, "not-found", "status", json.Number("404"), "9223372036854775808"},
		{"/v1/kap-feed/disclosures/-99999999999999999999/body", 404, "not-found", "status", json.Number("404"), "-99999999999999999999"},
		{"/v1/kap-feed/disclosures/9223372036854775808/body?format=x", 422, "invalid-parameter", "parameter", "format", "kap"},
		{"/v1/calendar/events/123456789012345678901", 404, "not-found", "status", json.Number("404"), "123456789012345678901"},
		{"/v1/candles/bist:DMOST?resolution=1D", 422, "invalid-parameter", "value", "1D", "must be 5m, 2h or 1d;"},
		{"/v1/candles?ids=bist:DMOST&resolution=", 422, "invalid-parameter", "value", "", "must be 5m, 2h or 1d;"},
		{"/v1/stocks/bist:DMOST/indicators?resolution=1D", 422, "invalid-parameter", "value", "1D", "must be 5m or 1d;"},
		{"/v1/stocks/bist:DMOST/indicators?resolution=2h", 422, "unsupported-resolution", "value", "2h", "must be 5m or 1d for indicators"},
		{"/v1/candles/bist:DMOST?resolution=2h", 422, "unsupported-resolution", "value", "2h", "must be 5m or 1d for bist"},
		{"/v1/candles/crypto:1?resolution=5m", 422, "unsupported-resolution", "parameter", "resolution", "must be 2h or 1d for crypto"},
		{"/v1/candles/us:NOPE?resolution=5m", 422, "unsupported-resolution", "parameter", "resolution", "must be 1d for us"},
		{"/v1/instruments?market=BIST", 422, "invalid-parameter", "parameter", "market", "bist, crypto"},
		{"/v1/quotes/bist:DMOST?currency=usd", 422, "unsupported-currency", "parameter", "currency", "TRY, USD, EUR"},
		{"/v1/quotes/bist:DMOST?currency=", 422, "unsupported-currency", "parameter", "currency", "TRY, USD, EUR"},
		{"/v1/quotes", 422, "invalid-parameter", "parameter", "ids", "1 to 100"},
		{"/v1/quotes?ids=", 422, "invalid-parameter", "parameter", "ids", "1 to 100"},
		{"/v1/quotes?ids=,", 422, "invalid-parameter", "parameter", "ids", "none of them empty"},
		{"/v1/quotes?ids=bist:DMOST,", 422, "invalid-parameter", "value", "bist:DMOST,", "none of them empty"},
		{"/v1/quotes?ids=a&ids=b", 400, "repeated-parameter", "parameter", "ids", "once"},
		{"/v1/quotes?ids=" + strings.Repeat("bist:DMOST,", 100) + "bist:DMOST", 422, "too-many-values", "limit", json.Number("100"), "101"},
	} {
		t.Run(c.path[:min(len(c.path), 60)], func(t *testing.T) {
			res := a.Get(c.path, fixture.All)
			res.WantProblem(t, c.status, c.kind)
			if res.JSON[c.member] != c.value || !strings.Contains(res.JSON["detail"].(string), c.mention) {
				t.Errorf("%s = %v, want %v; detail %q must mention %q", c.member, res.JSON[c.member], c.value, res.JSON["detail"], c.mention)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	a := fixture.New(t)
	res := a.Get("/v1/quotes/bist:DMOST", fixture.All)
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Cache-Control": "private, no-store", "X-Usage-Units": "1", "X-Ratelimit-Limit": "1200", "X-Ratelimit-Remaining": "1199", "X-Ratelimit-Reset": "1",
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if other := a.Get("/v1/quotes/bist:DMOST", fixture.All); other.Header.Get("X-Request-Id") == res.Header.Get("X-Request-Id") {
		t.Error("two requests share an id")
	}
	for _, path := range []string{"/v1/quotes/bist:NOPE", "/v1/quotes/bist:DMOST?currency=GBP"} {
		if res := a.Get(path, fixture.All); res.Header.Get("X-Usage-Units") != "0" || res.Header.Get("X-Ratelimit-Limit") == "" {
			t.Errorf("%s: units %q, limit %q", path, res.Header.Get("X-Usage-Units"), res.Header.Get("X-Ratelimit-Limit"))
		}
	}
}

func TestRateLimit(t *testing.T) {
	a := fixture.New(t)
	small := fixture.Key("piyasa_live_small", access.Scopes...)
	small.Plan = "test"
	a.Keys(small, fixture.Key(fixture.All, access.Scopes...))
	refused := 0
	for range 35 {
		res := a.Get("/v1/markets/bist/status", small.ID)
		if res.StatusCode == 200 {
			continue
		}
		refused++
		res.WantProblem(t, 429, "rate-limited")
		if res.Header.Get("Retry-After") != "1" || res.Header.Get("X-Usage-Units") != "0" || res.Header.Get("X-Ratelimit-Remaining") != "0" {
			t.Errorf("Retry-After %q, remaining %q", res.Header.Get("Retry-After"), res.Header.Get("X-Ratelimit-Remaining"))
		}
	}
	if refused < 3 || refused > 5 {
		t.Errorf("%d of 35 refused, bucket 30", refused)
	}
	if res := a.Query("{ __typename }", small.ID); res.StatusCode != 429 {
		t.Errorf("GraphQL takes no token: %d", res.StatusCode)
	}
	if res := a.Get("/v1/markets/bist/status", fixture.All); res.StatusCode != 200 {
		t.Error("another key is touched")
	}
}

func TestWire(t *testing.T) {
	a := fixture.New(t)
	if res := a.Get("/v1/quotes/bist%3ADMOST", fixture.All); res.JSON["instrument_id"] != "bist:DMOST" {
		t.Errorf("percent-encoded colon: %s", res.Text)
	}
	if res := a.Get("/v1/instruments/index:SPX", fixture.All); !strings.Contains(res.Text, `"S&P 500 <index>"`) {
		t.Errorf("escaped: %s", res.Text)
	}
	if res := a.Get("/v1/instruments/bist:DMOST", fixture.All); !strings.Contains(res.Text, "Demo Otomotiv Şirketi") {
		t.Errorf("Turkish letters: %s", res.Text)
	}
	packed := a.Send("GET", "/v1/instruments", fixture.All, "", "Accept-Encoding", "gzip")
	if packed.Header.Get("Content-Encoding") != "gzip" || !strings.Contains(packed.Header.Get("Vary"), "Accept-Encoding") {
		t.Errorf("gzip: %v", packed.Header)
	}
	if res := a.Get("/v1/quotes/bist:DMOST?currency=USD&foo=1&foo=2&a;b=%zz&&=", fixture.All); res.JSON["last"] != "7.4" {
		t.Errorf("unknown parameters are ignored: %s", res.Text)
	}
}

func TestHealth(t *testing.T) {
	a := fixture.New(t)
	if res := a.Get("/healthz", ""); res.StatusCode != 200 {
		t.Errorf("healthz %d", res.StatusCode)
	}
	if res := a.Get("/readyz", ""); res.StatusCode != 200 {
		t.Errorf("readyz %d", res.StatusCode)
	}
	a.Unready = errors.New("the catalog is empty")
	if res := a.Get("/readyz", ""); res.StatusCode != 503 || res.JSON["reason"] != "the catalog is empty" {
		t.Errorf("readyz %d %s", res.StatusCode, res.Text)
	}
}

func TestPages(t *testing.T) {
	a := fixture.New(t)
	for path, mention := range map[string]string{"/docs": "/v1/quotes/{instrument_id}", "/problems/missing-scope": "403"} {
		res := a.Get(path, "")
		if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") || !strings.Contains(res.Text, mention) {
			t.Errorf("%s: %d %s", path, res.StatusCode, res.Text)
		}
	}
	if res := a.Get("/", ""); res.StatusCode != 302 || res.Header.Get("Location") != "/docs" {
		t.Errorf("/: %d", res.StatusCode)
	}
}

// Metrics name routes, never what a client sent.
func TestMetrics(t *testing.T) {
	a := fixture.New(t)
	a.Get("/v1/quotes/bist:DMOST?api_key=piyasa_live_secret", fixture.All)
	a.Get("/nothing/here", fixture.All)
	a.Send("BREW", "/v1/quotes/bist:DMOST", fixture.All, "")
	w := httptest.NewRecorder()
	a.Metrics().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	text := w.Body.String()
	for _, want := range []string{
		`piyasa_http_request_duration_seconds_count{method="GET",route="/v1/quotes/{instrument_id}",status="200"} 1`,
		`piyasa_http_request_duration_seconds_count{method="GET",route="/",status="404"} 1`,
		`piyasa_http_request_duration_seconds_count{method="other",route="/v1/quotes/{instrument_id}",status="405"} 1`,
		"go_goroutines",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(text, "DMOST") || strings.Contains(text, "piyasa_live") || strings.Contains(text, "BREW") {
		t.Error("a client's text is in the metrics")
	}
}
