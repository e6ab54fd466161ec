package value_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/internal/value"
	"piyasa/internal/value/valuetest"
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
