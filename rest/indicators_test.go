package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"piyasa/rest"
	"piyasa/test/fixture"
)

// With last, an answer has series, too, those of GraphQL, which end with its values; all else
// stays as it is without, to the byte.
func TestIndicatorSeries(t *testing.T) {
	a := fixture.New(t)
	put(t, a, splitStock("unadjusted")...)
	put(t, a, theSplit)
	for path, field := range map[string]string{
		"/v1/stocks/bist:DMBNK/indicators?": `indicators(id: "bist:DMBNK")`,
		"/v1/stocks/bist:DMBNK/indicators?indicators=ATR,sma,Stochastic,roc,obv,adx&periods=400,2&": `` +
			`indicators(id: "bist:DMBNK", indicators: [ATR, SMA, STOCH, ROC, OBV, ADX], periods: [400, 2])`,
		"/v1/stocks/bist:DMOST/indicators?indicators=atr,adx,sma,stoch&periods=2&resolution=5m&": `` +
			`indicators(id: "bist:DMOST", indicators: [ATR, ADX, SMA, STOCH], periods: 2, resolution: M5)`,
		"/v1/stocks/bist:SPLT/indicators?indicators=sma,obv&periods=5&adjust=none&": `` +
			`indicators(id: "bist:SPLT", indicators: [SMA, OBV], periods: 5, adjust: NONE)`,
		"/v1/stocks/bist:SPLT/indicators?indicators=sma,obv&periods=5&": `indicators(id: "bist:SPLT", indicators: [SMA, OBV], periods: 5)`,
	} {
		plain := a.Get(strings.TrimSuffix(path, "&"), fixture.All)
		for _, last := range []int{1, 3, 5000} {
			over := a.Get(fmt.Sprint(path, "last=", last), fixture.All)
			head := strings.TrimSuffix(strings.TrimSpace(plain.Text), "}") + `,"series":[`
			if over.StatusCode != http.StatusOK || !strings.HasPrefix(over.Text, head) {
				t.Fatalf("%slast=%d: %d %s", path, last, over.StatusCode, over.Text)
			}
			selected := fmt.Sprintf("series(last: %d) %s", last, fixture.Selection("IndicatorSeries"))
			asked := a.Query("{ it: "+field+" { "+selected+" } }", fixture.All)
			if asked.JSON["errors"] != nil {
				t.Fatalf("%slast=%d: GraphQL %s", path, last, asked.Text)
			}
			series := fixture.Schema.Types["IndicatorSet"].Fields.ForName("series").Type
			want := toREST(series, asked.JSON["data"].(map[string]any)["it"].(map[string]any)["series"], optional{})
			got := over.JSON["series"].([]any)
			if !reflect.DeepEqual(any(got), want) {
				g, _ := json.Marshal(want)
				t.Fatalf("%slast=%d: %s\nGraphQL %s", path, last, over.Text, g)
			}
			points := 0
			for i, v := range over.JSON["values"].([]any) {
				v, s := v.(map[string]any), got[i].(map[string]any)
				values, reasons := s["value"].([]any), s["null_reason"].([]any)
				points += len(values)
				n := len(values) - 1
				if values[n] != v["value"] || reasons[n] != v["null_reason"] || s["indicator"] != v["indicator"] {
					t.Errorf("%slast=%d: %v ends with %v, the value is %v", path, last, s["indicator"], values[n], v)
				}
				if len(values) > last || len(s["t"].([]any)) != len(values) || len(s["date"].([]any)) != len(values) {
					t.Errorf("%slast=%d: %d values", path, last, len(values))
				}
			}
			csv := a.Send("GET", fmt.Sprint(path, "last=", last), fixture.All, "", "Accept", rest.CSV).Text
			table := strings.Split(strings.TrimSpace(csv), "\n")
			rows := points + len(over.JSON["unavailable"].([]any))
			if len(table) != 1+rows || !strings.HasSuffix(strings.TrimSuffix(table[0], ",date"), ",t") {
				t.Errorf("%slast=%d: %d lines of %d points: %s", path, last, len(table), points, table[0])
			}
		}
	}
	// The series of a split that is not crossed: 40 after it, and before it what was traded.
	res := a.Get("/v1/stocks/bist:SPLT/indicators?indicators=sma&periods=2&adjust=none&last=5000", fixture.All)
	of := res.JSON["series"].([]any)[0].(map[string]any)
	counted := map[any]int{}
	for i, v := range of["value"].([]any) {
		counted[v]++
		if v == nil {
			counted[of["null_reason"].([]any)[i]]++
		}
	}
	if counted["meaning_changed"] != 1 || counted["insufficient_history"] != 1 || counted["400"] == 0 || counted["40"] == 0 ||
		len(counted) != 5 || of["meaning_changed"].(map[string]any)["on"] != "2026-03-02" {
		t.Errorf("%v, %v", counted, of["meaning_changed"])
	}
}

func TestRefusedIndicatorSeries(t *testing.T) {
	a := fixture.New(t)
	const path = "/v1/stocks/bist:DMOST/indicators?"
	for query, what := range map[string]string{
		"last=0": "a whole number from 1 to 5000", "last=5001": "a whole number from 1 to 5000", "last=-1": "a whole number from 1 to 5000",
		"last=x": "a whole number from 1 to 5000", "last=": "a whole number from 1 to 5000",
	} {
		res := a.Get(path+query, fixture.All)
		detail, _ := res.JSON["detail"].(string)
		if res.StatusCode != http.StatusUnprocessableEntity || res.JSON["parameter"] != "last" || !strings.Contains(detail, what) {
			t.Errorf("%s: %d %s", query, res.StatusCode, res.Text)
		}
	}
	res := a.Query(`{ indicators(id: "bist:DMOST") { count series(last: 5001) { indicator } } }`, fixture.All)
	if !strings.Contains(res.Text, "last must be a whole number from 1 to 5000; got \\\"5001\\\"") || !strings.Contains(res.Text, `"count":13`) {
		t.Error(res.Text)
	}
}
