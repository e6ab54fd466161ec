package value_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/internal/value"
)

func TestAnyInstantTrips(t *testing.T) {
	first := time.Date(1, 1, 3, 0, 0, 0, 0, time.UTC).UnixMicro() // its day before can be written, too
	last := time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC).UnixMicro()
	rapid.Check(t, func(rt *rapid.T) {
		micro := time.UnixMicro(rapid.Int64Range(first, last).Draw(rt, "micro"))
		i := value.At(micro)
		if late := micro.Sub(i.Time()); late < 0 || late >= time.Millisecond {
			rt.Fatalf("%s is %s off", i, late)
		}
		checkInstantTrips(t, i)
		if want := strings.Replace(i.Time().Format("2006-01-02T15:04:05.000Z"), ".000Z", "Z", 1); i.String() != want {
			rt.Fatalf("%s, not %s", i, want)
		}
		if parsed, err := value.ParseInstant(i.String()); err != nil || parsed != i {
			rt.Fatalf("%s is read as %s, %v", i, parsed, err)
		}
		// Its day in Turkey lasts 24 hours from 21:00 UTC.
		day := value.TurkeyDay(i)
		midnight := value.MustInstant(day.AddDays(-1).String() + "T21:00:00Z")
		if i.Before(midnight) || !i.Before(midnight.Add(24*time.Hour)) {
			rt.Fatalf("%s is on %s", i, day)
		}
	})
}

func TestInstantText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"2026-03-18T11:45:00Z", "2026-03-18T11:45:00Z"},
		{"2026-03-18T00:00:00Z", "2026-03-18T00:00:00Z"},
		{"2026-12-31T23:59:59Z", "2026-12-31T23:59:59Z"},
		{"2026-03-18T11:45:00.123Z", "2026-03-18T11:45:00.123Z"},
		{"2026-03-18T11:45:00.001Z", "2026-03-18T11:45:00.001Z"},
		{"2026-03-18T11:45:00.5Z", "2026-03-18T11:45:00.500Z"},
		{"2026-03-18T11:45:00.000Z", "2026-03-18T11:45:00Z"},
		{"2024-02-29T12:00:00Z", "2024-02-29T12:00:00Z"},
		{"1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"},
	} {
		i, err := value.ParseInstant(c.text)
		if err != nil || i.IsNull() || i.String() != c.want {
			t.Errorf("%s became %q, %v", c.text, i, err)
			continue
		}
		checkInstantTrips(t, i)
	}
}

func TestParseInstantRefuses(t *testing.T) {
	for _, text := range []string{
		"", "Z", "null", "2026-03-18", "2026-03-18T11:45:00", "2026-03-18T11:45Z", "2026-03-18 11:45:00Z", "2026-03-18T11:45:00z",
		"2026-03-18t11:45:00Z",
		"2026-03-18T11:45:00+00:00", "2026-03-18T14:45:00+03:00", "2026-03-18T11:45:00-00:00", "2026-03-18T11:45:00UTC",
		"2026-03-18T11:45:00 Z",
		"2026-03-18T11:45:00.123456Z", "2026-03-18T11:45:00.0001Z", "2026-03-18T11:45:00.000000001Z", "2026-03-18T11:45:00.Z",
		"2026-03-18T24:00:00Z", "2026-03-18T25:00:00Z", "2026-03-18T11:60:00Z", "2026-03-18T11:45:60Z", "2026-02-30T11:45:00Z",
		"2026-02-29T11:45:00Z", "2026-13-01T11:45:00Z", "2026-00-10T11:45:00Z",
		"26-03-18T11:45:00Z", "12026-03-18T11:45:00Z", "2026-3-18T11:45:00Z", "1773834300", " 2026-03-18T11:45:00Z",
		"2026-03-18T11:45:00Z ", "2026-03-18T11:45:00ZZ", "2026-03-18T11:45:00Z\n",
		"2026-03-18T1:45:00Z", "2026-03-18T11:45:00,5Z", "2026-03-18T11:45:00.0000000001Z", "2026-03-18T11:45:00.5000000009Z",
		"0001-01-01T00:00:00Z", // Go's zero time, which is null here
	} {
		if i, err := value.ParseInstant(text); err == nil || !i.IsNull() {
			t.Errorf("%q became %s", text, i)
		} else if !strings.HasPrefix(err.Error(), "must be ") {
			t.Errorf("%q: the reason reads %q", text, err)
		}
	}
}

