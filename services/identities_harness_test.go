package services_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/serve/stream"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// world is a gateway that follows a store into which lines are ingested.
type world struct {
	*fixture.Server
	url     string
	applied map[string]int64 // the last number of each feed
}

func newWorld(t testing.TB, url string) *world {
	w := &world{fixture.New(t, fixture.On(url)), url, map[string]int64{}}
	w.Keys(fixture.Unlimited())
	return w
}

// send ingests lines and lets the gateway follow. It returns what was said of lines that were not
// stored.
func (w *world) send(lines ...string) string {
	w.T.Helper()
	said := w.ingest(lines...)
	w.follow()
	return said
}

func (w *world) ingest(lines ...string) string {
	w.T.Helper()
	var said bytes.Buffer
	_, err := ingest.Run(w.T.Context(), w.Store,
		ingest.Options{Now: func() value.Instant { return fixture.Now }, Paths: []string{ingest.Stdin},
			Stdin: strings.NewReader(strings.Join(lines, "\n")), Messages: &said, Together: true})
	need.NoError(w.T, err)
	return said.String()
}

// follow applies what is new in the store, of these feeds or all.
func (w *world) follow(only ...string) {
	w.T.Helper()
	moment, err := w.Store.Look(w.T.Context())
	need.NoError(w.T, err)
	for name, apply := range w.Services.Feeds() {
		head := moment.Heads[name]
		if name == db.FeedKeys || head == w.applied[name] && head > 0 || only != nil && !slices.Contains(only, name) {
			continue
		}
		if err := apply(w.T.Context(), stream.Rows{After: w.applied[name], Head: head, Epochs: moment.Epochs}); err != nil {
			w.T.Fatalf("%s: %v", name, err)
		}
		w.applied[name] = head
	}
}

// shows checks that the answer to a path has texts, and that it lacks those that begin with "!".
func (w *world) shows(path string, texts ...string) {
	w.T.Helper()
	w.has(path, w.Get(path, fixture.All), texts)
}

// answers checks the answer to a document of GraphQL as shows does.
func (w *world) answers(document string, texts ...string) {
	w.T.Helper()
	w.has(document, w.Query(document, fixture.All), texts)
}

func (w *world) has(what string, res fixture.Answer, texts []string) {
	w.T.Helper()
	for _, text := range texts {
		without, lacks := strings.CutPrefix(text, "!")
		if strings.Contains(res.Text, without) == lacks {
			w.T.Errorf("%s: %d %s\nwant %s", what, res.StatusCode, res.Text, text)
		}
	}
}

// said checks what was said of a line.
func (w *world) said(got string, texts ...string) {
	w.T.Helper()
	if len(texts) == 0 && got != "" {
		w.T.Errorf("said %s", got)
	}
	for _, text := range texts {
		if !strings.Contains(got, text) {
			w.T.Errorf("said %q, want %q", got, text)
		}
	}
}

// instrument returns the line of an instrument with more members.
func instrument(id, more string) string {
	m, symbol, _ := strings.Cut(id, ":")
	kind := map[string]string{"bist": "STOCK", "us": "STOCK", "cmdty": "COMMODITY", "fund": "FUND", "index": "INDEX"}[m]
	return fmt.Sprintf(`{"record":"instrument","instrument_id":%q,"symbol":%q,"name":"Name of %s","market":%q,"asset_type":%q%s}`,
		id, symbol,
		symbol, m, kind, more)
}

// bar returns the line of a daily bar.
func bar(id, day, closing string) string {
	start := "T00:00:00Z"
	if strings.HasPrefix(id, "bist:") {
		day, start = value.MustDate(day).AddDays(-1).String(), "T21:00:00Z"
	}
	return fmt.Sprintf(`{"record":"bar","instrument_id":%q,"resolution":"1d","t":"%s%s","close":%q}`, id, day, start, closing)
}

// unadjusted returns the line of a daily bar that is not adjusted.
func unadjusted(id, day, closing string) string {
	return strings.TrimSuffix(bar(id, day, closing), "}") + `,"adjustment":"unadjusted"}`
}

// quote returns the line of a quote with more members.
func quote(id, asOf, last, more string) string {
	return fmt.Sprintf(`{"record":"quote","instrument_id":%q,"as_of":%q,"last":%q%s}`, id, asOf, last, more)
}

// withdrawn returns the line that withdraws an instrument.
func withdrawn(id string) string {
	return fmt.Sprintf(`{"record":"instrument","instrument_id":%q,"withdrawn":true}`, id)
}

// verified checks that nothing in the store contradicts itself.
func (w *world) verified() {
	w.T.Helper()
	if _, err := db.Verify(w.T.Context(), w.url, func(f db.Finding) { w.T.Errorf("verify: %+v", f) }); err != nil {
		w.T.Error(err)
	}
}
