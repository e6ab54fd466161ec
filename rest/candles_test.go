package rest_test

import (
	"encoding/json"
	"piyasa/db/dbtest"
	"piyasa/test/fixture"
	"reflect"
	"strings"
	"testing"
)

// Order, duplicates and misses are those of the quotes.
func TestBatchOfCandles(t *testing.T) {
	a := fixture.New(t)
	res := a.Get("/v1/candles?ids=crypto:BTC,bist:NOPE,bist:dmalt,crypto:1,bist:NOPE,bist:DMOST", fixture.All)
	var ids []any
	for _, s := range res.JSON["series"].([]any) {
		ids = append(ids, s.(map[string]any)["instrument_id"])
	}
	if want := []any{"crypto:1", "bist:DMALTF", "bist:DMOST"}; !reflect.DeepEqual(ids, want) || res.JSON["count"] != json.Number("3") ||
		res.Header.Get("X-Usage-Units") != "3" {
		t.Errorf("%v, %s units: %s", ids, res.Header.Get("X-Usage-Units"), res.Text)
	}
	if !reflect.DeepEqual(res.JSON["not_found"], []any{"bist:NOPE"}) ||
		!reflect.DeepEqual(res.JSON["not_found_reasons"], map[string]any{"bist:NOPE": "unknown_id"}) {
		t.Errorf("%s", res.Text)
	}
	if want := a.Get("/v1/candles/bist:DMOST", fixture.All).JSON; !reflect.DeepEqual(res.JSON["series"].([]any)[2],
		any(map[string]any(want))) {
		t.Errorf("not what the single one is: %s", res.Text)
	}
	if got := a.Reads.Load(); got != 1 {
		t.Errorf("%d statements for both, want 1", got)
	}
	refused := a.Get("/v1/candles?ids=bist:DMOST,us:X,crypto:1&resolution=5m", fixture.All)
	refused.WantProblem(t, 422, "unsupported-resolution")
	if !strings.Contains(refused.JSON["detail"].(string), " for us;") {
		t.Errorf("which market? %s", refused.Text)
	}
}

// A window wholly before the history that is shown is an empty answer that
// says from when on there is some, in REST and in GraphQL, on either store;
// no other answer in REST has the member.
func TestWindowsBeforeTheHistory(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := fixture.New(t, fixture.On(url))
		for _, c := range []struct{ path, field, from string }{
			{"/v1/candles/fx:USDTRY?to=2019-12-31", `candles(id: "fx:USDTRY", to: "2019-12-31")`, "2020-01-01"},
			{"/v1/candles/fx:USDTRY?to=2020-01-01", `candles(id: "fx:USDTRY", to: "2020-01-01")`, ""},
			{"/v1/candles/fx:USDTRY", `candles(id: "fx:USDTRY")`, ""},
			{"/v1/candles/bist:DMOST?to=2019-06-02", `candles(id: "bist:DMOST", to: "2019-06-02")`, "2019-06-03"},
			{"/v1/candles/bist:DMALTF?to=2023-12-29", `candles(id: "bist:DMALTF", to: "2023-12-29")`, "2023-12-30"}, // its first bar
			{"/v1/candles/bist:DMALTF?to=2023-12-30", `candles(id: "bist:DMALTF", to: "2023-12-30")`, ""},
			{"/v1/candles/bist:DMOST?resolution=5m&to=2026-03-11", `candles(id: "bist:DMOST", resolution: M5, to: "2026-03-11")`,
				"2026-03-12"},
			{"/v1/eod/bist:DMOST?to=2023-12-31", `eod(id: "bist:DMOST", to: "2023-12-31")`, "2024-01-01"},
			{"/v1/eod/bist:DMOST?to=2026-03-10", `eod(id: "bist:DMOST", to: "2026-03-10")`, ""},
			{"/v1/stocks/bist:DMOST/valuation/history?to=2025-09-19", `valuationHistory(id: "bist:DMOST", to: "2025-09-19")`, "2025-09-20"},
			{"/v1/sectors/otomotiv/returns?to=2019-06-02", `sectorReturns(code: "otomotiv", to: "2019-06-02")`, "2019-06-03"},
		} {
			over := a.Get(c.path, fixture.All)
			from, has := over.JSON["available_from"]
			if over.StatusCode != 200 || has != (c.from != "") ||
				(has && (from != c.from || over.JSON["count"].(interface{ String() string }).String() != "0")) {
				t.Errorf("%s: %d %.300s, want %q", c.path, over.StatusCode, over.Text, c.from)
			}
			said := `"availableFrom":null`
			if c.from != "" {
				said = `"count":0,"availableFrom":"` + c.from + `"`
			}
			if asked := a.Query("{ it: "+c.field+" { count availableFrom } }", fixture.All); !strings.Contains(asked.Text, said) {
				t.Errorf("%s: %s, want %s", c.field, asked.Text, said)
			}
		}
		asked := a.Query(`{ watchlist(ids: ["fx:USDTRY", "bist:DMOST"]) { candles(to: "2019-12-31") { availableFrom } eod(to: "2019-12-31") { availableFrom } } }`, fixture.All)
		if want := `{"candles":{"availableFrom":"2020-01-01"},"eod":{"availableFrom":"2020-01-01"}},{"candles":{"availableFrom":null},"eod":{"availableFrom":"2024-01-01"}}`; !strings.Contains(asked.Text, want) {
			t.Errorf("below a watchlist: %s, want %s", asked.Text, want)
		}
	})
}

// A batch has 100 series, and at most as many bars as one answer may have; the refusal says how many fit.
func TestLongBatches(t *testing.T) {
	a := fixture.New(t)
	ids := func(n int) string {
		return "bist:DMOST" + strings.Repeat(",bist:NONE", n-1)
	}
	for _, c := range []struct {
		n      int
		from   string
		status int
		has    string
	}{
		{100, "", 200, `"count":1`}, {101, "", 422, "100"}, {100, "&from=2020-12-01", 200, `"count":1`},
		{100, "&from=1990-01-01", 400, "ask for at most 20 ids at once"}, {20, "&from=1990-01-01", 200, `"count":1`},
	} {
		path := "/v1/candles?ids=" + ids(c.n) + c.from
		if got := a.Get(path, fixture.All); got.StatusCode != c.status || !strings.Contains(got.Text, c.has) {
			t.Errorf("%d ids%s: %d %.300s", c.n, c.from, got.StatusCode, got.Text)
		}
	}
}
