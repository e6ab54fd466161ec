package value_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"piyasa/internal/value"
	"piyasa/internal/value/valuetest"
)

var anyDecimal = rapid.Custom(func(t *rapid.T) value.Decimal {
	text := rapid.StringMatching(`-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,12})?`).Draw(t, "text")
	d, err := value.ParseDecimal(text)
	if err != nil {
		return value.MustDecimal("0") // a negative zero
	}
	return d
})

func TestArithmeticIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyDecimal.Draw(t, "a"), anyDecimal.Draw(t, "b")
		for _, c := range []struct {
			name string
			got  value.Decimal
			want *big.Rat
		}{
			{"plus", a.Plus(b), new(big.Rat).Add(valuetest.Rational(a.String()), valuetest.Rational(b.String()))},
			{"minus", a.Minus(b), new(big.Rat).Sub(valuetest.Rational(a.String()), valuetest.Rational(b.String()))},
			{"times", a.Times(b), new(big.Rat).Mul(valuetest.Rational(a.String()), valuetest.Rational(b.String()))},
		} {
			if valuetest.Rational(c.got.String()).Cmp(c.want) != 0 {
				t.Fatalf("%s %s %s = %s", a, c.name, b, c.got)
			}
			if _, err := value.ParseDecimal(c.got.String()); err != nil {
				t.Fatalf("%s %s %s is spelled %s: %v", a, c.name, b, c.got, err)
			}
		}
	})
}

func TestOverRoundsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyDecimal.Draw(t, "a"), anyDecimal.Filter(func(d value.Decimal) bool { return d.Sign() != 0 }).Draw(t, "b")
		places := rapid.Int32Range(0, 12).Draw(t, "places")
		// rounds half away from zero
		want := new(big.Rat).Quo(valuetest.Rational(a.String()), valuetest.Rational(b.String())).FloatString(int(places))
		if got := a.Over(b, places); valuetest.Rational(got.String()).Cmp(valuetest.Rational(unsigned(want))) != 0 {
			t.Fatalf("%s / %s to %d = %s, want %s", a, b, places, got, want)
		}
	})
}

// unsigned takes the sign off a zero, which big.Rat may write as -0.00.
func unsigned(text string) string {
	if r, _ := new(big.Rat).SetString(text); r.Sign() == 0 {
		return "0"
	}
	return text
}
