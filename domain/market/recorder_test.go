package market_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/domain/market"
	"piyasa/internal/value"
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
		{"two are missing", withoutLines(bitcoinDay, "T05", "T23"),
			"1d 2026-03-17T00:00:00Z 68000.10 69010.25 67750.20 68300.30 - 31100000000.25"},
		{
			"still forming", "2026-03-18T01:00:00Z 68000.10\n2026-03-18T07:00:00Z 67750.20\n2026-03-18T11:00:00Z 68420.75 - 30900000000",
			"1d 2026-03-18T00:00:00Z 68000.10 68420.75 67750.20 68420.75 - 30900000000",
		},
		{
			"the turnover of an earlier sample is not that of the close", "2026-03-18T01:00:00Z 5 - 7\n2026-03-18T03:00:00Z 6",
			"1d 2026-03-18T00:00:00Z 5 6 5 6 - -",
		},
		{
			"four samples", "2026-01-29T01:00:00Z 70000\n2026-01-29T03:00:00Z 70500\n2026-01-29T05:00:00Z " +
				"69800\n2026-01-29T07:00:00Z 70250",
			"1d 2026-01-29T00:00:00Z 70000 70500 69800 70250 - -",
		},
		{
			"01:00 opens the day: the last slot goes on over midnight", "2026-03-18T00:59:59.999Z 1\n2026-03-18T01:00:00Z 2",
			"1d 2026-03-17T00:00:00Z 1 1 1 1 - -\n1d 2026-03-18T00:00:00Z 2 2 2 2 - -",
		},
		{
			"only the first of a slot counts", `
			2026-03-17T00:30:00Z 9 - 90
			2026-03-17T01:00:00Z 5 - 50
			2026-03-17T01:30:00Z 8 - 80
			2026-03-17T02:59:59Z 1 - 10
			2026-03-17T03:20:00Z 6 - 60
			2026-03-17T23:00:10Z 7 - 70
			2026-03-18T00:59:00Z 2 - 20`, `
			1d 2026-03-16T00:00:00Z 9 9 9 9 - 90
			1d 2026-03-17T00:00:00Z 5 7 5 7 - 70`,
		},
	} {
		got := recorded(t, recorderOf("crypto:1"), feedOf("crypto:1", c.seen))
		got.want(t, c.name, market.Day, c.want)
		checkDaysOfSlots(t, c.name, got)
	}
}

// A coin observed every minute: whatever the minutes between do, each slot
// shows the price at its hour, and the day is made of its twelve.
func TestDayOfACoinObservedEveryMinute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var seen []*market.Observation
		first := value.MustInstant("2026-03-16T23:00:00Z")
		for minute := range 26 * 60 {
			o := &market.Observation{InstrumentID: "crypto:1", AsOf: first.Add(time.Duration(minute) * time.Minute)}
			o.Last, o.Turnover = dec(strconv.Itoa(rapid.IntRange(1, 9).Draw(t, "price"))), dec(strconv.Itoa(minute))
			seen = append(seen, o)
		}
		got := recorded(t, recorderOf("crypto:1"), seen)
		if short := got.of(market.TwoHours); len(short) != 13 {
			t.Errorf("%d slots, want 13:\n%s", len(short), short)
		}
		for hours := 0; hours < 26; hours += 2 {
			o := seen[hours*60]
			if want := "2h " + o.AsOf.String() + " - - - " + o.Last.String() + " - -"; got["2h "+o.AsOf.String()] != want {
				t.Errorf("got %q, want %q", got["2h "+o.AsOf.String()], want)
			}
		}
		if want := " " + seen[24*60].Turnover.String(); !strings.HasSuffix(got["1d 2026-03-17T00:00:00Z"], want) {
			t.Errorf("the turnover is that at 23:00, %s: %s", want, got["1d 2026-03-17T00:00:00Z"])
		}
		checkDaysOfSlots(t, "every minute", got)
	})
}

