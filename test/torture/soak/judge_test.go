package soak

import (
	"strings"
	"testing"
	"time"
)

// What grows is found, and what only begins small or jumps once is not.
func TestJudge(t *testing.T) {
	began := time.Now()
	const seconds = 100
	for name, c := range map[string]struct {
		value func(second int) float64
		grows bool
	}{
		"flat":           {func(int) float64 { return 100 }, false},
		"a slow start":   {func(s int) float64 { return min(100, float64(s*5)) }, false},
		"a single peak":  {func(s int) float64 { return map[bool]float64{true: 900, false: 100}[s == 90] }, false},
		"a steady leak":  {func(s int) float64 { return 100 + float64(s) }, true},
		"a step of half": {func(s int) float64 { return map[bool]float64{true: 150, false: 100}[s > 50] }, true},
	} {
		var samples []sample
		for s := range seconds {
			samples = append(samples, sample{began.Add(time.Duration(s) * time.Second), map[string]float64{"x": c.value(s)}})
		}
		_, faults := judge(samples, began, began.Add(seconds*time.Second), []bound{{"x", 1.05, 10}})
		if (len(faults) > 0) != c.grows {
			t.Errorf("%s: %q", name, faults)
		}
	}
	if _, faults := judge(nil, began, began.Add(time.Minute), longBounds); !strings.Contains(strings.Join(faults, " "), "only 0 samples") {
		t.Errorf("without samples: %q", faults)
	}
}
