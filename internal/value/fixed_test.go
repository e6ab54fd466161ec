package value_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"piyasa/internal/value"
	"piyasa/internal/value/valuetest"
)

// A decimal of fixed scale is the decimal, or none.
func TestFixed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, scale := value.MustDecimal(valuetest.Decimals.Draw(t, "decimal")), rapid.IntRange(0, 20).Draw(t, "scale")
		n, ok := d.Fixed(scale)
		scaled := new(big.Rat).Mul(d.Rat(), new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)))
		most := new(big.Int).Exp(big.NewInt(10), big.NewInt(value.MaxFixedDigits), nil)
		if !ok {
			if len(d.String()) <= 18 && scale >= 18 {
				t.Fatalf("%s has no form of scale %d", d, scale)
			}
			return
		}
		got := new(big.Int).SetBytes(n[:])
		if n[0] >= 0x80 {
			got.Sub(got, new(big.Int).Lsh(big.NewInt(1), 128))
		}
		if !scaled.IsInt() || scaled.Num().Cmp(got) != 0 || new(big.Int).Abs(got).Cmp(most) >= 0 {
			t.Fatalf("%s of scale %d is %s", d, scale, got)
		}
	})
	for text, ok := range map[string]bool{
		"99999999999999999999.999999999999999999": true, "-99999999999999999999.999999999999999999": true,
		"100000000000000000000": false, "0.0000000000000000001": false, "0": true, "-0.000000000000000001": true,
	} {
		if _, got := value.MustDecimal(text).Fixed(18); got != ok {
			t.Errorf("%s: %v", text, got)
		}
	}
	if _, ok := (value.Decimal{}).Fixed(18); ok {
		t.Error("null has a form")
	}
}
