package ingest_test

import (
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/ingest"
	"piyasa/test/fixture/need"
)

// A history has bars of one kind: adjusted, unadjusted, or those that do not say.
func TestAdjustedAndUnadjustedBars(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, err := db.Open(t.Context(), url)
		need.NoError(t, err)
		defer s.Close()
		bar := func(id, day, rest string) string {
			return `{"record":"bar","instrument_id":"bist:` + id + `","resolution":"1d","t":"2026-03-` + day +
				`T21:00:00Z","close":"1"` + rest + "}\n"
		}
		const raw, adjusted = `,"adjustment":"unadjusted"`, `,"adjustment":"adjusted"`
		r := run(t, s, strings.NewReader(bar("RAW", "01", raw)+bar("RAW", "02", raw)+bar("RAW", "03", "")+bar("RAW", "04", adjusted)+
			bar("OLD", "01", "")+bar("OLD", "02", adjusted)))
		r.counts(t, ingest.Counts{Read: 6, Stored: 3, Rejected: 3})
		// The same in later runs, and the other way round.
		r = run(t, s, strings.NewReader(bar("RAW", "05", adjusted)+bar("RAW", "06", raw)+bar("OLD", "03", raw)+bar("OLD", "04", "")+
			bar("NEW", "01", adjusted)+bar("NEW", "02", raw)))
		r.counts(t, ingest.Counts{Read: 6, Stored: 3, Rejected: 3, OffDays: 0}) // March 7 is a Saturday
		for i, want := range []string{"must be unadjusted, as the history of bist:RAW is; got adjusted", "has bars that do not say",
			"must be adjusted, as the history of bist:NEW is; got unadjusted"} {
			if !strings.Contains(r.rejects[i].Reason, want) || *r.rejects[i].Member != "adjustment" {
				t.Errorf("%+v, want %q", r.rejects[i], want)
			}
		}
		// Bars of which no loaded one is left are the first again.
		withdraw := func(day string) string {
			return `{"record":"bar","instrument_id":"bist:OLD","resolution":"1d","t":"2026-03-` + day +
				`T21:00:00Z","withdrawn":true}` + "\n"
		}
		run(t, s, strings.NewReader(withdraw("01")+withdraw("04"))).counts(t, ingest.Counts{Read: 2, Stored: 2})
		run(t, s, strings.NewReader(bar("OLD", "03", raw))).counts(t, ingest.Counts{Read: 1, Stored: 1})
		all, err := s.AdjustmentsAfter(t.Context(), 0)
		if err != nil || len(all) != 3 {
			t.Fatal(all, err)
		}
		for _, a := range all {
			if want := map[string]string{"bist:RAW": "unadjusted", "bist:NEW": "adjusted",
				"bist:OLD": "unadjusted"}[string(a.InstrumentID)]; a.Adjustment != want {
				t.Errorf("%+v", a)
			}
		}
	})
}
