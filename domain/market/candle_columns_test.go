package market_test

import (
	"testing"
	"time"

	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

// A long series has no objects and still has columns.
func TestColumns(t *testing.T) {
	n := 5001
	var bars []*market.Bar
	series := func() *market.CandleSeries { return market.NewCandleSeries("us:A", market.Day, "USD", false, bars) }
	for i := range n {
		bars = append(bars, &market.Bar{T: value.At(time.UnixMilli(int64(i))), Close: value.MustDecimal("1.50"), TradeCount: &n})
	}
	if _, err := series().Objects(); calls.KindOf(err) != "too-many-values" {
		t.Errorf("%d objects: %v", n, err)
	}
	c := series().Columns()
	if len(c.T()) != n || len(c.FxRate()) != n || c.Close()[n-1].String() != "1.50" || !c.Open()[0].IsNull() || *c.TradeCount()[7] != n ||
		c.T()[3] != bars[3].T {
		t.Error("the columns are not the bars")
	}
	bars = bars[:5000]
	if bars, err := series().Objects(); err != nil || len(bars) != 5000 {
		t.Errorf("%d objects, %v", len(bars), err)
	}
}
