package market_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/domain/market"
)

// decimals draws texts of the grammar with up to 30 digits.
var decimals = rapid.Custom(func(t *rapid.T) string {
	text := rapid.StringMatching(`0|[1-9][0-9]{0,14}`).Draw(t, "whole") + rapid.StringMatching(`(\.[0-9]{1,15})?`).Draw(t, "fraction")
	if strings.ContainsAny(text, "123456789") && rapid.Bool().Draw(t, "negative") {
		return "-" + text
	}
	return text
})

func rat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	return r
}

func TestAnyDecimalTrips(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := decimals.Draw(rt, "text")
		d, err := market.ParseDecimal(text)
		if err != nil || d.String() != text {
			rt.Fatalf("%s became %q, %v", text, d, err)
		}
		checkDecimalTrips(t, d)
	})
}

func TestAnyDecimalsCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := decimals.Draw(t, "a"), decimals.Draw(t, "b")
		if strings.Contains(a, ".") && rapid.Bool().Draw(t, "equal") {
			b = a + strings.Repeat("0", rapid.IntRange(0, 5).Draw(t, "zeros"))
		}
		if got, want := dec(a).Cmp(dec(b)), rat(a).Cmp(rat(b)); got != want {
			t.Fatalf("%s against %s: %d, want %d", a, b, got, want)
		}
		if got, want := dec(a).Sign(), rat(a).Sign(); got != want {
			t.Fatalf("sign of %s: %d, want %d", a, got, want)
		}
	})
}

func TestAnyInstantTrips(t *testing.T) {
	first := time.Date(1, 1, 3, 0, 0, 0, 0, time.UTC).UnixMicro() // its day before can be written, too
	last := time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC).UnixMicro()
	rapid.Check(t, func(rt *rapid.T) {
		micro := time.UnixMicro(rapid.Int64Range(first, last).Draw(rt, "micro"))
		i := market.At(micro)
		if late := micro.Sub(i.Time()); late < 0 || late >= time.Millisecond {
			rt.Fatalf("%s is %s off", i, late)
		}
		checkInstantTrips(t, i)
		if parsed, err := market.ParseInstant(i.String()); err != nil || parsed != i {
			rt.Fatalf("%s is read as %s, %v", i, parsed, err)
		}
		// Its day in Turkey lasts 24 hours from 21:00 UTC.
		day := market.TurkeyDay(i)
		midnight := market.MustInstant(day.AddDays(-1).String() + "T21:00:00Z")
		if i.Before(midnight) || !i.Before(midnight.Add(24*time.Hour)) {
			rt.Fatalf("%s is on %s", i, day)
		}
	})
}
