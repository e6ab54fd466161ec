package server_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"piyasa/access"
	"piyasa/fixture"
	"piyasa/fixture/calls"
)

// A watchlist of 100 costs as many statements as one of 10.
func TestHistoryOfAWatchlist(t *testing.T) {
	a := fixture.New(t)
	ids := a.AddStocks(100, 3)
	for _, c := range []struct {
		field string
		reads int64
	}{
		{"candles { bars { t close } }", 1},
		{"eod { records { date close } }", 1},
		{"candles(currency: USD) { columns { t close fxRate } }", 2},
		{"candles(resolution: M5, currency: USD) { columns { t close } }", 3},
		{"candles { count } eod { count }", 2},
	} {
		for _, n := range []int{1, 10, 100} {
			document := `{ watchlist(ids: ["` + strings.Join(ids[:n], `", "`) + `"]) { instrumentId ` + c.field + " } }"
			fewest := int64(math.MaxInt64) // on a busy machine a batch may leave before its last sibling
			for range 5 {
				a.Reads.Store(0)
				if res := a.Query(document, fixture.All); res.JSON["errors"] != nil {
					t.Fatalf("%s: %.300s", c.field, res.Text)
				}
				if fewest = min(fewest, a.Reads.Load()); fewest == c.reads {
					break
				}
			}
			if fewest != c.reads {
				t.Errorf("%d of %s: %d statements, want %d", n, c.field, fewest, c.reads)
			}
		}
	}
	res := a.Query(`{ watchlist(ids: ["`+strings.Join(ids, `", "`)+`"]) { candles { bars { t close } } eod { count } } }`, fixture.All)
	for i, row := range res.JSON["data"].(map[string]any)["watchlist"].([]any) {
		bars := row.(map[string]any)["candles"].(map[string]any)["bars"].([]any)
		want := map[string]any{"t": "2026-03-15T21:00:00Z", "close": fmt.Sprintf("%d.50", 100+i)}
		if len(bars) != 3 || !reflect.DeepEqual(bars[0], want) {
			t.Errorf("%s: %v, want %v first", ids[i], bars, want)
		}
	}
	if units := res.JSON["extensions"].(map[string]any)["usage_units"]; units != json.Number("201") {
		t.Errorf("1 and one for each series: %v units", units)
	}
}

// What is wrong with one instrument stays with its field.
func TestHistoryFailsFieldByField(t *testing.T) {
	a := fixture.New(t)
	document := `{ watchlist(ids: ["bist:DMOST", "crypto:1", "bist:NOPE"]) { instrumentId candles(resolution: M5) { count } eod { count } } }`
	res := a.Query(document, fixture.All)
	list := res.JSON["data"].(map[string]any)["watchlist"].([]any)
	if list[0].(map[string]any)["candles"] == nil || list[1].(map[string]any)["candles"] != nil || list[1].(map[string]any)["eod"] == nil || list[2] != nil {
		t.Errorf("%s", res.Text)
	}
	if e := fixture.ErrorsOf(res); len(e) != 1 || fixture.CodeOf(e[0]) != "UNSUPPORTED_RESOLUTION" || fmt.Sprint(e[0]["path"]) != "[watchlist 1 candles]" {
		t.Errorf("errors %v", fixture.ErrorsOf(res))
	}
	if units := res.JSON["extensions"].(map[string]any)["usage_units"]; units != json.Number("4") {
		t.Errorf("1 and one for each series: %v units", units)
	}
	const noHistory = "piyasa_live_nohistory"
	a.Keys(fixture.Key(noHistory, calls.Without(access.History)...))
	res = a.Query(document, noHistory)
	if e := fixture.ErrorsOf(res); len(e) != 4 || fixture.CodeOf(e[0]) != "FORBIDDEN" || !strings.Contains(res.Text, `"instrumentId":"crypto:1"`) {
		t.Errorf("without the scope: %s", res.Text)
	}
}

