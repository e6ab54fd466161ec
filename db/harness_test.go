package db_test

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/epoch"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

func TestMain(m *testing.M) { os.Exit(dbtest.Main(m)) }

// patience bounds the wait for what must happen soon.
const patience = 20 * time.Second

// open opens the database at url until the test ends.
func open(t testing.TB, url string) *db.Store {
	t.Helper()
	s, err := db.Open(t.Context(), url, db.Timeout(patience)) // on a busy machine, too
	need.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// batch puts records into a batch and returns it with their outcomes.
func batch(t rapid.TB, records ...any) (*db.Batch, []db.Outcome) {
	t.Helper()
	b, out := new(db.Batch), make([]db.Outcome, len(records))
	for i, r := range records {
		db.PutAny(b, r, &out[i])
	}
	return b, out
}

// put stores records in one batch and returns what became of each.
func put(t rapid.TB, s *db.Store, records ...any) []db.Outcome {
	t.Helper()
	b, out := batch(t, records...)
	if err := s.Store(background, b); err != nil {
		t.Fatalf("store: %v", err)
	}
	return out
}

// want compares the outcomes with results.
func want(t rapid.TB, out []db.Outcome, results ...db.Result) {
	t.Helper()
	got := make([]db.Result, len(out))
	for i, o := range out {
		got[i] = o.Result
	}
	if !slices.Equal(got, results) {
		t.Errorf("outcomes %s, want %s", names(got), names(results))
	}
}

// refusedMember returns the member that a record was refused for; empty when it was not.
func refusedMember(t rapid.TB, out db.Outcome) string {
	t.Helper()
	if out.Why == nil {
		return ""
	}
	if out.Why.Must == "" {
		t.Errorf("%q is refused without a reason", out.Why.Member)
	}
	return out.Why.Member
}

func names(results []db.Result) string {
	words := make([]string, len(results))
	for i, r := range results {
		words[i] = [...]string{db.Stored: "stored", db.Unchanged: "unchanged", db.Stale: "stale", db.Refused: "refused"}[r]
	}
	return strings.Join(words, " ")
}

// must returns the value of a read that may not fail.
func must[T any](t rapid.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("read: %v", err)
		}
		return v
	}
}

// headsAre checks the heads of the feeds that the tests here move.
func headsAre(t rapid.TB, s *db.Store, catalog, keys, quotes int64) {
	t.Helper()
	got := heads(t, s)
	if got[db.FeedCatalog] != catalog || got[db.FeedKeys] != keys || got[db.FeedQuotes] != quotes {
		t.Errorf("heads %v, want catalog %d, keys %d, quotes %d", got, catalog, keys, quotes)
	}
}

func heads(t rapid.TB, s *db.Store) map[string]int64 {
	t.Helper()
	return must[epoch.Moment](t)(s.Look(background)).Heads
}

func quotesAfter(t rapid.TB, s *db.Store, seq int64) []*market.Observation {
	t.Helper()
	return must[[]*market.Observation](t)(s.QuotesAfter(background, seq))
}

func observations(t rapid.TB, s *db.Store, id market.ID) []*market.Observation {
	t.Helper()
	return must[[]*market.Observation](t)(s.Observations(background, id))
}

// same compares records deeply.
func same[T any](t rapid.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %s, want %s", what, encoded(got), encoded(want))
	}
}

// price returns an observation with nothing but a price.
func price(id market.ID, asOf, last string) *market.Observation {
	return &market.Observation{InstrumentID: id, AsOf: value.MustInstant(asOf), Last: value.MustDecimal(last)}
}

// stock returns an instrument with nothing optional.
func stock(symbol string) *market.Instrument {
	return &market.Instrument{
		InstrumentID: market.ID("bist:" + symbol), Symbol: symbol, Name: symbol + " A.Ş.",
		Market: market.BIST, AssetType: market.Stock, Currency: "TRY",
	}
}

// barsIn returns the bars of what is stored of spans.
func barsIn(stored []market.StoredBars, err error) ([][]*market.Bar, error) {
	bars := make([][]*market.Bar, len(stored))
	for i, of := range stored {
		bars[i] = of.Bars
	}
	return bars, err
}

// dailyChanges returns whose daily bars changed after a number, in order.
func dailyChanges(t testing.TB, s *db.Store, after int64) (subjects []string) {
	t.Helper()
	for _, c := range must[[]market.BarChange](t)(s.BarsAfter(t.Context(), after)) {
		if c.Resolution == market.Day {
			subjects = append(subjects, c.Subject)
		}
	}
	slices.Sort(subjects)
	return subjects
}
