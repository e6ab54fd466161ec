package server_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"piyasa/access"
	"piyasa/attachment"
	"piyasa/content"
	"piyasa/db/dbtest"
	"piyasa/domain/ipo"
	"piyasa/domain/market"
	"piyasa/fixture"
	"piyasa/fixture/calls"
	"piyasa/value"
)

// FD-01 to FD-06, G-83: the whole answers, on either store.
func TestFundTexts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := fixture.New(t, fixture.On(url))
		for path, want := range map[string]string{
			"/v1/funds/DMF/profile": `{"instrument_id":"fund:DMF","code":"DMF","name":"Demo Hisse & Fonu","founder":"Demo Portföy","category":"Hisse","currency":"TRY","price":"3.415602","price_date":"2026-03-17",` +
				`"portfolio_size":"812000000","investor_count":10250,"share_count":"237733000","management_fee_pct":"2.10","risk_level":6,"is_participation":false,"inception_date":"2019-01-02","as_of":"2026-03-17T18:00:00Z"}`,
			"/v1/funds/ranking": `{"period":"1m","order":"desc","items":[{"rank":1,"instrument_id":"fund:DMX","code":"DMX","name":"Demo X","category":null,"return_pct":"9.50"},` +
				`{"rank":2,"instrument_id":"fund:DMF","code":"DMF","name":"Demo Hisse & Fonu","category":"Hisse","return_pct":"8.1204"}],"count":2,"as_of":"2026-03-17T18:00:00Z"}`,
			"/v1/funds/DMF/investor-flows?window=1w": `{"instrument_id":"fund:DMF","code":"DMF","window":"1w","from_date":"2026-03-11","to_date":"2026-03-17","currency":"TRY",` +
				`"summary":{"net_flow":"1249988.5","inflow":null,"outflow":null,"days":3,"null_reason":"not_provided_by_source"},` +
				`"points":[{"date":"2026-03-11","net_flow":"-12","investor_count":null},{"date":"2026-03-14","net_flow":"1000000.5","investor_count":10249},{"date":"2026-03-17","net_flow":"250000","investor_count":10250}],"count":3}`,
			"/v1/funds/DMF/investor-flows?window=range&from=2026-03-12&to=2026-03-17": `{"instrument_id":"fund:DMF","code":"DMF","window":"range","from_date":"2026-03-12","to_date":"2026-03-17","currency":"TRY",` +
				`"summary":{"net_flow":"1250000.5","inflow":"3000000.5","outflow":"1500000","days":2,"null_reason":null},` +
				`"points":[{"date":"2026-03-14","net_flow":"1000000.5","investor_count":10249},{"date":"2026-03-17","net_flow":"250000","investor_count":10250}],"count":2}`,
			"/v1/funds/DMX/investor-flows": `{"instrument_id":"fund:DMX","code":"DMX","window":"1m","from_date":"2026-02-19","to_date":"2026-03-18","currency":"TRY",` +
				`"summary":{"net_flow":null,"inflow":null,"outflow":null,"days":0,"null_reason":"insufficient_history"},"points":[],"count":0}`,
			"/v1/funds/holders-of/bist:DMOST": `{"instrument_id":"bist:DMOST","holders":[{"fund_id":"fund:DMX","fund_code":"DMX","name":"Demo X","weight_pct":null,"market_value":"40000000","report_month":"2026-01"},` +
				`{"fund_id":"fund:DMF","fund_code":"DMF","name":"Demo Hisse & Fonu","weight_pct":"4.20","market_value":"34104000","report_month":"2026-02"}],"count":2,"as_of":null}`,
		} {
			if res := a.Get(path, fixture.All); res.Text != want+"\n" || res.Header.Get("X-Usage-Units") != "1" || res.Header.Get("X-Data-Stale") != "" {
				t.Errorf("%s\ngot  %s\nwant %s", path, res.Text, want)
			}
		}
	})
}

