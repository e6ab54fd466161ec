package market_test

import (
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// hours is an exception to the weekly session of the exchange.
func hours(date, opens, closes string) *market.TradingDay {
	d := &market.TradingDay{Market: market.BIST, Date: value.MustDate(date)}
	if opens != "" {
		d.Open, d.Close = new(market.ClockTime(opens)), new(market.ClockTime(closes))
	}
	return d
}

// ofIndices is an exception to the sessions of world indices.
func ofIndices(date, opens, closes string) *market.TradingDay {
	d := hours(date, opens, closes)
	d.Market = market.Index
	return d
}

// The exceptions of the tests: a feast from Thursday noon to Sunday, a
// Saturday on which the exchange trades, the first day of a year.
var exceptions = []*market.TradingDay{
	hours("2026-03-19", "10:00", "12:30"), hours("2026-03-20", "", ""), hours("2026-03-21", "", ""), hours("2026-03-28", "11:00", "13:15"),
	hours("2027-01-01", "", ""),
}

// Exceptions of other markets are not the exchange's; a later word replaces an earlier one.
func TestExceptions(t *testing.T) {
	d := newFixture()
	state := func() string {
		s, err := d.Status(calls.Anyone())
		need.NoError(t, err)
		return s.State
	}
	foreign := hours("2026-03-18", "", "")
	foreign.Market = market.US
	for _, step := range []struct {
		day  *market.TradingDay
		want string
	}{{foreign, "open"}, {hours("2026-03-18", "", ""), "holiday"}, {hours("2026-03-18", "10:00", "14:00"), "closed"},
		{hours("2026-03-18", "10:00", "18:00"), "open"}} {
		d.Live.PutCatalog(nil, []*market.TradingDay{step.day})
		if got := state(); got != step.want {
			t.Errorf("after %+v: %s, want %s", step.day, got, step.want)
		}
	}
}

func TestBistSession(t *testing.T) {
	for day, want := range map[string][2]string{
		"2026-03-18": {"2026-03-18T07:00:00Z", "2026-03-18T15:00:00Z"},
		"2026-03-19": {"2026-03-19T07:00:00Z", "2026-03-19T09:30:00Z"},
		"2026-03-20": {}, "2026-03-22": {},
		"2026-03-28": {"2026-03-28T08:00:00Z", "2026-03-28T10:15:00Z"},
	} {
		opens, closes, ok := market.BistSession(exceptions, value.MustDate(day))
		if ok != (want[0] != "") || opens.String() != want[0] || closes.String() != want[1] {
			t.Errorf("%s: from %q to %q, %v", day, opens, closes, ok)
		}
	}
}

// An exchange that is closed for good has no next opening and no current day,
// and the search for them ends.
func TestClosedForGood(t *testing.T) {
	d := floor(today, "AAA 1 10")
	var days []*market.TradingDay
	for i := range 1000 {
		days = append(days, &market.TradingDay{Market: market.BIST, Date: value.MustDate("2025-01-01").AddDays(i)})
	}
	d.Live.PutCatalog(nil, days)
	s, err := d.Status(calls.Anyone())
	if err != nil || s.State != "holiday" || !s.NextOpenAt.IsNull() {
		t.Errorf("%+v, %v", s, err)
	}
	if got, want := rankingOf(t, d, nil), " |  |  | 0"; got != want {
		t.Errorf("movers of no day: %s", got)
	}
}
