package ipo_test

import "testing"

func TestRecordCheck(t *testing.T) {
	for _, c := range []struct {
		start, end string
		wrong      bool
	}{{"", "", false}, {"2026-03-17", "", false}, {"", "2026-03-17", false}, {"2026-03-17", "2026-03-17", false}, {"2026-03-17", "2026-03-16", true}} {
		if member, reason := offering("a", c.start, c.end, "").Check(); (reason != "") != c.wrong || (member == "demand_end") != c.wrong {
			t.Errorf("%+v: %s %s", c, member, reason)
		}
	}
}
