package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/test/fixture"
)

// barLine returns the line of a daily bar at a time with all its figures.
func barLine(id, t, figures string) string {
	return fmt.Sprintf(`{"record":"bar","instrument_id":%q,"resolution":"1d","t":%q,%s}`, id, t, figures)
}

// The clock stands at Wednesday, 2026-03-18, 15:00 Turkey time.
func TestWeeksAndMonths(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := fixture.New(t, fixture.On(url))
		put(t, a,
			stock("LNG"), stock("HOLE"),
			`{"record":"instrument","instrument_id":"index:SUN","symbol":"SUN","name":"Sunday","market":"index","asset_type":"INDEX","currency":"USD",`+
				`"session":{"timezone":"Asia/Riyadh","open":"10:00","close":"15:00","always_open":false,"days":"sun-thu"}}`,
			// a week that is over
			barLine("bist:LNG", "2026-03-08T21:00:00Z", `"high":"11","low":"9","close":"10.00","volume":"100","turnover":"1000.50","trade_count":3`),
			barLine("bist:LNG", "2026-03-10T21:00:00Z", `"high":"13.50","low":"9.5","close":"12.00","volume":"50.5","turnover":"600","trade_count":4`),
			barLine("bist:LNG", "2026-03-12T21:00:00Z", `"high":"12","low":"8.75","close":"9.00","volume":"7","turnover":"63","trade_count":1`),
			// one that is not
			barLine("bist:LNG", "2026-03-15T21:00:00Z", `"high":"10","low":"9","close":"9.10","volume":"1","turnover":"9.10","trade_count":1`),
			barLine("bist:LNG", "2026-03-16T21:00:00Z", `"high":"10","low":"9","close":"9.20","volume":"1","turnover":"9.20","trade_count":1`),
			// a day that does not state all
			barLine("bist:HOLE", "2026-02-22T21:00:00Z", `"high":"11","low":"9","close":"10","volume":"100"`),
			barLine("bist:HOLE", "2026-02-23T21:00:00Z", `"close":"10.50","volume":"100"`),
			// from Sunday to Thursday
			barLine("index:SUN", "2026-03-08T00:00:00Z", `"open":"100","high":"110","low":"90","close":"105"`),
			barLine("index:SUN", "2026-03-12T00:00:00Z", `"open":"105","high":"120","low":"95","close":"111"`),
			barLine("index:SUN", "2026-03-15T00:00:00Z", `"open":"111","high":"112","low":"101","close":"102"`))
		const lng, sun = "/v1/candles/bist:LNG?from=2026-03-11&resolution=", "/v1/candles/index:SUN?from=2026-03-09&resolution="
		checkLooks(t, a, []look{
			{lng + "1w", "count", "2"},
			{lng + "1w", "resolution", `"1w"`},
			{lng + "1w", "bars.0", `{"close":"9.00","complete":true,"date":"2026-03-09","high":"13.50","low":"8.75","open":null,` +
				`"t":"2026-03-08T21:00:00Z","trade_count":8,"turnover":"1663.5","volume":"157.5"}`},
			{lng + "1w", "bars.1", `{"close":"9.20","complete":false,"date":"2026-03-16","high":"10","low":"9","open":null,` +
				`"t":"2026-03-15T21:00:00Z","trade_count":2,"turnover":"18.3","volume":"2"}`},
			{lng + "1mo", "bars.0", `{"close":"9.20","complete":false,"date":"2026-03-01","high":"13.50","low":"8.75","open":null,` +
				`"t":"2026-02-28T21:00:00Z","trade_count":10,"turnover":"1681.8","volume":"159.5"}`},
			{lng + "1w&to=2026-03-12", "count", "1"},
			{lng + "1w&to=2026-03-12", "bars.0.close", `"9.00"`}, // of the whole week
			{"/v1/candles/bist:HOLE?resolution=1w", "bars.0.high", "null"},
			{"/v1/candles/bist:HOLE?resolution=1w", "bars.0.volume", `"200"`},
			{"/v1/candles/bist:HOLE?resolution=1w", "bars.0.close", `"10.50"`},
			{"/v1/candles/bist:HOLE?resolution=1mo", "bars.0.complete", "true"},
			{sun + "1w", "bars.0", `{"close":"111","complete":true,"date":"2026-03-08","high":"120","low":"90","open":"100",` +
				`"t":"2026-03-08T00:00:00Z","trade_count":null,"turnover":null,"volume":null}`},
			{sun + "1w", "bars.1.complete", "false"},
			{"/v1/candles/bist:LNG?from=2026-03-17", "bars.0", `{"close":"9.20","high":"10","low":"9","open":null,` +
				`"t":"2026-03-16T21:00:00Z","trade_count":1,"turnover":"9.20","volume":"1"}`}, // as it always was
			{"/v1/candles/bist:LNG?from=2026-03-17&adjust=splits", "bars.0.complete", "true"},
			{"/v1/candles/bist:LNG?from=2026-03-17&adjust=splits", "bars.0.date", `"2026-03-17"`},
			{"/v1/eod/bist:LNG?from=2026-03-17&adjust=splits", "records.0.complete", "true"},
		})
		for _, c := range []struct{ target, want string }{
			{lng + "1w&format=csv", "instrument_id,t,open,high,low,close,volume,turnover,trade_count,currency,date,complete\n" +
				"bist:LNG,2026-03-08T21:00:00Z,,13.50,8.75,9.00,157.5,1663.5,8,TRY,2026-03-09,true\n" +
				"bist:LNG,2026-03-15T21:00:00Z,,10,9,9.20,2,18.3,2,TRY,2026-03-16,false\n"},
			{"/v1/eod/bist:LNG?from=2026-03-17&adjust=all&format=csv",
				"instrument_id,date,open,high,low,close,volume,turnover,trade_count,currency,factor,complete\n" +
					"bist:LNG,2026-03-17,,10,9,9.20,1,9.20,1,TRY,1,true\n"},
		} {
			if got := a.Get(c.target, fixture.All).Text; got != c.want {
				t.Errorf("%s:\n%s\nwant\n%s", c.target, got, c.want)
			}
		}
		for asked, want := range map[string]string{
			`candles(id: "bist:LNG", resolution: W1, from: "2026-03-11") { bars { date complete close } columns { date complete high } }`: `{"bars":[` +
				`{"date":"2026-03-09","complete":true,"close":"9.00"},{"date":"2026-03-16","complete":false,"close":"9.20"}],` +
				`"columns":{"date":["2026-03-09","2026-03-16"],"complete":[true,false],"high":["13.50","10"]}}`,
			`candles(id: "bist:LNG", from: "2026-03-17") { bars { date complete t } columns { date complete } }`: `{"bars":[` +
				`{"date":"2026-03-17","complete":true,"t":"2026-03-16T21:00:00Z"}],"columns":{"date":["2026-03-17"],"complete":[true]}}`,
			`eod(id: "bist:LNG", from: "2026-03-17") { records { date complete } }`: `{"records":[{"date":"2026-03-17","complete":true}]}`,
		} {
			if got := a.Query("{ "+asked+" }", fixture.All).Text; !strings.Contains(got, want) {
				t.Errorf("%s:\n%s\nwant\n%s", asked, got, want)
			}
		}
	})
}

