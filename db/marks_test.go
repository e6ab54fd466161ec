package db

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// However many marks there were, the one found is never newer than what was reached, and
// everything reached is found in the end.
func TestMarks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m marks
		var primary, standby int64
		start := time.Unix(0, 0)
		stored := []int64{0} // the primary's number by second
		seconds := rapid.IntRange(1, 400).Draw(t, "seconds")
		for second := 1; second <= seconds; second++ {
			primary += rapid.Int64Range(0, 2).Draw(t, "stored")
			stored = append(stored, primary)
			m.add(start.Add(time.Duration(second)*time.Second), map[string]int64{"quotes": primary})
			standby += rapid.Int64Range(0, primary-standby).Draw(t, "replayed")
			at := m.reached(map[string]int64{"quotes": standby})
			if !at.IsZero() && stored[int(at.Sub(start)/time.Second)] > standby {
				t.Fatalf("as of %s the primary had %d, the standby has %d", at, stored[int(at.Sub(start)/time.Second)], standby)
			}
			if standby == primary && !at.Equal(start.Add(time.Duration(second)*time.Second)) {
				t.Fatalf("everything is replayed in second %d, found %s", second, at)
			}
			if len(m) > maxMarks {
				t.Fatalf("%d marks", len(m))
			}
		}
	})
}