// Rows and columns cost what they are; the usual watchlist fits.
func TestComplexityOfHistory(t *testing.T) {
	a := fixture.New(t)
	ids := `"` + strings.Join(a.AddStocks(100, 1), `", "`) + `"`
	const every = "t open high low close volume turnover tradeCount fxRate"
	for _, c := range []struct {
		field string
		fits  bool
	}{
		{`watchlist(ids: [` + ids + `]) { candles { columns { ` + every + ` } } }`, true},
		{`watchlist(ids: [` + ids + `]) { candles { bars { t close } } }`, true},
		{`watchlist(ids: [` + ids + `]) { candles { bars { ` + every + ` } } }`, false},
		{`watchlist(ids: [` + ids + `]) { candles(resolution: M5) { columns { t close } } }`, true},
		{`watchlist(ids: [` + ids + `]) { candles(from: "2000-01-01") { count } }`, false},
		{`instruments(limit: 5000) { instruments { candles { count } } }`, false},
		{`instruments(limit: 5000) { instruments { eod { count } } }`, false},
		{`candles(id: "bist:DMOST", from: "1700-01-01") { bars { ` + every + ` } columns { ` + every + ` } }`, true},
		{`candlesBatch(ids: ["bist:DMOST"]) { series { bars { ` + every + ` } } }`, true},
		{`candlesBatch(ids: [` + ids + `]) { series { columns { ` + every + ` } } }`, true}, // refused for its ids
		{`candlesBatch(ids: [` + ids + `], from: "2000-01-01") { series { columns { ` + every + ` } } }`, false},
	} {
		res := a.Query("{ "+c.field+" }", fixture.All)
		if got := !strings.Contains(res.Text, "COMPLEXITY_LIMIT_EXCEEDED"); got != c.fits {
			t.Errorf("%s: %.200s", strings.Replace(c.field, ids, "…", 1), res.Text)
		}
	}
}

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
		"/v1/eod/bist:DMOST?format=csv&to=2026-01-01&currency=USD": "instrument_id,date,open,high,low,close,volume,turnover,trade_count,currency,fx_rate\n",
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
	for _, path := range []string{"/v1/candles/bist:DMOST?", "/v1/candles/bist:DMOST?currency=USD", "/v1/candles/index:SPX?", "/v1/eod/bist:DMOST?currency=USD", "/v1/eod/crypto:1?"} {
		lines, err := csv.NewReader(strings.NewReader(a.Get(path+"&format=csv", fixture.All).Text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
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
	if res := a.Send("GET", "/v1/quotes/bist:DMOST?format=csv", fixture.All, "", "Accept", "text/csv"); res.Header.Get("Content-Type") != object || strings.Contains(strings.Join(res.Header.Values("Vary"), ", ")+",", "Accept,") {
		t.Errorf("a route without tables: %v", res.Header)
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

// Order, duplicates and misses are those of the quotes.
func TestBatchOfCandles(t *testing.T) {
	a := fixture.New(t)
	res := a.Get("/v1/candles?ids=crypto:BTC,bist:NOPE,bist:dmalt,crypto:1,bist:NOPE,bist:DMOST", fixture.All)
	var ids []any
	for _, s := range res.JSON["series"].([]any) {
		ids = append(ids, s.(map[string]any)["instrument_id"])
	}
	if want := []any{"crypto:1", "bist:DMALTF", "bist:DMOST"}; !reflect.DeepEqual(ids, want) || res.JSON["count"] != json.Number("3") || res.Header.Get("X-Usage-Units") != "3" {
		t.Errorf("%v, %s units: %s", ids, res.Header.Get("X-Usage-Units"), res.Text)
	}
	if !reflect.DeepEqual(res.JSON["not_found"], []any{"bist:NOPE"}) || !reflect.DeepEqual(res.JSON["not_found_reasons"], map[string]any{"bist:NOPE": "unknown_id"}) {
		t.Errorf("%s", res.Text)
	}
	if want := a.Get("/v1/candles/bist:DMOST", fixture.All).JSON; !reflect.DeepEqual(res.JSON["series"].([]any)[2], any(map[string]any(want))) {
		t.Errorf("not what the single one is: %s", res.Text)
	}
	if got := a.Reads.Load(); got != 2 {
		t.Errorf("%d statements for both, want 2", got)
	}
	refused := a.Get("/v1/candles?ids=bist:DMOST,us:X,crypto:1&resolution=5m", fixture.All)
	refused.WantProblem(t, 422, "unsupported-resolution")
	if !strings.Contains(refused.JSON["detail"].(string), " for us;") {
		t.Errorf("which market? %s", refused.Text)
	}
}
