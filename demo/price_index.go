package demo

import (
	"math/rand/v2"
	"time"

	"piyasa/domain/macro"
	"piyasa/internal/value"
)

// The producer price index begins with January 2003 at the level 100. Months are counted from
// it.
const (
	pricesStart    = 2003
	priceIndexBase = 100_00 // in hundredths
)

// skippedMonth is a month that the source skipped.
var skippedMonth = value.MustMonth("2024-07")

// priceIndex is the levels of the index by month, in hundredths: the same in every
// demonstration.
type priceIndex struct {
	random *rand.Rand
	levels []int64 // computed so far
}

func newPriceIndex() *priceIndex {
	return &priceIndex{seeded(string(macro.YIUFE)), []int64{priceIndexBase}}
}

// at returns the level of the month at a place.
func (p *priceIndex) at(place int) int64 {
	for len(p.levels) <= place {
		level, rise := p.levels[len(p.levels)-1], p.random.Int64N(321)-40 // in hundredths of a percent
		p.levels = append(p.levels, level+level/10_000*rise+level%10_000*rise/10_000)
	}
	return p.levels[place]
}

// priceIndexMonth returns the month at a place.
func priceIndexMonth(place int) value.Month {
	first := value.NewDate(pricesStart, time.January+time.Month(place), 1)
	return value.MustMonth(first.String()[:len("2003-01")])
}

// priceIndexPublished returns when the index of a month is published: at 10:00 on the third day
// of the following month, or on the Monday after it.
func priceIndexPublished(place int) value.Instant {
	return weekday(value.NewDate(pricesStart, time.February+time.Month(place), 3)).TurkeyStart().Add(10 * time.Hour)
}

// newestPriceIndex returns the place of the newest published month; below 0 if there is none.
func newestPriceIndex(now value.Instant) int {
	this := now.Time().In(location(istanbul))
	place := (this.Year()-pricesStart)*12 + int(this.Month()-time.January)
	for priceIndexPublished(place).After(now) {
		place--
	}
	return place
}

// risen returns by how much prices rose over some months up to the one at a place, in
// hundredths of a percent.
func (p *priceIndex) risen(place, months int) int64 {
	before := p.at(place - months)
	pct, _ := units(percent(p.at(place)-before, before).String())
	return pct
}

// point returns a month of the index in the form of the source.
func (a *calendar) point(place int) *macro.Point {
	p := &macro.Point{SeriesID: macro.YIUFE, Month: priceIndexMonth(place), Unit: new("2003=100")}
	if p.Month == skippedMonth {
		return p
	}
	p.Value, p.Source = hundredths(a.prices.at(place)), new(source)
	p.FetchedAt = priceIndexPublished(place).Add(5 * time.Minute)
	return p
}
