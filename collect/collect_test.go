package collect_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"piyasa/collect"
)

// counting is a source whose upstream counts: each answer is a number, kept so far is the
// last one, and it asks until it has as many as there are.
type counting struct {
	plan collect.Plan
	most int
}

func (c *counting) Plan() collect.Plan { return c.plan }

func (c *counting) Ask(kept json.RawMessage, _ time.Time) (*collect.Request, error) {
	var n int
	if err := json.Unmarshal(or(kept, "0"), &n); err != nil {
		return nil, err
	}
	if n >= c.most {
		return nil, nil
	}
	return &collect.Request{Path: fmt.Sprint("number/", n+1), Expect: collect.JSON}, nil
}

// busy is what an upstream says that is asked too often, under status 200.
const busy = `{"error": "busy"}`

func (c *counting) Parse(_ json.RawMessage, asked *collect.Request, got *collect.Answer) (*collect.Result, error) {
	if string(got.Body) == busy {
		return nil, &collect.Trouble{What: "the upstream is busy"}
	}
	var answer struct{ N *int }
	if err := json.Unmarshal(got.Body, &answer); err != nil || answer.N == nil {
		return nil, errors.New("it has no number")
	}
	if want := fmt.Sprint("number/", *answer.N); asked.Path != want {
		return nil, fmt.Errorf("it is %s", want)
	}
	return &collect.Result{
		Records: []collect.Record{{Kind: "number", Fields: map[string]any{"n": *answer.N}}},
		Keep:    json.RawMessage(fmt.Sprint(*answer.N)), More: true,
	}, nil
}

func or(text json.RawMessage, otherwise string) json.RawMessage {
	if len(text) == 0 || string(text) == "null" {
		return json.RawMessage(otherwise)
	}
	return text
}

// memory is a store in memory that reads the states among the lines.
type memory struct {
	mu     sync.Mutex
	states map[string]json.RawMessage
	holder map[string]string
	until  map[string]time.Time // a holder has a source
	lines  []map[string]any
	fail   error  // of emitting
	hangs  string // which call is not answered before its caller gives up
}

// wait waits for a call's caller to give up, if that is one that hangs.
func (m *memory) wait(ctx context.Context, call string) error {
	if m.hangs != call {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func newMemory() *memory {
	return &memory{states: map[string]json.RawMessage{}, holder: map[string]string{}, until: map[string]time.Time{}}
}

func (m *memory) ClaimSource(ctx context.Context, source, holder string, lease time.Duration) (json.RawMessage, bool, error) {
	if err := m.wait(ctx, "claim"); err != nil {
		return nil, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if other := m.holder[source]; other != "" && other != holder && time.Now().Before(m.until[source]) {
		return nil, false, nil
	}
	m.holder[source], m.until[source] = holder, time.Now().Add(lease)
	state := m.states[source]
	if m.hangs == "claimed" {
		m.mu.Unlock()
		<-ctx.Done()
		m.mu.Lock()
		return nil, false, ctx.Err()
	}
	return state, true, nil
}

func (m *memory) ReleaseSource(ctx context.Context, source, holder string) error {
	if err := m.wait(ctx, "release"); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holder[source] == holder {
		delete(m.holder, source)
	}
	return nil
}

func (m *memory) emit(ctx context.Context, text []byte, _ func([]collect.Refusal) error) ([]collect.Refusal, error) {
	if err := m.wait(ctx, "emit"); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return nil, m.fail
	}
	for line := range strings.Lines(string(text)) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, err
		}
		if r["record"] == "state" {
			m.states[r["source"].(string)], _ = json.Marshal(r["state"])
		}
		m.lines = append(m.lines, r)
	}
	return nil, nil
}

// kinds returns what was stored, in short.
func (m *memory) kinds() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []string
	for _, r := range m.lines {
		switch r["record"] {
		case "number":
			all = append(all, fmt.Sprint(r["n"]))
		case "source_status":
			all = append(all, fmt.Sprintf("up=%v", r["up"]))
		}
	}
	return strings.Join(all, " ")
}

var noon = time.Date(2031, 6, 2, 9, 0, 0, 0, time.UTC) // a Monday, in Istanbul

