package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(childVariable); url != "" {
		os.Exit(ingestAsChild(url, os.Args[1:]))
	}
	os.Exit(dbtest.Main(m))
}

// patience bounds the wait for what must happen soon.
const patience = 20 * time.Second

// open opens the database at url until the test ends.
func open(t testing.TB, url string) *db.Store {
	t.Helper()
	s, err := db.Open(t.Context(), url, db.Timeout(20*time.Second)) // other tests use the machine, too
	need.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// openFile opens a fresh SQLite database, for tests that are about lines.
func openFile(t testing.TB) *db.Store {
	t.Helper()
	return open(t, "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"))
}

// report is what a run said.
type report struct {
	*ingest.Summary
	err      error
	messages string
	rejects  []ingest.Reject
}

// run ingests paths, or input when there are none.
func run(t testing.TB, s *db.Store, input io.Reader, paths ...string) report {
	t.Helper()
	if len(paths) == 0 {
		paths = []string{ingest.Stdin}
	}
	var messages, rejects bytes.Buffer
	summary, err := ingest.Run(t.Context(), s, ingest.Options{Now: ingest.LateClock, Paths: paths, Stdin: input, Messages: &messages,
		Rejects: &rejects})
	r := report{Summary: summary, err: err, messages: messages.String()}
	for d := json.NewDecoder(&rejects); d.More(); {
		var one ingest.Reject
		if err := d.Decode(&one); err != nil {
			t.Fatalf("rejects: %v", err)
		}
		r.rejects = append(r.rejects, one)
	}
	return r
}

// ingestAt ingests input when the clock shows now.
func ingestAt(t testing.TB, s *db.Store, now value.Instant, input string) {
	t.Helper()
	o := ingest.Options{Now: func() value.Instant { return now }, Paths: []string{ingest.Stdin}, Stdin: strings.NewReader(input),
		Messages: t.Output()}
	if summary, err := ingest.Run(t.Context(), s, o); err != nil || summary.Rejected > 0 {
		t.Fatalf("%+v, %v", summary, err)
	}
}

// again ingests a line twice, and then a newer one under the same key.
func again(t testing.TB, line, newer string) {
	t.Helper()
	s := openFile(t)
	run(t, s, strings.NewReader(line)).counts(t, ingest.Counts{Read: 1, Stored: 1})
	run(t, s, strings.NewReader(line)).counts(t, ingest.Counts{Read: 1, Unchanged: 1})
	run(t, s, strings.NewReader(newer)).counts(t, ingest.Counts{Read: 1, Stored: 1})
}

// counts checks the total.
func (r report) counts(t testing.TB, want ingest.Counts) {
	t.Helper()
	if r.err != nil {
		t.Errorf("error %v", r.err)
	}
	if r.Counts != want {
		t.Errorf("counts %+v, want %+v\n%s", r.Counts, want, r.messages)
	}
}

// quote returns the line of an observation.
func quote(symbol, asOf, last string) string {
	return `{"record":"quote","instrument_id":"bist:` + symbol + `","as_of":"` + asOf + `","last":"` + last + `"}` + "\n"
}

// lasts returns the stored prices by symbol.
func lasts(t testing.TB, s *db.Store) map[string]string {
	t.Helper()
	quotes, err := s.QuotesAfter(context.Background(), 0)
	need.NoError(t, err)
	out := map[string]string{}
	for _, q := range quotes {
		out[q.InstrumentID.Symbol()] = q.Last.String()
	}
	return out
}

// kept returns the observations of a symbol by time.
func kept(t testing.TB, s *db.Store, symbol string) []*market.Observation {
	t.Helper()
	all, err := s.Observations(context.Background(), market.ID("bist:"+symbol))
	need.NoError(t, err)
	return all
}

// write makes a file in folder and returns its path.
func write(t testing.TB, folder, name, content string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	need.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

const (
	t1 = "2026-03-18T11:45:00Z"
	t2 = "2026-03-18T12:00:00Z"
)

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }
