package market

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// rational is d as the fraction it stands for.
func rational(d Decimal) *big.Rat {
	r, ok := new(big.Rat).SetString(d.String())
	if !ok {
		panic("not a number: " + d.String())
	}
	return r
}

var anyDecimal = rapid.Custom(func(t *rapid.T) Decimal {
	text := rapid.StringMatching(`-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,12})?`).Draw(t, "text")
	d, err := ParseDecimal(text)
	if err != nil {
		return MustDecimal("0") // a negative zero
	}
	return d
})

func TestArithmeticIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyDecimal.Draw(t, "a"), anyDecimal.Draw(t, "b")
		for _, c := range []struct {
			name string
			got  Decimal
			want *big.Rat
		}{
			{"plus", a.Plus(b), new(big.Rat).Add(rational(a), rational(b))},
			{"minus", a.Minus(b), new(big.Rat).Sub(rational(a), rational(b))},
			{"times", a.Times(b), new(big.Rat).Mul(rational(a), rational(b))},
		} {
			if rational(c.got).Cmp(c.want) != 0 {
				t.Fatalf("%s %s %s = %s", a, c.name, b, c.got)
			}
			if _, err := ParseDecimal(c.got.String()); err != nil {
				t.Fatalf("%s %s %s is spelled %s: %v", a, c.name, b, c.got, err)
			}
		}
	})
}

func TestOverRoundsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyDecimal.Draw(t, "a"), anyDecimal.Filter(func(d Decimal) bool { return d.Sign() != 0 }).Draw(t, "b")
		places := rapid.Int32Range(0, 12).Draw(t, "places")
		want := new(big.Rat).Quo(rational(a), rational(b)).FloatString(int(places)) // rounds half away from zero
		if got := a.Over(b, places); rational(got).Cmp(rational(MustDecimal(unsigned(want)))) != 0 {
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

func TestRounded(t *testing.T) {
	for _, c := range []struct {
		in     string
		places int32
		want   string
	}{
		{"1.005", 2, "1.01"}, {"-1.005", 2, "-1.01"}, {"1.004", 2, "1"}, {"999.99996", 4, "1000"}, {"-0.00001", 4, "0"},
	} {
		if got := MustDecimal(c.in).Rounded(c.places); got.String() != c.want {
			t.Errorf("%s to %d = %s, want %s", c.in, c.places, got, c.want)
		}
	}
}
