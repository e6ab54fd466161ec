package rest_test

import (
	"slices"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/test/fixture"
)

// A factor is null with its reason where its action has no ratio, or takes off more than a share was
// worth.
func TestFactorsThatAreNotKnown(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := fixture.New(t, fixture.On(url))
		const bars = "/v1/candles/bist:"
		rights := func(id, price string) []string {
			return []string{`{"record":"corporate_action","instrument_id":"bist:` + id + `","ex_date":"2026-03-11","kind":"rights_issue",` +
				`"new":"2","old":"1","price":"` + price + `","currency":"TRY"}`}
		}
		for id, lines := range map[string][]string{
			"RTS": rights("RTS", "30"), "EQU": rights("EQU", "10"),
			"TWO": {`{"record":"dividend","instrument_id":"bist:TWO","ex_date":"2026-03-11","dividend_id":"a","gross_per_share":"3","currency":"TRY"}`,
				`{"record":"dividend","instrument_id":"bist:TWO","ex_date":"2026-03-11","dividend_id":"b","gross_per_share":"8","currency":"TRY"}`},
		} {
			put(t, a, stock(id), daily(id, "2026-03-10", "10", "unadjusted"), daily(id, "2026-03-11", "10", "unadjusted"))
			put(t, a, lines...)
			checkLooks(t, a, []look{
				{bars + id + "?adjust=all", "bars.0.close", `"10"`},
				{bars + id + "?adjust=all", "factors.0.null_reason", `"not_below_close"`},
				{bars + id + "?adjust=all", "factors.-1.null_reason", `"not_below_close"`},
			})
			csv := a.Get(bars+id+"?adjust=all&format=csv", fixture.All).Text
			want := "bist:" + id + ",2026-03-09T21:00:00Z,,,,10,1000,,,TRY,,2026-03-10,true\n" +
				"bist:" + id + ",2026-03-10T21:00:00Z,,,,10,1000,,,TRY,1,2026-03-11,true\n"
			if !strings.HasSuffix(csv, want) {
				t.Errorf("%s\nwant\n%s", csv, want)
			}
			columns := a.Query(`{ candles(id: "bist:`+id+`", adjust: ALL) { columns { factor } } }`, fixture.All).Text
			if !strings.Contains(columns, `"factor":[null,"1"]`) {
				t.Error(columns)
			}
		}
	})
}

// A bar of a holiday, which is not shown, is no day on which an action is missing.
func TestActionsAreNotMissingOnHolidays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := fixture.New(t, fixture.On(url))
		put(t, a, stock("SPLT"), `{"record":"trading_day","market":"bist","date":"2026-03-12"}`,
			daily("SPLT", "2026-03-11", "10", "unadjusted"), daily("SPLT", "2026-03-12", "99", "unadjusted"),
			daily("SPLT", "2026-03-13", "11", "unadjusted"))
		found := findings(t, url)
		if slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, "actions") }) || missingActions(t, a) != "" {
			t.Errorf("%q, %s", found, missingActions(t, a))
		}
		put(t, a, daily("SPLT", "2026-03-13", "1", "unadjusted"))
		found = findings(t, url)
		if !slices.ContainsFunc(found, func(f string) bool {
			return strings.HasPrefix(f, "actions") && strings.Contains(f, "from 10, of 2026-03-11, to 1")
		}) {
			t.Errorf("%q", found)
		}
	})
}
