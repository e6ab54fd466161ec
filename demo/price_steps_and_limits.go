package demo

import "piyasa/domain/market"

// allowed rounds a price to a tick within the day's limits.
func (s *series) allowed(price int64) int64 {
	price -= price % s.tick(price)
	if s.states.limits {
		price = max(s.limitDown(), min(price, s.limitUp()))
	}
	return price
}

// limitUp returns the highest price within 10 % of the previous close.
func (s *series) limitUp() int64 {
	price := s.reference * 110 / 100
	return price - price%s.tick(price)
}

// limitDown returns the lowest price within 10 % of the previous close.
func (s *series) limitDown() int64 {
	price := (s.reference*90 + 99) / 100
	if over := price % s.tick(price); over > 0 {
		price += s.tick(price) - over
	}
	return price
}

// bistTicks are the price steps of the Istanbul exchange in kuruş.
var bistTicks = []struct{ below, tick int64 }{
	{20_00, 1}, {50_00, 2}, {100_00, 5}, {250_00, 10}, {500_00, 25}, {1000_00, 50}, {2500_00, 100},
}

// tick returns the price step near a price.
func (s *series) tick(price int64) int64 {
	if s.Market != market.BIST {
		return 1
	}
	for _, row := range bistTicks {
		if price < row.below {
			return row.tick
		}
	}
	return 250
}
