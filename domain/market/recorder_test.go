package market_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"piyasa/domain/market"
)

const bitcoinDay = `
	2026-03-17T01:00:00Z 68000.10
	2026-03-17T03:00:00Z 68150.00
	2026-03-17T05:00:00Z 67890.55
	2026-03-17T07:00:00Z 67750.20
	2026-03-17T09:00:00Z 68010.00
	2026-03-17T11:00:00Z 68420.75
	2026-03-17T13:00:00Z 68900.00
	2026-03-17T15:00:00Z 68755.40
	2026-03-17T17:00:00Z 69010.25
	2026-03-17T19:00:00Z 68640.00
	2026-03-17T21:00:00Z 68300.30 - 31100000000.25
	2026-03-17T23:00:00Z 68250.12 - 31250000000.5`

// withoutLines drops the lines that hold one of words.
func withoutLines(lines string, words ...string) string {
	var out strings.Builder
	for line := range strings.Lines(lines) {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(line, w) }) {
			out.WriteString(line)
		}
	}
	return out.String()
}

// V-72, V-73, V-76, V-75: the day of a coin is made of the samples there are.
func TestDayOfACoin(t *testing.T) {
	for _, c := range []struct{ name, seen, want string }{
		{"twelve samples", bitcoinDay, "1d 2026-03-17T00:00:00Z 68000.10 69010.25 67750.20 68250.12 - 31250000000.5"},
		{"two are missing", withoutLines(bitcoinDay, "T05", "T23"), "1d 2026-03-17T00:00:00Z 68000.10 69010.25 67750.20 68300.30 - 31100000000.25"},
		{
			"still forming", "2026-03-18T01:00:00Z 68000.10\n2026-03-18T07:00:00Z 67750.20\n2026-03-18T11:00:00Z 68420.75 - 30900000000",
			"1d 2026-03-18T00:00:00Z 68000.10 68420.75 67750.20 68420.75 - 30900000000",
		},
		{
			"the turnover of an earlier sample is not that of the close", "2026-03-18T01:00:00Z 5 - 7\n2026-03-18T03:00:00Z 6",
			"1d 2026-03-18T00:00:00Z 5 6 5 6 - -",
		},
		{
			"four samples", "2026-01-29T01:00:00Z 70000\n2026-01-29T03:00:00Z 70500\n2026-01-29T05:00:00Z 69800\n2026-01-29T07:00:00Z 70250",
			"1d 2026-01-29T00:00:00Z 70000 70500 69800 70250 - -",
		},
		{"midnight opens the day", "2026-03-17T23:59:59.999Z 1\n2026-03-18T00:00:00Z 2", "1d 2026-03-17T00:00:00Z 1 1 1 1 - -\n1d 2026-03-18T00:00:00Z 2 2 2 2 - -"},
	} {
		got := recorded(t, "crypto:1", feedOf("crypto:1", c.seen))
		got.want(t, c.name, market.Day, c.want)
	}
}

