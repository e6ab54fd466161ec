package rest_test

import (
	"encoding/csv"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

func TestCSV(t *testing.T) {
	a := fixture.New(t)
	for path, want := range map[string]string{
		"/v1/candles/bist:DMOST?format=csv": `instrument_id,t,open,high,low,close,volume,turnover,trade_count,currency
bist:DMOST,2026-03-12T21:00:00Z,,298.50,295,297.10,3000000,900000000.50,50000,TRY
bist:DMOST,2026-03-15T21:00:00Z,,301.00,293.25,300.00,3950000,1180000000,51234,TRY
`,
		"/v1/candles/bist:DMOST?format=csv&currency=USD": `instrument_id,t,open,high,low,close,volume,turnover,trade_count,currency,fx_rate
bist:DMOST,2026-03-12T21:00:00Z,,,,,3000000,,50000,USD,
bist:DMOST,2026-03-15T21:00:00Z,,7.32360097,7.1350365,7.29927007,3950000,28710462.29,51234,USD,0.0243309002433
`,
		"/v1/candles/crypto:btc?format=csv&resolution=2h": `instrument_id,t,open,high,low,close,volume,turnover,trade_count,currency
crypto:1,2026-03-17T01:00:00Z,,,,68000.10,,,,USD
`,
		"/v1/eod/bist:DMOST?format=csv": `instrument_id,date,open,high,low,close,volume,turnover,trade_count,currency
bist:DMOST,2026-03-13,,298.50,295,297.10,3000000,900000000.50,50000,TRY
bist:DMOST,2026-03-16,,301.00,293.25,300.00,3950000,1180000000,51234,TRY
`,
		"/v1/eod/bist:DMOST?format=csv&to=2026-01-01&currency=USD": "" +
			"instrument_id,date,open,high,low,close,volume,turnover,trade_count,currency,fx_rate\n",
		"/v1/candles?ids=index:SPX,bist:DMOST,crypto:BTC&from=2026-03-16&format=csv&currency=USD": `instrument_id,t,open,high,low,close,volume,turnover,trade_count,currency,fx_rate
index:SPX,2026-03-16T00:00:00Z,5690.1,,,5700.25,,,,USD,
bist:DMOST,2026-03-15T21:00:00Z,,7.32360097,7.1350365,7.29927007,3950000,28710462.29,51234,USD,0.0243309002433
`,
		"/v1/candles?ids=bist:NOPE&format=csv": "instrument_id,t,open,high,low,close,volume,turnover,trade_count,currency\n",
	} {
		res := a.Get(path, fixture.All)
		if res.StatusCode != 200 || res.Text != want || res.Header.Get("Content-Type") != "text/csv; charset=utf-8; header=present" {
			t.Errorf("%s: %d %s\n%s\nwant\n%s", path, res.StatusCode, res.Header.Get("Content-Type"), res.Text, want)
		}
	}
}

// A table has the same figures in either spelling.
func TestCSVIsTheJSON(t *testing.T) {
	a := fixture.New(t)
	for _, path := range []string{"/v1/candles/bist:DMOST?", "/v1/candles/bist:DMOST?currency=USD", "/v1/candles/index:SPX?",
		"/v1/eod/bist:DMOST?currency=USD", "/v1/eod/crypto:1?"} {
		lines, err := csv.NewReader(strings.NewReader(a.Get(path+"&format=csv", fixture.All).Text)).ReadAll()
		need.NoError(t, err)
		body := a.Get(path, fixture.All).JSON
		list, ok := body["bars"].([]any)
		if !ok {
			list = body["records"].([]any)
		}
		if len(lines) != 1+len(list) || len(list) == 0 {
			t.Fatalf("%s: %d lines, %d rows", path, len(lines), len(list))
		}
		for i, row := range list {
			want := row.(map[string]any)
			want["instrument_id"], want["currency"] = body["instrument_id"], body["currency"]
			got := map[string]any{}
			for j, name := range lines[0] {
				switch text := lines[1+i][j]; {
				case text == "":
					got[name] = nil
				case name == "trade_count":
					got[name] = json.Number(text)
				default:
					got[name] = text
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: CSV %v, JSON %v", path, got, want)
			}
		}
	}
}

func TestCSVNegotiation(t *testing.T) {
	a := fixture.New(t)
	const table, object = "text/csv; charset=utf-8; header=present", "application/json"
	for _, c := range []struct{ query, accept, want string }{
		{"", "", object},
		{"", "*/*", object},
		{"", "text/html, */*;q=0.8", object},
		{"", "application/json, text/plain, */*", object},
		{"", "text/html", object}, // nothing fits: the usual
		{"", "text/csv", table},
		{"", "TEXT/CSV; charset=UTF-8", table},
		{"", "text/*", table},
		{"", "text/csv;q=0.5, application/json", object},
		{"", "application/json, text/csv", object},
		{"", "text/csv, application/json", object},
		{"", "text/csv, */*", table},
		{"", "text/csv, application/json;q=0.9", table},
		{"", "application/json;q=0, */*", table},
		{"", "text/csv;q=0, */*;q=0.1", object},
		{"?format=csv", "application/json", table},
		{"?format=json", "text/csv", object},
	} {
		for _, path := range []string{"/v1/candles/bist:DMOST", "/v1/eod/bist:DMOST"} {
			res := a.Send("GET", path+c.query, fixture.All, "", "Accept", c.accept)
			if got := res.Header.Get("Content-Type"); res.StatusCode != 200 || got != c.want {
				t.Errorf("%s, Accept %q: %d %s, want %s", path+c.query, c.accept, res.StatusCode, got, c.want)
			}
			if vary := strings.Join(res.Header.Values("Vary"), ", "); !strings.Contains(vary+",", "Accept,") {
				t.Errorf("%s: Vary %q", path, vary)
			}
		}
	}
	const noTable = "/v1/kap-feed/disclosures/1501"
	if res := a.Send("GET", noTable+"?format=json", fixture.All, "", "Accept", "text/csv, */*"); res.Header.Get("Content-Type") != object ||
		res.Header.Get("Warning") != "" {
		t.Errorf("a route without tables: %v", res.Header)
	}
	for _, c := range []struct {
		path, accept string
		status       int
		kind         string
	}{
		{noTable, "text/csv", 406, "not-acceptable"},
		{noTable + "?format=csv", "", 400, "format-not-available"},
		{noTable + "?format=", "", 400, "format-not-available"},
		{"/v1/logos/bist:DMOST?format=csv", "", 400, "format-not-available"},
		{"/v1/kap-feed/disclosures/1501/body?format=csv", "", 422, "invalid-parameter"}, // a parameter of its own
		{"/v1/ipo/ipo-1?format=csv", "", 400, "unknown-parameter"},
	} {
		res := a.Send("GET", c.path, fixture.All, "", "Accept", c.accept)
		res.WantProblem(t, c.status, c.kind)
		if c.status == 400 && c.kind == "format-not-available" && res.JSON["available"] == nil {
			t.Errorf("%s does not say what is available: %s", c.path, res.Text)
		}
	}
}

func TestProblemsOfTables(t *testing.T) {
	a := fixture.New(t)
	for _, c := range []struct {
		path   string
		status int
		kind   string
	}{
		{"/v1/candles/bist:DMOST?format=xml", 422, "invalid-parameter"},
		{"/v1/candles/bist:DMOST?format=", 422, "invalid-parameter"},
		{"/v1/candles/bist:DMOST?format=CSV", 422, "invalid-parameter"},
		{"/v1/candles/bist:DMOST?format=csv&format=csv", 400, "repeated-parameter"},
		{"/v1/eod/bist:NOPE?format=csv", 404, "not-found"},
		{"/v1/candles?format=csv&ids=bist:DMOST&currency=EUR", 503, "fx-rate-unavailable"},
		{"/v1/candles?format=csv", 422, "invalid-parameter"},
	} {
		a.Send("GET", c.path, fixture.All, "", "Accept", "text/csv").WantProblem(t, c.status, c.kind)
	}
}

// Nothing is lost silently: rows cannot name what has none.
func TestMissingIDsOfTables(t *testing.T) {
	a := fixture.New(t)
	res := a.Get("/v1/candles?ids=bist:NOPE,bist:DMOST,foo,a%0Db%C5%9F/c&format=csv", fixture.All)
	if got := res.Header.Get("X-Not-Found"); got != "bist:NOPE, foo, a%0Db%C5%9F%2Fc" || res.StatusCode != 200 {
		t.Errorf("%d X-Not-Found %q", res.StatusCode, got)
	}
	if res.Header.Get("X-Usage-Units") != "1" {
		t.Errorf("%s units", res.Header.Get("X-Usage-Units"))
	}
	for _, path := range []string{"/v1/candles?ids=bist:DMOST&format=csv", "/v1/candles?ids=bist:NOPE"} {
		if got, has := a.Get(path, fixture.All).Header["X-Not-Found"]; has {
			t.Errorf("%s: X-Not-Found %q", path, got)
		}
	}
}
