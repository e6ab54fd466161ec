package ingest_test

import (
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// A price that a market cannot have, and a negative count or amount, are refused by
// the member that states it.
func TestPricesThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	quote := func(id, members string) string {
		return `{"record":"quote","instrument_id":"` + id + `","as_of":"2026-03-18T11:40:00Z",` + members + "}\n"
	}
	bar := func(id, at, members string) string {
		return `{"record":"bar","instrument_id":"` + id + `","resolution":"1d","t":"` + at + `",` + members + "}\n"
	}
	index := func(members string) string {
		return `{"record":"index_bar","code":"XU100","date":"2026-03-17",` + members + "}\n"
	}
	for _, c := range []struct{ line, member string }{
		{quote("bist:A", `"last":"0"`), "last"}, {quote("bist:A", `"last":"0.00"`), "last"}, {quote("bist:A", `"last":"-1"`), "last"},
		{quote("crypto:1", `"last":"0"`), "last"}, {quote("fx:EURUSD", `"last":"0"`), "last"}, {quote("index:SPX", `"last":"-4"`), "last"},
		{quote("us:A", `"last":"0"`), "last"}, {quote("fund:AAL", `"last":"0"`), "last"},
		{quote("cmdty:OIL", `"last":"0"`), ""}, {quote("cmdty:OIL", `"last":"-37.63","low":"-40.32","high":"17.85"`), ""},
		{quote("bist:A", `"last":"10","low":"-1"`), "low"}, {quote("bist:A", `"last":"10","prev_close":"-1"`), "prev_close"},
		{quote("bist:A", `"last":"10","bid":"-1"`), "bid"}, {quote("bist:A", `"last":"10","limit_down":"-1"`), "limit_down"},
		{quote("bist:A", `"last":"10","volume":"-1"`), "volume"}, {quote("cmdty:OIL", `"last":"10","turnover":"-1"`), "turnover"},
		{quote("crypto:1", `"last":"10","market_cap":"-1"`), "market_cap"},
		{quote("bist:A", `"last":"10","change":"-1","change_pct":"-9"`), ""},
		{bar("us:A", "2026-03-17T00:00:00Z", `"close":"0"`), "close"},
		{bar("us:A", "2026-03-17T00:00:00Z", `"close":"1","open":"-1"`), "open"},
		{bar("us:A", "2026-03-17T00:00:00Z", `"close":"1","volume":"-1"`), "volume"},
		{bar("us:A", "2026-03-17T00:00:00Z", `"close":"1","turnover":"-0.01"`), "turnover"},
		{bar("us:A", "2026-03-17T00:00:00Z", `"close":"1","trade_count":-1`), "trade_count"},
		{bar("cmdty:OIL", "2026-03-17T00:00:00Z", `"close":"-37","open":"10","low":"-40","high":"17"`), ""},
		{bar("cmdty:OIL", "2026-03-17T00:00:00Z", `"close":"1","volume":"-1"`), "volume"},
		{index(`"close":"0"`), "close"}, {index(`"close":"1","low":"-1"`), "low"},
	} {
		r := run(t, openFile(t), strings.NewReader(c.line))
		switch {
		case c.member == "" && r.Stored != 1:
			t.Errorf("%srefused: %s", c.line, r.messages)
		case c.member != "" && (r.Rejected != 1 || *r.rejects[0].Member != c.member):
			t.Errorf("%s%+v, want a refusal of %s", c.line, r.rejects, c.member)
		}
	}
}