// FD-02, FD-03, FD-06 to FD-08, G-05: what is wrong with parameters.
func TestParametersOfFunds(t *testing.T) {
	a := fixture.New(t)
	for path, status := range map[string]int{
		"/v1/funds/ranking?limit=0": 422, "/v1/funds/ranking?limit=101": 422, "/v1/funds/ranking?limit=x": 422, "/v1/funds/ranking?limit=": 422,
		"/v1/funds/ranking?order=up": 422, "/v1/funds/ranking?order=": 422, "/v1/funds/ranking?order=DESC": 422, "/v1/funds/ranking?period=2y": 422, "/v1/funds/ranking?period=1M": 422, "/v1/funds/ranking?period=": 422,
		"/v1/funds/ranking?period=1w&period=1m": 400, "/v1/funds/ranking?foo=1": 200, "/v1/funds/ranking?category=": 200,
		"/v1/funds/DMF/investor-flows?window=1y": 422, "/v1/funds/DMF/investor-flows?window=": 422, "/v1/funds/DMF/investor-flows?window=RANGE": 422, "/v1/funds/DMF/investor-flows?window=range&from=x&to=2026-03-12": 422,
		"/v1/funds/DMF/investor-flows?window=range": 400, "/v1/funds/DMF/investor-flows?window=range&to=2026-03-12": 400, "/v1/funds/DMF/investor-flows?window=1w&from=2026-03-12": 400,
		"/v1/funds/DMF/investor-flows?to=2026-03-12": 400, "/v1/funds/DMF/investor-flows?window=range&from=2026-03-13&to=2026-03-12": 400, "/v1/funds/ZZZ/investor-flows?window=range": 400,
		"/v1/funds/DMF/investor-flows?foo=1": 200, "/v1/funds/ZZZ/investor-flows": 404, "/v1/funds/ZZZ/profile": 404, "/v1/funds/ZZZ/profile?foo=1": 404, "/v1/funds/DMF/profile?foo=1": 200,
		"/v1/funds/holders-of/bist:DMALT": 404, "/v1/funds/holders-of/bist:NOPE": 404, "/v1/funds/holders-of/profile": 404, "/v1/funds/holders-of/bist%3ADMOST": 200, "/v1/funds/holders-of/bist:dmost": 200,
		"/v1/funds/holders-of/crypto:1": 200, "/v1/funds/holders-of/crypto:btc": 404, "/v1/funds/holders-of/crypto:ONE": 404,
		"/v1/funds": 404, "/v1/funds/DMF": 404, "/v1/funds/ranking/profile": 404, "/v1/funds/dmf/profile": 200, "/v1/funds/fund%3ADMF/profile": 200,
	} {
		if res := a.Get(path, fixture.All); res.StatusCode != status {
			t.Errorf("%s: %d %s, want %d", path, res.StatusCode, res.Text, status)
		}
	}
	for _, path := range []string{"/v1/funds/DMA/profile", "/v1/funds/fund:dma/investor-flows", "/v1/funds/holders-of/fund:DMA"} {
		res := a.Get(path, fixture.All)
		if res.WantProblem(t, 404, "not-found"); !strings.Contains(res.Text, `"successor":["bist:DMALTF"]`) {
			t.Errorf("%s: %s", path, res.Text)
		}
	}
	for path, needs := range map[string]access.Scope{
		"/v1/funds/DMF/profile": access.QuotesFund, "/v1/funds/ranking": access.QuotesFund, "/v1/funds/holders-of/bist:DMOST": access.QuotesFund, "/v1/funds/DMF/investor-flows": access.History,
		"/v1/indices": access.QuotesBIST, "/v1/indices/XU100/constituents": access.QuotesBIST, "/v1/calendar": access.CalendarRead, "/v1/calendar/events": access.CalendarRead,
		"/v1/calendar/events/10": access.CalendarRead, "/v1/inflation/yi-ufe": access.CalendarRead,
	} {
		a.Keys(fixture.Key("piyasa_live_only", needs), fixture.Key("piyasa_live_without", calls.Without(needs)...))
		if res := a.Get(path, "piyasa_live_only"); res.StatusCode != 200 {
			t.Errorf("%s with %s: %s", path, needs, res.Text)
		}
		res := a.Get(path+"?limit=x", "piyasa_live_without")
		if res.WantProblem(t, 403, "missing-scope"); !strings.Contains(res.Text, `"missing_scopes":["`+string(needs)+`"]`) {
			t.Errorf("%s: %s", path, res.Text)
		}
	}
}

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
		"/v1/ipo":                                `{"ipos":[` + active + `,` + next + `,` + old + `],"count":3,"total":3,"stale":false,"as_of":"2026-03-18T09:00:00Z"}`,
		"/v1/ipo?state=upcoming":                 `{"ipos":[` + next + `],"count":1,"total":1,"stale":false,"as_of":"2026-03-18T09:00:00Z"}`,
		"/v1/ipo?from=2025-12-10&to=2025-12-10":  `{"ipos":[` + old + `],"count":1,"total":1,"stale":false,"as_of":"2026-03-18T09:00:00Z"}`,
		"/v1/ipo?from=2025-12-11&state=all":      `{"ipos":[],"count":0,"total":0,"stale":false,"as_of":"2026-03-18T09:00:00Z"}`,
		"/v1/ipo?to=2025-12-09&state=completed&": `{"ipos":[],"count":0,"total":0,"stale":false,"as_of":"2026-03-18T09:00:00Z"}`,
	} {
		if res := a.Get(path, fixture.All); res.Text != want+"\n" || res.Header.Get("X-Usage-Units") != "1" {
			t.Errorf("%s\ngot  %s\nwant %s", path, res.Text, want)
		}
	}
	for path, kind := range map[string]string{
		"/v1/ipo?limit=5": "unknown-parameter", "/v1/ipo?State=all": "unknown-parameter", "/v1/ipo?api_key=x": "unknown-parameter", "/v1/ipo?state=all&foo": "unknown-parameter", "/v1/ipo?%00=": "unknown-parameter",
		"/v1/ipo/dmipo-2026?foo=1": "unknown-parameter", "/v1/ipo/nope?foo=1": "unknown-parameter", "/v1/ipo/dmipo-2026?state=all": "unknown-parameter",
		"/v1/ipo?state=all&state=all": "repeated-parameter", "/v1/ipo?from=2026-03-02&to=2026-03-01": "inverted-window",
		"/v1/ipo?state=x": "invalid-parameter", "/v1/ipo?state=": "invalid-parameter", "/v1/ipo?from=2026-02-30": "invalid-parameter", "/v1/ipo?to=x&limit=5": "invalid-parameter",
		"/v1/ipo/nope": "not-found", "/v1/ipo/": "not-found", "/v1/ipo/dmipo-2026/documents": "not-found",
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
	a.Keys(fixture.Key("piyasa_live_bist", access.QuotesBIST), fixture.Key("piyasa_live_ipo", access.IPORead), fixture.Key("piyasa_live_none"))
	for path, field := range map[string]string{"/v1/ipo": `ipos { total }`, "/v1/ipo/dmipo-2026": `ipo(id: "dmipo-2026") { price }`} {
		for _, secret := range []string{"piyasa_live_bist", "piyasa_live_ipo"} {
			if res, asked := a.Get(path, secret), a.Query("{ "+field+" }", secret); res.StatusCode != 200 || asked.JSON["errors"] != nil {
				t.Errorf("%s with %s: %s %s", path, secret, res.Text, asked.Text)
			}
		}
		res, asked := a.Get(path+"?foo=1", "piyasa_live_none"), a.Query("{ "+field+" }", "piyasa_live_none")
		res.WantProblem(t, 403, "missing-scope")
		const both = `"missing_scopes":["quotes:bist","ipo:read"]`
		if !strings.Contains(res.Text, both) || !strings.Contains(asked.Text, both) || !strings.Contains(res.JSON["detail"].(string), "one of") {
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
				if _, set := res.Header["X-Data-Stale"]; res.StatusCode != 200 || res.Header.Get("X-Data-Stale") != header || set == up || (method == "GET" && !strings.Contains(res.Text, member)) {
					t.Errorf("up %v: %s %s: %v %s", up, method, path, res.Header, res.Text)
				}
			}
		}
		if res := a.Query(`{ ipos { stale } ipo(id: "dmipo-old") { stale } }`, fixture.All); strings.Count(res.Text, member) != 2 || res.Header.Get("X-Data-Stale") != "" {
			t.Errorf("up %v: %s", up, res.Text)
		}
		if res := a.Get("/v1/indices", fixture.All); res.Header.Get("X-Data-Stale") != "" {
			t.Errorf("other routes are stale: %v", res.Header)
		}
	}
	for _, path := range []string{"/v1/ipo", "/v1/ipo/dmipo-2026"} {
		res := empty.Get(path, fixture.All)
		if res.WantProblem(t, 503, "source-unavailable"); res.Header.Get("Retry-After") != "60" || res.Header.Get("X-Data-Stale") != "" || res.Header.Get("X-Usage-Units") != "0" {
			t.Errorf("%s: %v", path, res.Header)
		}
	}
	if res := empty.Query(`{ ipos { total } }`, fixture.All); !strings.Contains(res.Text, `"status":503`) {
		t.Errorf("without a copy: %s", res.Text)
	}
}

