package demo

import (
	"github.com/shopspring/decimal"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// observation returns the price in the form of the market's feed.
func (s *series) observation() *market.Observation {
	o := &market.Observation{InstrumentID: s.InstrumentID, AsOf: value.At(s.asOf)}
	if s.withdrawn() {
		return o
	}
	o.Last, o.Change, o.ChangePct = s.priced(s.last), s.priced(s.last-s.reference), percent(s.last-s.reference, s.reference)
	if s.states.prevClose {
		o.PrevClose = s.priced(s.reference)
	}
	if s.states.day {
		o.Open, o.High, o.Low = s.priced(s.open), s.priced(s.high), s.priced(s.low)
	}
	if s.states.book {
		o.Bid, o.Ask = s.priced(s.last), s.priced(s.last+s.tick(s.last))
	}
	if s.states.limits {
		o.LimitUp, o.LimitDown = s.priced(s.limitUp()), s.priced(s.limitDown())
		if s.last == s.limitUp() {
			o.Ask = value.Decimal{} // no order may be above the limit
		}
	}
	if s.states.volume {
		o.Volume, o.Turnover = exact(decimal.NewFromInt(s.volume), 0), s.money(s.turnover)
	}
	if s.states.capitalisation {
		o.MarketCap, o.Turnover = s.money(s.last*s.size), s.money(s.turnover)
	}
	return o
}

// priced converts a number of price units to a price with all its decimals.
func (s *series) priced(units int64) value.Decimal {
	return exact(decimal.New(units, -s.digits), s.digits)
}

// money returns an amount as text with two decimals.
func (s *series) money(units int64) value.Decimal { return exact(decimal.New(units, -s.digits), 2) }

// percent returns part of whole in percent with two decimals, half away from zero.
func percent(part, whole int64) value.Decimal {
	return exact(decimal.NewFromInt(part*100).DivRound(decimal.NewFromInt(whole), 2), 2)
}

// hundredths returns a figure with two decimals.
func hundredths(n int64) value.Decimal { return exact(decimal.New(n, -2), 2) }

func exact(n decimal.Decimal, digits int32) value.Decimal {
	return value.MustDecimal(n.StringFixed(digits))
}
