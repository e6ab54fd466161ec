package value_test

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/internal/value"
	"piyasa/internal/value/valuetest"
)

// V-104, and what rounding must not get wrong.
func TestRatio(t *testing.T) {
	for _, c := range []struct{ value, from, to, want, factor string }{
		{"1000000.00", "4320.15", "4783.12", "1107165.26", "1.10716526047"},
		{"-1000000.00", "4320.15", "4783.12", "-1107165.26", "1.10716526047"},
		{"0", "4320.15", "4783.12", "0", "1.10716526047"},
		{"0.00", "3", "1", "0", "0.333333333333"},
		{"1", "3", "2", "0.67", "0.666666666667"},
		{"0.01", "2", "1", "0.01", "0.5"}, // half away from zero
		{"-0.01", "2", "1", "-0.01", "0.5"},
		{"0.01", "200000000000000001", "100000000000000000", "0", "0.5"}, // just below half: rounded once
		{"100", "1", "100", "10000", "100"},
		{"123456789012345678.905", "1.0", "1", "123456789012345678.91", "1"},
	} {
		r := value.NewRatio(value.MustDecimal(c.to), value.MustDecimal(c.from))
		if got := r.Amount(value.MustDecimal(c.value)).String(); got != c.want {
			t.Errorf("%s × %s / %s is %s, want %s", c.value, c.to, c.from, got, c.want)
		}
		if got := r.Factor().String(); got != c.factor {
			t.Errorf("%s / %s is %s, want %s", c.to, c.from, got, c.factor)
		}
		if !r.Amount(value.Decimal{}).IsNull() {
			t.Error("nothing became something")
		}
	}
}

func TestAnyRatio(t *testing.T) {
	positive := valuetest.Decimals.Filter(func(text string) bool { return strings.ContainsAny(text, "123456789") })
	rapid.Check(t, func(t *rapid.T) {
		amount, from, to := valuetest.Decimals.Draw(t, "value"), strings.TrimPrefix(positive.Draw(t, "from"), "-"),
			strings.TrimPrefix(positive.Draw(t, "to"), "-")
		r, exact := value.NewRatio(value.MustDecimal(to), value.MustDecimal(from)),
			new(big.Rat).Quo(valuetest.Rational(to), valuetest.Rational(from))
		if got, want := r.Factor().String(), valuetest.Significant(exact, 12); got != want {
			t.Fatalf("%s / %s is %s, want %s", to, from, got, want)
		}
		if got, want := r.Amount(value.MustDecimal(amount)).String(),
			valuetest.Rounded(new(big.Rat).Mul(valuetest.Rational(amount), exact), 2); got != want {
			t.Fatalf("%s × %s / %s is %s, want %s", amount, to, from, got, want)
		}
	})
}

// V-105
func TestShifted(t *testing.T) {
	for _, c := range []struct {
		value  string
		places int32
		want   string
	}{
		{"1107165.26", -3, "1107.16526"}, {"1107165.26", -6, "1.10716526"}, {"500000.10", -3, "500.0001"}, {"1", -6, "0.000001"},
		{"-1", -3, "-0.001"},
		{"0.00", -3, "0"}, {"21000000000", -6, "21000"}, {"1.5", 3, "1500"},
	} {
		if got := value.MustDecimal(c.value).Shifted(c.places).String(); got != c.want {
			t.Errorf("%s by %d is %s, want %s", c.value, c.places, got, c.want)
		}
	}
	if !(value.Decimal{}).Shifted(-3).IsNull() {
		t.Error("nothing became something")
	}
	rapid.Check(t, func(t *rapid.T) {
		text, places := valuetest.Decimals.Draw(t, "value"), rapid.Int32Range(-9, 9).Draw(t, "places")
		if got := valuetest.Rational(value.MustDecimal(text).Shifted(places).String()); got.Cmp(new(big.Rat).Mul(valuetest.Rational(text),
			valuetest.Power(int(places)))) != 0 {
			t.Fatalf("%s by %d is %s", text, places, got)
		}
	})
}
