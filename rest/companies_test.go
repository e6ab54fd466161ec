package rest_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/test/fixture"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// What the type system of GraphQL refuses by itself is refused by hand over
// REST: the problem names the parameter, or says what is allowed.
func TestRefusedParameters(t *testing.T) {
	a := fixture.New(t)
	const (
		invalid, unknown, repeated       = "invalid-parameter", "unknown-parameter", "repeated-parameter"
		dividends, indicators, financial = "/v1/dividends?", "/v1/stocks/bist:DMOST/indicators?", "/v1/stocks/bist:DMOST/financials?"
	)
	knows := "market, from, to, date_field, status, symbols, cursor, limit"
	for _, c := range []struct {
		path            string
		status          int
		kind, parameter string
		says            string
	}{
		// Strict: nothing but the parameters of the list.
		{dividends + "foo=1", 400, unknown, "foo", knows},
		{dividends + "symbol=DMOST", 400, unknown, "symbol", knows},
		{dividends + "currency=USD", 400, unknown, "currency", knows},
		{dividends + "Market=bist", 400, unknown, "Market", knows},
		{dividends + "foo", 400, unknown, "foo", knows},
		{dividends + "=1", 400, "unknown-parameter", "", ""},
		{dividends, 200, "", "", ""},
		{dividends + "&&market=bist&", 200, "", "", ""},
		{dividends + "zzz=1&aaa=2", 400, unknown, "aaa", knows},
		{dividends + "f%6Fo=1", 400, unknown, "foo", knows},
		// A wrong value comes before a wrong combination.
		{dividends + "foo=1&limit=0", 422, invalid, "limit", "1 to 1000"},
		{dividends + "limit=0&foo=1", 422, invalid, "limit", "1 to 1000"},
		{dividends + "foo=1&market=nyse", 422, invalid, "market", "bist, us"},
		{dividends + "market=bist&market=us", 400, repeated, "market", ""},
		{dividends + "market=bist&market=us&limit=x", 422, invalid, "limit", "1 to 1000"},
		{dividends + "market=bist&market=us&foo=1", 400, repeated, "market", ""},
		// Enums, dates and numbers are exact.
		{dividends + "market=", 422, invalid, "market", "bist, us"},
		{dividends + "market=BIST", 422, invalid, "market", "bist, us"},
		{dividends + "date_field=date", 422, invalid, "date_field", "ex, pay"},
		{dividends + "status=done", 422, invalid, "status", "upcoming, paid"},
		{dividends + "from=2026-02-30", 422, invalid, "from", ""},
		{dividends + "from=yesterday", 422, invalid, "from", ""},
		{dividends + "to=", 422, invalid, "to", ""},
		{dividends + "limit=1.5", 422, invalid, "limit", "1 to 1000"},
		{dividends + "limit=%2B5", 422, invalid, "limit", "1 to 1000"},
		{dividends + "limit=99999999999999999999", 422, invalid, "limit", "1 to 1000"},
		{financial + "timeframe=monthly", 422, invalid, "timeframe", "quarterly_standalone"},
		{financial + "timeframe=Annual", 422, invalid, "timeframe", "annual"},
		{financial + "basis=restated", 422, invalid, "basis", "current, as_reported"},
		{financial + "currency=GBP", 422, "unsupported-currency", "currency", ""},
		{financial + "limit=x", 422, invalid, "limit", "1 to 100"},
		{financial + "foo=1", 200, "", "", ""}, // not strict
		{"/v1/stocks/us:DMAP/financials?basis=restated", 422, invalid, "basis", "current, as_reported"},
		{"/v1/stocks/bist:DMOST/valuation?currency=usd", 422, "unsupported-currency", "currency", "TRY, USD"},
		{"/v1/stocks/bist:DMOST/valuation?currency=", 422, "unsupported-currency", "currency", "TRY, USD"},
		{"/v1/valuation", 422, invalid, "ids", "1 to 100"},
		{"/v1/periodic", 422, invalid, "ids", "1 to 100"},
		{"/v1/periodic?ids=,bist:DMOST", 422, invalid, "ids", "none of them empty"},
		{dividends + "symbols=DMOST,,DMBNK", 422, invalid, "symbols", "none of them empty"},
		{"/v1/stocks/bist:DMOST/valuation/history?currency=GBP", 422, "unsupported-currency", "currency", ""},
		{"/v1/stocks/bist:DMOST/valuation/history?from=2026-13-01", 422, invalid, "from", ""},
		{"/v1/periodic/bist:DMOST?currency=GBP", 422, "unsupported-currency", "currency", ""},
		{"/v1/indices/XU100/periodic?currency=GBP", 422, "unsupported-currency", "currency", ""},
		{"/v1/sectors/otomotiv/valuation?market=foo", 422, invalid, "market", "bist, us"},
		{"/v1/sectors/nope/constituents?market=foo", 422, invalid, "market", "bist, us"},
		{"/v1/sectors/otomotiv/returns?from=x", 422, invalid, "from", ""},
		{"/v1/sectors/otomotiv/returns?from=x&from=y", 422, invalid, "from", ""},
		{"/v1/sectors/otomotiv/returns?to=2026-03-01&to=2026-03-02", 400, repeated, "to", ""},
		// Lists of numbers.
		{indicators + "periods=x", 422, invalid, "periods", "whole numbers"},
		{indicators + "periods=20,", 422, invalid, "periods", "whole numbers"},
		{indicators + "periods=,20", 422, invalid, "periods", "whole numbers"},
		{indicators + "periods=20;50", 422, invalid, "periods", "whole numbers"},
		{indicators + "periods=20.5", 422, invalid, "periods", "whole numbers"},
		{indicators + "periods=2e1", 422, invalid, "periods", "whole numbers"},
		{indicators + "periods=20,%2050", 422, invalid, "periods", "whole numbers"},
		{indicators + "periods=99999999999999999999", 422, invalid, "periods", "whole numbers"},
		{indicators + "periods=-5", 422, invalid, "periods", "2 to 400"},
		{indicators + "periods=0", 422, invalid, "periods", "2 to 400"},
		{indicators + "periods=", 422, invalid, "periods", "1 to 10"},
		{indicators + "periods=20&periods=", 422, invalid, "periods", ""},
		{indicators + "periods=020,2", 200, "", "", ""},
		// Lists of names.
		{indicators + "indicators=foo", 422, invalid, "indicators", "rsi, macd"},
		{indicators + "indicators=rsi,foo", 422, invalid, "indicators", "rsi, macd"},
		{indicators + "indicators=rsi,,sma", 422, invalid, "indicators", "rsi, macd"},
		{indicators + "indicators=rsi,%20sma", 422, invalid, "indicators", "rsi, macd"},
		{indicators + "indicators=", 422, invalid, "indicators", "rsi, macd"},
		{indicators + "indicators=RSI,Sma", 200, "", "", ""},
		{indicators + "indicators=R%C4%B0S", 422, invalid, "indicators", ""},
		{indicators + "indicators=rsi&indicators=", 422, invalid, "indicators", ""},
		{indicators + "resolution=3h", 422, "", "resolution", ""},
		{indicators + "resolution=2h", 422, "unsupported-resolution", "resolution", "5m or 1d"},
		// Removed and never made.
		{"/v1/sectors/otomotiv/sub-sectors", 404, "not-found", "", ""},
		{"/v1/stocks/bist:DMALTF/target-price", 404, "not-found", "", ""},
		{"/v1/stocks/bist:DMOST", 404, "not-found", "", ""},
	} {
		t.Run(c.path, func(t *testing.T) {
			res := a.Get(c.path, fixture.All)
			if c.status == 200 {
				if res.StatusCode != 200 {
					t.Errorf("%d %s", res.StatusCode, res.Text)
				}
				return
			}
			kind := c.kind
			if kind == "" {
				kind = strings.TrimPrefix(fmt.Sprint(res.JSON["type"]), fixture.BaseURL+"/problems/")
			}
			res.WantProblem(t, c.status, kind)
			if c.parameter != "" && res.JSON["parameter"] != c.parameter {
				t.Errorf("names %v, want %s: %s", res.JSON["parameter"], c.parameter, res.Text)
			}
			if detail := fmt.Sprint(res.JSON["detail"]); !strings.Contains(detail, c.says) || c.kind == invalid &&
				!strings.Contains(detail, c.parameter) {
				t.Errorf("says %q, want %q in it, and the parameter", detail, c.says)
			}
		})
	}
	// AU-08: the scope comes before the parameters.
	for _, path := range []string{dividends + "foo=1", dividends + "limit=0", indicators + "periods=x", "/v1/valuation",
		"/v1/sectors/nope/valuation?market=foo", "/v1/stocks/bist:NOPE/valuation"} {
		a.Get(path, fixture.None).WantProblem(t, 403, "missing-scope")
	}
}

