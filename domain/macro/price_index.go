package macro

import (
	"cmp"
	"slices"

	"piyasa/domain/segment"
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
	Value     value.Decimal `json:"value"` // null if the source skipped the month
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
	series map[Series]*index
}

// index is a price index.
type index struct {
	points   []*Point  // by month
	meanings []meaning // of the points
	links    []*IndexLink
}

// newPrices arranges points by series and month, with the links of their series.
func newPrices(all []*Point, links []*IndexLink) *Prices {
	points, linked := map[Series][]*Point{}, map[Series][]*IndexLink{}
	for _, p := range all {
		points[p.SeriesID] = append(points[p.SeriesID], p)
	}
	for _, l := range links {
		linked[l.SeriesID] = append(linked[l.SeriesID], l.Plain())
	}
	p := &Prices{map[Series]*index{}}
	for s, of := range points {
		p.series[s] = newIndex(of, linked[s])
	}
	return p
}

// newIndex arranges the points of a series and its links, which must be plain.
func newIndex(points []*Point, links []*IndexLink) *index {
	points = slices.SortedFunc(slices.Values(points), func(a, b *Point) int { return cmp.Compare(a.Month.String(), b.Month.String()) })
	return &index{points, meanings(points, links), links}
}

// of returns a series, which may have no points.
func (p *Prices) of(s Series) *index {
	if x := p.series[s]; x != nil {
		return x
	}
	return &index{}
}

// Between returns the factor that restates amounts in the money of one month to that of
// another, and the changes of the base between the two levels: if one of them has no bridge,
// there is no ratio. published reports whether both months have a level.
func (p *Prices) Between(s Series, from, to value.Month) (ratio value.Ratio, crossed segment.Boundaries, published bool) {
	x := p.of(s)
	a, b := x.place(from), x.place(to)
	if a < 0 || b < 0 {
		return ratio, nil, false
	}
	crossed = x.crossed(min(a, b), max(a, b))
	if crossed.Unbridged() != nil {
		return ratio, crossed, true
	}
	linked := crossed.Ratio()
	if a < b {
		linked = linked.Inverse()
	}
	return value.NewRatio(x.points[b].Value, x.points[a].Value).Times(linked), crossed, true
}

// crossed returns the changes of the base between the points at two places, the older first:
// none if both have the same base, and one for each link if links lead from one to the other.
func (x *index) crossed(older, newer int) segment.Boundaries {
	from, to := x.meanings[older], x.meanings[newer]
	if from == to && !from.unknown {
		return nil
	}
	begins := newer // of the newer point's base
	for begins-1 > older && x.meanings[begins-1] == to {
		begins--
	}
	on := x.points[begins].Month
	var steps []step
	if !from.unknown && !to.unknown {
		steps = way(x.links, from.base, to.base)
	}
	if steps == nil {
		return segment.Boundaries{{Change: segment.Change{What: segment.Base, From: from.words(), To: to.words(), On: on.First()}}}
	}
	all, last := make([]segment.Boundary, len(steps)), x.points[older].Month.Next()
	for i, s := range steps {
		if last = x.begin(s, older, begins, last); i == len(steps)-1 {
			last = on
		}
		all[i] = segment.Boundary{
			Change: segment.Change{What: segment.Base, From: &s.from, To: &s.to, On: last.First()},
			Bridge: segment.NewBridge(segment.IndexLink, last.First(), s.ratio(), s.link.Source),
		}
	}
	return all
}

// begin returns the month from which a series is in the base that a step leads to, between the
// points at two places and not before from: as a point or the link states, or else that of the
// newer point.
func (x *index) begin(s step, older, newer int, from value.Month) value.Month {
	on := x.points[newer].Month
	for i, p := range x.points[older+1 : newer] {
		if x.meanings[older+1+i].base == s.to && !p.Month.Before(from) {
			return p.Month
		}
	}
	if m := s.link.Month; !s.back && !m.Before(from) && m.Before(on) {
		return m
	}
	return on
}

// Newest returns the newest month of a series with a published level; null if there is none.
func (p *Prices) Newest(s Series) value.Month {
	return p.newest(s, func(value.Month) bool { return true })
}

// NewestQuarter returns the newest quarter-end month with a published level; null if there is
// none.
func (p *Prices) NewestQuarter(s Series) value.Month { return p.newest(s, value.Month.EndsQuarter) }

// newest returns the newest month with a published level for which fits is true; null if there
// is none.
func (p *Prices) newest(s Series, fits func(value.Month) bool) value.Month {
	for _, point := range slices.Backward(p.of(s).points) {
		if !point.Value.IsNull() && fits(point.Month) {
			return point.Month
		}
	}
	return value.Month{}
}

// months lists the months of a series from first, or from the oldest stored one, up to the
// newest published one, with gaps.
func (p *Prices) months(s Series, first value.Month) []value.Month {
	var all []value.Month
	points, newest := p.of(s).points, p.Newest(s)
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

// place returns the place of the point of a month, or -1 if no level is published.
func (x *index) place(m value.Month) int {
	i, found := slices.BinarySearchFunc(x.points, m, func(p *Point, m value.Month) int { return cmp.Compare(p.Month.String(), m.String()) })
	if !found || x.points[i].Value.IsNull() {
		return -1
	}
	return i
}

// unit returns the base of the points at some places, in the words of the newest point that
// states it; nil if they do not all have one base. Without places, it returns the newest stated
// base.
func (x *index) unit(shown []int) *string {
	for _, i := range shown {
		if x.meanings[i].unknown || x.meanings[i] != x.meanings[shown[0]] {
			return nil
		}
	}
	for i, p := range slices.Backward(x.points) {
		if p.Unit != nil && (len(shown) == 0 || x.meanings[i] == x.meanings[shown[0]]) {
			return p.Unit
		}
	}
	return nil
}

// linksOf returns the links over the changes of the base among the points at some places, which
// must ascend.
func (x *index) linksOf(shown []int) (links []*IndexLink) {
	last := -1
	for _, i := range shown {
		if x.meanings[i].unknown {
			continue
		}
		if last >= 0 && x.meanings[last] != x.meanings[i] {
			for _, s := range way(x.links, x.meanings[last].base, x.meanings[i].base) {
				if !slices.Contains(links, s.link) {
					links = append(links, s.link)
				}
			}
		}
		last = i
	}
	return links
}
