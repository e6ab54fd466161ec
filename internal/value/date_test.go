package value_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"piyasa/internal/value"
)

func TestDateText(t *testing.T) {
	for _, text := range []string{"2026-03-18", "2024-02-29", "2000-02-29", "1999-12-31", "2026-01-01", "0001-01-02", "9999-12-31"} {
		d, err := value.ParseDate(text)
		if err != nil || d.IsNull() || d.String() != text {
			t.Errorf("%s became %q, %v", text, d, err)
			continue
		}
		checkDateTrips(t, d)
	}
}

func TestParseDateRefuses(t *testing.T) {
	for _, text := range []string{
		"", "2026", "2026-03", "2026-3-18", "2026-03-8", "20260318", "2026-02-30", "2026-02-29", "1900-02-29", "2026-04-31", "2026-13-01",
		"2026-00-01", "2026-01-00",
		"18-03-2026", "18.03.2026", "2026/03/18", "2026-03-18T00:00:00Z", "2026-03-18 ", " 2026-03-18", "2026-03-18\n", "-2026-03-18",
		"12026-03-18", "today", "2026-03-1\uff11",
		"0001-01-01", // Go's zero time, which is null here
	} {
		if d, err := value.ParseDate(text); err == nil || !d.IsNull() {
			t.Errorf("%q became %s", text, d)
		} else if !strings.HasPrefix(err.Error(), "must be ") {
			t.Errorf("%q: the reason reads %q", text, err)
		}
	}
}

// checkDateTrips sends d through every encoding and back.
func checkDateTrips(t testing.TB, d value.Date) {
	t.Helper()
	quoted := `"` + d.String() + `"`
	var gql bytes.Buffer
	d.MarshalGQL(&gql)
	inJSON, err := json.Marshal(d)
	if string(inJSON) != quoted || err != nil || gql.String() != quoted {
		t.Errorf("%s: JSON %s (%v), GraphQL %s", d, inJSON, err, &gql)
	}
	stored, err := d.Value()
	if stored != d.String() || err != nil {
		t.Errorf("%s: stored as %v, %v", d, stored, err)
	}
	midnight, err := time.Parse(time.DateOnly, d.String())
	if err != nil {
		t.Error(err)
	}
	var back [7]value.Date
	for n, err := range []error{
		back[0].Scan(stored), back[1].Scan([]byte(d.String())), back[2].Scan(midnight),
		back[3].Scan(time.Date(midnight.Year(), midnight.Month(), midnight.Day(), 0, 0, 0, 0, time.FixedZone("", -11*60*60))),
		back[4].UnmarshalGQL(d.String()), back[5].UnmarshalText([]byte(d.String())), json.Unmarshal(inJSON, &back[6]),
	} {
		if err != nil || back[n] != d {
			t.Errorf("%s came back as %q (%v) in way %d", d, back[n], err, n)
		}
	}
}

// Turkey is UTC+3 in every season (GEN-07).
func TestTurkeyDay(t *testing.T) {
	for _, c := range []struct{ at, want string }{
		{"2026-01-15T20:59:59Z", "2026-01-15"},
		{"2026-01-15T20:59:59.999Z", "2026-01-15"},
		{"2026-01-15T21:00:00Z", "2026-01-16"},
		{"2026-07-15T20:59:59Z", "2026-07-15"},
		{"2026-07-15T21:00:00Z", "2026-07-16"},
		{"2026-12-31T21:00:00Z", "2027-01-01"},
		{"2024-02-28T21:00:00Z", "2024-02-29"},
		{"2026-03-29T01:30:00Z", "2026-03-29"}, // Europe changes its clocks
		{"2026-03-18T00:00:00Z", "2026-03-18"},
	} {
		if got := value.TurkeyDay(value.MustInstant(c.at)); got != value.MustDate(c.want) {
			t.Errorf("%s is on %s, want %s", c.at, got, c.want)
		}
	}
	if day := value.TurkeyDay(value.Instant{}); !day.IsNull() {
		t.Errorf("no moment is on %s", day)
	}
}

func TestDateArithmetic(t *testing.T) {
	d := value.MustDate("2026-02-27")
	for days, want := range map[int]string{0: "2026-02-27", 1: "2026-02-28", 2: "2026-03-01", -58: "2025-12-31", 365: "2027-02-27"} {
		if got := d.AddDays(days); got != value.MustDate(want) {
			t.Errorf("%d days later: %s, want %s", days, got, want)
		}
	}
	if next := d.AddDays(1); !d.Before(next) || next.Before(d) || d.Before(d) {
		t.Error("days are in no order")
	}
	for months, want := range map[int]string{0: "2026-02-27", 1: "2026-03-27", -1: "2026-01-27", -12: "2025-02-27", 11: "2027-01-27",
		-14: "2024-12-27"} {
		if got := d.AddMonths(months); got != value.MustDate(want) {
			t.Errorf("%d months later: %s, want %s", months, got, want)
		}
	}
	for _, c := range []struct { // clipped to the end of the month
		from   string
		months int
		want   string
	}{
		{"2026-03-31", -1, "2026-02-28"}, {"2024-03-31", -1, "2024-02-29"}, {"2024-02-29", -12, "2023-02-28"},
		{"2024-02-29", 12, "2025-02-28"}, {"2026-03-31", -3, "2025-12-31"},
		{"2026-08-31", 1, "2026-09-30"}, {"2026-02-28", 1, "2026-03-28"}, {"2026-12-31", 2, "2027-02-28"},
	} {
		if got := value.MustDate(c.from).AddMonths(c.months); got != value.MustDate(c.want) {
			t.Errorf("%d months after %s: %s, want %s", c.months, c.from, got, c.want)
		}
	}
	if e := d.AddDays(1); d.Compare(e) != -1 || e.Compare(d) != 1 || d.Compare(value.MustDate("2026-02-27")) != 0 {
		t.Error("days compare otherwise")
	}
	if d.Weekday() != time.Friday || value.NewDate(2026, time.February, 27) != d {
		t.Errorf("%s is a %s", d, d.Weekday())
	}
}

func TestNullDate(t *testing.T) {
	var null value.Date
	if inJSON, err := json.Marshal(null); string(inJSON) != "null" || err != nil {
		t.Errorf("JSON %s, %v", inJSON, err)
	}
	if stored, err := null.Value(); stored != nil || err != nil {
		t.Errorf("stored as %v, %v", stored, err)
	}
	if null.String() != "" || !null.IsNull() || !null.IsZero() {
		t.Error("it is something")
	}
	d := value.MustDate("2026-03-18")
	if err := d.Scan(nil); err != nil || d != null {
		t.Errorf("a stored null came back as %s, %v", d, err)
	}
	for _, stored := range []any{int64(20530), 1.5, true, "18.03.2026"} {
		if err := d.Scan(stored); err == nil {
			t.Errorf("%T %v passed", stored, stored)
		}
	}
	if err := d.UnmarshalGQL(20260318); err == nil {
		t.Error("a number passed in GraphQL")
	}
}

var dateText = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)

func FuzzParseDate(f *testing.F) {
	for _, seed := range []string{"2026-03-18", "2026-02-30", "2024-02-29", "0000-01-01", "0001-01-01", "9999-12-31", "2026-3-18", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := value.ParseDate(text)
		if err != nil {
			if !d.IsNull() {
				t.Fatalf("%q is refused and became %s", text, d)
			}
			return
		}
		if !dateText.MatchString(text) || d.String() != text {
			t.Fatalf("%q became %q", text, d)
		}
		checkDateTrips(t, d)
	})
}
