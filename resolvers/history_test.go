package resolvers_test

import (
	"encoding/json"
	"fmt"
	"math"
	"piyasa/account/access"
	"piyasa/test/fixture"
	"piyasa/test/fixture/calls"
	"reflect"
	"strings"
	"testing"
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
		{"candles(currency: USD) { columns { t close fxRate } }", 3},
		{"candles(resolution: M5, currency: USD) { columns { t close } }", 4},
		{"candles { count } eod { count }", 1},
	} {
		for _, n := range []int{1, 10, 100} {
			document := `{ watchlist(ids: ["` + strings.Join(ids[:n], `", "`) + `"]) { instrumentId ` + c.field + " } }"
			fewest := int64(math.MaxInt64) // on a busy machine a batch may leave before its last sibling
			for range 5 {
				a.Services.Market.History.AllChanged()
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
	if list[0].(map[string]any)["candles"] == nil || list[1].(map[string]any)["candles"] != nil || list[1].(map[string]any)["eod"] == nil ||
		list[2] != nil {
		t.Errorf("%s", res.Text)
	}
	if e := fixture.ErrorsOf(res); len(e) != 1 || fixture.CodeOf(e[0]) != "UNSUPPORTED_RESOLUTION" ||
		fmt.Sprint(e[0]["path"]) != "[watchlist 1 candles]" {
		t.Errorf("errors %v", fixture.ErrorsOf(res))
	}
	if units := res.JSON["extensions"].(map[string]any)["usage_units"]; units != json.Number("4") {
		t.Errorf("1 and one for each series: %v units", units)
	}
	const noHistory = "piyasa_live_nohistory"
	a.Keys(fixture.Key(noHistory, calls.Without(access.History)...))
	res = a.Query(document, noHistory)
	if e := fixture.ErrorsOf(res); len(e) != 4 || fixture.CodeOf(e[0]) != "FORBIDDEN" ||
		!strings.Contains(res.Text, `"instrumentId":"crypto:1"`) {
		t.Errorf("without the scope: %s", res.Text)
	}
}
