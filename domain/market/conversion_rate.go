package market

import (
	"github.com/shopspring/decimal"

	"piyasa/internal/value"
)

// Rate is the factor from one currency to another: converted = source × Factor.
type Rate struct {
	Factor value.Decimal // 12 significant digits; the rounded value is the one used
	AsOf   value.Instant // the older observation of the pairs used
}

// rateDigits is the number of significant digits of a rate.
const rateDigits = 12

// pairs looks up the newest usable rate of a currency pair such as USDTRY: its
// last price and when that was observed; ok is false when there is none.
type pairs func(pair string) (last value.Decimal, asOf value.Instant, ok bool)

// or returns the rates of p, and where it has none those of q.
func (p pairs) or(q pairs) pairs {
	return func(pair string) (value.Decimal, value.Instant, bool) {
		if last, at, ok := p(pair); ok {
			return last, at, ok
		}
		return q(pair)
	}
}

// step is one leg of a path: multiply by num, divide by den.
type step struct {
	num, den decimal.Decimal
	asOf     value.Instant
}

var one = decimal.NewFromInt(1)

// leg returns the step from one currency to the next: by the direct pair, or
// else by the inverse of the opposite one.
func (p pairs) leg(from, to string) (step, bool) {
	if last, at, ok := p(from + to); ok {
		return step{last.Number(), one, at}, true
	}
	if last, at, ok := p(to + from); ok {
		return step{one, last.Number(), at}, true
	}
	return step{}, false
}

// rate looks for a rate in this order: direct pair, inverse pair, two steps
// through USD, two steps through TRY.
func (p pairs) rate(from, to string) (Rate, bool) {
	if s, ok := p.leg(from, to); ok {
		return s.rate(), true
	}
	for _, via := range []string{string(USD), string(TRY)} {
		if via == from || via == to {
			continue
		}
		a, ok := p.leg(from, via)
		if !ok {
			continue
		}
		if b, ok := p.leg(via, to); ok {
			at := a.asOf
			if b.asOf.Before(at) {
				at = b.asOf
			}
			return step{a.num.Mul(b.num), a.den.Mul(b.den), at}.rate(), true
		}
	}
	return Rate{}, false
}

// rate rounds the step to a rate.
func (s step) rate() Rate {
	return Rate{value.OfNumber(value.Quotient(s.num, s.den, rateDigits)), s.asOf}
}

// The rounding of converted money: of a price its decimals from 1 upwards, and
// below its significant digits; of an amount its decimals.
const (
	priceDigits    = 8
	amountDecimals = 2
)

// Price converts a price: to 8 decimals from 1 upwards, below to 8 significant
// digits. A null price and an unknown rate give null.
func (r Rate) Price(d value.Decimal) value.Decimal {
	if d.IsNull() || r.Factor.IsNull() {
		return value.Decimal{}
	}
	x := d.Number().Mul(r.Factor.Number())
	if x.Abs().LessThan(one) {
		return value.OfNumber(value.Significant(x, priceDigits))
	}
	return value.OfNumber(x.Round(priceDigits))
}

// Amount converts an amount of money to 2 decimals. A null amount and an
// unknown rate give null.
func (r Rate) Amount(d value.Decimal) value.Decimal {
	if d.IsNull() || r.Factor.IsNull() {
		return value.Decimal{}
	}
	return value.OfNumber(d.Number().Mul(r.Factor.Number()).Round(amountDecimals))
}

// converts reports whether asking for target changes a figure of market m in
// the currency own. Levels of indices are points and are never converted.
func converts(m Market, own string, target *Currency) bool {
	return target != nil && m != Index && own != string(*target)
}
