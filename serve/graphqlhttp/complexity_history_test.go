package graphqlhttp_test

import (
	"piyasa/test/fixture"
	"strings"
	"testing"
)

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