// checkInstantTrips sends i through every encoding and back.
func checkInstantTrips(t testing.TB, i value.Instant) {
	t.Helper()
	quoted := `"` + i.String() + `"`
	var gql bytes.Buffer
	i.MarshalGQL(&gql)
	inJSON, err := json.Marshal(i)
	if string(inJSON) != quoted || err != nil || gql.String() != quoted {
		t.Errorf("%s: JSON %s (%v), GraphQL %s", i, inJSON, err, &gql)
	}
	stored, err := i.Value()
	if stored, ok := stored.(time.Time); err != nil || !ok || !stored.Equal(i.Time()) || stored.Location() != time.UTC {
		t.Errorf("%s: stored as %v, %v", i, stored, err)
	}
	var back [6]value.Instant
	for n, err := range []error{
		back[0].Scan(i.Time().UnixMicro()), back[1].Scan(stored), back[2].Scan(i.Time().In(time.FixedZone("", 3*60*60))),
		back[3].UnmarshalGQL(i.String()), back[4].UnmarshalText([]byte(i.String())), json.Unmarshal(inJSON, &back[5]),
	} {
		if err != nil || back[n] != i {
			t.Errorf("%s came back as %q (%v) in way %d", i, back[n], err, n)
		}
	}
}

// An Instant is equal under == however it came about.
func TestInstantsOfOneMomentAreEqual(t *testing.T) {
	istanbul := time.FixedZone("TRT", 3*60*60)
	want := value.MustInstant("2026-03-18T11:45:00.123Z")
	for name, got := range map[string]value.Instant{
		"another zone":        value.At(time.Date(2026, 3, 18, 14, 45, 0, 123e6, istanbul)),
		"cut, not rounded":    value.At(time.Date(2026, 3, 18, 11, 45, 0, 123_999_999, time.UTC)),
		"moved there":         value.MustInstant("2026-03-18T11:45:00Z").Add(123 * time.Millisecond),
		"moved back":          value.MustInstant("2026-03-18T12:45:00.123Z").Add(-time.Hour),
		"read of local micro": value.At(time.UnixMicro(1773834300123456)),
	} {
		if got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if read := time.Now(); value.At(read) != value.At(read.Round(0)) {
		t.Error("the monotonic reading counts")
	}
}

func TestNullInstant(t *testing.T) {
	var null value.Instant
	if inJSON, err := json.Marshal(null); string(inJSON) != "null" || err != nil {
		t.Errorf("JSON %s, %v", inJSON, err)
	}
	if stored, err := null.Value(); stored != nil || err != nil {
		t.Errorf("stored as %v, %v", stored, err)
	}
	if null.String() != "" || !null.IsNull() || !null.IsZero() || value.At(time.Time{}) != null {
		t.Error("it is something")
	}
	i := value.MustInstant("2026-03-18T12:00:00Z")
	if err := i.Scan(nil); err != nil || i != null {
		t.Errorf("a stored null came back as %s, %v", i, err)
	}
	for _, stored := range []any{"2026-03-18T11:45:00Z", []byte("x"), 1.5, true} {
		if err := i.Scan(stored); err == nil {
			t.Errorf("%T passed", stored)
		}
	}
	if err := i.UnmarshalGQL(1773834300); err == nil {
		t.Error("a number passed in GraphQL")
	}
}

func TestInstantOrder(t *testing.T) {
	now := value.MustInstant("2026-03-18T12:00:00Z")
	later := now.Add(time.Millisecond)
	if !now.Before(later) || now.After(later) || now.Before(now) || now.After(now) || !later.After(now) ||
		later.Sub(now) != time.Millisecond {
		t.Errorf("%s and %s are in no order", now, later)
	}
}

// instantText is the form of G-10.
var instantText = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,3}0*)?Z$`)

func FuzzParseInstant(f *testing.F) {
	for _, seed := range []string{"2026-03-18T11:45:00Z", "2026-03-18T11:45:00.123Z", "2026-03-18T11:45:00.1Z", "2026-02-30T11:45:00Z",
		"2026-03-18T11:45:00+03:00", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "Z", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		i, err := value.ParseInstant(text)
		if err != nil {
			if !i.IsNull() {
				t.Fatalf("%q is refused and became %s", text, i)
			}
			return
		}
		if !instantText.MatchString(text) || text[:len("2026-03-18T11:45:00")] != i.String()[:len("2026-03-18T11:45:00")] {
			t.Fatalf("%q became %s", text, i)
		}
		checkInstantTrips(t, i)
	})
}
