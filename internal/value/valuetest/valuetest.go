// Package valuetest has what tests of exact figures share: random decimals, and an independent,
// slow rounding with fractions.
package valuetest

import (
	"math/big"
	"strings"

	"pgregory.net/rapid"
)

// Decimals draws texts of decimals with up to 30 digits.
var Decimals = rapid.Custom(func(t *rapid.T) string {
	text := rapid.StringMatching(`0|[1-9][0-9]{0,14}`).Draw(t, "whole") + rapid.StringMatching(`(\.[0-9]{1,15})?`).Draw(t, "fraction")
	if strings.ContainsAny(text, "123456789") && rapid.Bool().Draw(t, "negative") {
		return "-" + text
	}
	return text
})

// Rational returns the fraction of a text. It panics on text that is not a number.
func Rational(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("no number: " + text)
	}
	return r
}

// Rounded returns r to a number of decimals, half away from zero, without trailing
// zeros.
func Rounded(r *big.Rat, decimals int) string {
	half := big.NewRat(1, 2)
	scaled := new(big.Rat).Mul(new(big.Rat).Abs(r), Power(decimals))
	scaled.Add(scaled, half)
	n := new(big.Int).Quo(scaled.Num(), scaled.Denom()) // truncates; scaled is not negative
	text := new(big.Rat).Quo(new(big.Rat).SetInt(n), Power(decimals)).FloatString(max(decimals, 0))
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if r.Sign() < 0 && text != "0" {
		text = "-" + text
	}
	return text
}

// Power returns 10 to the n.
func Power(n int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil))
	if n < 0 {
		p.Inv(p)
	}
	return p
}

// Significant returns r to a number of significant digits, half away from zero.
func Significant(r *big.Rat, digits int) string {
	if r.Sign() == 0 {
		return "0"
	}
	size := new(big.Rat).Abs(r)
	first := 0 // the place of the first digit: 10^first <= size < 10^(first+1)
	for size.Cmp(Power(first+1)) >= 0 {
		first++
	}
	for size.Cmp(Power(first)) < 0 {
		first--
	}
	return Rounded(r, digits-1-first)
}
