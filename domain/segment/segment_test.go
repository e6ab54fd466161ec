package segment_test

import (
	"testing"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

func day(text string) value.Date { return value.MustDate(text) }

func ratio(num, den string) value.Ratio {
	return value.NewRatio(value.MustDecimal(num), value.MustDecimal(den))
}

// A split 10:1 in March, a rename in June, another currency in September.
func boundaries() segment.Boundaries {
	split := segment.NewBridge(segment.CorporateAction, day("2026-03-02"), ratio("1", "10"), new("A1"))
	rename := segment.NewBridge(segment.Rename, day("2026-06-01"), value.Same, new("bist:OLD"))
	return segment.Arrange([]segment.Boundary{
		{Change: segment.Change{What: segment.Currency, From: new("USD"), To: new("TRY"), On: day("2026-09-01")}},
		{Change: segment.Change{What: segment.Share, On: split.On}, Bridge: split},
		{Change: segment.Change{What: segment.Identity, On: rename.On}, Bridge: rename},
	})
}

func TestBetween(t *testing.T) {
	for _, c := range []struct {
		name, from, to string
		bridges        int
		changed        string // the day of the change without a bridge
		factor         string // of the bridged
	}{
		{"before all", "2026-01-01", "2026-03-01", 0, "", "1"},
		{"the day before and the day of a split", "2026-03-01", "2026-03-02", 1, "", "0.1"},
		{"from the day of a split on", "2026-03-02", "2026-05-31", 0, "", "1"},
		{"split and rename", "2026-01-01", "2026-06-01", 2, "", "0.1"},
		{"everything", "2026-01-01", "2026-12-31", 2, "2026-09-01", ""},
		{"after all", "2026-09-01", "2026-12-31", 0, "", "1"},
		{"inverted", "2026-12-31", "2026-01-01", 0, "", "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			crossed := boundaries().Between(day(c.from), day(c.to))
			if got := len(crossed.Bridges()); got != c.bridges {
				t.Errorf("%d bridges, want %d", got, c.bridges)
			}
			change := crossed.Unbridged()
			if c.changed != "" {
				if change == nil || change.On != day(c.changed) {
					t.Errorf("the change is %v, want that of %s", change, c.changed)
				}
				return
			}
			if change != nil {
				t.Fatalf("the change of %s has no bridge", change.On)
			}
			if got := crossed.Ratio().Factor().String(); got != c.factor {
				t.Errorf("factor %s, want %s", got, c.factor)
			}
		})
	}
}

func TestSince(t *testing.T) {
	for of, want := range map[string]string{"2026-01-01": "", "2026-08-31": "", "2026-09-01": "2026-09-01", "2026-12-31": "2026-09-01"} {
		if got := boundaries().Since(day(of)).String(); got != want {
			t.Errorf("since %s: %q, want %q", of, got, want)
		}
	}
}