// checkDaysOfSlots: the daily bar of a coin states what its two-hourly bars
// state, and nothing else.
func checkDaysOfSlots(t rapid.TB, name string, got chart) {
	t.Helper()
	want := map[string][]string{} // closes by date
	for _, at := range slices.Sorted(maps.Keys(got.of(market.TwoHours))) {
		words := strings.Fields(got[at])
		want[words[1][:10]] = append(want[words[1][:10]], words[5])
	}
	days := got.of(market.Day)
	if len(days) != len(want) {
		t.Errorf("%s: %d days, and slots of %d", name, len(days), len(want))
	}
	for at, row := range days {
		closes := want[strings.Fields(at)[1][:10]]
		byValue := func(a, b string) int { return dec(a).Cmp(dec(b)) }
		words := strings.Fields(row)[2:6]
		if len(closes) == 0 || words[0] != closes[0] || words[1] != slices.MaxFunc(closes, byValue) ||
			words[2] != slices.MinFunc(closes, byValue) || words[3] != closes[len(closes)-1] {
			t.Errorf("%s: the day %s of the slots %v", name, row, closes)
		}
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
		{ // a slot over midnight, and an even hour
			"a coin at night", "crypto:1", `
			2026-03-17T22:59:59.999Z 1
			2026-03-17T23:00:00Z 2
			2026-03-18T00:30:00Z 3
			2026-03-18T01:00:00Z 4
			2026-03-18T02:30:00Z 5`, `
			2h 2026-03-17T21:00:00Z - - - 1 - -
			2h 2026-03-17T23:00:00Z - - - 2 - -
			2h 2026-03-18T01:00:00Z - - - 4 - -`,
		},
		{
			"a snapshot that was withdrawn", "crypto:1", `
			2026-03-17T01:00:00Z -
			2026-03-17T01:01:00Z 5
			2026-03-17T02:59:59.999Z 6`, "2h 2026-03-17T01:00:00Z - - - 5 - -",
		},
		{ // of equal prices the first is stated, as it was written
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
			"below zero", "cmdty:WTI", "2026-03-18T07:00:00Z 1\n2026-03-18T07:01:00Z -37.63\n2026-03-18T07:02:00Z -4",
			"5m 2026-03-18T07:00:00Z 1 1 -37.63 -4 - -",
		},
	} {
		got := recorded(t, recorderOf(c.id), feedOf(c.id, c.seen))
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
		got := recorded(t, recorderOf(c.id), feedOf(c.id, c.seen))
		got.want(t, c.name, market.Day, c.want)
		if short := got.of(market.FiveMinutes); len(short) != strings.Count(tidy(c.seen), "\n")+1 {
			t.Errorf("%s: each has its five minutes, also at the weekend: got\n%s", c.name, short)
		}
	}
}

// sessions are of world indices: of the far east, which begin before midnight
// in Greenwich, of the west, over midnight, without hours, and none at all.
var sessions = []*market.Session{
	sessionIn("Australia/Sydney", "10:00", "16:00"), sessionIn("America/New_York", "09:30", "16:00"),
	sessionIn("Pacific/Auckland", "10:00", "16:45"),
	sessionIn("America/Chicago", "17:00", "16:00"), {Timezone: "Asia/Tokyo", AlwaysOpen: true}, {Timezone: "Asia/Tokyo"}, nil,
}

func sessionIn(zone string, open, closing market.ClockTime) *market.Session {
	return &market.Session{Timezone: zone, Open: &open, Close: &closing}
}

