package demo

import (
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// levels are the closes of the indices: the total value of all members divided by their value
// at base prices.
type levels struct {
	days  map[market.ID]map[value.Date]int64 // the value of a company
	base  map[market.ID]int64
	index []*market.BistIndex
}

// baseLevel is the level of an index at the base prices of its members, in
// hundredths of a point.
const baseLevel = 10_000_00

func newLevels(s *Simulation) *levels {
	return &levels{map[market.ID]map[value.Date]int64{}, map[market.ID]int64{}, s.indices}
}

// add adds the closes of a company.
func (l *levels) add(p *series, closes []settled) {
	if p.Market != market.BIST || p.financials == nil {
		return
	}
	worth := make(map[value.Date]int64, len(closes))
	for _, c := range closes {
		worth[c.day] = c.price * p.shares
	}
	l.days[p.InstrumentID], l.base[p.InstrumentID] = worth, p.base*p.shares
}

// appendBars appends the days on which every member closed.
func (l *levels) appendBars(lines []byte) []byte {
	for _, index := range l.index {
		members := make([]market.ID, len(index.Members))
		var base int64
		for i, m := range index.Members {
			members[i] = market.BistID(m.Symbol)
			base += l.base[members[i]]
		}
		for _, day := range slices.SortedFunc(maps.Keys(l.days[members[0]]), value.Date.Compare) {
			if level, complete := l.level(members, day, base); complete {
				lines = appendRecord(lines, "index_bar", &market.IndexBar{Code: index.Code, Date: day, Close: level})
			}
		}
	}
	return lines
}

// closedDay returns the day at whose close the quotes of all companies of the Istanbul exchange
// are; null if one is not.
func (s *Simulation) closedDay() (day value.Date) {
	for _, p := range s.series {
		if p.Market != market.BIST || p.financials == nil {
			continue
		}
		own := p.times.day(p.asOf)
		if !p.closed() || !day.IsNull() && own != day {
			return value.Date{}
		}
		day = own
	}
	return day
}

// appendLevels appends the levels of a day that has just closed.
func (s *Simulation) appendLevels(lines []byte) []byte {
	day := s.closedDay()
	if day.IsNull() || day == s.levelled {
		return lines
	}
	s.levelled = day
	levels := newLevels(s)
	for _, p := range s.series {
		levels.add(p, []settled{{day, p.last}})
	}
	return levels.appendBars(lines)
}

// level returns the level of an index on a day; complete is false if a member is missing.
func (l *levels) level(members []market.ID, day value.Date, base int64) (level value.Decimal, complete bool) {
	var sum int64
	for _, id := range members {
		worth, traded := l.days[id][day]
		if !traded {
			return level, false
		}
		sum += worth
	}
	return exact(decimal.New(sum/(base/baseLevel), -2), 2), true
}
