package server_test

import (
	"reflect"
	"strings"
	"testing"

	"piyasa/access"
)

// The older paths give the same answers, problems included, and say where they
// live now; the newer ones say nothing of the kind.
func TestLegacyPaths(t *testing.T) {
	a := newAPI(t)
	a.keys(key(all, access.Scopes...), key(none), &access.Key{ID: "slow", Hash: access.Secret("slow").Hash(), Plan: "test", Scopes: access.Scopes})
	for path, status := range map[string]int{
		"/disclosures": 200, "/disclosures?symbol=dmost&order=asc&limit=1": 200, "/disclosures?symbol=DMOST&symbols=DMBNK": 400, "/disclosures?cursor=x": 400, "/disclosures?limit=0": 422,
		"/disclosures?symbol=D-M!": 400, "/disclosures?from=2026-03-19&to=2026-03-18": 400, "/disclosures/1505": 200, "/disclosures/999999999": 404, "/disclosures/x": 422, "/disclosures/-1": 404,
		"/companies/DMOST": 200, "/companies/bist:dmosr": 200, "/companies/ZZZZZ": 404, "/companies/dm%C3%B6st": 400, "/companies/a%2Fb": 400, "/companies/%3E;x": 400,
		"/financials/DMOST": 200, "/financials/D-M!": 400,
	} {
		for _, secret := range []string{all, none, "", "unknown"} {
			for _, method := range []string{"GET", "HEAD", "POST", "DELETE", "OPTIONS"} {
				old, now := a.send(method, "/v1/kap"+path, secret, ""), a.send(method, "/v1/kap-feed"+path, secret, "")
				if method == "GET" && secret == all && now.StatusCode != status {
					t.Errorf("%s: %d %s, want %d", path, now.StatusCode, now.text, status)
				}
				for _, body := range []map[string]any{old.body, now.body} { // of each request its own
					delete(body, "request_id")
					delete(body, "instance")
					delete(body, "attachments")
				}
				if old.StatusCode != now.StatusCode || !reflect.DeepEqual(old.body, now.body) {
					t.Errorf("%s %s of %q: %d %s, and %d %s", method, path, secret, old.StatusCode, old.text, now.StatusCode, now.text)
				}
				route, _, _ := strings.Cut(path, "?")
				if d, l := old.Header.Get("Deprecation"), old.Header.Get("Link"); d != "true" || l != "</v1/kap-feed"+route+`>; rel="successor-version"` {
					t.Errorf("%s %s of %q (%d): Deprecation %q, Link %q", method, path, secret, old.StatusCode, d, l)
				}
				if now.Header.Get("Deprecation")+now.Header.Get("Link") != "" {
					t.Errorf("%s: the newer path has %v", path, now.Header)
				}
			}
		}
	}
	var limited answer
	for range 1000 {
		if limited = a.get("/v1/kap/disclosures/1505", "slow"); limited.StatusCode == 429 {
			break
		}
	}
	if limited.StatusCode != 429 || limited.Header.Get("Deprecation") != "true" {
		t.Errorf("out of tokens: %d %v", limited.StatusCode, limited.Header)
	}
}

// Other paths below the older prefix are not older spellings of anything.
func TestNoLegacyPaths(t *testing.T) {
	a := newAPI(t)
	for path, status := range map[string]int{
		"/v1/kap/disclosures/1501/body": 404, "/v1/kap/disclosures/1505/attachments/1": 404, "/v1/kap/disclosures/": 404, "/v1/kap//disclosures": 404, "/v1/kap/companies": 404, "/v1/kap/companies/": 404,
		"/v1/kap/stream": 426, "/v1/kap-feed/stream": 426, "/v1/kap": 200, "/v1/kap/n-2": 200, "/v1/kap/financials": 404, "/v1/KAP/disclosures": 404, "/v1/kap-feed": 404, "/v1/kap-feed/": 404,
	} {
		res := a.get(path, all)
		if res.StatusCode != status || res.Header.Get("Deprecation")+res.Header.Get("Link") != "" {
			t.Errorf("%s: %d %v", path, res.StatusCode, res.Header)
		}
	}
}

// A cursor of the one path goes on in the other.
func TestCursorsOfBothPaths(t *testing.T) {
	a := newAPI(t)
	first := a.get("/v1/kap/disclosures?limit=1", all)
	next, _ := first.body["next_cursor"].(string)
	old, now := a.get("/v1/kap/disclosures?limit=5&cursor="+next, all), a.get("/v1/kap-feed/disclosures?limit=5&cursor="+next, all)
	if next == "" || old.StatusCode != 200 || now.StatusCode != 200 || old.text != now.text || now.text == first.text {
		t.Errorf("%s, %s, %s", first.text, old.text, now.text)
	}
}
