package server_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/test/fixture"
)

// The older paths give the same answers, problems included, and say where they
// live now; the newer ones say nothing of the kind.
func TestLegacyPaths(t *testing.T) {
	a := fixture.New(t)
	a.Keys(fixture.Key(fixture.All, access.Scopes...), fixture.Key(fixture.None),
		&access.Key{ID: "slow", Hash: access.Secret("slow").Hash(), Plan: "test", Scopes: access.Scopes})
	for path, status := range map[string]int{
		"/disclosures": 200, "/disclosures?symbol=dmost&order=asc&limit=1": 200, "/disclosures?symbol=DMOST&symbols=DMBNK": 400,
		"/disclosures?cursor=x": 400, "/disclosures?limit=0": 422,
		"/disclosures?symbol=D-M!": 400, "/disclosures?from=2026-03-19&to=2026-03-18": 400, "/disclosures/1505": 200,
		"/disclosures/999999999": 404, "/disclosures/x": 422, "/disclosures/-1": 404,
		"/companies/DMOST": 200, "/companies/bist:dmosr": 200, "/companies/ZZZZZ": 404, "/companies/dm%C3%B6st": 400,
		"/companies/a%2Fb": 400, "/companies/%3E;x": 400,
		"/financials/DMOST": 200, "/financials/D-M!": 400,
	} {
		for _, secret := range []string{fixture.All, fixture.None, "", "unknown"} {
			for _, method := range []string{"GET", "HEAD", "POST", "DELETE", "OPTIONS"} {
				old, now := a.Send(method, "/v1/kap"+path, secret, ""), a.Send(method, "/v1/kap-feed"+path, secret, "")
				if method == "GET" && secret == fixture.All && now.StatusCode != status {
					t.Errorf("%s: %d %s, want %d", path, now.StatusCode, now.Text, status)
				}
				for _, body := range []map[string]any{old.JSON, now.JSON} { // of each request its own
					delete(body, "request_id")
					delete(body, "instance")
					delete(body, "attachments")
				}
				if old.StatusCode != now.StatusCode || !reflect.DeepEqual(old.JSON, now.JSON) {
					t.Errorf("%s %s of %q: %d %s, and %d %s", method, path, secret, old.StatusCode, old.Text, now.StatusCode, now.Text)
				}
				route, _, _ := strings.Cut(path, "?")
				if d, l := old.Header.Get("Deprecation"), old.Header.Get("Link"); d != "true" || l != "</v1/kap-feed"+route+
					`>; rel="successor-version"` {
					t.Errorf("%s %s of %q (%d): Deprecation %q, Link %q", method, path, secret, old.StatusCode, d, l)
				}
				if now.Header.Get("Deprecation")+now.Header.Get("Link") != "" {
					t.Errorf("%s: the newer path has %v", path, now.Header)
				}
			}
		}
	}
	var limited fixture.Answer
	for range 1000 {
		if limited = a.Get("/v1/kap/disclosures/1505", "slow"); limited.StatusCode == 429 {
			break
		}
	}
	if limited.StatusCode != 429 || limited.Header.Get("Deprecation") != "true" {
		t.Errorf("out of tokens: %d %v", limited.StatusCode, limited.Header)
	}
}

// Other paths below the older prefix are not older spellings of anything.
func TestNoLegacyPaths(t *testing.T) {
	a := fixture.New(t)
	for path, status := range map[string]int{
		"/v1/kap/disclosures/1501/body": 404, "/v1/kap/disclosures/1505/attachments/1": 404, "/v1/kap/disclosures/": 404,
		"/v1/kap//disclosures": 404, "/v1/kap/companies": 404, "/v1/kap/companies/": 404,
		"/v1/kap/stream": 426, "/v1/kap-feed/stream": 426, "/v1/kap": 200, "/v1/kap/n-2": 200, "/v1/kap/financials": 404,
		"/v1/KAP/disclosures": 404, "/v1/kap-feed": 404, "/v1/kap-feed/": 404,
	} {
		res := a.Get(path, fixture.All)
		if res.StatusCode != status || res.Header.Get("Deprecation")+res.Header.Get("Link") != "" {
			t.Errorf("%s: %d %v", path, res.StatusCode, res.Header)
		}
	}
}

// A cursor of the one path goes on in the other.
func TestCursorsOfBothPaths(t *testing.T) {
	a := fixture.New(t)
	first := a.Get("/v1/kap/disclosures?limit=1", fixture.All)
	next, _ := first.JSON["next_cursor"].(string)
	old, now := a.Get("/v1/kap/disclosures?limit=5&cursor="+next, fixture.All),
		a.Get("/v1/kap-feed/disclosures?limit=5&cursor="+next, fixture.All)
	if next == "" || old.StatusCode != 200 || now.StatusCode != 200 || old.Text != now.Text || now.Text == first.Text {
		t.Errorf("%s, %s, %s", first.Text, old.Text, now.Text)
	}
}

// G-21: once it is known until when the older paths work, they say so; the newer ones do not.
func TestSunset(t *testing.T) {
	a := fixture.New(t, func(s *fixture.Setup) { s.Config.Sunset = time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC) })
	for _, path := range []string{"/disclosures", "/disclosures/99999"} {
		old, now := a.Get("/v1/kap"+path, fixture.All), a.Get("/v1/kap-feed"+path, fixture.All)
		if old.Header.Get("Sunset") != "Mon, 01 Mar 2027 00:00:00 GMT" || old.Header.Get("Deprecation") != "true" ||
			now.Header.Get("Sunset") != "" {
			t.Errorf("%s: %v, and newer %v", path, old.Header, now.Header)
		}
	}
	if res := fixture.New(t).Get("/v1/kap/disclosures", fixture.All); res.Header.Get("Sunset") != "" {
		t.Error(res.Header)
	}
}