// A week in which a share is split has the prices of its last day's shares, and says so; one in
// which the ratio is not known is made only of the days after the split.
func TestWeekOfSplit(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := fixture.New(t, fixture.On(url))
		put(t, a, stock("WSP"), stock("UNK"), `{"record":"corporate_action","instrument_id":"bist:WSP","kind":"split","ex_date":"2026-03-11","new":"10","old":"1"}`,
			`{"record":"corporate_action","instrument_id":"bist:UNK","kind":"spin_off","ex_date":"2026-03-11"}`)
		for _, id := range []string{"bist:WSP", "bist:UNK"} {
			put(t, a,
				barLine(id, "2026-03-04T21:00:00Z", `"high":"395","low":"385","close":"390","volume":"10","adjustment":"unadjusted"`),
				barLine(id, "2026-03-08T21:00:00Z", `"high":"410","low":"398","close":"400","volume":"10","turnover":"4000","adjustment":"unadjusted"`),
				barLine(id, "2026-03-10T21:00:00Z", `"high":"41","low":"39.8","close":"40","volume":"100","turnover":"4000","adjustment":"unadjusted"`),
				barLine(id, "2026-03-12T21:00:00Z", `"high":"42","low":"40.5","close":"41","volume":"100","turnover":"4100","adjustment":"unadjusted"`))
		}
		const known, unknown = "/v1/candles/bist:WSP?from=2026-03-05&resolution=1w", "/v1/candles/bist:UNK?from=2026-03-05&resolution=1w"
		checkLooks(t, a, []look{
			{known, "bars.0.close", `"390"`}, // as it was traded
			{known, "bars.1", `{"close":"41","complete":true,"date":"2026-03-09","high":"42","low":"39.8","open":null,` +
				`"t":"2026-03-08T21:00:00Z","trade_count":null,"turnover":"12100","volume":"300"}`},
			{known, "adjust", `"none"`},
			{known, "factors.0.factor", `"0.1"`},
			{known + "&adjust=splits", "bars.0.close", `"39"`},
			{known + "&adjust=splits", "bars.1.volume", `"300"`},
			{known + "&adjust=splits", "adjust", `"splits"`},
			{unknown, "bars.1", `{"close":"41","complete":false,"date":"2026-03-09","high":"42","low":"39.8","open":null,` +
				`"t":"2026-03-08T21:00:00Z","trade_count":null,"turnover":"8100","volume":"200"}`},
			{unknown, "bars.0.complete", "true"},
			{unknown, "factors.0.null_reason", `"value_not_stated"`},
		})
	})
}