// A document takes its link and nothing else, until the link ends; where it
// comes from is told to nobody.
func TestDocumentsOfIpos(t *testing.T) {
	at := fixture.Now
	files, err := content.Open(folderOf(t, map[string]string{"one": "first", "two": "second"}))
	if err != nil {
		t.Fatal(err)
	}
	a := fixture.New(t, func(s *fixture.Setup) {
		s.Config.Attachments, s.Settings.Clock = files, func() value.Instant { return at }
	})
	a.Services.IPO.Live.PutRecords([]*ipo.Record{
		{Facts: ipo.Facts{ID: "a/b ç?", Company: "x", Currency: "TRY"}, Documents: []attachment.Document{{Name: "a", Location: "two"}}},
		{Facts: ipo.Facts{ID: "gone", Company: "x", Currency: "TRY"}, Documents: []attachment.Document{{Name: "a", Location: "secret/gone"}}},
	})
	links := func(id string) []string {
		var paths []string
		res := a.Get("/v1/ipo/"+url.PathEscape(id), fixture.All)
		for _, d := range res.JSON["documents"].([]any) {
			d := d.(map[string]any)
			path, ok := strings.CutPrefix(d["url"].(string), fixture.BaseURL)
			if !ok || d["expires_at"] != at.Add(15*time.Minute).String() || len(d) != 5 {
				t.Fatalf("%v", d)
			}
			paths = append(paths, path)
		}
		return paths
	}
	both := links("dmipo-2026")
	for i, want := range []string{"first", "second"} {
		res := a.Get(both[i], "")
		if res.StatusCode != 200 || res.Text != want || res.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(res.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("document %d: %d %v %s", i+1, res.StatusCode, res.Header, res.Text)
		}
	}
	if res := a.Get(links("a/b ç?")[0], ""); res.StatusCode != 200 || res.Text != "second" {
		t.Errorf("of an odd id: %d %s", res.StatusCode, res.Text)
	}
	for _, res := range []fixture.Answer{a.Get("/v1/ipo/gone", fixture.All), a.Get(links("gone")[0], ""), a.Query(`{ ipo(id: "gone") { documents { name url } } }`, fixture.All)} {
		if strings.Contains(res.Text, "secret") {
			t.Errorf("tells where it is: %s", res.Text)
		}
	}
	a.Get(links("gone")[0], "").WantProblem(t, 404, "not-found")
	first := both[0]
	query := first[strings.IndexByte(first, '?'):]
	for name, path := range map[string]string{
		"another document": "/v1/ipo/dmipo-2026/documents/2" + query, "another offering": "/v1/ipo/gone/documents/1" + query, "an unknown offering": "/v1/ipo/nope/documents/1" + query,
		"a document of the feed": "/v1/kap-feed/disclosures/1505/attachments/1" + query, "no signature": first[:strings.Index(first, "&signature=")], "nothing": strings.TrimSuffix(first, query),
		"a longer life": strings.Replace(first, "expires=1", "expires=2", 1), "a damaged signature": first[:len(first)-4] + "AAAA", "no number": "/v1/ipo/dmipo-2026/documents/x" + query, "number 0": "/v1/ipo/dmipo-2026/documents/0" + query,
	} {
		for _, secret := range []string{"", fixture.All} {
			if res := a.Get(path, secret); res.StatusCode != 404 || res.JSON["type"] != fixture.BaseURL+"/problems/not-found" {
				t.Errorf("%s: %d %s", name, res.StatusCode, res.Text)
			}
		}
	}
	a.Send("POST", first, "", "").WantProblem(t, 405, "method-not-allowed")
	at = fixture.Now.Add(15*time.Minute - time.Millisecond)
	if res := a.Get(first, ""); res.StatusCode != 200 {
		t.Errorf("a moment before its end: %s", res.Text)
	}
	at = fixture.Now.Add(15 * time.Minute)
	a.Get(first, "").WantProblem(t, 404, "not-found")
}
