package rest_test

import (
	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/test/fixture"
	"strings"
	"testing"
)

// IPO-01 to IPO-04, G-84: the whole answers, and parameters.
func TestIpoTexts(t *testing.T) {
	a := fixture.New(t)
	const next = `{"id":"dmipo-next","company":"Demo Sıra","symbol":null,"instrument_id":null,"state":"upcoming","price":null,"price_low":null,"price_high":null,"currency":"TRY","lots":null,"offer_size":null,` +
		`"demand_start":"2026-03-19","demand_end":null,"first_trade_date":null,"lead_underwriter":null,"as_of":null}`
	const old = `{"id":"dmipo-old","company":"Demo Eski","symbol":"DMOST","instrument_id":"bist:DMOST","state":"completed","price":null,"price_low":null,"price_high":null,"currency":"TRY","lots":null,"offer_size":null,` +
		`"demand_start":null,"demand_end":null,"first_trade_date":"2025-12-10","lead_underwriter":null,"as_of":"2026-01-01T09:00:00Z"}`
	const active = `{"id":"dmipo-2026","company":"Demo Gıda <A.Ş.>","symbol":"DMGDA","instrument_id":null,"state":"active","price":"42.50","price_low":null,"price_high":null,"currency":"TRY","lots":"25000000",` +
		`"offer_size":"1062500000","demand_start":"2026-03-17","demand_end":"2026-03-19","first_trade_date":null,"lead_underwriter":"Demo Yatırım","as_of":"2026-03-18T09:00:00Z"}`
	for path, want := range map[string]string{
		"/v1/ipo": `{"ipos":[` + active + `,` + next + `,` + old +
			`],"count":3,"total":3,"stale":false,"as_of":"2026-03-18T09:00:00Z"}`,
		"/v1/ipo?state=upcoming": `{"ipos":[` + next +
			`],"count":1,"total":1,"stale":false,"as_of":"2026-03-18T09:00:00Z"}`,
		"/v1/ipo?from=2025-12-10&to=2025-12-10":  `{"ipos":[` + old + `],"count":1,"total":1,"stale":false,"as_of":"2026-03-18T09:00:00Z"}`,
		"/v1/ipo?from=2025-12-11&state=all":      `{"ipos":[],"count":0,"total":0,"stale":false,"as_of":"2026-03-18T09:00:00Z"}`,
		"/v1/ipo?to=2025-12-09&state=completed&": `{"ipos":[],"count":0,"total":0,"stale":false,"as_of":"2026-03-18T09:00:00Z"}`,
	} {
		if res := a.Get(path, fixture.All); res.Text != want+"\n" || res.Header.Get("X-Usage-Units") != "1" {
			t.Errorf("%s\ngot  %s\nwant %s", path, res.Text, want)
		}
	}
	for path, kind := range map[string]string{
		"/v1/ipo?limit=5": "unknown-parameter", "/v1/ipo?State=all": "unknown-parameter", "/v1/ipo?api_key=x": "unknown-parameter",
		"/v1/ipo?state=all&foo": "unknown-parameter", "/v1/ipo?%00=": "unknown-parameter",
		"/v1/ipo/dmipo-2026?foo=1": "unknown-parameter", "/v1/ipo/nope?foo=1": "unknown-parameter",
		"/v1/ipo/dmipo-2026?state=all": "unknown-parameter",
		"/v1/ipo?state=all&state=all":  "repeated-parameter", "/v1/ipo?from=2026-03-02&to=2026-03-01": "inverted-window",
		"/v1/ipo?state=x": "invalid-parameter", "/v1/ipo?state=": "invalid-parameter", "/v1/ipo?from=2026-02-30": "invalid-parameter",
		"/v1/ipo?to=x&limit=5": "invalid-parameter",
		"/v1/ipo/nope":         "not-found", "/v1/ipo/": "not-found", "/v1/ipo/dmipo-2026/documents": "not-found",
	} {
		status := map[string]int{"invalid-parameter": 422, "not-found": 404}[kind]
		if status == 0 {
			status = 400
		}
		t.Run(path, func(t *testing.T) { a.Get(path, fixture.All).WantProblem(t, status, kind) })
	}
}

