package demo

import (
	"time"

	"github.com/shopspring/decimal"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// historyDays is the length of the daily history: a year, as charts request, plus the days by
// which a window of a year may reach back further.
const historyDays = 375

// settled is the closing price of a day.
type settled struct {
	day   value.Date
	price int64
}

// appendBars appends the daily bars as record lines, newest first, and returns their closes.
// The quote's own day has a bar if it is over and the recorder makes none.
//
// The past is made backwards from the previous close of the quote, so that both fit. It uses
// its own random choices, so that it does not change those of the feed.
func (s *series) appendBars(lines []byte) ([]byte, []settled) {
	if s.withdrawn() {
		return lines, nil
	}
	var closes []settled
	if s.closed() {
		lines = appendRecord(lines, "bar", s.asTraded(s.times.day(s.asOf), s.bar(s.begins())))
		closes = append(closes, settled{s.times.day(s.asOf), s.last})
	}
	past := *s
	past.random = seeded(string(s.InstrumentID) + " history")
	past.last = s.lastClose()
	today := s.begins()
	for age := 1; age < historyDays; age++ {
		begins := time.Date(today.Year(), today.Month(), today.Day()-age, 0, 0, 0, 0, today.Location())
		day := value.NewDate(begins.Date())
		if !s.tradesOn(day) {
			continue
		}
		closes = append(closes, settled{day, past.last})
		lines = appendRecord(lines, "bar", s.asTraded(day, past.dayBefore(begins)))
	}
	return lines, closes
}

// closed reports whether the quote is the last of its day and the recorder does not make the
// day's bar.
func (s *series) closed() bool {
	if s.Market != market.BIST && s.Market != market.US && s.Market != market.Fund {
		return false
	}
	_, closes, trades := s.times.session(s.times.day(s.asOf))
	return trades && s.asOf.Equal(closes)
}

// begins returns the start of the quote's day.
func (s *series) begins() time.Time {
	at := s.asOf.In(s.calendar())
	return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location())
}

// calendar returns the zone of the market's daily bars.
func (s *series) calendar() *time.Location {
	if s.Market == market.BIST || s.Market == market.FX {
		return location(istanbul)
	}
	return time.UTC
}

// lastClose returns the last price of the day before.
func (s *series) lastClose() int64 {
	if s.Market == market.Crypto {
		return s.hours[0] // reference is the price 24 hours ago
	}
	return s.reference
}

// tradesOn reports whether the day has a bar. Commodities are quoted around the clock, but have
// no bars on weekends.
func (s *series) tradesOn(day value.Date) bool {
	if s.times.session != nil {
		_, _, trades := s.times.session(day)
		return trades
	}
	w := day.Weekday()
	return s.Market != market.Cmdty || w != time.Saturday && w != time.Sunday
}

// dayBefore returns the bar of the last closed day, and goes back to the previous close.
func (s *series) dayBefore(begins time.Time) *market.Bar {
	reach := max(1, s.last*s.swing/3000)
	s.reference = s.last + s.between(-reach, reach)
	s.reference -= s.reference % s.tick(s.reference)
	s.open, s.high, s.low = s.last, s.last, s.last
	if !s.times.fixed {
		s.open = s.allowed(s.reference + s.between(-reach/4, reach/4))
		s.high = s.allowed(max(s.open, s.last) + s.between(0, reach/3))
		s.low = s.allowed(min(s.open, s.last) - s.between(0, reach/3))
	}
	if s.states.volume {
		s.volume = s.dayLots()
		s.turnover = s.volume * ((s.high + s.low + s.last) / 3)
	}
	if s.Market == market.Crypto {
		s.turnover = s.usualTurnover()
	}
	b := s.bar(begins)
	s.last = s.reference
	return b
}

// bar returns the bar of the day that begins at a moment, with the figures that its market
// states.
func (s *series) bar(begins time.Time) *market.Bar {
	b := &market.Bar{InstrumentID: s.InstrumentID, Resolution: market.Day, T: value.At(begins), Close: s.priced(s.last)}
	if s.states.day || s.Market == market.Crypto {
		b.High, b.Low = s.priced(s.high), s.priced(s.low)
		if s.Market != market.BIST { // bist states no opening price in its daily bars
			b.Open = s.priced(s.open)
		}
	}
	if s.states.volume {
		b.Volume = exact(decimal.NewFromInt(s.volume), 0)
	}
	if s.states.volume || s.Market == market.Crypto {
		b.Turnover = s.money(s.turnover)
	}
	return b
}
