package collect_test

import (
	"math/big"
	"testing"

	"piyasa/collect"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"305.20": "305.20", "-0.50": "-0.50", "+1": "1", "12345678901234567.89": "12345678901234567.89",
		"1.50e3": "1500", "1.5E+0": "1.5", "5E-3": "0.005", "-12.5e-1": "-1.25", "1e2": "100", "0e5": "0", "1.2345e2": "123.45",
		"1e-7": "0.0000001",
	} {
		if got, err := collect.Plain(text); err != nil || got != want {
			t.Errorf("%s: %q %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-", "1,5", "1.", ".5", "0x1", "NaN", "1e99999", "1e999", "1 000", "∞"} {
		if got, err := collect.Plain(text); err == nil {
			t.Errorf("%q is taken: %s", text, got)
		}
	}
}

// A number and what it becomes are equal.
func FuzzPlain(f *testing.F) {
	f.Add("-1.50e-3")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := collect.Plain(text)
		if err != nil {
			return
		}
		before, ok := new(big.Rat).SetString(text)
		after, okAfter := new(big.Rat).SetString(got)
		if !ok || !okAfter || before.Cmp(after) != 0 {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