// IPO-05, G-13: either scope opens both routes.
func TestScopesOfIpos(t *testing.T) {
	a := fixture.New(t)
	a.Keys(fixture.Key("piyasa_live_bist", access.QuotesBIST), fixture.Key("piyasa_live_ipo", access.IPORead),
		fixture.Key("piyasa_live_none"))
	for path, field := range map[string]string{"/v1/ipo": `ipos { total }`, "/v1/ipo/dmipo-2026": `ipo(id: "dmipo-2026") { price }`} {
		for _, secret := range []string{"piyasa_live_bist", "piyasa_live_ipo"} {
			if res, asked := a.Get(path, secret), a.Query("{ "+field+" }", secret); res.StatusCode != 200 || asked.JSON["errors"] != nil {
				t.Errorf("%s with %s: %s %s", path, secret, res.Text, asked.Text)
			}
		}
		res, asked := a.Get(path+"?foo=1", "piyasa_live_none"), a.Query("{ "+field+" }", "piyasa_live_none")
		res.WantProblem(t, 403, "missing-scope")
		const both = `"missing_scopes":["quotes:bist","ipo:read"]`
		if !strings.Contains(res.Text, both) || !strings.Contains(asked.Text, both) ||
			!strings.Contains(res.JSON["detail"].(string), "one of") {
			t.Errorf("%s: %s %s", path, res.Text, asked.Text)
		}
	}
	a.Get("/v1/quotes/bist:DMOST", "piyasa_live_ipo").WantProblem(t, 403, "missing-scope")
}

// IPO-06 to IPO-08, G-84: while the source is down the copy is marked, in the
// header and in the body; without a copy it is 503; up again, no more.
func TestStaleIpos(t *testing.T) {
	a, empty := fixture.New(t), fixture.New(t)
	offerings := a.Services.IPO.Live
	empty.Services.IPO.Live.SetRecords(nil)
	empty.Services.IPO.Live.PutSources([]*market.SourceStatus{{Source: "ipo"}})
	for _, up := range []bool{true, false, true, false} {
		offerings.PutSources([]*market.SourceStatus{{Source: "ipo", Up: up}})
		header, member := "true", `"stale":true`
		if up {
			header, member = "", `"stale":false`
		}
		for _, path := range []string{"/v1/ipo", "/v1/ipo?state=upcoming", "/v1/ipo/dmipo-2026"} {
			for _, method := range []string{"GET", "HEAD"} {
				res := a.Send(method, path, fixture.All, "")
				if _, set := res.Header["X-Data-Stale"]; res.StatusCode != 200 || res.Header.Get("X-Data-Stale") != header || set == up ||
					(method == "GET" && !strings.Contains(res.Text, member)) {
					t.Errorf("up %v: %s %s: %v %s", up, method, path, res.Header, res.Text)
				}
			}
		}
		if res := a.Query(`{ ipos { stale } ipo(id: "dmipo-old") { stale } }`, fixture.All); strings.Count(res.Text, member) != 2 ||
			res.Header.Get("X-Data-Stale") != "" {
			t.Errorf("up %v: %s", up, res.Text)
		}
		if res := a.Get("/v1/indices", fixture.All); res.Header.Get("X-Data-Stale") != "" {
			t.Errorf("other routes are stale: %v", res.Header)
		}
	}
	for _, path := range []string{"/v1/ipo", "/v1/ipo/dmipo-2026"} {
		res := empty.Get(path, fixture.All)
		if res.WantProblem(t, 503, "source-unavailable"); res.Header.Get("Retry-After") != "60" || res.Header.Get("X-Data-Stale") != "" ||
			res.Header.Get("X-Usage-Units") != "0" {
			t.Errorf("%s: %v", path, res.Header)
		}
	}
	if res := empty.Query(`{ ipos { total } }`, fixture.All); !strings.Contains(res.Text, `"status":503`) {
		t.Errorf("without a copy: %s", res.Text)
	}
}
