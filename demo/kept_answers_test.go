package demo

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/serve/server"
	"piyasa/services"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// While records of all kinds arrive and time goes by, an answer that is given again is the
// one that would be made now, and its tag changes when it does.
func TestKeptAnswers(t *testing.T) {
	store, err := db.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "demo.db"))
	need.NoError(t, err)
	t.Cleanup(func() { _ = store.Close() })
	var passed atomic.Int64 // how long after the session's moment it is
	clock := func() value.Instant { return session.Add(time.Duration(passed.Load())) }
	settings := rootSettings(session)
	settings.Clock = clock
	root := services.New(settings, store)
	tailer := follow(t, store, root)
	root.Gate.Replace([]*access.Key{fixture.Unlimited()})

	lines := bytes.SplitAfter(bytes.TrimSpace(New(fixed(session)).Records()), []byte("\n"))
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	const steps = 8
	old := server.New(server.Config{Services: root})
	tags, bodies := map[string]string{}, map[string]string{}
	again, changed := 0, 0
	for step := range steps {
		part := lines[step*len(lines)/steps : (step+1)*len(lines)/steps]
		if _, err := ingest.Run(t.Context(), store, ingest.Options{
			Paths: []string{ingest.Stdin}, Stdin: bytes.NewReader(bytes.Join(part, []byte("\n"))), Messages: new(bytes.Buffer), Now: clock,
		}); err != nil {
			t.Fatal(err)
		}
		m, err := store.Look(t.Context())
		need.NoError(t, err)
		fixture.Eventually(t, "what is stored to be applied", func() bool { return tailer.BehindFor() < time.Since(m.AsOf) })
		if step%2 == 1 {
			passed.Add(int64(37*time.Second) + int64(step/4)*int64(20*time.Hour))
		}
		now := server.New(server.Config{Services: root}) // which has given none before
		for _, path := range everyQuestion() {
			ask(t, old, path, "") // to be given again
			got, fresh := ask(t, old, path, ""), ask(t, now, path, "")
			if got.Code != fresh.Code || got.Code == http.StatusOK && anonymous(got) != anonymous(fresh) {
				t.Fatalf("step %d, %s: %d %.600s\nmade now %d %.600s", step, path, got.Code, got.Body, fresh.Code, fresh.Body)
			}
			if got.Code != http.StatusOK || strings.Contains(got.Body.String(), `"errors"`) { // problems are not kept
				continue
			}
			tag := got.Header().Get("Etag")
			if tag == "" && !strings.HasPrefix(path, "/v1/logos") {
				t.Errorf("%s has no tag: %.200s", path, got.Body)
			}
			if known := tags[path]; known != "" {
				revalidated := ask(t, old, path, known)
				switch {
				case revalidated.Code == http.StatusNotModified && bodies[path] != got.Body.String():
					t.Errorf("step %d, %s: it has changed from %.300s to %.300s, and is said not to have",
						step, path, bodies[path], got.Body)
				case revalidated.Code == http.StatusNotModified:
					again++
				default:
					changed++
				}
			}
			tags[path], bodies[path] = tag, got.Body.String()
		}
	}
	if again == 0 || changed == 0 {
		t.Errorf("%d answers were said to be the same, %d others", again, changed)
	}
}

// everyQuestion returns requests to every route and every root field.
func everyQuestion() (paths []string) {
	paths = append(paths, "/v1/quotes/bist:DMOST?%63urren%63y=USD") // escaped, but a currency
	for _, twin := range fixture.Counterparts {
		if strings.HasPrefix(twin.Path, "/v1/usage") || twin.Path == "/v1/webhooks" { // which questions and deliveries change
			continue
		}
		document := "{ " + twin.Field + " " + fixture.Selection(fixture.RootField(twin.Field).Type.Name()) + " }"
		paths = append(paths, twin.Path, "/graphql?query="+url.QueryEscape(document))
	}
	return paths
}

var requestID = regexp.MustCompile(`"request_id":"[^"]*"`)

// anonymous returns the body of an answer without the id of its request.
func anonymous(w *httptest.ResponseRecorder) string {
	return fixture.WithoutCost(requestID.ReplaceAllString(w.Body.String(), ""))
}

func ask(t *testing.T, s http.Handler, path, tag string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header.Set("X-API-Key", fixture.All)
	if tag != "" {
		r.Header.Set("If-None-Match", tag)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}
