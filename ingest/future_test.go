package ingest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// ahead are the times that may lie ahead: what is planned, declared or agreed.
// Every other one is of something that was observed.
var ahead = map[string]bool{
	"calendar_item time": true, "trading_day date": true, "price_limits date": true, "dividend ex_date": true,
	"corporate_action ex_date": true,
	"dividend payment_date":    true,
	"ipo demand_start":         true, "ipo demand_end": true, "ipo first_trade_date": true, "instrument coverage_from": true,
	"fund inception_date": true,
	"quote current_until": true, "source_status next_due": true,
	"company board[0].appointed_at": true, "company executives[0].appointed_at": true,
	"disclosure contexts[0].instant": true, "disclosure contexts[0].start_date": true, "disclosure contexts[0].end_date": true,
}

// Every time of every kind: further than a day ahead of the clock it is
// refused, unless it may lie ahead; up to there it is taken.
func TestTimesAheadOfTheClock(t *testing.T) {
	sorts := map[string]struct{ beyond, within string }{ // the clock shows 2026-12-31T12:00:00Z
		"instant": {"2027-01-01T12:00:00.001Z", "2027-01-01T12:00:00Z"},
		"date":    {"2027-01-02", "2027-01-01"},
		"month":   {"2027-02", "2027-01"},
	}
	s, examples, times := openFile(t), exampleLines(t), 0
	for _, kind := range slices.Sorted(maps.Keys(contract)) {
		for _, m := range membersOf(kind) {
			of, timed := sorts[m.sort]
			if !timed {
				continue
			}
			times++
			name := kind + " " + m.path
			line := strings.ReplaceAll(examples[kind], "@N", fmt.Sprint(times))
			for value, refused := range map[string]bool{of.beyond: !ahead[name], of.within: false} {
				r := run(t, s, strings.NewReader(changed(t, line, m.path, `"`+value+`"`)))
				said := strings.Contains(r.messages, m.path+": must not be after "+of.within+", a day ahead of the clock; got "+value)
				if said != refused {
					t.Errorf("%s %s: %q, want it refused: %t", name, value, r.messages, refused)
				}
			}
		}
	}
	if times < 30 {
		t.Errorf("%d times in all kinds", times)
	}
}

// What a stale line is, where it is and why is reported; it is no refusal.
func TestStaleLinesAreTold(t *testing.T) {
	index := func(at string) string {
		return `{"record":"index","code":"XU100","name":"BIST 100","verified":true,"synced_at":"` + at + `","members":[]}` + "\n"
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		since := map[market.Market]value.Instant{market.BIST: value.MustInstant("2026-03-11T21:00:00Z")}
		need.NoError(t, s.Prune(t.Context(), since))
		r := run(t, s, strings.NewReader(quote("A", t2, "1")+quote("A", t1, "2")+index(t2)+index(t1)+
			quote("B", "2026-03-11T20:59:59Z", "3")+
			`{"record":"quote","instrument_id":"us:C","as_of":"`+t2+`","last":"1"}`+"\n"+
			`{"record":"quote","instrument_id":"us:C","as_of":"`+t1+`","last":"1"}`+"\n"))
		r.counts(t, ingest.Counts{Read: 7, Stored: 3, Stale: 4})
		want := strings.Join([]string{
			"-:2: as_of: stale: " + t1 + " is older than the quote of bist:A, which is of " + t2 + " and stays; bars are made with it",
			"-:4: synced_at: stale: " + t1 + " is not newer than what is stored, which is of " + t2 + " and stays",
			"-:5: as_of: stale: 2026-03-11T20:59:59Z is of a day that is complete: observations are kept since " +
				"2026-03-11T21:00:00Z, and an " +
				"older one changes nothing",
			"-:7: as_of: stale: " + t1 + " is older than the quote of us:C, which is of " + t2 + " and stays",
		}, "\n") + "\n"
		if r.messages != want || len(r.rejects) > 0 {
			t.Errorf("told\n%swant\n%s", r.messages, want)
		}
	})
}