// G-29: a day of an index is that of its session: from one opening to the next.
// The bar states the midnight of its date.
func TestDaysOfIndices(t *testing.T) {
	for _, c := range []struct {
		name       string
		session    *market.Session
		seen, want string
		days       []*market.TradingDay
	}{
		{ // in summer, when Sydney is 11 hours ahead: 10:00 there is 23:00 the day before
			"Sydney", sessionIn("Australia/Sydney", "10:00", "16:00"), `
			2026-03-16T22:59:59.999Z 7
			2026-03-16T23:00:00Z 5
			2026-03-16T23:59:00Z 9
			2026-03-17T00:00:00Z 4
			2026-03-17T05:00:00Z 6
			2026-03-17T05:20:00Z 6.5
			2026-03-17T22:59:00Z 8
			2026-03-17T23:00:00Z 1`, `
			1d 2026-03-16T00:00:00Z 7 7 7 7 - -
			1d 2026-03-17T00:00:00Z 5 9 4 8 - -
			1d 2026-03-18T00:00:00Z 1 1 1 1 - -`, nil,
		},
		{ // from April 5 it is 10 hours ahead
			"the clocks of Sydney go back", sessionIn("Australia/Sydney", "10:00", "16:00"), `
			2026-04-02T23:00:00Z 1
			2026-04-05T23:00:00Z 2
			2026-04-05T23:59:59Z 3
			2026-04-06T00:00:00Z 4`, `
			1d 2026-04-03T00:00:00Z 1 3 1 3 - -
			1d 2026-04-06T00:00:00Z 4 4 4 4 - -`, nil,
		},
		{
			"New York", sessionIn("America/New_York", "09:30", "16:00"), `
			2026-03-17T13:29:59Z 3
			2026-03-17T13:30:00Z 5
			2026-03-17T20:15:00Z 6
			2026-03-18T00:30:00Z 7
			2026-03-18T13:30:00Z 9`, `
			1d 2026-03-16T00:00:00Z 3 3 3 3 - -
			1d 2026-03-17T00:00:00Z 5 7 5 7 - -
			1d 2026-03-18T00:00:00Z 9 9 9 9 - -`, nil,
		},
		{
			"what follows a Friday is of Friday", sessionIn("America/New_York", "09:30", "16:00"), `
			2026-03-13T19:00:00Z 1
			2026-03-14T15:00:00Z 2
			2026-03-15T23:00:00Z 3
			2026-03-16T13:29:00Z 4
			2026-03-16T13:30:00Z 5`, `
			1d 2026-03-13T00:00:00Z 1 4 1 4 - -
			1d 2026-03-16T00:00:00Z 5 5 5 5 - -`, nil,
		},
		{ // the session of Monday begins on Sunday
			"over midnight", sessionIn("America/Chicago", "17:00", "16:00"), `
			2026-03-13T20:00:00Z 1
			2026-03-13T22:30:00Z 2
			2026-03-15T21:59:00Z 3
			2026-03-15T22:00:00Z 4
			2026-03-16T21:59:00Z 5
			2026-03-16T22:00:00Z 6`, `
			1d 2026-03-13T00:00:00Z 1 3 1 3 - -
			1d 2026-03-16T00:00:00Z 4 5 4 5 - -
			1d 2026-03-17T00:00:00Z 6 6 6 6 - -`, nil,
		},
		{
			"a day begins with a slot", sessionIn("Asia/Jerusalem", "09:59", "17:15"), `
			2026-03-17T07:54:59Z 1
			2026-03-17T07:55:00Z 2
			2026-03-17T07:59:00Z 3`, `
			1d 2026-03-16T00:00:00Z 1 1 1 1 - -
			1d 2026-03-17T00:00:00Z 2 3 2 3 - -`, nil,
		},
		{
			"never closed: the days of its zone", &market.Session{Timezone: "Asia/Tokyo", AlwaysOpen: true}, `
			2026-03-14T14:59:59Z 1
			2026-03-14T15:00:00Z 2
			2026-03-15T14:59:59Z 3`, `
			1d 2026-03-14T00:00:00Z 1 1 1 1 - -
			1d 2026-03-15T00:00:00Z 2 3 2 3 - -`, nil,
		},
		{
			"no hours: days of Greenwich", &market.Session{Timezone: "Asia/Tokyo"}, `
			2026-03-17T23:59:59Z 1
			2026-03-18T00:00:00Z 2`, `
			1d 2026-03-17T00:00:00Z 1 1 1 1 - -
			1d 2026-03-18T00:00:00Z 2 2 2 2 - -`, nil,
		},
		{
			"a special Saturday opens late, and Monday is a holiday", sessionIn("Asia/Kolkata", "09:15", "15:30"), `
			2026-03-13T09:59:00Z 1
			2026-03-14T12:29:00Z 2
			2026-03-14T12:30:00Z 3
			2026-03-16T10:00:00Z 4
			2026-03-17T03:44:00Z 5
			2026-03-17T03:45:00Z 6`, `
			1d 2026-03-13T00:00:00Z 1 2 1 2 - -
			1d 2026-03-14T00:00:00Z 3 5 3 5 - -
			1d 2026-03-17T00:00:00Z 6 6 6 6 - -`, []*market.TradingDay{ofIndices("2026-03-14", "18:00", "19:00"),
				ofIndices("2026-03-16", "", "")},
		},
		{
			"from Sunday to Thursday", sessionIn("Asia/Riyadh", "10:00", "15:00"), `
			2026-03-12T10:00:00Z 1
			2026-03-13T10:00:00Z 2
			2026-03-15T10:00:00Z 3
			2026-03-16T10:00:00Z 4`, `
			1d 2026-03-12T00:00:00Z 1 2 1 2 - -
			1d 2026-03-15T00:00:00Z 3 3 3 3 - -
			1d 2026-03-16T00:00:00Z 4 4 4 4 - -`, []*market.TradingDay{ofIndices("2026-03-13", "", ""),
				ofIndices("2026-03-15", "10:00", "15:00")},
		},
		{ // Tuesday's session has begun before Monday's special hours
			"hours that overlap the next session", sessionIn("America/Chicago", "17:00", "16:00"), `
			2026-03-16T21:59:00Z 1
			2026-03-16T22:00:00Z 2
			2026-03-17T00:30:00Z 3`, `
			1d 2026-03-13T00:00:00Z 1 1 1 1 - -
			1d 2026-03-17T00:00:00Z 2 3 2 3 - -`, []*market.TradingDay{ofIndices("2026-03-16", "19:00", "20:00")},
		},
		{
			"never closed, whatever the others do", &market.Session{Timezone: "UTC", AlwaysOpen: true}, `
			2026-03-14T10:00:00Z 1
			2026-03-16T10:00:00Z 2`, `
			1d 2026-03-14T00:00:00Z 1 1 1 1 - -
			1d 2026-03-16T00:00:00Z 2 2 2 2 - -`, []*market.TradingDay{ofIndices("2026-03-16", "", "")},
		},
	} {
		recorder := market.NewRecorder("index:X", "USD", c.session, market.Exceptions{}.With(c.days))
		got := recorded(t, recorder, feedOf("index:X", c.seen))
		got.want(t, c.name, market.Day, c.want)
	}
}
