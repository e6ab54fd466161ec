package problem_test

import (
	"piyasa/internal/problem"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"ids", "currency", "event_id", "from", "to", "dateField"}
	for name, want := range map[string]string{
		"currancy": "currency", "Currency": "currency", "eventId": "event_id", "event-id": "event_id", "form": "from",
		"frm": "from", "id": "ids",
		"date_field": "dateField", "symbol": "", "foo": "", "x": "", "": "", "currencycurrency": "", strings.Repeat("ş", 1<<20): "",
	} {
		if got := problem.Nearest(name, known); got != want {
			t.Errorf("%.20q: %q, want %q", name, got, want)
		}
	}
}
