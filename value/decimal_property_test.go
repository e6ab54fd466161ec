package value_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/value"
	"piyasa/value/valuetest"
)

func TestAnyDecimalTrips(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := valuetest.Decimals.Draw(rt, "text")
		d, err := value.ParseDecimal(text)
		if err != nil || d.String() != text {
			rt.Fatalf("%s became %q, %v", text, d, err)
		}
		checkDecimalTrips(t, d)
	})
}

func TestAnyDecimalsCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := valuetest.Decimals.Draw(t, "a"), valuetest.Decimals.Draw(t, "b")
		if strings.Contains(a, ".") && rapid.Bool().Draw(t, "equal") {
			b = a + strings.Repeat("0", rapid.IntRange(0, 5).Draw(t, "zeros"))
		}
		if got, want := value.MustDecimal(a).Cmp(value.MustDecimal(b)), valuetest.Rational(a).Cmp(valuetest.Rational(b)); got != want {
			t.Fatalf("%s against %s: %d, want %d", a, b, got, want)
		}
		if got, want := value.MustDecimal(a).Sign(), valuetest.Rational(a).Sign(); got != want {
			t.Fatalf("sign of %s: %d, want %d", a, got, want)
		}
	})
}

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
