package server_test

import (
	"net/url"
	"piyasa/test/fixture"
	"strings"
	"testing"
)

// A key that is written where none belongs is not repeated in the answer.
func TestMisplacedKeysAreNotRepeated(t *testing.T) {
	a := fixture.New(t)
	key := "piyasa_live_0123456789abcdefABCDEF0123456789abcdefAB"
	for _, path := range []string{
		"/v1/quotes/bist:DMOST?currency=" + key, "/v1/calendar?from=" + key, "/v1/ipo?state=" + key, "/v1/ipo?" + key + "=1",
		"/v1/inflation/yi-ufe?limit=" + key,
		"/v1/quotes/" + key, "/v1/quotes/bist:" + key, "/v1/indices/" + key + "/constituents", "/v1/funds/" + key + "/profile",
		"/v1/sectors/" + key + "/returns",
		"/v1/kap-feed/disclosures?cursor=" + key, "/v1/kap-feed/disclosures/" + key, "/" + key, "/v1/dividends?foo" + key + "=1",
		"/v1/logos/bist:NOPE?api_key=" + key,
	} {
		res := a.Get(path, fixture.All)
		if res.StatusCode < 400 || strings.Contains(res.Text, "piyasa_live") {
			t.Errorf("%s: %d %s", path, res.StatusCode, res.Text)
		}
	}
	for _, query := range []string{`{ quote(id: "` + key + `") { last } }`, `{ ` + key + ` }`, `{ quote(id: "bist:DMOST", ` + key +
		`: 1) { last } }`, `{ calendar(from: "` + key + `") { count } }`} {
		for _, res := range []fixture.Answer{a.Query(query, fixture.All), a.Get("/graphql?query="+url.QueryEscape(query), fixture.All)} {
			if res.JSON["errors"] == nil || strings.Contains(res.Text, "piyasa_live") {
				t.Errorf("%s: %s", query, res.Text)
			}
		}
	}
}