// SC-03: the members of a market need its quotes.
func TestScopesOfMembers(t *testing.T) {
	a := fixture.New(t)
	for market, scope := range map[string]access.Scope{"bist": access.QuotesBIST, "us": access.QuotesUS} {
		a.Keys(fixture.Key("piyasa_live_only", scope), fixture.Key("piyasa_live_without", calls.Without(scope)...))
		path := "/v1/sectors/otomotiv/constituents?market=" + market
		if res := a.Get(path, "piyasa_live_only"); res.StatusCode != 200 {
			t.Errorf("%s: %s", path, res.Text)
		}
		res := a.Get(path, "piyasa_live_without")
		res.WantProblem(t, 403, "missing-scope")
		if fmt.Sprint(res.JSON["missing_scopes"]) != "["+string(scope)+"]" {
			t.Errorf("%s", res.Text)
		}
	}
}

// Problems that carry a list carry it over REST.
func TestMembersOfProblems(t *testing.T) {
	a := fixture.New(t)
	for path, want := range map[string]map[string]string{
		"/v1/sectors/foo/valuation":                            {"available": "[bankacilik otomotiv]"},
		"/v1/sectors/eski-oto/returns":                         {"successor": "[otomotiv]"},
		"/v1/indices/XU999/periodic":                           {"available": "XU100"},
		"/v1/dividends?limit=1001":                             {"limit": "1000", "value": "1001"},
		"/v1/dividends?from=2024-01-01":                        {"limit": "366"},
		"/v1/stocks/bist:DMOST/indicators?periods=401":         {"limit": "400", "value": "401"},
		"/v1/valuation?ids=" + strings.Repeat("a,", 100) + "a": {"limit": "100"},
	} {
		res := a.Get(path, fixture.All)
		for member, text := range want {
			if got := fmt.Sprint(res.JSON[member]); res.StatusCode < 400 || !strings.Contains(got, text) {
				t.Errorf("%s: %s is %s, want %s in it", path, member, got, text)
			}
		}
	}
}