// Extremes that contradict are left out of what is read, and so are zeros beside a
// price; the rest stays, and the summary counts the records.
func TestFiguresThatContradictAreLeftOut(t *testing.T) {
	t.Parallel()
	type prices struct{ open, high, low, close string }
	cases := []struct {
		id           market.ID
		stated, want prices
	}{
		{"cmdty:A", prices{"10", "12", "9", "11"}, prices{"10", "12", "9", "11"}},
		{"cmdty:B", prices{"", "9", "11", "10"}, prices{"", "", "", "10"}},
		{"cmdty:C", prices{"10", "12", "11", "11.5"}, prices{"10", "", "", "11.5"}},
		{"cmdty:D", prices{"10", "12", "9", "12.5"}, prices{"10", "", "", "12.5"}},
		{"cmdty:E", prices{"0", "12", "0", "11"}, prices{"", "", "", "11"}},
		{"cmdty:F", prices{"1", "2", "-3", "-1"}, prices{"1", "2", "-3", "-1"}},
		{"cmdty:G", prices{"", "0", "", "-1"}, prices{"", "0", "", "-1"}},
		{"cmdty:H", prices{"", "10.99", "", "11"}, prices{"", "", "", "11"}},
		{"cmdty:I", prices{"", "11.00", "11.000", "11"}, prices{"", "11.00", "11.000", "11"}},
		{"us:A", prices{"0", "12", "9", "11"}, prices{"", "12", "9", "11"}},
		{"us:B", prices{"10", "0", "0", "11"}, prices{"10", "", "", "11"}},
	}
	member := func(name, figure string) string {
		if figure == "" {
			return ""
		}
		return `,"` + name + `":"` + figure + `"`
	}
	var bars, quotes, indices strings.Builder
	left := 0
	for _, c := range cases {
		p := c.stated
		if p != c.want {
			left++
		}
		others := member("open", p.open) + member("high", p.high) + member("low", p.low)
		of := member("instrument_id", string(c.id)) + others
		bars.WriteString(`{"record":"bar","resolution":"1d","t":"2026-03-17T00:00:00Z"` + of + member("close", p.close) + "}\n")
		quotes.WriteString(`{"record":"quote","as_of":"2026-03-18T11:40:00Z"` + of + member("last", p.close) + "}\n")
	}
	indices.WriteString(`{"record":"index_bar","code":"XU100","date":"2026-03-17","high":"9","low":"8","close":"10"}` + "\n")
	quotes.WriteString(`{"record":"quote","instrument_id":"bist:Z","as_of":"2026-03-18T11:40:00Z","last":"10","prev_close":"0","change":"10",` +
		`"change_pct":"0","bid":"0","ask":"0.00","limit_up":"0","limit_down":"0","volume":"0","turnover":"0"}` + "\n")
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		r := run(t, s, strings.NewReader(bars.String()+quotes.String()+indices.String()))
		n := len(cases)
		r.counts(t, ingest.Counts{Read: 2*n + 2, Stored: 2*n + 2, LeftOut: 2*left + 2})
		if of := r.Kinds["bar"].LeftOut; of != left {
			t.Errorf("%d bars counted, want %d", of, left)
		}
		read, err := s.QuotesAfter(t.Context(), 0)
		need.NoError(t, err)
		observed := map[market.ID]*market.Observation{}
		for _, o := range read {
			observed[o.InstrumentID] = o
		}
		for _, c := range cases {
			day := value.MustInstant("2026-03-17T00:00:00Z")
			stored, err := s.Bars(t.Context(), market.Day, []market.Span{{ID: c.id, First: day, Last: day}})
			if err != nil || len(stored[0].Bars) != 1 {
				t.Fatalf("%s: %v, %v", c.id, stored, err)
			}
			b, o := stored[0].Bars[0], observed[c.id]
			if got := (prices{b.Open.String(), b.High.String(), b.Low.String(), b.Close.String()}); got != c.want {
				t.Errorf("bar of %+v: %+v, want %+v", c.stated, got, c.want)
			}
			if got := (prices{o.Open.String(), o.High.String(), o.Low.String(), o.Last.String()}); got != c.want {
				t.Errorf("quote of %+v: %+v, want %+v", c.stated, got, c.want)
			}
		}
		z := observed["bist:Z"]
		zero := value.MustDecimal("0")
		want := market.Observation{InstrumentID: z.InstrumentID, AsOf: z.AsOf, Last: z.Last, Volume: zero, Turnover: zero}
		if !z.Same(&want) {
			t.Errorf("zeros: %+v", z)
		}
		of, err := s.IndexBars(t.Context(), []string{"XU100"})
		if err != nil || len(of[0]) != 1 || !of[0][0].High.IsNull() || !of[0][0].Low.IsNull() || of[0][0].Close.String() != "10" {
			t.Errorf("index: %v, %v", of, err)
		}
		again := run(t, s, strings.NewReader(bars.String()+quotes.String()+indices.String()))
		again.counts(t, ingest.Counts{Read: 2*n + 2, Unchanged: 2*n + 2, LeftOut: 2*left + 2})
	})
}

// A figure of the day may grow by something with more digits than a figure can have:
// what it grew by is not known, and everything can still be read.
func TestGrowthOfTooManyDigits(t *testing.T) {
	t.Parallel()
	line := func(asOf, volume string) string {
		return `{"record":"quote","instrument_id":"bist:BIG","as_of":"` + asOf + `","last":"10","volume":"` + volume +
			`","turnover":"` + volume + `"}` + "\n"
	}
	input := line("2026-03-18T07:01:00Z", "0."+strings.Repeat("1", 98)) + line("2026-03-18T07:06:00Z", strings.Repeat("9", 100)) +
		line("2026-03-18T07:11:00Z", strings.Repeat("9", 100))
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 3, Stored: 3})
		span := market.Span{ID: "bist:BIG", First: value.MustInstant("2026-03-18T07:00:00Z"),
			Last: value.MustInstant("2026-03-18T08:00:00Z")}
		stored, err := s.Bars(t.Context(), market.FiveMinutes, []market.Span{span})
		if err != nil || len(stored[0].Bars) != 3 {
			t.Fatalf("%v, %v", stored, err)
		}
		for i, want := range []string{"0." + strings.Repeat("1", 98), "", "0"} {
			if b := stored[0].Bars[i]; b.Volume.String() != want || b.Turnover.String() != want {
				t.Errorf("bar %d: %s, %s; want %s", i, b.Volume, b.Turnover, want)
			}
		}
	})
}
