package demo

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/ingest"
	"piyasa/serve/server"
	"piyasa/serve/stream"
	"piyasa/services"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// A server whose database is replaced by another one answers everything as a server
// that is started on the other one: nothing of what it held is left.
func TestAnswersAfterTheStoreWentBack(t *testing.T) {
	path, other := filepath.Join(t.TempDir(), "demo.db"), filepath.Join(t.TempDir(), "other.db")
	records := bytes.SplitAfter(New(fixed(session)).Records(), []byte("\n"))
	fillFile(t, path, bytes.Join(records, nil))
	var half [][]byte
	for i, line := range records {
		if i%2 == 0 {
			half = append(half, line)
		}
	}
	fillFile(t, other, bytes.Join(half, nil))

	store, err := db.Open(t.Context(), "sqlite:"+path)
	need.NoError(t, err)
	t.Cleanup(func() { _ = store.Close() })
	root := services.New(rootSettings(session), store)
	tailer := follow(t, store, root)
	old := server.New(server.Config{Services: root})
	before := answers(t, old, root)

	epoch, _ := tailer.Moment()
	need.NoError(t, os.Rename(other, path))
	fixture.Eventually(t, "the tailer to see the other file", func() bool {
		now, _ := tailer.Moment()
		return now.Epochs.Current() != epoch.Epochs.Current()
	})
	seen := time.Now()
	fixture.Eventually(t, "every feed to be applied again", func() bool { return tailer.BehindFor() < time.Since(seen) })
	after := answers(t, old, root)

	fresh := services.New(rootSettings(session), store)
	now, _ := tailer.Moment()
	for _, apply := range fresh.Feeds() {
		need.NoError(t, apply(t.Context(), stream.Rows{Epochs: now.Epochs}))
	}
	changed := 0
	for request, want := range answers(t, server.New(server.Config{Services: fresh}), fresh) {
		if after[request] != want {
			t.Errorf("%s: %.300s\na server that was started afterwards answers %.300s", request, after[request], want)
		}
		if before[request] != want {
			changed++
		}
	}
	if changed < len(after)/4 {
		t.Errorf("only %d of %d answers depend on which file it is", changed, len(after))
	}
}

// fillFile stores records in a new file.
func fillFile(t *testing.T, path string, records []byte) {
	t.Helper()
	store, err := db.Open(t.Context(), "sqlite:"+path)
	need.NoError(t, err)
	defer store.Close()
	if _, err := ingest.Run(t.Context(), store, ingest.Options{
		Paths: []string{ingest.Stdin}, Stdin: bytes.NewReader(records), Messages: new(bytes.Buffer), Now: fixed(session),
	}); err != nil {
		t.Fatal(err)
	}
}

// answers returns what a server answers to a request to every route.
func answers(t *testing.T, s *server.Server, root *services.Services) map[string]string {
	t.Helper()
	root.Gate.Replace([]*access.Key{fixture.Unlimited()})
	found := map[string]string{}
	for _, twin := range fixture.Counterparts {
		if strings.HasPrefix(twin.Path, "/v1/usage") { // which every question changes
			continue
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, twin.Path, nil)
		r.Header.Set("X-API-Key", fixture.All)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		body := w.Body.String()
		if w.Code != http.StatusOK { // a problem names its request
			body = http.StatusText(w.Code)
		}
		found[twin.Path] = body
	}
	return found
}

// follow has services follow the log of a store, but for its keys, until the test ends.
func follow(t *testing.T, store *db.Store, root *services.Services) *stream.Tailer {
	t.Helper()
	feeds := root.Feeds()
	delete(feeds, db.FeedKeys) // the test has its own
	tailer := stream.NewTailer(store, feeds)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tailer.Run(ctx)
	}()
	t.Cleanup(func() { stop(); <-ended })
	<-tailer.CaughtUp()
	return tailer
}
