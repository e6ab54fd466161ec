// Package macro is what is measured of the economy as a whole: the price
// indices, which say how much money a figure of one month is in another.
package macro

import (
	"cmp"
	"slices"
	"sync/atomic"

	"piyasa/domain/market"
)

// Series names a price index.
type Series string

// The price indices.
const (
	YIUFE Series = "YI_UFE" // producer prices
	TUFE  Series = "TUFE"   // consumer prices
)

// Point is one month of a price index.
type Point struct {
	SeriesID  Series         `json:"series_id" record:"required" one:"YI_UFE TUFE"`
	Month     market.Month   `json:"month" record:"required"`
	Value     market.Decimal `json:"value"` // null when the source skipped the month
	Unit      *string        `json:"unit"`  // base note of the source
	Source    *string        `json:"source"`
	FetchedAt market.Instant `json:"fetched_at"`
}

// Check returns what is wrong with the point as a whole: the member, and what
// is allowed.
func (p *Point) Check() (member, wrong string) {
	if !p.Value.IsNull() && p.Value.Sign() <= 0 {
		return "value", "must be above 0; leave it out when the source skipped the month"
	}
	return "", ""
}

// Prices are the price indices at one moment.
type Prices struct {
	series map[Series][]*Point // by month
}

func newPrices(all []*Point) *Prices {
	p := &Prices{map[Series][]*Point{}}
	for _, point := range all {
		p.series[point.SeriesID] = append(p.series[point.SeriesID], point)
	}
	for _, points := range p.series {
		slices.SortFunc(points, func(a, b *Point) int { return cmp.Compare(a.Month.String(), b.Month.String()) })
	}
	return p
}

// Index is the level of a series in a month; null when none is published.
func (p *Prices) Index(s Series, m market.Month) market.Decimal {
	points := p.series[s]
	i, found := slices.BinarySearchFunc(points, m, func(p *Point, m market.Month) int { return cmp.Compare(p.Month.String(), m.String()) })
	if !found {
		return market.Decimal{}
	}
	return points[i].Value
}

// Newest is the newest month of a series with a published level; null when
// there is none.
func (p *Prices) Newest(s Series) market.Month {
	return p.newest(s, func(market.Month) bool { return true })
}

// NewestQuarter is the newest month with a published level that ends a
// quarter; null when there is none.
func (p *Prices) NewestQuarter(s Series) market.Month { return p.newest(s, market.Month.EndsQuarter) }

func (p *Prices) newest(s Series, fits func(market.Month) bool) market.Month {
	for _, point := range slices.Backward(p.series[s]) {
		if !point.Value.IsNull() && fits(point.Month) {
			return point.Month
		}
	}
	return market.Month{}
}

// Live holds the price indices as they are known now.
type Live struct {
	prices atomic.Pointer[Prices]
}

// NewLive returns a Live that knows no month.
func NewLive() *Live {
	l := &Live{}
	l.PutPoints(nil)
	return l
}

// Prices are the price indices known now.
func (l *Live) Prices() *Prices { return l.prices.Load() }

// PutPoints replaces the price indices.
func (l *Live) PutPoints(all []*Point) { l.prices.Store(newPrices(all)) }
