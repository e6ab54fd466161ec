package cost

import (
	"testing"

	"piyasa/graph"
	"piyasa/internal/value"
)

// What is computed from bars that the answer does not show costs more than what
// it shows; what was computed ahead does not.
func TestFiguresFromBarsHaveACost(t *testing.T) {
	var config graph.Config
	setLists(&config.Complexity, value.SystemClock)
	executable := graph.NewExecutableSchema(config)
	cost := func(object, field string, args map[string]any) int {
		t.Helper()
		own, has := executable.Complexity(t.Context(), object, field, 1, args)
		if !has {
			t.Fatalf("%s.%s has no cost", object, field)
		}
		return own
	}
	for _, object := range []string{"Instrument", "Query"} {
		ahead := cost(object, "indicators", map[string]any{"id": "bist:A"})
		asked := cost(object, "indicators", map[string]any{"id": "bist:A", "indicators": []any{"SMA"}})
		if ahead > 10 || asked < 100*ahead {
			t.Errorf("%s.indicators costs %d ahead and %d on demand", object, ahead, asked)
		}
	}
	series := func(last int) int { return cost("IndicatorSet", "series", map[string]any{"last": last}) }
	if one, hundred, most := series(1), series(100), series(5000); one < 1400 || hundred-one < 99*10 || most-hundred < 4900*10 {
		t.Errorf("series of 1, 100 and 5000 bars cost %d, %d and %d", one, hundred, most)
	}
	week := map[string]any{"code": "a", "from": "2026-03-01", "to": "2026-03-07"}
	if series, returns := cost("Query", "eod", map[string]any{"id": "bist:A", "from": "2026-03-01", "to": "2026-03-07"}),
		cost("Query", "sectorReturns", week); returns <= series {
		t.Errorf("a week of a sector costs %d, of one instrument %d", returns, series)
	}
}
