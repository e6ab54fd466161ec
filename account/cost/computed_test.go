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
	week := map[string]any{"code": "a", "from": "2026-03-01", "to": "2026-03-07"}
	if series, returns := cost("Query", "eod", map[string]any{"id": "bist:A", "from": "2026-03-01", "to": "2026-03-07"}),
		cost("Query", "sectorReturns", week); returns <= series {
		t.Errorf("a week of a sector costs %d, of one instrument %d", returns, series)
	}
}