// collector collects one source from an upstream into a store.
func collector(t *testing.T, m *memory, source *counting, upstream http.HandlerFunc) *collect.Collector {
	t.Helper()
	server := httptest.NewServer(upstream)
	t.Cleanup(server.Close)
	source.plan.Base = server.URL + "/api/"
	if source.plan.Schedule.Every == 0 && source.plan.Schedule.At == nil {
		source.plan.Schedule.Every = time.Hour
	}
	return &collect.Collector{
		Config: &collect.Config{Contact: "data@example.com", Sources: []collect.Named{{Name: "c", Source: source, Own: source.plan}}},
		Store:  m, Emit: m.emit, Holder: "one", Agent: "piyasa/test", Now: func() time.Time { return noon },
	}
}

// numbers answers with the number that is asked for.
func numbers(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, `{"n": %s}`, path.Base(r.URL.Path))
}

func TestOnce(t *testing.T) {
	m := newMemory()
	var agent string
	c := collector(t, m, &counting{most: 3}, func(w http.ResponseWriter, r *http.Request) { agent = r.UserAgent(); numbers(w, r) })
	if o := c.Once(t.Context())[0]; o.Err != nil || o.Answers != 3 || m.kinds() != "1 2 3 up=true" ||
		agent != "piyasa/test (data@example.com)" {
		t.Fatalf("%+v %s %q", o, m.kinds(), agent)
	}
	if o := c.Once(t.Context())[0]; o.Err != nil || !o.Idle || len(m.holder) > 0 {
		t.Errorf("again: %+v", o)
	}
	c.Now = func() time.Time { return noon.Add(time.Hour) }
	if o := c.Once(t.Context())[0]; o.Err != nil || o.Idle || o.Answers != 0 {
		t.Errorf("an hour later: %+v", o)
	}
}

// An upstream that fails in the middle: what came before is stored, and the next run goes on
// there.
func TestFailureInTheMiddle(t *testing.T) {
	m, broken := newMemory(), true
	c := collector(t, m, &counting{most: 4}, func(w http.ResponseWriter, r *http.Request) {
		if broken && strings.HasSuffix(r.URL.Path, "/3") {
			fmt.Fprint(w, `{"m": 3}`) // the member has another name now
			return
		}
		numbers(w, r)
	})
	o := c.Once(t.Context())[0]
	if o.Err == nil || !strings.Contains(o.Err.Error(), "not what this upstream is known to give") ||
		!strings.Contains(o.Err.Error(), "no number") || m.kinds() != "1 2 up=false" {
		t.Fatalf("%+v %s", o, m.kinds())
	}
	broken = false
	if o := c.Once(t.Context())[0]; o.Err != nil || m.kinds() != "1 2 up=false 3 4 up=true" {
		t.Errorf("%+v %s", o, m.kinds())
	}
}

// A store that fails keeps the state where it was, so that nothing is lost.
func TestStoreFails(t *testing.T) {
	m := newMemory()
	c := collector(t, m, &counting{most: 2}, numbers)
	m.fail = errors.New("gone")
	if o := c.Once(t.Context())[0]; o.Err == nil || len(m.states) > 0 {
		t.Fatalf("%+v", o)
	}
	m.fail = nil
	if o := c.Once(t.Context())[0]; o.Err != nil || m.kinds() != "1 2 up=true" {
		t.Errorf("%+v %s", o, m.kinds())
	}
}

// Two collectors on one store do not ask for the same.
func TestTwoCollectors(t *testing.T) {
	m := newMemory()
	asked, going := make(chan struct{}), make(chan struct{})
	first := collector(t, m, &counting{most: 1}, func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-going
		numbers(w, r)
	})
	second := collector(t, m, &counting{most: 1}, func(http.ResponseWriter, *http.Request) { t.Error("both ask") })
	second.Holder = "two"
	done := make(chan collect.Outcome)
	go func() { done <- first.Once(context.Background())[0] }()
	<-asked
	if o := second.Once(t.Context())[0]; !o.Held || o.Err != nil {
		t.Errorf("%+v", o)
	}
	close(going)
	if o := <-done; o.Err != nil {
		t.Error(o.Err)
	}
	if o := second.Once(t.Context())[0]; !o.Idle {
		t.Errorf("%+v", o)
	}
}

// ahead is a source with a record of the future, which a store refuses.
type ahead struct{ counting }

func (a *ahead) Parse(kept json.RawMessage, asked *collect.Request, got *collect.Answer) (*collect.Result, error) {
	result, err := a.counting.Parse(kept, asked, got)
	if err == nil {
		result.Records = append(result.Records, collect.Record{Kind: "quote", Fields: map[string]any{"as_of": "2036-01-01T00:00:00Z"}},
			collect.Record{Kind: "quote", Fields: map[string]any{"as_of": noon.Add(-time.Hour).Format(time.RFC3339)}})
	}
	return result, err
}

