package ipo_test

import (
	"piyasa/internal/value/valuetest"
	"testing"
)

func TestRecordValidate(t *testing.T) {
	for _, c := range []struct {
		start, end string
		wrong      bool
	}{{"", "", false}, {"2026-03-17", "", false}, {"", "2026-03-17", false}, {"2026-03-17", "2026-03-17", false},
		{"2026-03-17", "2026-03-16", true}} {
		if err := recordOf("a", c.start, c.end, "").Validate(); (err != nil) != c.wrong ||
			(valuetest.InvalidMember(t, err) == "demand_end") != c.wrong {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
