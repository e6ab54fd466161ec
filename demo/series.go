package demo

import (
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/shopspring/decimal"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// listing is an instrument with the parameters of its price.
type listing struct {
	market.Instrument
	times timetable
	price string // the close before the first day, with all decimals; empty: no valid price now
	size  int64  // lots or shares on an ordinary day; of a coin its supply
	// The number of shares of a company, else 0.
	shares int64
	former *former // its state before a change; nil: none
}

// manner is the behaviour of a market's prices, and the figures of its feed.
type manner struct {
	delay  time.Duration // from observation to publication
	swing  int64         // range of prices, per mille of base
	stride int64         // size of one trade's move, in millionths of the price
	cards  int           // share of the trades
	states states
}

// states are the figures that a feed states besides last and change.
type states struct{ prevClose, day, book, volume, limits, capitalisation bool }

// delayed is the publication delay of every market but the coins'.
const delayed = 15 * time.Minute

var manners = map[market.Market]manner{
	market.BIST:   {delayed, 60, 800, 2, states{prevClose: true, day: true, book: true, volume: true, limits: true}},
	market.Crypto: {0, 90, 1500, 3, states{capitalisation: true}},
	market.FX:     {delayed, 3, 60, 4, states{day: true, book: true}},
	market.Index:  {delayed, 15, 150, 1, states{prevClose: true, day: true}},
	market.Cmdty:  {delayed, 25, 200, 2, states{prevClose: true, day: true, book: true}},
	market.US:     {delayed, 40, 400, 1, states{prevClose: true, day: true, book: true, volume: true}},
	market.Fund:   {delayed, 7, 3000, 1, states{prevClose: true}},
}

// series is the price of one instrument over time: it moves by random choices of its seed while
// its market is open, returns to its base in the long run, and keeps the figures of a quote and
// a day. Prices and money are in units of the price's last decimal.
type series struct {
	listing
	manner
	random           *rand.Rand
	financials       *financials // of a company; otherwise nil
	digits           int32       // decimals of a price
	base             int64       // price to which it returns
	asOf             time.Time
	reference        int64 // price from which change is computed
	last             int64
	open, high, low  int64     // of the day
	volume, turnover int64     // of the day; of a coin, turnover over 24 hours
	activity         int64     // of a coin: per mille of the usual turnover in 24 hours
	hours            [24]int64 // of a coin: the last price at the most recent passing of each hour
}

// withdrawn reports whether there is no valid price.
func (s *series) withdrawn() bool { return s.price == "" }

// units converts a price to an integer in units of its last decimal.
func units(price string) (n int64, digits int32) {
	d := decimal.RequireFromString(price)
	return d.CoefficientInt64(), -d.Exponent()
}

// seeded returns a random source that depends only on a name.
func seeded(name string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 0))
}

// observed returns the full second that is published at now after a delay.
func observed(now value.Instant, delay time.Duration) time.Time {
	return now.Time().Truncate(time.Second).Add(-delay)
}

// newSeries returns the series as of now, in the middle of its day.
func newSeries(l listing, now value.Instant) *series {
	s := &series{listing: l, manner: manners[l.Market], random: seeded(string(l.InstrumentID))}
	s.asOf = l.times.lastTrade(observed(now, s.delay))
	if s.withdrawn() {
		return s
	}
	if l.AssetType == market.ETF {
		s.swing /= 3 // an index moves less than its members
	}
	s.base, s.digits = units(l.price)
	if s.shares > 0 {
		s.financials = newFinancials(l, s.base, now)
	}
	s.reference = s.base
	reach := s.base * s.swing / 1000
	s.last = s.allowed(s.base + s.between(-reach, reach))
	s.open, s.high, s.low = s.last, s.last, s.last
	if !s.times.fixed {
		s.open = s.allowed(s.base + s.between(-reach/4, reach/4))
		s.high = s.allowed(max(s.open, s.last) + s.between(0, reach/6))
		s.low = s.allowed(min(s.open, s.last) - s.between(0, reach/6))
	}
	if s.Market != market.Crypto {
		s.volume = s.dayLots()
		s.turnover = s.volume * ((s.high + s.low + s.last) / 3)
		return s
	}
	s.asOf = s.asOf.Add(-time.Duration(s.between(0, int64(*s.Delay)-1)) * time.Second) // at some moment between two refreshes
	s.activity = s.between(15, 80)
	s.turnover = s.usualTurnover()
	for age := range int64(24) {
		s.hours[(s.asOf.Hour()+24-int(age))%24] = s.last - (s.last-s.reference)*age/24
	}
	return s
}

// between returns an integer from low to high.
func (s *series) between(low, high int64) int64 { return low + s.random.Int64N(high-low+1) }

// due returns whether there is a newer price to publish at now, and its time. A coin waits for
// its refresh.
func (s *series) due(now value.Instant) (at time.Time, due bool) {
	at = s.times.lastTrade(observed(now, s.delay))
	wait := time.Second
	if s.Market == market.Crypto {
		wait = time.Duration(*s.Delay) * time.Second
	}
	return at, at.Sub(s.asOf) >= wait
}

// trade moves the price a little, at a time from due.
func (s *series) trade(at time.Time) {
	before := s.asOf
	s.asOf = at
	if s.Market == market.Crypto {
		if hour := at.Hour(); hour != before.Hour() {
			s.reference, s.hours[hour] = s.hours[hour], s.last
		}
		s.last, s.turnover = s.next(), s.usualTurnover()
		return
	}
	newDay := s.times.day(at) != s.times.day(before)
	if newDay {
		s.reference, s.volume, s.turnover = s.last, 0, 0
	}
	s.last = s.next()
	if newDay {
		s.open, s.high, s.low = s.last, s.last, s.last
	}
	s.high, s.low = max(s.high, s.last), min(s.low, s.last)
	lots := s.between(0, s.size/tradesPerDay)
	if s.times.fixed {
		lots = s.dayLots()
	}
	s.volume += lots
	s.turnover += lots * s.last
}

// tradesPerDay is the number of the feed's trades that make an ordinary day.
const tradesPerDay = 700

// dayLots returns the volume of a whole day.
func (s *series) dayLots() int64 { return s.size * s.between(40, 160) / 100 }

// next returns a price near the last one. The farther from base, the more it tends back.
func (s *series) next() int64 {
	tick := s.tick(s.last)
	stride := max(1, s.last*s.stride/1_000_000/tick)
	back := stride * (s.last - s.base) / max(1, s.base*s.swing/1000)
	return s.allowed(s.last + (s.between(-stride, stride)-back)*tick)
}

// usualTurnover returns the typical turnover of a coin in 24 hours.
func (s *series) usualTurnover() int64 {
	return s.last * s.size / 100_000 * (s.activity*100 + s.between(-50, 50))
}
