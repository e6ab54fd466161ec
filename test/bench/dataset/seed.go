package dataset

import (
	"fmt"
	"time"
)

// What [Grow] multiplies.
const (
	seedBars  = 200 // of five minutes, of each stock of the Istanbul exchange
	barLength = 5 * time.Minute
	disclosed = 934 * 24 * time.Hour // how long ago the first disclosure was published
	rarely    = 1_000                // disclosures to one of the rare type
)

// SeedDisclosures is how many disclosures those are.
var SeedDisclosures = size(20_000, 2_000)

// RareType is a type of disclosures of which there are few.
const RareType = "DUY"

// Size is how much is stored: so many times 200,000 disclosures and a million bars.
type Size struct{ Times int }

func (s Size) copies() int { return 10 * s.Times }

// Disclosures is how many there are.
func (s Size) Disclosures() int { return SeedDisclosures * s.copies() }

// Bars is how many there are of five minutes.
func (s Size) Bars() int { return Stocks * seedBars * s.copies() }

// FirstPublished is when the oldest disclosure was published.
func (s Size) FirstPublished() time.Time { return Now.Add(-disclosed) }

func (s Size) spacing() time.Duration {
	return (disclosed / time.Duration(s.Disclosures())).Truncate(time.Millisecond)
}

// WriteSeed writes the records that [Grow] multiplies into a folder as `piyasa ingest`
// reads them, with those of the stocks.
func (s Size) WriteSeed(folder string) error {
	return writeFiles(folder, func(yield func(object)) { barRecords(yield); seedBarRecords(yield) }, s.disclosureRecords)
}

// seedBarRecords are the newest bars of five minutes, which go on through the night.
func seedBarRecords(yield func(object)) {
	for n := range Stocks {
		r := random("five minutes", n)
		last := price(n)
		for i := range seedBars {
			open := last
			last = max(100, last+last*(r.Int64N(61)-30)/10_000)
			yield(object{
				"record": "bar", "instrument_id": Stock(n).ID, "resolution": "5m",
				"t":    instant(Now.Add(barLength * time.Duration(i-seedBars))),
				"open": cents(open), "close": cents(last), "volume": fmt.Sprint(10_000 + r.Int64N(9_000_000)),
			})
		}
	}
}

// disclosureRecords are the oldest ones.
func (s Size) disclosureRecords(yield func(object)) {
	for n := range SeedDisclosures {
		yield(s.disclosure(n).record())
	}
}

func precise(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z") }

func (s Size) disclosure(n int) Disclosure {
	d := DisclosureOf(n)
	d.PublishedAt = precise(s.FirstPublished().Add(s.spacing() * time.Duration(n)))
	if n%rarely == rarely-1 {
		d.Type = RareType
	}
	return d
}

// Added is how many lines [Size.WriteAdded] and [Size.WriteAddedBars] write.
const Added = 20_000

// WriteAdded writes disclosures that are newer than all stored ones to a file.
func (s Size) WriteAdded(path string) error {
	return writeFile(path, func(yield func(object)) {
		for n := range Added {
			d := s.disclosure(s.Disclosures() + n)
			d.PublishedAt = precise(Now.Add(time.Duration(n) * time.Millisecond))
			yield(d.record())
		}
	})
}

// WriteAddedBars writes bars that follow on the newest to a file.
func (s Size) WriteAddedBars(path string) error {
	return writeFile(path, func(yield func(object)) {
		for n := range Stocks {
			r := random("added", n)
			for i := range Added / Stocks {
				last := price(n) + r.Int64N(50)
				yield(object{
					"record": "bar", "instrument_id": Stock(n).ID, "resolution": "5m", "t": instant(Now.Add(barLength * time.Duration(i))),
					"open": cents(last), "close": cents(last), "volume": fmt.Sprint(10_000 + r.Int64N(9_000_000)),
				})
			}
		}
	})
}
