package rest_test

import (
	"net/url"
	"piyasa/test/fixture"
	"testing"
)

// KN-01: the words of the disclosure feed are no news, and news are not
// deprecated.
func TestNewsLeaveTheFeedAlone(t *testing.T) {
	a := fixture.New(t)
	if res := a.Get("/v1/kap/disclosures", fixture.All); res.StatusCode != 200 || res.Header.Get("Deprecation") != "true" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	for _, word := range []string{"financials", "companies", "disclosures/1501/body"} {
		res := a.Get("/v1/kap/"+word, fixture.All)
		res.WantProblem(t, 404, "not-found")
		if res.Header.Get("Deprecation") != "" || res.Header.Get("Link") != "" {
			t.Errorf("%s: %v", word, res.Header)
		}
	}
	a.Get("/v1/kap/stream", fixture.All).WantProblem(t, 426, "upgrade-required")
	for _, path := range []string{"/v1/kap", "/v1/kap/n-2", "/v1/kap/n-nope"} {
		if res := a.Get(path, fixture.All); res.Header.Get("Deprecation") != "" {
			t.Errorf("%s: %v", path, res.Header)
		}
		a.Get(path, fixture.None).WantProblem(t, 403, "missing-scope")
	}
	if items := a.Get("/v1/kap/"+url.PathEscape("n-2"), fixture.All).JSON; items["sentiment"].(map[string]any)["score"] != "0.61" {
		t.Errorf("%v", items)
	}
}