func TestShortBars(t *testing.T) {
	for _, c := range []struct {
		name       string
		id         market.ID
		seen, want string
	}{
		{ // V-69, V-70: 12000000 + 8500000 + 0 + 20500000 is what the day had by 07:25
			"a morning of a stock", "bist:DMOST", `
			2026-03-18T07:05:00Z 300.50 - 12000000
			2026-03-18T07:10:00Z 301.25 - 20500000
			2026-03-18T07:15:00Z 301.25 - 20500000
			2026-03-18T07:25:00Z 299.75 - 41000000
			2026-03-18T07:30:00Z 299.80 - 40900000`, `
			5m 2026-03-18T07:05:00Z - - - 300.50 - 12000000
			5m 2026-03-18T07:10:00Z 300.50 - - 301.25 - 8500000
			5m 2026-03-18T07:15:00Z 301.25 - - 301.25 - 0
			5m 2026-03-18T07:25:00Z 301.25 - - 299.75 - 20500000
			5m 2026-03-18T07:30:00Z 299.75 - - 299.80 - -`,
		},
		{ // the open stays the price before the slot, the figures span all of it
			"several in one slot", "bist:DMOST", `
			2026-03-18T07:05:00Z 10 100 1000.50
			2026-03-18T07:09:59.999Z 11 150 1500.75
			2026-03-18T07:10:00Z 12 160 1600.75
			2026-03-18T07:11:00Z 13 170 1700.25
			2026-03-18T07:14:59Z 14 180 1800.75`, `
			5m 2026-03-18T07:05:00Z - - - 11 150 1500.75
			5m 2026-03-18T07:10:00Z 11 - - 14 30 300`,
		},
		{
			"figures that are missing at either end, or shrink", "bist:DMOST", `
			2026-03-18T07:00:00Z 10 100 -
			2026-03-18T07:05:00Z 10 - 700
			2026-03-18T07:10:00Z 10 300 900
			2026-03-18T07:15:00Z 10 250 900.0
			2026-03-18T07:20:00Z 10 250.0 901`, `
			5m 2026-03-18T07:00:00Z - - - 10 100 -
			5m 2026-03-18T07:05:00Z 10 - - 10 - -
			5m 2026-03-18T07:10:00Z 10 - - 10 - 200
			5m 2026-03-18T07:15:00Z 10 - - 10 - 0
			5m 2026-03-18T07:20:00Z 10 - - 10 0 1`,
		},
		{ // it is as if a withdrawn price had never been recorded
			"a withdrawn one", "bist:DMOST", `
			2026-03-18T07:00:00Z 10 100 1000
			2026-03-18T07:05:00Z - 200 2000
			2026-03-18T07:10:00Z 12 300 3000
			2026-03-18T07:12:00Z - 400 4000`, `
			5m 2026-03-18T07:00:00Z - - - 10 100 1000
			5m 2026-03-18T07:10:00Z 10 - - 12 200 2000`,
		},
		{ // in Istanbul
			"each day begins at nothing", "bist:DMOST", `
			2026-03-18T20:59:00Z 10 100 1000
			2026-03-18T21:00:00Z 11 150 1500`, `
			5m 2026-03-18T20:55:00Z - - - 10 100 1000
			5m 2026-03-18T21:00:00Z - - - 11 150 1500`,
		},
		{ // V-71
			"a coin", "crypto:1", "2026-03-17T01:00:00Z 68000.10 - 1\n2026-03-17T03:00:00Z 68150.00\n2026-03-17T05:00:00Z 67890.55", `
			2h 2026-03-17T01:00:00Z - - - 68000.10 - -
			2h 2026-03-17T03:00:00Z - - - 68150.00 - -
			2h 2026-03-17T05:00:00Z - - - 67890.55 - -`,
		},
		{ // a slot of two days, and an even hour
			"a coin at night", "crypto:1", `
			2026-03-17T22:59:59.999Z 1
			2026-03-17T23:00:00Z 2
			2026-03-18T00:30:00Z 3
			2026-03-18T01:00:00Z 4
			2026-03-18T02:30:00Z 5`, `
			2h 2026-03-17T21:00:00Z - - - 1 - -
			2h 2026-03-17T23:00:00Z - - - 3 - -
			2h 2026-03-18T01:00:00Z - - - 5 - -`,
		},
		{ // the first of equals is stated, in its own spelling
			"a pair", "fx:USDTRY", `
			2026-03-18T07:00:00Z 41.2 100 1000
			2026-03-18T07:01:00Z 41.20 100 1000
			2026-03-18T07:02:00Z 41.30 100 1000
			2026-03-18T07:03:00Z 41.3 100 1000
			2026-03-18T07:04:59.999Z 41.200
			2026-03-18T07:05:00Z 9.5
			2026-03-18T07:06:00Z 10.25`, `
			5m 2026-03-18T07:00:00Z 41.2 41.30 41.2 41.200 - -
			5m 2026-03-18T07:05:00Z 9.5 10.25 9.5 10.25 - -`,
		},
		{ // an oil price once was
			"below zero", "cmdty:WTI", "2026-03-18T07:00:00Z 1\n2026-03-18T07:01:00Z -37.63\n2026-03-18T07:02:00Z -4", "5m 2026-03-18T07:00:00Z 1 1 -37.63 -4 - -",
		},
	} {
		got := recorded(t, c.id, feedOf(c.id, c.seen))
		short := market.FiveMinutes
		if c.id.Market() == market.Crypto {
			short = market.TwoHours
		}
		got.want(t, c.name, short, c.want)
	}
}

