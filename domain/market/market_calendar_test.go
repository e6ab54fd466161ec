package market_test

import (
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

func TestMarketCalendar(t *testing.T) {
	d := newFixture()
	d.Live.SetCatalog(nil, append([]*market.TradingDay{ofIndices("2026-03-20", "", "")}, exceptions...))
	for _, c := range []struct {
		of    market.Market
		date  string
		state market.DayState
		hours string
	}{
		{market.BIST, "2026-03-18", market.SessionDay, "10:00-18:00"},
		{market.BIST, "2026-03-19", market.HalfDay, "10:00-12:30"},
		{market.BIST, "2026-03-20", market.Holiday, ""},
		{market.BIST, "2026-03-21", market.Weekend, ""}, // a Saturday, of a feast or not
		{market.BIST, "2026-03-22", market.Weekend, ""},
		{market.BIST, "2026-03-28", market.HalfDay, "11:00-13:15"}, // a Saturday with a session
		{market.Index, "2026-03-20", market.Holiday, ""},
		{market.Index, "2026-03-19", market.SessionDay, ""}, // hours differ between indices
		{market.FX, "2026-03-20", market.SessionDay, ""},
		{market.FX, "2026-03-21", market.Weekend, ""},
		{market.Crypto, "2026-03-21", market.SessionDay, ""},
	} {
		day := value.MustDate(c.date)
		got, err := d.Calendar(calls.Anyone(), c.of, &day, &day)
		need.NoError(t, err)
		hours := ""
		if one := got.Days[0]; one.Open != nil {
			hours = string(*one.Open) + "-" + string(*one.Close)
		}
		if got.Count != 1 || got.Days[0].Date != day || got.Days[0].State != c.state || hours != c.hours {
			t.Errorf("%s on %s is %s %q, want %s %q", c.of, c.date, got.Days[0].State, hours, c.state, c.hours)
		}
	}
}

func TestMarketCalendarRange(t *testing.T) {
	d := newFixture() // of 2026
	d.Live.SetCatalog(nil, exceptions)
	for _, c := range []struct {
		name, from, to string
		first, last    string
		kind           problem.Kind
	}{
		{name: "this year", first: "2026-01-01", last: "2026-12-31"},
		{name: "the year of from", from: "2024-02-01", first: "2024-02-01", last: "2024-12-31"},
		{name: "the year of to", to: "2027-01-03", first: "2027-01-01", last: "2027-01-03"},
		{name: "inverted", from: "2026-02-01", to: "2026-01-01", kind: problem.InvertedWindow},
		{name: "ten years", from: "2020-01-01", to: "2029-12-31", first: "2020-01-01", last: "2029-12-31"},
		{name: "too long", from: "2016-01-01", to: "2029-12-31", kind: problem.WindowTooLong},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := d.Calendar(calls.Anyone(), market.BIST, optionalDay(c.from), optionalDay(c.to))
			if c.kind != "" {
				calls.WantProblem(t, err, c.kind)
				return
			}
			need.NoError(t, err)
			if first, last := got.Days[0].Date, got.Days[got.Count-1].Date; first.String() != c.first || last.String() != c.last ||
				got.Count != first.DaysUntil(last)+1 {
				t.Errorf("%d days from %s to %s", got.Count, first, last)
			}
			if got.Timezone != "Europe/Istanbul" || got.ExceptionsUntil.String() != "2027-01-01" {
				t.Errorf("zone %s, exceptions until %s", got.Timezone, got.ExceptionsUntil)
			}
		})
	}
}

// optionalDay returns a day, or nil for no text.
func optionalDay(text string) *value.Date {
	if text == "" {
		return nil
	}
	return new(value.MustDate(text))
}
