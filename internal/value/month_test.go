package value_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"piyasa/internal/value"
)

func TestMonthText(t *testing.T) {
	for _, text := range []string{"2026-03", "0001-01", "9999-12", "2003-10"} {
		m, err := value.ParseMonth(text)
		if err != nil || m.IsNull() || m.IsZero() || m.String() != text {
			t.Errorf("%s became %q, %v", text, m, err)
			continue
		}
		checkMonthTrips(t, m)
	}
}

func TestParseMonthRefuses(t *testing.T) {
	for _, text := range []string{"", "2026", "2026-3", "2026-13", "2026-00", "202603", "2026-03-18", "03-2026", "2026/03", "0000-01",
		"12026-03", " 2026-03", "2026-03\n", "2026-0\uff13"} {
		if m, err := value.ParseMonth(text); err == nil || !m.IsNull() {
			t.Errorf("%q became %s", text, m)
		} else if !strings.HasPrefix(err.Error(), "must be ") {
			t.Errorf("%q: the reason reads %q", text, err)
		}
	}
}

// checkMonthTrips sends m through every encoding and back.
func checkMonthTrips(t testing.TB, m value.Month) {
	t.Helper()
	quoted := `"` + m.String() + `"`
	var gql bytes.Buffer
	m.MarshalGQL(&gql)
	inJSON, err := json.Marshal(m)
	if string(inJSON) != quoted || err != nil || gql.String() != quoted {
		t.Errorf("%s: JSON %s (%v), GraphQL %s", m, inJSON, err, &gql)
	}
	stored, err := m.Value()
	if stored != m.String() || err != nil {
		t.Errorf("%s: stored as %v, %v", m, stored, err)
	}
	var back [4]value.Month
	for n, err := range []error{back[0].Scan(stored), back[1].Scan([]byte(m.String())), back[2].UnmarshalGQL(m.String()),
		json.Unmarshal(inJSON, &back[3])} {
		if err != nil || back[n] != m {
			t.Errorf("%s came back as %s (way %d), %v", m, back[n], n, err)
		}
	}
}

func TestNullMonth(t *testing.T) {
	var null value.Month
	text, err := json.Marshal(null)
	stored, valueErr := null.Value()
	if string(text) != "null" || err != nil || stored != nil || valueErr != nil || !null.IsNull() || null.EndsQuarter() {
		t.Errorf("null is %s, %v, stored as %v", text, err, stored)
	}
	m := value.MustMonth("2026-03")
	if err := m.Scan(nil); err != nil || !m.IsNull() {
		t.Errorf("null came back as %s, %v", m, err)
	}
	if m.Scan(int64(202603)) == nil || m.UnmarshalGQL(202603) == nil {
		t.Error("a number passes as a month")
	}
}

func TestMonthsInOrder(t *testing.T) {
	months := []value.Month{{}, value.MustMonth("0999-12"), value.MustMonth("2025-12"), value.MustMonth("2026-01"),
		value.MustMonth("2026-10")}
	for i, a := range months {
		for j, b := range months {
			if a.Before(b) != (i < j) {
				t.Errorf("%q before %q: %t", a, b, a.Before(b))
			}
		}
	}
}

func TestEndsQuarter(t *testing.T) {
	for month, ends := range map[string]bool{"01": false, "02": false, "03": true, "04": false, "05": false, "06": true, "07": false,
		"08": false, "09": true, "10": false, "11": false, "12": true} {
		if m := value.MustMonth("2025-" + month); m.EndsQuarter() != ends {
			t.Errorf("%s ends a quarter: %t", m, !ends)
		}
	}
}

func FuzzParseMonth(f *testing.F) {
	for _, text := range []string{"2026-03", "2026-13", "2026-3", "", "0000-01", "2026-03-18"} {
		f.Add(text)
	}
	grammar := regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])$`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := value.ParseMonth(text)
		if ok := grammar.MatchString(text) && !strings.HasPrefix(text, "0000"); ok != (err == nil) || ok == m.IsNull() {
			t.Fatalf("%q became %q, %v", text, m, err)
		}
		if err == nil {
			checkMonthTrips(t, m)
		}
	})
}
