package macro_test

import (
	"testing"

	"pgregory.net/rapid"

	"piyasa/domain/macro"
	"piyasa/internal/value"
	"piyasa/internal/value/valuetest"
)

// points are months of a series with their levels; an empty one was skipped.
func points(series macro.Series, levels map[string]string) []*macro.Point {
	var all []*macro.Point
	for month, level := range levels {
		p := &macro.Point{SeriesID: series, Month: value.MustMonth(month)}
		if level != "" {
			p.Value = value.MustDecimal(level)
		}
		all = append(all, p)
	}
	return all
}

// published reports whether a month of a series has a level.
func published(prices *macro.Prices, s macro.Series, m value.Month) bool {
	_, _, found := prices.Between(s, m, m)
	return found
}

func TestPrices(t *testing.T) {
	for _, c := range []struct {
		name            string
		levels          map[string]string
		newest, quarter string
	}{
		{"V-107", map[string]string{"2025-09": "1", "2025-12": "2", "2026-01": "3", "2026-02": "4"}, "2026-02", "2025-12"},
		{"a quarter's end itself", map[string]string{"2025-12": "2", "2026-03": "3"}, "2026-03", "2026-03"},
		{"the newest was skipped", map[string]string{"2025-11": "1", "2025-12": ""}, "2025-11", ""},
		{"a quarter's end was skipped", map[string]string{"2025-09": "1", "2025-12": "", "2026-01": "2"}, "2026-01", "2025-09"},
		{"nothing but skipped", map[string]string{"2025-12": ""}, "", ""},
		{"nothing", nil, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			live := macro.NewLive()
			live.PutPoints(append(points(macro.TUFE, c.levels), points(macro.YIUFE, map[string]string{"2030-06": "9"})...))
			prices := live.Prices()
			if newest, quarter := prices.Newest(macro.TUFE).String(), prices.NewestQuarter(macro.TUFE).String(); newest != c.newest ||
				quarter != c.quarter {
				t.Errorf("newest %q and %q, want %q and %q", newest, quarter, c.newest, c.quarter)
			}
			for month, level := range c.levels {
				if got := published(prices, macro.TUFE, value.MustMonth(month)); got != (level != "") {
					t.Errorf("%s is published: %t", month, got)
				}
			}
			for _, month := range []value.Month{{}, value.MustMonth("2025-10"), value.MustMonth("2030-06")} {
				if published(prices, macro.TUFE, month) {
					t.Errorf("%q is published", month)
				}
			}
		})
	}
}

// The order in which months come does not matter, and new ones replace all.
func TestAnyOrderOfMonths(t *testing.T) {
	all := points(macro.YIUFE, map[string]string{"2024-12": "1", "2025-01": "2", "2025-02": "3", "2025-03": "4", "2025-04": "5"})
	live := macro.NewLive()
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, len(all), rapid.ID).Draw(t, "points")
		live.PutPoints(some)
		known := map[*macro.Point]bool{}
		for _, p := range some {
			known[p] = true
		}
		for _, p := range all {
			if got := published(live.Prices(), macro.YIUFE, p.Month); got != known[p] {
				t.Fatalf("%s is published: %t", p.Month, got)
			}
			for _, q := range all {
				ratio, crossed, ok := live.Prices().Between(macro.YIUFE, p.Month, q.Month)
				if ok != (known[p] && known[q]) || len(crossed) > 0 || ok && ratio.Factor() != value.NewRatio(q.Value, p.Value).Factor() {
					t.Fatalf("%s to %s: %v, %v, %t", p.Month, q.Month, ratio, crossed, ok)
				}
			}
		}
	})
}

func TestPointValidate(t *testing.T) {
	for value, wrong := range map[string]bool{"": false, "115.02": false, "0.01": false, "0": true, "0.00": true, "-1": true} {
		p := points(macro.TUFE, map[string]string{"2026-01": value})[0]
		if err := p.Validate(); (err != nil) != wrong || (valuetest.InvalidMember(t, err) == "value") != wrong {
			t.Errorf("%q: %v", value, err)
		}
	}
}