// A quote of the future, which an older version took, is taken back by its
// withdrawal, and what is true is no longer stale.
func TestAQuoteOfTheFutureIsWithdrawn(t *testing.T) {
	const future = "2027-03-18T12:00:00Z"
	withdrawal := `{"record":"quote","instrument_id":"bist:A","as_of":"` + future + `","last":null}` + "\n"
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		r := run(t, s, strings.NewReader(quote("A", t1, "1")+quote("A", future, "666")+withdrawal))
		r.counts(t, ingest.Counts{Read: 3, Stored: 1, Rejected: 2})
		if !strings.Contains(r.messages, "-:3: as_of: must not be after 2027-01-01T12:00:00Z, a day ahead of the clock; got "+future+
			", of which nothing is stored that could be withdrawn") {
			t.Errorf("told %s", r.messages)
		}
		ingestAt(t, s, value.MustInstant("2027-03-18T12:00:00Z"), quote("A", future, "666"))
		r = run(t, s, strings.NewReader(quote("A", t2, "2")))
		r.counts(t, ingest.Counts{Read: 1, Stale: 1})
		if !strings.Contains(r.messages, "which is of "+future) {
			t.Errorf("told %s", r.messages)
		}
		run(t, s, strings.NewReader(withdrawal)).counts(t, ingest.Counts{Read: 1, Stored: 1})
		if got := lasts(t, s)["A"]; got != "2" {
			t.Errorf("the quote is %s, want what was stale before", got)
		}
		run(t, s, strings.NewReader(quote("A", "2026-03-18T12:05:00Z", "3"))).counts(t, ingest.Counts{Read: 1, Stored: 1})
		for at := range bars(t, url) {
			if strings.Contains(at, "2027") {
				t.Errorf("%s is still there", at)
			}
		}
	})
}

// What an older version took of the future makes nothing stale: the next true
// line of it is stored. Rows of a future day are withdrawn by their key; a
// withdrawal cannot itself be of the future.
func TestRecordsOfTheFutureHeal(t *testing.T) {
	const future, then = "2027-03-18T12:00:00Z", "2026-12-30T12:00:00Z"
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		for name, line := range map[string]string{
			"index":         `{"record":"index","code":"XU100","name":"BIST 100","verified":true,"members":[],"synced_at":"@"}`,
			"fund":          `{"record":"fund","code":"AAL","name":"A","currency":"TRY","as_of":"@"}`,
			"ipo":           `{"record":"ipo","id":"i","company":"A","currency":"TRY","as_of":"@"}`,
			"source_status": `{"record":"source_status","source":"ipo","up":true,"as_of":"@"}`,
		} {
			at := func(when string) string { return strings.ReplaceAll(line, "@", when) + "\n" }
			ingestAt(t, s, value.MustInstant(future), at(future))
			r := run(t, s, strings.NewReader(at(then)))
			if r.Stored != 1 {
				t.Errorf("%s: %+v %s", name, r.Counts, r.messages)
			}
			if r := run(t, s, strings.NewReader(at("2026-12-29T12:00:00Z"))); r.Stale != 1 ||
				!strings.Contains(r.messages, "stale: 2026-12-29T12:00:00Z is not newer than what is stored, which is of "+then) {
				t.Errorf("%s, and an older one: %+v %s", name, r.Counts, r.messages)
			}
		}
		ingestAt(t, s, value.MustInstant(future),
			`{"record":"bar","instrument_id":"us:A","resolution":"1d","t":"2027-03-18T00:00:00Z","close":"1"}
{"record":"market_metrics","instrument_id":"bist:A","date":"2027-03-18","as_of":"`+future+`","market_cap":"1"}
`)
		run(t, s, strings.NewReader(`{"record":"bar","instrument_id":"us:A","resolution":"1d","t":"2027-03-18T00:00:00Z","withdrawn":true}
{"record":"market_metrics","instrument_id":"bist:A","date":"2027-03-18","withdrawn":true}
`)).counts(t, ingest.Counts{Read: 2, Stored: 2})
		r := run(t, s, strings.NewReader(`{"record":"fund","code":"AAL","as_of":"`+future+`","withdrawn":true}`))
		if r.Rejected != 1 || !strings.Contains(r.messages, "as_of: must not be after") {
			t.Errorf("withdrawn from the future on: %+v %s", r.Counts, r.messages)
		}
	})
}
