package value_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"piyasa/internal/value"
)

func TestMultiplier(t *testing.T) {
	for _, c := range []struct{ figure, num, den, want string }{
		{"", "1", "2", ""}, {"0", "1", "2", "0"}, {"10", "1", "2", "5"}, {"-10", "1", "2", "-5"}, {"5.20", "1", "5", "1.04"},
		{"1", "1", "1", "1"}, {"100.00", "1", "1", "100"}, {"2", "1", "3", "0.66666667"}, {"4", "1", "3", "1.33333333"},
		{"5", "1", "3", "1.66666667"}, {"-5", "1", "3", "-1.66666667"}, {"1.000000005", "1", "1", "1.00000001"},
		{"2.00000001", "1", "2", "1.00000001"}, {"-2.00000001", "1", "2", "-1.00000001"}, {"0.02", "1", "3", "0.0066666667"},
		{"3", "0.5", "0.25", "6"}, {"3", "1000", "0.001", "3000000"}, {"99999999999999999999", "3", "1", "299999999999999999997"},
		{"1999999999.99999999", "1", "2", "1000000000"}, {"9223372036854775807", "1", "1", "9223372036854775807"},
		{"92233720368.54775807", "2", "1", "184467440737.09551614"}, {"0.99999999999", "1", "1", "1"}, {"7", "0", "1", "0"},
	} {
		figure := value.Decimal{}
		if c.figure != "" {
			figure = value.MustDecimal(c.figure)
		}
		m := value.NewMultiplier(decimal.RequireFromString(c.num), decimal.RequireFromString(c.den), 8)
		for range 2 { // it is used again
			if got := m.Of(figure).String(); got != c.want {
				t.Errorf("%s × %s / %s is %s, want %s", c.figure, c.num, c.den, got, c.want)
			}
		}
	}
}

// Whatever is multiplied, it is the quotient of arbitrary precision, rounded once.
func TestMultiplierIsExact(t *testing.T) {
	figures := rapid.StringMatching(`-?(0|[1-9][0-9]{0,21})(\.[0-9]{0,11}[1-9])?`)
	parts := rapid.StringMatching(`[1-9][0-9]{0,24}(\.[0-9]{0,6}[1-9])?`)
	rapid.Check(t, func(t *rapid.T) {
		num, den := decimal.RequireFromString(parts.Draw(t, "num")), decimal.RequireFromString(parts.Draw(t, "den"))
		m := value.NewMultiplier(num, den, 8)
		for range 3 {
			figure, err := value.ParseDecimal(figures.Draw(t, "figure"))
			if err != nil { // -0
				continue
			}
			x := figure.Number().Mul(num)
			want := value.OfNumber(x.DivRound(den, 8))
			if x.Abs().LessThan(den) {
				want = value.OfNumber(value.Quotient(x, den, 8))
			}
			if got := m.Of(figure); got != want {
				t.Fatalf("%s × %s / %s is %s, want %s", figure, num, den, got, want)
			}
		}
	})
}