func TestDaysOfOtherMarkets(t *testing.T) {
	const weekend = `
		2026-03-13T23:59:59Z 4
		2026-03-14T00:00:00Z 1
		2026-03-15T23:59:59Z 9
		2026-03-16T00:00:00Z 5 100 1000`
	for _, c := range []struct {
		name       string
		id         market.ID
		seen, want string
	}{
		{ // V-79
			"a pair closes at midnight in Istanbul", "fx:USDTRY", `
			2026-03-16T20:59:59Z 41.20
			2026-03-16T21:00:00Z 41.21
			2026-03-17T03:00:00Z 41.35
			2026-03-17T12:00:00Z 41.10
			2026-03-17T20:59:00Z 41.28
			2026-03-17T21:00:00Z 41.30`, `
			1d 2026-03-15T21:00:00Z 41.20 41.20 41.20 41.20 - -
			1d 2026-03-16T21:00:00Z 41.21 41.35 41.10 41.28 - -
			1d 2026-03-17T21:00:00Z 41.30 41.30 41.30 41.30 - -`,
		},
		{
			"a pair has weekends", "fx:USDTRY", weekend, `
			1d 2026-03-13T21:00:00Z 4 4 1 1 - -
			1d 2026-03-15T21:00:00Z 9 9 5 5 - -`,
		},
		{
			"an index has none", "index:SPX", weekend, `
			1d 2026-03-13T00:00:00Z 4 4 4 4 - -
			1d 2026-03-16T00:00:00Z 5 5 5 5 - -`,
		},
		{
			"nor has a commodity", "cmdty:XAU", weekend, `
			1d 2026-03-13T00:00:00Z 4 4 4 4 - -
			1d 2026-03-16T00:00:00Z 5 5 5 5 - -`,
		},
		{
			"the first of equals", "fx:USDTRY", "2026-03-18T07:00:00Z 1.50\n2026-03-18T08:00:00Z 1.5\n2026-03-18T09:00:00Z 1.500",
			"1d 2026-03-17T21:00:00Z 1.50 1.50 1.50 1.500 - -",
		},
		{"the days of a stock come as bars", "bist:DMOST", weekend, ""},
	} {
		got := recorded(t, c.id, feedOf(c.id, c.seen))
		got.want(t, c.name, market.Day, c.want)
		if short := got.of(market.FiveMinutes); len(short) != strings.Count(tidy(c.seen), "\n")+1 {
			t.Errorf("%s: each has its five minutes, also at the weekend: got\n%s", c.name, short)
		}
	}
}

// Only what can still change a bar is kept: as many days as there are windows
// of the short bars, in the calendar of the market.
func TestKept(t *testing.T) {
	for _, c := range []struct {
		now  string
		want map[market.Market]string
	}{
		{"2026-03-18T12:00:00Z", map[market.Market]string{
			market.BIST: "2026-03-11T21:00:00Z", market.FX: "2026-03-11T21:00:00Z", market.Index: "2026-03-12T00:00:00Z",
			market.Cmdty: "2026-03-12T00:00:00Z", market.Crypto: "2025-12-17T00:00:00Z",
		}},
		{"2026-03-18T21:00:00Z", map[market.Market]string{ // a new day in Istanbul
			market.BIST: "2026-03-12T21:00:00Z", market.FX: "2026-03-12T21:00:00Z", market.Index: "2026-03-12T00:00:00Z",
			market.Cmdty: "2026-03-12T00:00:00Z", market.Crypto: "2025-12-17T00:00:00Z",
		}},
	} {
		got := map[market.Market]string{}
		for m, since := range market.Kept(market.MustInstant(c.now)) {
			got[m] = since.String()
			if !m.Recorded() {
				t.Errorf("%s is not recorded and kept", m)
			}
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("at %s: got %v, want %v", c.now, got, c.want)
		}
	}
}
