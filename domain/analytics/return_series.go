package analytics

import (
	"math/big"
	"slices"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// SectorReturnPoint is one day of a sector's return series.
type SectorReturnPoint struct {
	Date  value.Date    `json:"date"`
	Value value.Decimal `json:"value"` // 100 on the first day; 4 decimals, half away from zero; null if too long for a Decimal
}

// Values and their growth are whole numbers of 10^-carriedPlaces.
const (
	carriedPlaces = 60
	settledPlaces = 30 // free of the errors of carrying
	returnPlaces  = 4  // of a published value
)

// Returns computes the return series of members with equal weights: the mean of their daily
// changes, chained from 100 on the first day, and the bridges crossed, by day. The days of each
// member must ascend and lie in the requested range. The series has every day on which a member
// has a close. A member's change on a day is relative to its previous close in the range,
// however long ago. A member does not count on a day if its previous close is missing or not
// above zero. On a day on which no member counts, the value does not change. Changes over
// boundaries of a member, which are in the order of members, are computed with their bridges;
// if a bridge is missing, the member does not count that day.
func Returns(members [][]Day, boundaries []segment.Boundaries) ([]SectorReturnPoint, []*segment.Bridge) {
	group := groupDays(members, boundaries)
	if len(group) == 0 {
		return []SectorReturnPoint{}, nil
	}
	return chainReturns(group, 0), bridgesSince(group, 0)
}

// SectorWindows computes the six windows of a group of members, from 1w to 1y. The prices of
// each window are the values of Returns from its own start date on, so each starts at 100. All
// end at the newest day on which a member has a close; a window that starts before the first
// such day has no figures. The days of each member must ascend.
func SectorWindows(members [][]Day, boundaries []segment.Boundaries) []*PeriodicWindow {
	group := groupDays(members, boundaries)
	windows := make([]*PeriodicWindow, len(windowSpans))
	first := len(group) - 1
	for i, span := range windowSpans {
		for first >= 0 && span.back(group[len(group)-1].date).Before(group[first].date) {
			first--
		}
		if first < 0 {
			windows[i] = span.tooLong()
			continue
		}
		windows[i] = span.over(chainReturns(group, first))
		windows[i].Bridges = bridgesSince(group, first)
	}
	return windows
}

// over computes the window from a return series.
func (s windowSpan) over(points []SectorReturnPoint) *PeriodicWindow {
	if slices.ContainsFunc(points, func(p SectorReturnPoint) bool { return p.Value.IsNull() }) {
		return &PeriodicWindow{Window: s.name, NullReason: new(value.OutOfRange)}
	}
	var seen extremes
	for _, p := range points[1:] {
		seen.add(Day{Close: p.Value})
	}
	return s.between(points[0].Date, points[0].Value, points[len(points)-1].Value, seen)
}

// groupDay is a day on which a member has a close.
type groupDay struct {
	date    value.Date
	changes []memberChange
	oldest  int      // the smallest since of changes
	mean    *big.Int // growth over all changes, once computed
}

// memberChange is a member's previous close, which is above 0, and its close of the day, both
// multiplied by the same power of ten.
type memberChange struct {
	since       int // place of the previous close among the days of the group
	before, now *big.Int
	bridges     []*segment.Bridge // between the two
}

// bridgesSince returns the bridges that a series starting at day first crosses.
func bridgesSince(group []groupDay, first int) (bridges []*segment.Bridge) {
	for _, d := range group[first:] {
		for _, c := range d.changes {
			if c.since >= first {
				bridges = append(bridges, c.bridges...)
			}
		}
	}
	return bridges
}

// over brings the previous close to the meaning after the boundaries; ok is false if a bridge
// is missing.
func (c *memberChange) over(crossed segment.Boundaries) (ok bool) {
	if len(crossed) == 0 {
		return true
	}
	if crossed.Unbridged() != nil {
		return false
	}
	ratio := crossed.Ratio().Rat()
	c.before, c.now = new(big.Int).Mul(c.before, ratio.Num()), new(big.Int).Mul(c.now, ratio.Denom())
	c.bridges = crossed.Bridges()
	return true
}

// groupDays arranges the closes of members by day.
func groupDays(members [][]Day, boundaries []segment.Boundaries) []groupDay {
	var dates []value.Date
	var closes []value.Decimal
	for _, days := range members {
		for _, d := range days {
			if !d.Close.IsNull() {
				dates, closes = append(dates, d.Date), append(closes, d.Close)
			}
		}
	}
	places := decimals(closes)
	slices.SortFunc(dates, value.Date.Compare)
	dates = slices.Compact(dates)
	group := make([]groupDay, len(dates))
	for i, date := range dates {
		group[i] = groupDay{date: date, oldest: i}
	}
	for member, days := range members {
		at, since, before := 0, 0, new(big.Int)
		var between segment.Boundaries
		if boundaries != nil {
			between = boundaries[member]
		}
		for _, d := range days {
			if d.Close.IsNull() {
				continue
			}
			for group[at].date.Before(d.Date) {
				at++
			}
			now := new(big.Int)
			setNumber(now, d.Close, places)
			if before.Sign() > 0 {
				today, change := &group[at], memberChange{since: since, before: before, now: now}
				if change.over(between.Between(group[since].date, d.Date)) {
					today.changes = append(today.changes, change)
					today.oldest = min(today.oldest, since)
				}
			}
			since, before = at, now
		}
	}
	return group
}

// chainReturns computes the series that starts at day first.
func chainReturns(group []groupDay, first int) []SectorReturnPoint {
	points := make([]SectorReturnPoint, 0, len(group)-first)
	value := new(big.Int).Mul(hundred, powers[carriedPlaces])
	for i := first; i < len(group); i++ {
		if g := group[i].growth(first); g != nil {
			value.Mul(value, g)
			divideRounded(value, value, powers[carriedPlaces])
		}
		points = append(points, SectorReturnPoint{group[i].date, published(value)})
	}
	return points
}

// published rounds a carried value for answers, in two steps: one step would round down a half
// that was carried as 0.4999….
func published(carried *big.Int) value.Decimal {
	var n big.Int
	divideRounded(&n, carried, powers[carriedPlaces-settledPlaces])
	divideRounded(&n, &n, powers[settledPlaces-returnPlaces])
	d, err := value.ParseDecimal(n.String())
	if err != nil {
		return value.Decimal{}
	}
	return d.Shifted(-returnPlaces)
}

// growth returns the mean of now / before over the changes since day first or later; nil if
// there is none.
func (d *groupDay) growth(first int) *big.Int {
	all := d.oldest >= first // then the result is the same in every such window
	if all && d.mean != nil {
		return d.mean
	}
	var quotient big.Int
	sum, n := new(big.Int), int64(0)
	for _, c := range d.changes {
		if c.since >= first {
			quotient.Mul(c.now, powers[carriedPlaces])
			divideRounded(&quotient, &quotient, c.before)
			sum.Add(sum, &quotient)
			n++
		}
	}
	if n == 0 {
		return nil
	}
	divideRounded(sum, sum, big.NewInt(n))
	if all {
		d.mean = sum
	}
	return sum
}
