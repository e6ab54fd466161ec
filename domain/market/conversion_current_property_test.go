package market_test

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/internal/value/valuetest"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// A second implementation of conversion, slow and with rational numbers.

func price(r *big.Rat) string {
	if new(big.Rat).Abs(r).Cmp(big.NewRat(1, 1)) >= 0 {
		return valuetest.Rounded(r, 8)
	}
	return valuetest.Significant(r, 8)
}

type observed struct {
	rate string
	age  time.Duration
}

// reference is the rate from one currency to another and its age; nil without.
func reference(pairs map[string]observed, from, to string) (*big.Rat, time.Duration) {
	usable := func(pair string) (*big.Rat, time.Duration) {
		o, ok := pairs[pair]
		if !ok || o.age > time.Hour || valuetest.Rational(o.rate).Sign() <= 0 {
			return nil, 0
		}
		return valuetest.Rational(o.rate), o.age
	}
	step := func(from, to string) (*big.Rat, time.Duration) {
		if r, age := usable(from + to); r != nil {
			return r, age
		}
		if r, age := usable(to + from); r != nil {
			return r.Inv(r), age
		}
		return nil, 0
	}
	if r, age := step(from, to); r != nil {
		return r, age
	}
	for _, via := range []string{"USD", "TRY"} {
		if via == from || via == to {
			continue
		}
		a, ageA := step(from, via)
		b, ageB := step(via, to)
		if a != nil && b != nil {
			return a.Mul(a, b), max(ageA, ageB)
		}
	}
	return nil, 0
}

func TestAnyConversion(t *testing.T) {
	currencies := []string{"TRY", "USD", "EUR", "MYR"}
	rates := rapid.Custom(func(t *rapid.T) string {
		text := rapid.StringMatching(`(0|[1-9][0-9]{0,2}|[1-9][0-9]{6,9})(\.[0-9]{1,8})?`).Draw(t, "rate")
		if rapid.IntRange(0, 9).Draw(t, "negative") == 0 && valuetest.Rational(text).Sign() != 0 {
			text = "-" + text
		}
		return text
	})
	ages := rapid.SampledFrom([]time.Duration{0, time.Millisecond, 15 * time.Minute, time.Hour - time.Millisecond, time.Hour, time.Hour +
		time.Millisecond, 2 * time.Hour})
	rapid.Check(t, func(t *rapid.T) {
		d := newFixture()
		from := rapid.SampledFrom(currencies).Draw(t, "from")
		target := rapid.SampledFrom([]market.Currency{market.TRY, market.USD, market.EUR}).Draw(t, "target")
		records := []*market.Instrument{record("cmdty:TEA", in(from))}
		var quotes []*market.Observation
		pairs := map[string]observed{}
		for _, a := range currencies {
			for _, b := range currencies {
				if a == b || !rapid.Bool().Draw(t, a+b) {
					continue
				}
				o := observed{rates.Draw(t, a+b), ages.Draw(t, a+b+" age")}
				pairs[a+b] = o
				id := market.ID("fx:" + a + b)
				records = append(records, record(id))
				quotes = append(quotes, seen(id, o.rate, now.Add(-o.age).String()))
			}
		}
		tea := seen("cmdty:TEA", valuetest.Decimals.Draw(t, "last"), now.String())
		tea.Change, tea.Turnover = dec(valuetest.Decimals.Draw(t, "change")), dec(valuetest.Decimals.Draw(t, "turnover"))
		d.Live.PutCatalog(records, nil)
		d.Live.PutQuotes(append(quotes, tea))

		q, err := d.Quote(calls.Anyone(), "cmdty:TEA", &target)
		if from == string(target) {
			if err != nil || q.Last != tea.Last || q.Turnover != tea.Turnover || !q.FxRate.IsNull() || !q.FxAsOf.IsNull() {
				t.Fatalf("unconverted: %v, %v", q, err)
			}
			return
		}
		rate, age := reference(pairs, from, string(target))
		if rate == nil {
			if problem.From(err).Kind != problem.FXRateUnavailable {
				t.Fatalf("no rate leads there: %v, %v", q, err)
			}
			return
		}
		need.NoError(t, err)
		factor := valuetest.Significant(rate, 12)
		times := func(d value.Decimal) *big.Rat {
			return new(big.Rat).Mul(valuetest.Rational(d.String()), valuetest.Rational(factor))
		}
		want := fmt.Sprintln(factor, now.Add(-age), price(times(tea.Last)), price(times(tea.Change)),
			valuetest.Rounded(times(tea.Turnover), 2), target)
		if got := fmt.Sprintln(q.FxRate, q.FxAsOf, q.Last, q.Change, q.Turnover, q.Currency); got != want {
			t.Fatalf("got  %swant %s", got, want)
		}
		for _, figure := range []value.Decimal{q.FxRate, q.Last, q.Change, q.Turnover} {
			if _, err := value.ParseDecimal(figure.String()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// The reference itself, on the figures of V-56 to V-64.
func TestReference(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{valuetest.Significant(big.NewRat(100, 4125), 12), "0.0242424242424"},
		{valuetest.Significant(new(big.Rat).Inv(valuetest.Rational("44.82")), 12), "0.0223114680946"},
		{valuetest.Significant(new(big.Rat).Inv(valuetest.Rational("4.7806")), 12), "0.209178764172"},
		{valuetest.Significant(valuetest.Rational("123456789012345"), 12), "123456789012000"},
		{price(valuetest.Rational("7.3999999999926")), "7.4"},
		{price(valuetest.Rational("0.999999999999")), "1"},
		{price(valuetest.Rational("-0.000509259254625")), "-0.00050925925"},
		{valuetest.Rounded(valuetest.Rational("-29928918.555"), 2), "-29928918.56"},
		{valuetest.Rounded(valuetest.Rational("-0.004"), 2), "0"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}
