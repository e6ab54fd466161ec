package db_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// recordedMoments are of a Friday night to a Monday: the edges of slots and of
// days, in Istanbul and in Greenwich.
var recordedMoments = []string{
	"2026-03-13T07:00:00Z", "2026-03-13T07:04:59.999Z", "2026-03-13T07:05:00Z", "2026-03-13T07:12:00Z", "2026-03-13T20:59:59.999Z",
	"2026-03-13T21:00:00Z",
	"2026-03-13T22:59:00Z", "2026-03-13T23:00:00Z", "2026-03-13T23:58:00Z", "2026-03-14T00:00:00Z", "2026-03-14T00:59:59.999Z",
	"2026-03-14T01:00:00Z",
	"2026-03-15T20:58:00Z", "2026-03-15T21:01:00Z", "2026-03-15T23:30:00Z", "2026-03-16T00:30:00Z", "2026-03-16T02:30:00Z",
	"2026-03-16T02:31:00Z",
}

var recordedMarkets = []market.Market{market.BIST, market.BIST, market.Crypto, market.Crypto, market.FX, market.Index, market.Cmdty,
	market.US, market.Fund}

// recordedLines often fall together, revise, withdraw and come late: "number of
// the instrument, as_of, last, volume, turnover", where - is null. One that ends
// in a resolution is a loaded bar around that moment.
var recordedLines = rapid.Custom(func(t *rapid.T) string {
	return fmt.Sprintf("%d %s %s %s %s",
		rapid.IntRange(0, len(recordedMarkets)-1).Draw(t, "instrument"), rapid.SampledFrom(recordedMoments).Draw(t, "moment"),
		rapid.SampledFrom([]string{"-", "10", "10.0", "9.75", "101"}).Draw(t, "last"),
		rapid.SampledFrom(recordedFigures).Draw(t, "volume"), rapid.SampledFrom(recordedFigures).Draw(t, "turnover"))
})

var loadedLines = rapid.Custom(func(t *rapid.T) string {
	return recordedLines.Draw(t, "around") + rapid.SampledFrom([]string{" 1d", " short"}).Draw(t, "resolution")
})

var recordedFigures = []string{"-", "100", "100.50", "90.5", "2000"}

// recordOf returns what a line states, of the instruments of a round.
func recordOf(round int, line string) any {
	words := strings.Fields(line)
	number, _ := strconv.Atoi(words[0])
	var figures [3]value.Decimal
	for i, word := range words[2:5] {
		if word != "-" {
			figures[i] = value.MustDecimal(word)
		}
	}
	o := &market.Observation{
		InstrumentID: market.ID(fmt.Sprintf("%s:R%d.%d", recordedMarkets[number], round, number)), AsOf: value.MustInstant(words[1]),
		Last: figures[0], Volume: figures[1], Turnover: figures[2],
	}
	if len(words) == 5 {
		return o
	}
	b := &market.Bar{InstrumentID: o.InstrumentID, Resolution: market.Day, T: value.At(midnight(o, o.AsOf.Time())), Close: o.Last,
		Turnover: o.Turnover}
	if words[5] == "short" {
		b.Resolution, b.T = market.FiveMinutes, value.At(minutes(o)(o.AsOf.Time()))
		if o.InstrumentID.Market() == market.Crypto {
			b.Resolution, b.Turnover = market.TwoHours, value.Decimal{} // as a recorded one may be
		}
	}
	return b
}

// Any order, any repetition, any cut into batches: the table holds the bars of
// the last lines on each moment, and nothing else. Loaded bars stand where they
// are, whatever is recorded before or after.
func TestRecordedBarsFollowTheReference(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]*rapid.Generator[string]{"recorded": recordedLines,
		"loaded too": rapid.OneOf(recordedLines, loadedLines)} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, url string) {
				s, raw, round := open(t, url), dbtest.Raw(t, url), 0
				rapid.Check(t, func(t *rapid.T) {
					round++
					var lines []*market.Observation
					loaded := map[string]*market.Bar{}
					for _, batch := range rapid.SliceOfN(rapid.SliceOfN(line, 2, 15), 1, 5).Draw(t, "batches") {
						records := make([]any, len(batch))
						for i, line := range batch {
							records[i] = recordOf(round, line)
						}
						for i, out := range put(t, s, records...) {
							switch r := records[i].(type) {
							case *market.Observation:
								lines = append(lines, r)
							case *market.Bar:
								checkLoaded(t, out, loaded[placeOf(r)], r)
								loaded[placeOf(r)] = r
							}
						}
						all := reference(lines)
						for _, b := range loaded {
							all.put(b, false)
						}
						rowsOf(t, raw, fmt.Sprintf(":R%d.", round)).is(t, all)
					}
				})
			})
		})
	}
}

// checkLoaded: only a loaded bar that was loaded just so before is unchanged,
// not one that was recorded just so.
func checkLoaded(t rapid.TB, out db.Outcome, before, b *market.Bar) {
	t.Helper()
	result := db.Stored
	if before != nil && figuresOf(before, false) == figuresOf(b, false) {
		result = db.Unchanged
	}
	want(t, []db.Outcome{out}, result)
}