// MT-01, MT-02, MT-08.
func TestWhatItCosts(t *testing.T) {
	a := fixture.New(t)
	for path, units := range map[string]string{
		"/v1/valuation?ids=bist:DMOST":                                           "1",
		"/v1/valuation?ids=bist:DMOST,bist:DMBNK,bist:NOPE,us:DMAP,crypto:1":     "5",
		"/v1/valuation?ids=bist:DMOST,bist:dmost,bist:DMOST,bist:NOPE,bist:NOPE": "2",
		"/v1/valuation?ids=":                          "0",
		"/v1/periodic?ids=bist:DMOST,us:DMAP":         "1",
		"/v1/dividends":                               "1",
		"/v1/dividends?from=1999-01-01&to=1999-01-02": "1",
		"/v1/dividends?limit=0":                       "0",
		"/v1/stocks/bist:DMOST/financials":            "1",
		"/v1/stocks/bist:DMALTF/valuation":            "0",
		"/v1/sectors/otomotiv/returns":                "1",
	} {
		if got := a.Get(path, fixture.All).Header.Get("X-Usage-Units"); got != units && (units != "0" || got != "") {
			t.Errorf("%s costs %s, want %s", path, got, units)
		}
	}
}

// DL-13, DL-17, GQ-09: one row at a time gives every row once, from one side to
// the other.
func TestPagesOfDividends(t *testing.T) {
	a := fixture.New(t)
	whole := a.Get("/v1/dividends?from=2025-04-01&to=2026-03-31&date_field=pay&limit=1000", fixture.All).JSON["dividends"].([]any)
	var rows []any
	cursor, overREST := "", true
	for len(rows) < 10 {
		var page map[string]any
		if overREST = !overREST; overREST || cursor == "" {
			path := "/v1/dividends?from=2025-04-01&to=2026-03-31&date_field=pay&limit=1"
			if cursor != "" {
				path += "&cursor=" + cursor
			}
			page = a.Get(path, fixture.All).JSON
			rows = append(rows, page["dividends"].([]any)...)
			cursor, _ = page["next_cursor"].(string)
		} else {
			page = a.Data(fmt.Sprintf(`{ dividends(from: "2025-04-01", to: "2026-03-31", dateField: PAY, limit: 1, cursor: %q) { nextCursor dividends `, cursor)+fixture.Selection("Dividend")+` } }`, fixture.All)["dividends"].(map[string]any)
			for _, row := range page["dividends"].([]any) {
				rows = append(rows, toREST(fixture.Schema.Types["DividendPage"].Fields.ForName("dividends").Type.Elem, row, optional{}))
			}
			cursor, _ = page["nextCursor"].(string)
		}
		if cursor == "" {
			break
		}
	}
	if len(rows) != 3 || !reflect.DeepEqual(rows, whole) {
		t.Errorf("page by page %v\nat once %v", rows, whole)
	}
	first := a.Get("/v1/dividends?limit=1", fixture.All).JSON["next_cursor"].(string)
	for _, other := range []string{"&status=paid", "&market=us", "&date_field=pay", "&symbols=DMOST", "&from=2026-03-01"} {
		a.Get("/v1/dividends?limit=1&cursor="+first+other, fixture.All).WantProblem(t, 400, "invalid-cursor")
	}
	if res := a.Get("/v1/dividends?limit=2&cursor="+first, fixture.All); res.StatusCode != 200 {
		t.Errorf("another limit: %s", res.Text)
	}
}

