package server_test

import (
	"encoding/json"
	"piyasa/account/access"
	"piyasa/test/fixture"
	"piyasa/test/fixture/calls"
	"strings"
	"testing"
)

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
		{"/v1/quotes?ids=bist:DMOST&currency=USD&currency=EUR", noBIST, 403, "missing-scope"},
		{"/v1/quotes?ids=bist:DMOST&currency=USD&currency=EUR", fixture.All, 400, "repeated-parameter"},
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
		{"/v1/candles/bist:DMOST?resolution=1D", 422, "invalid-parameter", "value", "1D",
			"must be 5m (bist, fx, index, cmdty), 2h (crypto), 1d, 1w or 1mo;"},
		{"/v1/candles?ids=bist:DMOST&resolution=", 422, "invalid-parameter", "value", "",
			"must be 5m (bist, fx, index, cmdty), 2h (crypto), 1d, 1w or 1mo;"},
		{"/v1/stocks/bist:DMOST/indicators?resolution=1D", 422, "invalid-parameter", "value", "1D", "must be 5m or 1d;"},
		{"/v1/stocks/bist:DMOST/indicators?resolution=2h", 422, "unsupported-resolution", "value", "2h", "must be 5m or 1d for indicators"},
		{"/v1/candles/bist:DMOST?resolution=2h", 422, "unsupported-resolution", "value", "2h", "must be 5m, 1d, 1w or 1mo for bist"},
		{"/v1/candles/crypto:1?resolution=5m", 422, "unsupported-resolution", "parameter", "resolution", "must be 2h, 1d, 1w or 1mo for crypto"},
		{"/v1/candles/us:NOPE?resolution=5m", 422, "unsupported-resolution", "parameter", "resolution", "must be 1d, 1w or 1mo for us"},
		{"/v1/instruments?market=BIST", 422, "invalid-parameter", "parameter", "market", "bist, crypto"},
		{"/v1/quotes/bist:DMOST?currency=usd", 422, "unsupported-currency", "parameter", "currency", "TRY, USD, EUR"},
		{"/v1/quotes/bist:DMOST?currency=", 422, "unsupported-currency", "parameter", "currency", "TRY, USD, EUR"},
		{"/v1/quotes", 422, "invalid-parameter", "parameter", "ids", "1 to 100"},
		{"/v1/quotes?ids=", 422, "invalid-parameter", "parameter", "ids", "1 to 100"},
		{"/v1/quotes?ids=,", 422, "invalid-parameter", "parameter", "ids", "none of them empty"},
		{"/v1/quotes?ids=bist:DMOST,", 422, "invalid-parameter", "value", "bist:DMOST,", "none of them empty"},
		{"/v1/quotes?ids=bist:DMOST&ids=", 422, "invalid-parameter", "parameter", "ids", "none of them empty"},
		{"/v1/quotes?ids=" + strings.Repeat("bist:DMOST,", 100) + "bist:DMOST", 422, "too-many-values", "limit", json.Number("100"), "101"},
	} {
		t.Run(c.path[:min(len(c.path), 60)], func(t *testing.T) {
			res := a.Get(c.path, fixture.All)
			res.WantProblem(t, c.status, c.kind)
			if res.JSON[c.member] != c.value || !strings.Contains(res.JSON["detail"].(string), c.mention) {
				t.Errorf("%s = %v, want %v; detail %q must mention %q",
					c.member, res.JSON[c.member], c.value, res.JSON["detail"], c.mention)
			}
		})
	}
}
