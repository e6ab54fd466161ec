package main

import "testing"

func TestNameOf(t *testing.T) {
	for word, want := range map[string]string{
		"bist": "BIST", "5m": "M5", "inflation_adjusted": "INFLATION_ADJUSTED", "valuationHistory": "VALUATION_HISTORY", "CS": "CS",
	} {
		if got := nameOf(word); got != want {
			t.Errorf("%s is %s, want %s", word, got, want)
		}
	}
}