func TestConvertedWeeks(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := fixture.New(t, fixture.On(url))
		put(t, a, stock("WCV"),
			barLine("bist:WCV", "2026-03-15T21:00:00Z", `"high":"41.10","low":"41.10","close":"41.10","volume":"1"`),
			barLine("bist:WCV", "2026-03-16T21:00:00Z", `"high":"41.20","low":"40.17","close":"41.20","volume":"1"`))
		const daily, weekly = "/v1/candles/bist:WCV?currency=USD", "/v1/candles/bist:WCV?resolution=1w&currency=USD"
		checkLooks(t, a, []look{ // no rate of 17 March is known
			{weekly, "bars.0.close", "null"}, {weekly, "bars.0.high", "null"}, {weekly, "bars.0.fx_rate", "null"}, {weekly, "bars.0.volume", `"2"`},
		})
		put(t, a, barLine("fx:USDTRY", "2026-03-16T21:00:00Z", `"close":"41.20"`))
		checkLooks(t, a, []look{
			{weekly, "bars.0.close", `"1"`},
			{weekly, "bars.0.high", memberAt(t, a, daily, "bars.0.high")},
			{weekly, "bars.0.low", memberAt(t, a, daily, "bars.1.low")},
			{weekly, "bars.0.fx_rate", memberAt(t, a, daily, "bars.1.fx_rate")},
		})
	})
}

