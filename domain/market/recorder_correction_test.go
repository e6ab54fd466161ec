package market_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// What is changed by observations that are not the newest: these bars, and no
// others.
func TestCorrectionChangesExactly(t *testing.T) {
	const stock = `
		2026-03-18T07:00:00Z 10 100 1000
		2026-03-18T07:05:00Z 11 200 2000
		2026-03-18T07:15:00Z 12 300 3000
		2026-03-18T07:20:00Z 13 400 4000`
	const pair = `
		2026-03-17T20:55:00Z 5
		2026-03-17T21:00:00Z 10
		2026-03-17T21:05:00Z 12
		2026-03-17T21:06:00Z 13
		2026-03-18T21:00:00Z 7`
	const coin = `
		2026-03-16T23:10:00Z 4 - 40
		2026-03-17T23:10:00Z 5 - 50
		2026-03-18T00:30:00Z 6 - 60
		2026-03-18T03:00:00Z 7 - 70`
	for _, c := range []struct {
		name                         string
		id                           market.ID
		stored, changed, want, leave string
	}{
		{
			"late, between two: the bar itself, open and figures of the next", "bist:DMOST", stock, "2026-03-18T07:10:00Z 20 250 2500", `
			5m 2026-03-18T07:10:00Z 11 - - 20 50 500
			5m 2026-03-18T07:15:00Z 20 - - 12 50 500`, "",
		},
		{
			"late, within a slot: its close is older, nothing changes", "bist:DMOST", stock,
			"2026-03-18T07:04:59Z 10 100 1000\n2026-03-18T07:01:00Z 20 1 1", "", "",
		},
		{
			"late, before the first", "bist:DMOST", stock, "2026-03-18T06:55:00Z 9 10 100", `
			5m 2026-03-18T06:55:00Z - - - 9 10 100
			5m 2026-03-18T07:00:00Z 9 - - 10 90 900`, "",
		},
		{
			"revised: its close, and the open of the next", "bist:DMOST", stock, "2026-03-18T07:05:00Z 11.5 200 2000", `
			5m 2026-03-18T07:05:00Z 10 - - 11.5 100 1000
			5m 2026-03-18T07:15:00Z 11.5 - - 12 100 1000`, "",
		},
		{
			"revised in digits only", "bist:DMOST", stock, "2026-03-18T07:05:00Z 11.0 200.0 2000", `
			5m 2026-03-18T07:05:00Z 10 - - 11.0 100 1000
			5m 2026-03-18T07:15:00Z 11.0 - - 12 100 1000`, "",
		},
		{
			"revised in what bars do not state", "fx:USDTRY", pair, "2026-03-17T21:05:00Z 12 100 1000", "", "",
		},
		{
			"withdrawn: the bar goes, the next spans both", "bist:DMOST", stock, "2026-03-18T07:05:00Z -",
			"5m 2026-03-18T07:15:00Z 10 - - 12 200 2000", "5m 2026-03-18T07:05:00Z 10 - - 11 100 1000",
		},
		{
			"withdrawn, the only one of its day", "fx:USDTRY", pair, "2026-03-17T20:55:00Z -", "", `
			1d 2026-03-16T21:00:00Z 5 5 5 5 - -
			5m 2026-03-17T20:55:00Z 5 5 5 5 - -`,
		},
		{
			"late, a new extreme of slot and day", "fx:USDTRY", pair, "2026-03-17T21:07:00Z 9", `
			1d 2026-03-17T21:00:00Z 10 13 9 9 - -
			5m 2026-03-17T21:05:00Z 12 13 9 9 - -`, "",
		},
		{
			"a coin, late but first of its slot: the slot and its day", "crypto:1", coin, "2026-03-17T23:05:00Z 9 - 90",
			"1d 2026-03-17T00:00:00Z 9 9 9 9 - 90\n2h 2026-03-17T23:00:00Z - - - 9 - -", "",
		},
		{
			"a coin, late and not the first of its slot, on either side of midnight", "crypto:1", coin,
			"2026-03-17T23:59:00Z 9 - 90\n2026-03-18T00:59:59Z 8 - 80", "", "",
		},
		{
			"a coin, the first of a slot revised", "crypto:1", coin, "2026-03-17T23:10:00Z 5.5 - 55",
			"1d 2026-03-17T00:00:00Z 5.5 5.5 5.5 5.5 - 55\n2h 2026-03-17T23:00:00Z - - - 5.5 - -", "",
		},
		{
			"a coin, the first of a slot withdrawn: the next one is", "crypto:1", coin, "2026-03-17T23:10:00Z -",
			"1d 2026-03-17T00:00:00Z 6 6 6 6 - 60\n2h 2026-03-17T23:00:00Z - - - 6 - -", "",
		},
		{
			"a coin withdrawn on both sides of midnight", "crypto:1", coin, "2026-03-17T23:10:00Z -\n2026-03-18T00:30:00Z -", "",
			"1d 2026-03-17T00:00:00Z 5 5 5 5 - 50\n2h 2026-03-17T23:00:00Z - - - 5 - -",
		},
	} {
		correction := recorderOf(c.id).Correct(feedOf(c.id, c.stored), feedOf(c.id, c.changed))
		for _, part := range []struct {
			name, want string
			bars       []*market.Bar
		}{{"changed", c.want, correction.Bars}, {"gone", c.leave, correction.Gone}} {
			got := chart{}
			if got.add(part.bars...); got.String() != tidy(part.want) {
				t.Errorf("%s: %s\n%s\nwant\n%s", c.name, part.name, got, tidy(part.want))
			}
		}
		checkNoTwice(t, c.name, correction.Bars)
	}
}

