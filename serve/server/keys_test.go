package server_test

import (
	"piyasa/account/access"
	"piyasa/test/fixture"
	"strings"
	"testing"
)

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
		if res.Header.Get("Retry-After") != "1" || res.Header.Get("X-Usage-Units") != "0" ||
			res.Header.Get("X-Ratelimit-Remaining") != "0" {
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

// A key may come as a bearer token, too, wherever it comes in a header; two that differ are
// refused.
func TestBearerTokens(t *testing.T) {
	a := fixture.New(t)
	for path, accept := range map[string]string{
		"/v1/sectors": "", "/graphql?query={__typename}": "", "/graphql/stream?query={__typename}": "text/event-stream",
		"/v1/stream-token": "",
	} {
		for _, c := range []struct {
			key, bearer string
			status      int
		}{
			{"", "Bearer " + fixture.All, 200}, {fixture.All, "bearer  " + fixture.All, 200}, {fixture.All, "Basic eDp5", 200},
			{fixture.None, "Bearer " + fixture.All, 400}, {"", "Bearer nobody", 401},
			{"", "Basic " + fixture.All, 401}, {"", fixture.All, 401},
		} {
			if res := a.Send("GET", path, c.key, "", "Authorization", c.bearer, "Accept", accept); res.StatusCode != c.status {
				t.Errorf("%s, %q, %q: %d %s", path, c.key, c.bearer, res.StatusCode, res.Text)
			}
		}
	}
}
