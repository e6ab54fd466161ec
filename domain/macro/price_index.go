package macro

import (
	"cmp"
	"slices"

	"piyasa/internal/value"
)

// Series names a price index.
type Series string

// The price indices.
const (
	YIUFE Series = "YI_UFE" // producer prices
	TUFE  Series = "TUFE"   // consumer prices
)

var _ = value.Enum(YIUFE, TUFE)

// Point is one month of a price index.
type Point struct {
	SeriesID  Series        `json:"series_id" record:"required"`
	Month     value.Month   `json:"month" record:"required" time:"past"`
	Value     value.Decimal `json:"value"` // null when the source skipped the month
	Unit      *string       `json:"unit"`  // base note of the source
	Source    *string       `json:"source"`
	FetchedAt value.Instant `json:"fetched_at" time:"past"`
}

// Validate returns the value.Invalid of the point, if any.
func (p *Point) Validate() error {
	if err := value.CheckMoment("fetched_at", p.FetchedAt); err != nil {
		return err
	}
	if !p.Value.IsNull() && p.Value.Sign() <= 0 {
		return value.Invalidf("value", "must be above 0; leave it out if the source skipped the month")
	}
	return nil
}

// Prices holds the price indices as of one moment. It is immutable.
type Prices struct {
	series map[Series][]*Point // by month
}

// newPrices arranges points by series and month.
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

// Index returns the level of a series in a month; null when none is published.
func (p *Prices) Index(s Series, m value.Month) value.Decimal {
	if point := p.find(s, m); point != nil {
		return point.Value
	}
	return value.Decimal{}
}

// Newest returns the newest month of a series with a published level; null when
// there is none.
func (p *Prices) Newest(s Series) value.Month {
	return p.newest(s, func(value.Month) bool { return true })
}

// NewestQuarter returns the newest month with a published level that ends a
// quarter; null when there is none.
func (p *Prices) NewestQuarter(s Series) value.Month { return p.newest(s, value.Month.EndsQuarter) }

// newest returns the newest month with a published level that fits; null when
// there is none.
func (p *Prices) newest(s Series, fits func(value.Month) bool) value.Month {
	for _, point := range slices.Backward(p.series[s]) {
		if !point.Value.IsNull() && fits(point.Month) {
			return point.Month
		}
	}
	return value.Month{}
}

// months lists the months of a series from first, or from the oldest stored
// one, up to the newest published one, gaps included.
func (p *Prices) months(s Series, first value.Month) []value.Month {
	var all []value.Month
	points, newest := p.series[s], p.Newest(s)
	if len(points) == 0 || newest.IsNull() {
		return nil
	}
	if oldest := points[0].Month; first.Before(oldest) {
		first = oldest
	}
	for m := first; !newest.Before(m); m = m.Next() {
		all = append(all, m)
	}
	return all
}

// find returns the stored point of a month, or nil.
func (p *Prices) find(s Series, m value.Month) *Point {
	points := p.series[s]
	i, found := slices.BinarySearchFunc(points, m, func(p *Point, m value.Month) int { return cmp.Compare(p.Month.String(), m.String()) })
	if !found {
		return nil
	}
	return points[i]
}

// point returns a month as it is shown.
func (p *Prices) point(s Series, m value.Month) *InflationPoint {
	if known := p.find(s, m); known != nil && !known.Value.IsNull() {
		return &InflationPoint{m, known.Value, known.Source, known.FetchedAt}
	}
	return &InflationPoint{Month: m}
}

// unit returns the newest base note of a series, or nil.
func (p *Prices) unit(s Series) *string {
	for _, point := range slices.Backward(p.series[s]) {
		if point.Unit != nil {
			return point.Unit
		}
	}
	return nil
}