// checkNoTwice: one statement cannot write a row twice.
func checkNoTwice(t rapid.TB, name string, bars []*market.Bar) {
	t.Helper()
	keys := chart{}
	if keys.add(bars...); len(keys) != len(bars) {
		t.Errorf("%s: %d bars of %d keys", name, len(bars), len(keys))
	}
}

// manyExceptions are exceptions of every market: none, holidays and a special weekend, and hours
// that overlap the next session.
var manyExceptions = func() []market.Exceptions {
	var days, overlap []*market.TradingDay
	for _, m := range market.Markets() {
		for _, d := range []*market.TradingDay{hours("2026-03-13", "", ""), hours("2026-03-14", "10:00", "12:00"),
			hours("2026-03-16", "", ""), hours("2026-03-15", "18:30", "19:00")} {
			d.Market = m
			if days = append(days, d); d.Date.IsWeekend() {
				overlap = append(overlap, d)
			}
		}
	}
	return []market.Exceptions{nil, market.Exceptions{}.With(days), market.Exceptions{}.With(overlap)}
}()

// Whatever is corrected, in whatever parts: the bars are those of the last
// word on each moment, recorded in order, and the recorder goes on as if
// nothing had happened.
func TestCorrectionIsAsIfRecordedInOrder(t *testing.T) {
	moments := []string{
		"2026-03-13T20:59:59.999Z", "2026-03-13T21:00:00Z", "2026-03-13T23:10:00Z", "2026-03-14T00:00:00Z", "2026-03-14T00:59:00Z",
		"2026-03-14T01:00:00Z",
		"2026-03-15T07:04:59Z", "2026-03-15T07:05:00Z", "2026-03-15T07:07:00Z", "2026-03-15T20:58:00Z", "2026-03-15T23:30:00Z",
		"2026-03-16T00:30:00Z",
	}
	figure := rapid.SampledFrom([]string{"-", "9", "10", "10.0", "11.5"})
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.SampledFrom([]market.ID{"bist:DMOST", "crypto:1", "fx:USDTRY", "index:SPX", "cmdty:XAU"}).Draw(t, "instrument")
		recorder := market.NewRecorder(id, "", rapid.SampledFrom(sessions).Draw(t, "session"),
			rapid.SampledFrom(manyExceptions).Draw(t, "exceptions"))
		line := rapid.Custom(func(t *rapid.T) string {
			return strings.Join([]string{rapid.SampledFrom(moments).Draw(t, "moment"), figure.Draw(t, "last"), figure.Draw(t, "volume"),
				figure.Draw(t, "turnover")}, " ")
		})
		known, bars := map[value.Instant]*market.Observation{}, chart{}
		for _, lines := range rapid.SliceOfN(rapid.SliceOfN(line, 1, 6), 1, 6).Draw(t, "parts") {
			changed := lastWords(feedOf(id, strings.Join(lines, "\n")))
			first, last := recorder.Span(changed)
			var stored []*market.Observation
			for _, o := range known {
				if !o.AsOf.Before(first) && o.AsOf.Before(last) {
					stored = append(stored, o)
				}
			}
			correction := recorder.Correct(stored, changed)
			checkNoTwice(t, "changed", correction.Bars)
			bars.add(correction.Bars...)
			for _, b := range correction.Gone {
				bars.remove(b)
			}
			for _, o := range changed {
				known[o.AsOf] = o
			}
			inOrder := lastWords(slices.Collect(maps.Values(known)))
			if want := recorded(t, recorder, inOrder); bars.String() != want.String() {
				t.Fatalf("got\n%s\nwant\n%s", bars, want)
			}
			checkGoesOn(t, recorder, inOrder, correction)
		}
	})
}

// checkGoesOn checks where the recorder goes on after a correction, if that is
// of the newest day or of a later one, which then has no price left.
func checkGoesOn(t rapid.TB, recorder market.Recorder, inOrder []*market.Observation, c market.Correction) {
	t.Helper()
	var want market.Recording
	recorder.Record(&want, samplesOf(recorder, inOrder))
	if c.Day.Before(want.Day) {
		return
	}
	if want.Day.Before(c.Day) {
		want = market.Recording{}
	}
	if c.Recording != want {
		t.Fatalf("after %s it goes on at %+v, want %+v", c.Day, c.Recording, want)
	}
}

// lastWords are observations by time, the last on each moment.
func lastWords(observations []*market.Observation) []*market.Observation {
	byTime := map[value.Instant]*market.Observation{}
	for _, o := range observations {
		byTime[o.AsOf] = o
	}
	return slices.SortedFunc(maps.Values(byTime), func(a, b *market.Observation) int { return a.AsOf.Time().Compare(b.AsOf.Time()) })
}