// What lies ahead of the clock is not the newest record of a source, also where an earlier
// version thought so.
func TestRecordsOfTheFuture(t *testing.T) {
	m := newMemory()
	m.states["c"] = json.RawMessage(`{"done":"0001-01-01T00:00:00Z","newest":"2036-01-01T00:00:00Z","kept":null}`)
	source := &ahead{counting{most: 1}}
	c := collector(t, m, &source.counting, numbers)
	c.Config.Sources[0].Source = source
	if o := c.Once(t.Context())[0]; o.Err != nil {
		t.Fatal(o.Err)
	}
	for _, line := range m.lines {
		if line["record"] == "source_status" && line["newest_record"] != "2031-06-02T08:00:00.000Z" {
			t.Errorf("the newest record is of %v", line["newest_record"])
		}
	}
}

// Answers that lie are distinguished, and an upstream that asks to wait is heard.
func TestAnswersThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
		wait   time.Duration
		final  bool
	}{
		"a page": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "\ufeff <!DOCTYPE html><html>x")
		}, "a page instead of JSON", 0, false},
		"a firewall's page": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `<head/><html lang="tr">Request Rejected`)
		}, "a page instead of JSON", 0, false},
		"nothing": {func(http.ResponseWriter, *http.Request) {}, "empty", 0, false},
		"text": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "Missing parameters")
		}, `not JSON: "Missing parameters"`, 0, false},
		"wait until": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", noon.Add(time.Minute).Format(http.TimeFormat))
			w.WriteHeader(503)
		}, "status 503", time.Minute, false},
		"wait for ever": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "999999999")
			w.WriteHeader(429)
		}, "status 429", 31 * 24 * time.Hour, false},
		"wait for some time": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, "status 429", 0, false},
		"moved": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}, "has moved to /elsewhere (status 302)", 0, true},
		"refused": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, "refused (status 403)", 0, true},
		"missing": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, "refused (status 404)", 0, true},
		"broken":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }, "failed (status 502)", 0, false},
		"cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, `{"n": 1`)
		}, "cannot be reached", 0, false},
		"larger than it may": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte(" "), 2000))
		}, "larger than 1000 bytes", 0, true},
	} {
		m := newMemory()
		source := &counting{most: 1, plan: collect.Plan{MaxBytes: 1000}}
		o := collector(t, m, source, c.answer).Once(t.Context())[0]
		trouble, ok := errors.AsType[*collect.Trouble](o.Err)
		if !ok || !strings.Contains(o.Err.Error(), c.says) || trouble.Wait != c.wait || trouble.Final != c.final ||
			m.kinds() != "up=false" {
			t.Errorf("%s: %v %+v %s", name, o.Err, trouble, m.kinds())
		}
	}
}

// Raw answers are kept, pruned by age, and say the same when they are parsed again.
func TestReplay(t *testing.T) {
	m, first := newMemory(), true
	c := collector(t, m, &counting{most: 3}, func(w http.ResponseWriter, r *http.Request) {
		if first {
			first = false
			fmt.Fprint(w, busy)
			return
		}
		numbers(w, r)
	})
	c.Config.Keep = collect.Keep{Folder: t.TempDir(), Days: 2}
	at := noon
	c.Now = func() time.Time { at = at.Add(time.Second); return at }
	if o := c.Once(t.Context())[0]; o.Err == nil || !strings.Contains(o.Err.Error(), "is busy") ||
		strings.Contains(o.Err.Error(), "known to give") {
		t.Fatal(o.Err)
	}
	if o := c.Once(t.Context())[0]; o.Err != nil {
		t.Fatal(o.Err)
	}
	var out bytes.Buffer
	if err := c.Config.Replay(c.Config.Keep.Folder, &out); err != nil ||
		out.String() != "{\"n\":1,\"record\":\"number\"}\n{\"n\":2,\"record\":\"number\"}\n{\"n\":3,\"record\":\"number\"}\n" {
		t.Errorf("%v\n%s", err, &out)
	}
	at = at.AddDate(0, 0, 3)
	out.Reset()
	if o := c.Once(t.Context())[0]; o.Err != nil {
		t.Fatal(o.Err)
	}
	if err := c.Config.Replay(c.Config.Keep.Folder, &out); err != nil || out.Len() > 0 {
		t.Errorf("%v\n%s", err, &out)
	}
}
