package demo

import (
	"time"

	"github.com/shopspring/decimal"

	"piyasa/domain/fundamentals"
	"piyasa/internal/value"
)

// appendMetrics appends the market capitalisation and P/E of past days, and the
// current ones.
func (s *series) appendMetrics(lines []byte, closes []settled) []byte {
	today := s.times.day(s.asOf)
	lines = appendRecord(lines, "market_metrics", s.metrics(today, s.asOf, s.last))
	for _, c := range closes {
		if c.day == today {
			continue
		}
		_, at, _ := s.times.session(c.day)
		lines = appendRecord(lines, "market_metrics", s.metrics(c.day, at, c.price))
	}
	return lines
}

// metrics returns a distributor's metrics for a price.
func (s *series) metrics(day value.Date, at time.Time, price int64) *fundamentals.Metrics {
	worth := price * s.shares
	m := &fundamentals.Metrics{
		InstrumentID: s.InstrumentID, Date: day, AsOf: value.At(at), Source: new(source),
		MarketCap: s.money(worth), PeRatio: value.MustDecimal("0"), // means none
	}
	if profit := s.financials.trailing(m.AsOf); profit > 0 {
		m.PeRatio = exact(decimal.New(worth, -s.digits).DivRound(decimal.NewFromInt(profit), 2), 2)
	}
	return m
}

// metricsInterval is how often the distributor computes.
const metricsInterval = 5 * time.Minute

// appendTrade appends the changes by the newest trade: the quote, from time to time the market
// metrics, and at the end of the day its bar.
func (s *series) appendTrade(lines []byte, before time.Time) []byte {
	lines = appendRecord(lines, "quote", s.observation())
	closed := s.closed()
	if closed {
		lines = appendRecord(lines, "bar", s.asTraded(s.times.day(s.asOf), s.bar(s.begins())))
	}
	if s.financials != nil && (closed || !s.asOf.Truncate(metricsInterval).Equal(before.Truncate(metricsInterval))) {
		lines = appendRecord(lines, "market_metrics", s.metrics(s.times.day(s.asOf), s.asOf, s.last))
	}
	return lines
}
