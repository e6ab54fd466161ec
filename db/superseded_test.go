package db_test

import (
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// metricsAt stores metrics of one company, each recorded when they were published.
func metricsAt(t *testing.T, s *db.Store, date, capital, published string) {
	t.Helper()
	b := &db.Batch{Recorded: value.MustInstant(published)}
	var out db.Outcome
	db.Put(b, &fundamentals.Metrics{InstrumentID: "bist:DMOST", Date: value.MustDate(date), MarketCap: value.MustDecimal(capital),
		AsOf: value.MustInstant(published)}, &out)
	if err := s.Store(t.Context(), b); err != nil || out.Result != db.Stored {
		t.Fatalf("%v %+v", err, out)
	}
}

// capAt returns the market capitalisation of a day as it was known at a moment; empty: it was not.
func capAt(t *testing.T, s *db.Store, date, at string) string {
	t.Helper()
	past, err := s.At(t.Context(), value.MustInstant(at), true)
	need.NoError(t, err)
	day := value.MustDate(date)
	all, err := past.Metrics(t.Context(), []market.ID{"bist:DMOST"}, day, day)
	need.NoError(t, err)
	if len(all[0]) == 0 {
		return ""
	}
	return all[0][0].MarketCap.String()
}

// Of the refreshes of a day the last stays, and so does what was corrected on a later day.
func TestPruneRefreshes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := dbtest.Open(t, url)
		metricsAt(t, s, "2026-03-16", "100", "2026-03-16T08:00:00Z")
		metricsAt(t, s, "2026-03-16", "101", "2026-03-16T09:00:00Z")
		metricsAt(t, s, "2026-03-16", "102", "2026-03-16T15:00:00Z")
		metricsAt(t, s, "2026-03-16", "103", "2026-03-17T08:00:00Z") // a correction
		metricsAt(t, s, "2026-03-17", "104", "2026-03-17T08:00:00Z")
		metricsAt(t, s, "2026-03-17", "105", "2026-03-17T09:00:00Z")
		known := func(want map[string]string) {
			t.Helper()
			for at, want := range want {
				if got := capAt(t, s, "2026-03-16", at); got != want {
					t.Errorf("known at %s: %q, want %q", at, got, want)
				}
			}
		}
		known(map[string]string{"2026-03-16T07:59:59Z": "", "2026-03-16T08:30:00Z": "100", "2026-03-16T09:00:00Z": "101",
			"2026-03-16T20:00:00Z": "102", "2026-03-18T00:00:00Z": "103"})
		since := map[market.Market]value.Instant{market.BIST: value.MustInstant("2026-03-17T00:00:00Z")}
		need.NoError(t, s.Prune(t.Context(), since))
		known(map[string]string{"2026-03-16T08:30:00Z": "", "2026-03-16T20:00:00Z": "102", "2026-03-18T00:00:00Z": "103"})
		if got := capAt(t, s, "2026-03-17", "2026-03-17T08:30:00Z"); got != "104" {
			t.Errorf("a refresh that is not old was deleted: %q", got)
		}
	})
}

// A filing that is loaded later counts from its publication on; one that was withdrawn, and came
// again, from its recording.
func TestPublishedBeforeRecorded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := dbtest.Open(t, url)
		store := func(recorded string, withdrawn bool, capital string) {
			t.Helper()
			b := &db.Batch{Recorded: value.MustInstant(recorded)}
			m := &fundamentals.Metrics{InstrumentID: "bist:DMOST", Date: value.MustDate("2025-10-01"),
				AsOf: value.MustInstant("2025-10-01T15:00:00Z")}
			var out db.Outcome
			if withdrawn {
				m.AsOf = value.Instant{}
				db.Withdraw(b, m, &out)
			} else {
				m.MarketCap = value.MustDecimal(capital)
				if capital == "9" {
					m.AsOf = value.MustInstant("2025-10-01T16:00:00Z")
				}
				db.Put(b, m, &out)
			}
			if err := s.Store(t.Context(), b); err != nil || out.Result != db.Stored {
				t.Fatalf("%v %+v", err, out)
			}
		}
		store("2026-03-01T00:00:00Z", false, "7")
		store("2026-03-02T00:00:00Z", true, "")
		store("2026-03-04T00:00:00Z", false, "9")
		for at, want := range map[string]string{"2025-10-01T14:00:00Z": "", "2025-10-01T15:00:00Z": "7", "2026-03-01T12:00:00Z": "7",
			"2026-03-03T00:00:00Z": "", "2026-03-05T00:00:00Z": "9"} {
			if got := capAt(t, s, "2025-10-01", at); got != want {
				t.Errorf("known at %s: %q, want %q", at, got, want)
			}
		}
	})
}