// The schemas of what is computed refuse what is not meant.
func TestSchemasOfCompanies(t *testing.T) {
	a := fixture.New(t)
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(a.Get("/openapi.json", "").Text))
	need.NoError(t, err)
	in := func(body any, path ...any) map[string]any {
		for _, step := range path {
			switch s := step.(type) {
			case string:
				body = body.(map[string]any)[s]
			case int:
				body = body.([]any)[s]
			}
		}
		return body.(map[string]any)
	}
	set := func(value any, path ...any) func(map[string]any) {
		last := len(path) - 1
		return func(body map[string]any) { in(body, path[:last]...)[path[last].(string)] = value }
	}
	drop := func(path ...any) func(map[string]any) {
		last := len(path) - 1
		return func(body map[string]any) { delete(in(body, path[:last]...), path[last].(string)) }
	}
	for path, spoils := range map[string][]func(map[string]any){
		"/v1/stocks/{id}/financials /v1/stocks/bist:DMOST/financials": {
			drop("methodology"), set(nil, "periods"), set("half", "timeframe"), set("real", "periods", 0, "basis"),
			drop("periods", 0, "items"),
			set([]any{}, "periods", 0, "items"), set(map[string]any{"value": 1, "label_tr": "x"}, "periods", 0, "items", "3C"),
			set(map[string]any{"value": "1"}, "periods", 0, "items", "3C"),
			set(nil, "periods", 0, "source_periods"), set("2025", "periods", 0, "fiscal_year"), set("last", "periods", 0, "end_date"),
		},
		"/v1/stocks/{id}/valuation /v1/stocks/bist:DMOST/valuation": {
			drop("fx_rate"), drop("market_cap", "billions"), set(nil, "market_cap"), set(nil, "pe_ratio"), set(12.4, "pe_ratio", "value"),
			drop("peg", "null_reason"),
			set(nil, "ev", "inputs"), set([]any{}, "ev", "inputs"), set(1, "ev", "inputs", "net_debt"),
			set("x", "ev", "inputs", "net_debt"), set("crypto", "market"), set("x", "as_of"),
		},
		"/v1/valuation /v1/valuation?ids=bist:DMOST,bist:NOPE": {drop("not_found"), set([]any{}, "not_found_reasons"),
			set(nil, "valuations"), drop("valuations", 0, "ev")},
		"/v1/stocks/{id}/dividends /v1/stocks/bist:DMOST/dividends": {
			drop("count"), drop("dividends", 0, "status"), set("late", "dividends", 0, "status"), set(3, "dividends", 0, "gross_per_share"),
			set("1", "dividends", 0, "installment"),
		},
		"/v1/dividends /v1/dividends": {drop("next_cursor"), set("x", "from_date"), drop("dividends", 0, "instrument_id"),
			set("fund", "market"), set(nil, "not_found")},
		"/v1/stocks/{id}/valuation/history /v1/stocks/bist:DMOST/valuation/history": {drop("to_date"), set(1, "points", 0, "pe_ratio"),
			drop("points", 0, "date")},
		"/v1/periodic/{id} /v1/periodic/bist:DMBNK?currency=USD": {drop("windows"), set(nil, "windows"), drop("windows", 0, "high"),
			set(1, "windows", 0, "change"), set(1, "fx_rate"), set(nil, "count")},
		"/v1/stocks/{id}/indicators /v1/stocks/bist:DMBNK/indicators": {
			drop("note"), set("vwap", "values", 0, "indicator"), set("SMA", "values", 0, "indicator"), set(1, "values", 0, "value"),
			set("1h", "resolution"), set("yes", "precomputed"), set(nil, "unavailable"),
		},
		"/v1/sectors /v1/sectors": {drop("count"), set("1", "sectors", 0, "us_member_count"),
			drop("sectors", 0, "name_en")},
		"/v1/sectors/{code}/valuation /v1/sectors/otomotiv/valuation": {drop("as_of"), set(nil, "pe_ratio"),
			set(1, "pe_ratio", "median"), set("1", "pb_ratio", "members_counted")},
		"/v1/sectors/{code}/returns /v1/sectors/otomotiv/returns": {drop("base"), set(100, "base"), set(1, "points", 0, "value"),
			set("x", "base_date")},
		"/v1/sectors/{code}/constituents /v1/sectors/otomotiv/constituents": {drop("member_count"), drop("constituents", 0, "symbol"),
			set("fund", "market")},
	} {
		pattern, target, _ := strings.Cut(path, " ")
		s := described(t, parsed.(map[string]any), "/paths/"+escape(pattern)+"/get/responses/200/content/application~1json/schema")
		for i, spoil := range spoils {
			body := a.Get(target, fixture.All).JSON
			if err := s.Validate(body); err != nil {
				t.Fatalf("%s: %v", target, err)
			}
			spoil(body)
			if err := s.Validate(body); err == nil {
				t.Errorf("%s: spoil %d is accepted", target, i)
			}
		}
	}
}
