package dataset

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// TestEveryRunHasTheSameData keeps figures of different runs comparable.
func TestEveryRunHasTheSameData(t *testing.T) {
	for want, got := range map[string]string{
		`{"disclosure_index":1000007,"type":"ODA"`: string(DisclosureOf(6).Row()[:40]),
		"bist:BATF":  Stock(499).ID,
		"us:CDV":     Chart(99).ID,
		"2021-07-12": FirstDay(),
	} {
		if got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
	if !reflect.DeepEqual(QuoteOf(3), QuoteOf(3)) || !reflect.DeepEqual(BarsOf(3), BarsOf(3)) ||
		!reflect.DeepEqual(DisclosureOf(3), DisclosureOf(3)) {
		t.Error("the same number makes different records")
	}
	if Stocks != 500 || Disclosures != 200_000 {
		t.Errorf("%d stocks, %d disclosures", Stocks, Disclosures)
	}
}

func TestBarsAreOfWorkingDays(t *testing.T) {
	bars := BarsOf(7)
	for i, b := range bars {
		at, err := time.Parse(time.RFC3339, b.T)
		if err != nil || at.Weekday() == time.Saturday || at.Weekday() == time.Sunday || at.Hour() != 0 {
			t.Fatalf("%s: %v", b.T, err)
		}
		if i > 0 && b.T <= bars[i-1].T {
			t.Fatalf("%s follows %s", b.T, bars[i-1].T)
		}
	}
	if len(bars) != Days || bars[Days-1].T[:10] != LastDay() {
		t.Errorf("%d bars up to %s", len(bars), bars[len(bars)-1].T)
	}
}

// TestRowsAndLinesAgree has peers deliver what piyasa is given.
func TestRowsAndLinesAgree(t *testing.T) {
	for n := range 200 {
		var row, line map[string]any
		need.NoError(t, json.Unmarshal(DisclosureOf(n).Row(), &row))
		need.NoError(t, json.Unmarshal(DisclosureOf(n).Line(), &line))
		for name, value := range row {
			if !reflect.DeepEqual(value, line[name]) {
				t.Fatalf("%s of number %d is %v in a row, %v in a line", name, n, value, line[name])
			}
		}
	}
}

func TestDisclosuresGrowWithTime(t *testing.T) {
	for n := 1; n < 1_000; n++ {
		if a, b := DisclosureOf(n-1), DisclosureOf(n); a.PublishedAt >= b.PublishedAt || a.Index+1 != b.Index {
			t.Fatalf("%d at %s, then %d at %s", a.Index, a.PublishedAt, b.Index, b.PublishedAt)
		}
	}
}
