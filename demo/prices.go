package demo

import (
	"time"

	"piyasa/domain/macro"
	"piyasa/domain/market"
)

// The producer price index begins with January 2003, whose level is 100. Months
// count from it.
const (
	pricesStart  = 2003
	pricesMonths = 100 * 12 // that are made
	pricesBase   = 100_00   // in hundredths
)

// skippedPrices is the month that the source skipped.
var skippedPrices = market.MustMonth("2024-07")

// producerPrices are the levels of all months, in hundredths: the same in every
// demonstration.
func producerPrices() []int64 {
	random, levels := seeded(string(macro.YIUFE)), []int64{pricesBase}
	for level := int64(pricesBase); len(levels) < pricesMonths; {
		level += level * (random.Int64N(321) - 40) / 10_000
		levels = append(levels, level)
	}
	return levels
}

// pricesMonth is the month at a place.
func pricesMonth(place int) market.Month {
	first := market.NewDate(pricesStart, time.January+time.Month(place), 1)
	return market.MustMonth(first.String()[:len("2003-01")])
}

// pricesPublished is when the index of a month is: at 10:00 of the third day of
// the month that follows, or of the Monday after it.
func pricesPublished(place int) market.Instant {
	return weekday(market.NewDate(pricesStart, time.February+time.Month(place), 3)).TurkeyStart().Add(10 * time.Hour)
}

// newestPrices is the place of the newest month that is published.
func newestPrices(now market.Instant) int {
	this := now.Time().In(location(istanbul))
	place := (this.Year()-pricesStart)*12 + int(this.Month()-time.January)
	for pricesPublished(place).After(now) {
		place--
	}
	return place
}

// risen is by how much prices rose over some months up to the one at a place,
// in hundredths of a percent.
func risen(levels []int64, place, months int) int64 {
	pct, _ := units(percent(levels[place]-levels[place-months], levels[place-months]).String())
	return pct
}

// point is a month of the index as the source has it.
func (a *agenda) point(place int) *macro.Point {
	p := &macro.Point{SeriesID: macro.YIUFE, Month: pricesMonth(place), Unit: new("2003=100")}
	if p.Month == skippedPrices {
		return p
	}
	p.Value, p.Source = hundredths(a.prices[place]), new(source)
	p.FetchedAt = pricesPublished(place).Add(5 * time.Minute)
	return p
}
