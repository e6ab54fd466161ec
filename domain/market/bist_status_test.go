package market_test

import (
	"encoding/json"
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

func TestStatus(t *testing.T) {
	for _, c := range []struct {
		name, now, state string
		opens, closes    string // of today, in UTC; empty: no session
		next             string
	}{
		{"V-133: the last second before", "2026-03-18T06:59:59Z", "closed", "2026-03-18T07:00:00Z", "2026-03-18T15:00:00Z",
			"2026-03-18T07:00:00Z"},
		{"the last thousandth before", "2026-03-18T06:59:59.999Z", "closed", "2026-03-18T07:00:00Z", "2026-03-18T15:00:00Z",
			"2026-03-18T07:00:00Z"},
		{"V-133: the first second", "2026-03-18T07:00:00Z", "open", "2026-03-18T07:00:00Z", "2026-03-18T15:00:00Z", "2026-03-19T07:00:00Z"},
		{"G-36", "2026-03-18T12:00:00Z", "open", "2026-03-18T07:00:00Z", "2026-03-18T15:00:00Z", "2026-03-19T07:00:00Z"},
		{"V-133: the last second", "2026-03-18T14:59:59Z", "open", "2026-03-18T07:00:00Z", "2026-03-18T15:00:00Z", "2026-03-19T07:00:00Z"},
		{"the last thousandth", "2026-03-18T14:59:59.999Z", "open", "2026-03-18T07:00:00Z", "2026-03-18T15:00:00Z", "2026-03-19T07:00:00Z"},
		{"V-133: the close", "2026-03-18T15:00:00Z", "closed", "2026-03-18T07:00:00Z", "2026-03-18T15:00:00Z", "2026-03-19T07:00:00Z"},
		{"the end of the day", "2026-03-18T20:59:59.999Z", "closed", "2026-03-18T07:00:00Z", "2026-03-18T15:00:00Z",
			"2026-03-19T07:00:00Z"},
		{"the next day in Istanbul", "2026-03-18T21:00:00Z", "closed", "2026-03-19T07:00:00Z", "2026-03-19T09:30:00Z",
			"2026-03-19T07:00:00Z"},
		{"a half day", "2026-03-19T09:29:59Z", "open", "2026-03-19T07:00:00Z", "2026-03-19T09:30:00Z", "2026-03-23T07:00:00Z"},
		{"the close of a half day; weekend and holidays ahead", "2026-03-19T09:30:00Z", "closed", "2026-03-19T07:00:00Z",
			"2026-03-19T09:30:00Z", "2026-03-23T07:00:00Z"},
		{"a holiday", "2026-03-20T12:00:00Z", "holiday", "", "", "2026-03-23T07:00:00Z"},
		{"a holiday on a Saturday", "2026-03-21T12:00:00Z", "holiday", "", "", "2026-03-23T07:00:00Z"},
		{"a Sunday", "2026-03-22T12:00:00Z", "closed", "", "", "2026-03-23T07:00:00Z"},
		{"Monday before the open", "2026-03-23T06:00:00Z", "closed", "2026-03-23T07:00:00Z", "2026-03-23T15:00:00Z",
			"2026-03-23T07:00:00Z"},
		{"Friday evening before a Saturday of trade", "2026-03-27T16:00:00Z", "closed", "2026-03-27T07:00:00Z", "2026-03-27T15:00:00Z",
			"2026-03-28T08:00:00Z"},
		{"a Saturday of trade", "2026-03-28T08:00:00Z", "open", "2026-03-28T08:00:00Z", "2026-03-28T10:15:00Z", "2026-03-30T07:00:00Z"},
		{"Friday evening", "2026-03-13T16:00:00Z", "closed", "2026-03-13T07:00:00Z", "2026-03-13T15:00:00Z", "2026-03-16T07:00:00Z"},
		{"a Saturday", "2026-03-14T12:00:00Z", "closed", "", "", "2026-03-16T07:00:00Z"},
		{"summer has the same hours", "2026-07-15T07:00:00Z", "open", "2026-07-15T07:00:00Z", "2026-07-15T15:00:00Z",
			"2026-07-16T07:00:00Z"},
		{"over the year", "2026-12-31T20:00:00Z", "closed", "2026-12-31T07:00:00Z", "2026-12-31T15:00:00Z", "2027-01-04T07:00:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newFixture()
			d.Live.PutCatalog(nil, exceptions)
			d.now = value.MustInstant(c.now)
			s, err := d.Status(calls.Anyone())
			need.NoError(t, err)
			if s.State != c.state || s.IsOpen != (c.state == "open") || s.NextOpenAt.String() != c.next {
				t.Errorf("%s, open %v, next %s; want %s, next %s", s.State, s.IsOpen, s.NextOpenAt, c.state, c.next)
			}
			if s.OpensAt.String() != c.opens || s.ClosesAt.String() != c.closes {
				t.Errorf("from %q to %q", s.OpensAt, s.ClosesAt)
			}
			if day := value.TurkeyDay(d.now); s.TradingDay.IsNull() != (c.opens == "") || c.opens != "" && s.TradingDay != day {
				t.Errorf("trading day %q on %s", s.TradingDay, day)
			}
			if (s.Session.Open == nil) != (c.opens == "") || (s.Session.Close == nil) != (c.opens == "") || s.Session.AlwaysOpen ||
				s.Session.Timezone != "Europe/Istanbul" {
				t.Errorf("session %+v", s.Session)
			}
			// G-10: our clock shows whole seconds
			if s.Market != market.BIST || s.DataDelaySeconds != 900 || s.AsOf.String() != c.now[:len("2026-03-18T12:00:00")]+"Z" {
				t.Errorf("%+v", s)
			}
		})
	}
}

// The example of G-36, member by member.
func TestStatusMembers(t *testing.T) {
	s, err := newFixture().Status(calls.Anyone())
	need.NoError(t, err)
	got, err := json.Marshal(s)
	want := `{"market":"bist","state":"open","is_open":true,` +
		`"session":{"timezone":"Europe/Istanbul","open":"10:00","close":"18:00","always_open":false},` +
		`"trading_day":"2026-03-18","opens_at":"2026-03-18T07:00:00Z","closes_at":"2026-03-18T15:00:00Z",` +
		`"next_open_at":"2026-03-19T07:00:00Z","data_delay_seconds":900,"as_of":"2026-03-18T12:00:00Z"}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}