func TestLongerBarsAreNotStored(t *testing.T) {
	a := fixture.New(t)
	summary := put(t, a, `{"record":"bar","instrument_id":"bist:DMOST","resolution":"1w","t":"2026-03-15T21:00:00Z","close":"1"}`)
	if summary.Rejected != 1 {
		t.Errorf("%+v", summary)
	}
	for target, want := range map[string]string{
		"/v1/candles/bist:DMOST?resolution=1h":           "1d, 1w or 1mo",
		"/v1/candles/crypto:1?resolution=5m":             "2h, 1d, 1w or 1mo",
		"/v1/stocks/bist:DMOST/indicators?resolution=1w": "5m or 1d",
	} {
		if res := a.Get(target, fixture.All); res.StatusCode != 422 || !strings.Contains(res.Text, want) {
			t.Errorf("%s: %d %s, want %s", target, res.StatusCode, res.Text, want)
		}
	}
}

// A week is of the last day's shares that it has: an action after that day changes nothing of it.
func TestWeekBeforeASplit(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := fixture.New(t, fixture.On(url))
		split := func(id, day string) string {
			return `{"record":"corporate_action","instrument_id":"bist:` + id + `","kind":"split","ex_date":"` + day + `","new":"2","old":"1"}`
		}
		put(t, a, stock("SAT"), stock("TWO"), stock("NOW"),
			daily("SAT", "2026-03-05", "80.00", "unadjusted"), daily("SAT", "2026-03-06", "80.00", "unadjusted"),
			split("SAT", "2026-03-07"), daily("SAT", "2026-03-09", "40.00", "unadjusted"),
			daily("TWO", "2026-03-02", "80.00", "unadjusted"), split("TWO", "2026-03-03"),
			daily("TWO", "2026-03-03", "40.00", "unadjusted"), split("TWO", "2026-03-07"),
			daily("TWO", "2026-03-09", "20.00", "unadjusted"),
			daily("NOW", "2026-03-16", "80.00", "unadjusted"), daily("NOW", "2026-03-17", "82.00", "unadjusted"),
			split("NOW", "2026-03-18"))
		const sat, two = "/v1/candles/bist:SAT?resolution=1w", "/v1/candles/bist:TWO?resolution=1w"
		const now = "/v1/candles/bist:NOW?resolution="
		checkLooks(t, a, []look{
			{sat, "bars.0.close", `"80.00"`}, {sat, "bars.0.volume", `"2000"`}, {sat, "bars.1.close", `"40.00"`}, {sat, "factors", "null"},
			{two, "bars.0.close", `"40.00"`}, {two, "bars.0.volume", `"3000"`}, {two, "factors.-1.ex_date", `"2026-03-03"`},
			{now + "1w", "bars.0.close", `"82.00"`}, {now + "1mo", "bars.0.close", `"82.00"`},
		})
	})
}

// The close of a converted week is that of the last day that has one, whether or not a later day has a rate.
func TestConvertedWeekWithoutLastClose(t *testing.T) {
	a := fixture.New(t)
	put(t, a, `{"record":"instrument","instrument_id":"us:WKC","symbol":"WKC","name":"W","market":"us","asset_type":"STOCK","currency":"USD"}`,
		`{"record":"bar","instrument_id":"fx:USDTRY","resolution":"1d","t":"2026-03-01T21:00:00Z","close":"40"}`,
		`{"record":"bar","instrument_id":"us:WKC","resolution":"1d","t":"2026-03-02T00:00:00Z","close":"2"}`,
		`{"record":"bar","instrument_id":"us:WKC","resolution":"1d","t":"2026-03-06T00:00:00Z","close":null,"volume":"5"}`)
	const week = "/v1/candles/us:WKC?currency=TRY&resolution=1w&to=2026-03-08"
	checkLooks(t, a, []look{{week, "bars.0.close", `"80"`}, {week, "bars.0.fx_rate", `"40"`}})
}

// A market that is not known has no calendar.
func TestCalendarOfNoMarket(t *testing.T) {
	res := fixture.New(t).Get("/v1/markets/nope/calendar", fixture.All)
	if res.StatusCode != 422 || !strings.Contains(res.Text, "bist, crypto, fx, index, cmdty, us") {
		t.Errorf("%d %s", res.StatusCode, res.Text)
	}
}
