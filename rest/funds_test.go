package rest_test

import (
	"piyasa/account/access"
	"piyasa/db/dbtest"
	"piyasa/test/fixture"
	"piyasa/test/fixture/calls"
	"strings"
	"testing"
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
			"/v1/funds/DMX/holdings?limit=1": `{"fund_id":"fund:DMX","fund_code":"DMX","report_month":"2026-01","currency":"TRY",` +
				`"summary":{"positions":2,"market_value":null,"weight_pct":null,"rest_pct":null,"null_reason":"not_provided_by_source"},` +
				`"holdings":[{"instrument_id":"bist:DMOST","name":"Demo Otomotiv Şirketi","weight_pct":null,"market_value":"40000000","report_month":"2026-01"}],"count":1}`,
			"/v1/funds/fund:dmf/holdings": `{"fund_id":"fund:DMF","fund_code":"DMF","report_month":"2026-02","currency":"TRY",` +
				`"summary":{"positions":1,"market_value":"34104000","weight_pct":"4.2","rest_pct":"95.8","null_reason":null},` +
				`"holdings":[{"instrument_id":"bist:DMOST","name":"Demo Otomotiv Şirketi","weight_pct":"4.20","market_value":"34104000","report_month":"2026-02"}],"count":1}`,
		} {
			if res := a.Get(path, fixture.All); res.Text != want+"\n" || res.Header.Get("X-Usage-Units") != "1" ||
				res.Header.Get("X-Data-Stale") != "" {
				t.Errorf("%s\ngot  %s\nwant %s", path, res.Text, want)
			}
		}
	})
}

// FD-02, FD-03, FD-06 to FD-08, G-05: what is wrong with parameters.
func TestParametersOfFunds(t *testing.T) {
	a := fixture.New(t)
	for path, status := range map[string]int{
		"/v1/funds/ranking?limit=0": 422, "/v1/funds/ranking?limit=101": 422, "/v1/funds/ranking?limit=x": 422,
		"/v1/funds/ranking?limit=":   422,
		"/v1/funds/ranking?order=up": 422, "/v1/funds/ranking?order=": 422, "/v1/funds/ranking?order=DESC": 422,
		"/v1/funds/ranking?period=2y": 422, "/v1/funds/ranking?period=1M": 422, "/v1/funds/ranking?period=": 422,
		"/v1/funds/ranking?period=1w&period=1m": 400, "/v1/funds/ranking?foo=1": 200, "/v1/funds/ranking?category=": 200,
		"/v1/funds/DMF/investor-flows?window=1y": 422, "/v1/funds/DMF/investor-flows?window=": 422,
		"/v1/funds/DMF/investor-flows?window=RANGE": 422, "/v1/funds/DMF/investor-flows?window=range&from=x&to=2026-03-12": 422,
		"/v1/funds/DMF/investor-flows?window=range": 400, "/v1/funds/DMF/investor-flows?window=range&to=2026-03-12": 400,
		"/v1/funds/DMF/investor-flows?window=1w&from=2026-03-12":                  400,
		"/v1/funds/DMF/investor-flows?to=2026-03-12":                              400,
		"/v1/funds/DMF/investor-flows?window=range&from=2026-03-13&to=2026-03-12": 400, "/v1/funds/ZZZ/investor-flows?window=range": 400,
		"/v1/funds/DMF/investor-flows?foo=1": 200, "/v1/funds/ZZZ/investor-flows": 404, "/v1/funds/ZZZ/profile": 404,
		"/v1/funds/ZZZ/profile?foo=1": 404, "/v1/funds/DMF/profile?foo=1": 200,
		"/v1/funds/holders-of/bist:DMALT": 404, "/v1/funds/holders-of/bist:NOPE": 404, "/v1/funds/holders-of/profile": 404,
		"/v1/funds/holders-of/bist%3ADMOST": 200, "/v1/funds/holders-of/bist:dmost": 200,
		"/v1/funds/holders-of/crypto:1": 200, "/v1/funds/holders-of/crypto:btc": 404, "/v1/funds/holders-of/crypto:ONE": 404,
		"/v1/funds/DMF/holdings?limit=0": 422, "/v1/funds/DMF/holdings?limit=1001": 422, "/v1/funds/DMF/holdings?limit=x": 422,
		"/v1/funds/ZZZ/holdings": 404, "/v1/funds/holders-of/holdings": 404,
		"/v1/funds": 404, "/v1/funds/DMF": 404, "/v1/funds/ranking/profile": 404, "/v1/funds/dmf/profile": 200,
		"/v1/funds/fund%3ADMF/profile": 200,
	} {
		if res := a.Get(path, fixture.All); res.StatusCode != status {
			t.Errorf("%s: %d %s, want %d", path, res.StatusCode, res.Text, status)
		}
	}
	for _, path := range []string{"/v1/funds/DMA/profile", "/v1/funds/fund:dma/investor-flows", "/v1/funds/DMA/holdings",
		"/v1/funds/holders-of/fund:DMA"} {
		res := a.Get(path, fixture.All)
		if res.WantProblem(t, 404, "not-found"); !strings.Contains(res.Text, `"successor":["bist:DMALTF"]`) {
			t.Errorf("%s: %s", path, res.Text)
		}
	}
	for path, needs := range map[string]access.Scope{
		"/v1/funds/DMF/profile": access.QuotesFund, "/v1/funds/ranking": access.QuotesFund,
		"/v1/funds/holders-of/bist:DMOST": access.QuotesFund, "/v1/funds/DMF/holdings": access.QuotesFund,
		"/v1/funds/DMF/investor-flows": access.History,
		"/v1/indices":                  access.QuotesBIST, "/v1/indices/XU100/constituents": access.QuotesBIST,
		"/v1/calendar":           access.CalendarRead,
		"/v1/calendar/events":    access.CalendarRead,
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
