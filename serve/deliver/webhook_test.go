package deliver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"piyasa/db"
	"piyasa/domain/market"
	"piyasa/internal/epoch"
	"piyasa/internal/value"
	"piyasa/serve/deliver"
	"piyasa/test/fixture/need"
)

const (
	secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	former = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
)

const without = `, "types": []` // a secret

// hook reads a configuration with one webhook.
func hook(t testing.TB, url, more string) (deliver.Named, error) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"secret": secret, "former": former, "short": "whsec_c2hvcnQ=", "bare": secret[6:]} {
		need.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	if more != without && !strings.Contains(more, `"secret"`) {
		more += `, "secret": {"file": "FOLDER/secret"}`
	}
	text := strings.ReplaceAll(fmt.Sprintf(`{"sinks": {"hook": {"to": "webhook", "url": %q%s}}}`, url, more), "FOLDER", folder)
	config, err := deliver.ReadConfig([]byte(text))
	if err != nil {
		return deliver.Named{}, err
	}
	t.Cleanup(config.Close)
	return config.Sinks[0], nil
}

// own returns a webhook to a server of the test.
func own(t testing.TB, url, more string) deliver.Named {
	t.Helper()
	sink, err := hook(t, url, `, "allow_private": true`+more)
	need.NoError(t, err)
	need.NoError(t, sink.Resume(t.Context(), new(deliver.State)))
	return sink
}

// receiver keeps what it accepts, in order.
type receiver struct {
	sync.Mutex
	events  []*http.Request
	bodies  []string
	refuses func(n int, w http.ResponseWriter) bool // the n-th request, from 1 on
	asked   int
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	r.Lock()
	defer r.Unlock()
	if r.asked++; err != nil || r.refuses != nil && r.refuses(r.asked, w) {
		return
	}
	r.events, r.bodies = append(r.events, request), append(r.bodies, string(body))
}

func (r *receiver) serve(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return server.URL
}

// ids returns the ids of what the receiver has accepted.
func (r *receiver) ids() (ids []string) {
	for _, e := range r.events {
		ids = append(ids, e.Header.Get("webhook-id"))
	}
	return ids
}

func TestSettingsOfWebhooks(t *testing.T) {
	for _, c := range []struct{ url, more, says string }{
		{"", "", `"url" must be an address such as`},
		{"ftp://example.com", "", `"url" must be an address such as`},
		{"http://example.com", "", `"url" must be https; http is for`},
		{"https://me:it@example.com", "", "must have no user, password"},
		{"https://example.com/#it", "", "must have no user, password or fragment"},
		{"https://example.com", `, "secret": "it"`, `must be {"env": "NAME"} or`},
		{"https://example.com", without, `"secret" must be whsec_ followed by 24 to 64 bytes`},
		{"https://example.com", `, "secret": {"file": "FOLDER/short"}`, `"secret" must be whsec_`},
		{"https://example.com", `, "secret": {"file": "FOLDER/bare"}`, `"secret" must be whsec_`},
		{"https://example.com", `, "former_secret": {"file": "FOLDER/short"}`, `"former_secret" must be whsec_`},
		{"https://example.com", `, "types": ["XX"]`, "must be one of FR, ODA"},
		{"https://example.com", `, "ids": ["THYAO"]`, "must be"},
		{"https://example.com", `, "quotes_every": "1ms"`, `"quotes_every" must be a duration from 1s to 24h`},
		{"https://example.com", `, "give_up": "forever"`, `"give_up" must be a duration from 0s to 720h`},
		{"https://example.com", `, "from": "then"`, `"from" must be one of start, now; got "then"`},
		{"https://example.com", `, "most_bytes": 3`, `"most_bytes" must be from 1000 to 100000000; got 3`},
		{"https://example.com", `, "retries": 3`, "retries"},
	} {
		if _, err := hook(t, c.url, c.more); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %s: %v, want %q", c.url, c.more, err, c.says)
		} else if text := err.Error(); strings.Contains(text, "c2hvcnQ") || strings.Contains(text, secret[6:]) {
			t.Errorf("%s shows the secret", text)
		}
	}
	sink, err := hook(t, "https://example.com", `, "quotes_every": "10s", "give_up": "0s", "from": "start"`)
	if p := sink.Plan; err != nil || p.Pace[db.FeedQuotes] != 10*time.Second || p.GiveUp != 0 || p.FromNow || !p.OneByOne {
		t.Errorf("%+v, %v", p, err)
	}
}

// key returns a key of one member or more: names and values in turn.
func key(words ...string) (key []db.Member) {
	for pair := range slices.Chunk(words, 2) {
		key = append(key, db.Member{Name: pair[0], Value: pair[1]})
	}
	return key
}

// lineage is of a store that has never gone back.
var lineage = epoch.Lineage{{ID: "e1"}}

// first returns a batch of one disclosure.
func first() *deliver.Batch {
	return &deliver.Batch{Feed: db.FeedDisclosures, Changes: disclosures(1), Epochs: lineage}
}

// A change is an event whose signatures of both secrets hold, also over HTTP/2 and TLS.
func TestEvents(t *testing.T) {
	r := new(receiver)
	server := httptest.NewUnstartedServer(r)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	sink := own(t, server.URL, `, "former_secret": {"file": "FOLDER/former"}, "most_bytes": 1000`)
	client := deliver.Client(sink.Sink)
	if err := sink.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "x509") {
		t.Errorf("a certificate of nobody: %v", err)
	}
	client.Transport.(*http.Transport).TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	if err := sink.Check(t.Context()); err != nil || r.asked > 0 {
		t.Errorf("check: %v after %d events", err, r.asked)
	}
	at := value.MustInstant("2026-03-18T06:00:00Z")
	bar := &market.Bar{InstrumentID: "us:BRK.B", Resolution: market.Day, T: at, Close: value.MustDecimal("1.50")}
	named := &market.BistIndex{Code: "XU030", Name: "<30> & more"}
	long := &market.BistIndex{Code: "XU100", Name: strings.Repeat("A", 1000)}
	for feed, changes := range map[string][]db.Change{
		db.FeedBars: {{Kind: "bar", Number: 7, Record: bar, Key: key("instrument_id", "us:BRK.B", "resolution", "1d")}},
		db.FeedCatalog: {
			{Kind: "index", Number: 8, Record: named, Key: key("code", "XU030"), KnownFrom: at},
			{Kind: "index", Number: 9, Record: long, Key: key("code", "XU100"), KnownFrom: at},
			{Kind: "instrument", Number: 10, Key: key("instrument_id", "bist:OLD"), KnownFrom: at},
		},
	} {
		need.NoError(t, sink.Deliver(t.Context(), &deliver.Batch{Feed: feed, Changes: changes, Epochs: lineage}))
	}
	want := map[string]string{
		"bar:e1:7:us:BRK%2EB:1d": `{"type":"bar.stored","timestamp":"SENT","data":{"position":"e1:7","number":7,"kind":"bar",` +
			`"key":{"instrument_id":"us:BRK.B","resolution":"1d"},"withdrawn":false,"known_from":null,` +
			`"record":{"record":"bar","instrument_id":"us:BRK.B","resolution":"1d","t":"2026-03-18T06:00:00Z","close":"1.50"}}}`,
		"index:e1:8": `{"type":"index.stored","timestamp":"2026-03-18T06:00:00Z","data":{"position":"e1:8","number":8,"kind":"index",` +
			`"key":{"code":"XU030"},"withdrawn":false,"known_from":"2026-03-18T06:00:00Z",` +
			`"record":{"record":"index","code":"XU030","name":"<30> & more","verified":false}}}`,
		"index:e1:9": `{"type":"index.stored","timestamp":"2026-03-18T06:00:00Z","data":{"position":"e1:9","number":9,"kind":"index",` +
			`"key":{"code":"XU100"},"withdrawn":false,"known_from":"2026-03-18T06:00:00Z","record":null}}`,
		"instrument:e1:10": `{"type":"instrument.withdrawn","timestamp":"2026-03-18T06:00:00Z","data":{"position":"e1:10","number":10,` +
			`"kind":"instrument","key":{"instrument_id":"bist:OLD"},"withdrawn":true,"known_from":"2026-03-18T06:00:00Z",` +
			`"record":{"record":"instrument","withdrawn":true,"instrument_id":"bist:OLD"}}}`,
	}
	sent := regexp.MustCompile(`"timestamp":"[^"]*"`)
	for i, e := range r.events {
		id, got := e.Header.Get("webhook-id"), r.bodies[i]
		if strings.HasPrefix(id, "bar") {
			got = sent.ReplaceAllString(got, `"timestamp":"SENT"`)
		}
		if got != want[id] {
			t.Errorf("%s\n%s\nwant\n%s", id, got, want[id])
		}
		for _, key := range []string{secret, former} {
			verifier, err := webhooks.NewWebhook(key)
			if err == nil {
				err = verifier.Verify([]byte(r.bodies[i]), e.Header)
			}
			if err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
		if e.ProtoMajor != 2 || e.Method != http.MethodPost || e.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %v", e.Method, e.Proto, e.Header)
		}
	}
	if len(r.events) != len(want) {
		t.Errorf("events %v", r.ids())
	}
}

// What docs/deliver.md tells receivers in Python and JavaScript accepts what is sent, and nothing else.
func TestReceiversOfDocs(t *testing.T) {
	r := new(receiver)
	sink := own(t, r.serve(t), `, "former_secret": {"file": "FOLDER/former"}`)
	need.NoError(t, sink.Deliver(t.Context(), first()))
	page, err := os.ReadFile("../../docs/deliver.md")
	need.NoError(t, err)
	headers := map[string]string{}
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		headers[name] = r.events[0].Header.Get(name)
	}
	old := maps.Clone(headers)
	old["webhook-timestamp"] = "1773814800"
	for language, c := range map[string]struct{ print, yes string }{"python": {"print", "True"}, "js": {"console.log", "true"}} {
		code := regexp.MustCompile("(?s)\n```" + language + "\n(.*?)```\n").FindSubmatch(page)
		if code == nil {
			t.Fatalf("the page has nothing in %s", language)
		}
		program := string(code[1])
		ask := func(headers map[string]string, body, key string) {
			h, _ := json.Marshal(headers)
			text, _ := json.Marshal(body)
			bytes := map[string]string{"python": ".encode()", "js": ""}[language]
			program += fmt.Sprintf("\n%s(verified(%s, %s%s, %q))", c.print, h, text, bytes, key)
		}
		ask(headers, r.bodies[0], secret)
		ask(headers, r.bodies[0], former)
		ask(headers, r.bodies[0]+" ", secret)
		ask(headers, r.bodies[0], "whsec_"+strings.Repeat("A", 32))
		ask(old, r.bodies[0], secret)
		args := map[string][]string{"python": {"python3", "-c"}, "js": {"node", "--input-type=module", "-e"}}[language]
		out, err := exec.CommandContext(t.Context(), args[0], append(args[1:], program)...).CombinedOutput()
		no := strings.NewReplacer("T", "F", "t", "f", "rue", "alse").Replace(c.yes)
		if got := strings.Fields(string(out)); err != nil || !slices.Equal(got, []string{c.yes, c.yes, no, no, no}) {
			t.Errorf("%s says %s, %v", language, out, err)
		}
	}
}

// An event counts once its receiver has answered 2xx, however the rest of the answer comes, and never
// otherwise; the error says what was wrong.
func TestReceiversThatMisbehave(t *testing.T) {
	type (
		rw    = http.ResponseWriter
		asked = http.Request
	)
	elsewhere := new(receiver)
	target := elsewhere.serve(t)
	hang := func(r *asked) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	cut := func(w rw, text string) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}
	for name, c := range map[string]struct {
		do   http.HandlerFunc
		says string // "": it counts
	}{
		"hangs":                 {func(_ rw, r *asked) { hang(r) }, "deadline exceeded"},
		"cuts":                  {func(w rw, _ *asked) { cut(w, "") }, "EOF"},
		"cuts a header":         {func(w rw, _ *asked) { cut(w, "HTTP/1.1 200 OK\r\nConte") }, "malformed"},
		"cuts a body":           {func(w rw, _ *asked) { cut(w, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1") }, ""},
		"is no HTTP":            {func(w rw, _ *asked) { cut(w, "220 mail\r\n") }, "malformed"},
		"long headers":          {func(w rw, _ *asked) { w.Header().Set("X", strings.Repeat("x", 1<<20)) }, "exceeded"},
		"500":                   {func(w rw, _ *asked) { http.Error(w, "no\nmore", 500) }, `answers 500 Internal Server Error: "no\nmore\n"`},
		"404":                   {func(w rw, r *asked) { http.NotFound(w, r) }, "answers 404 Not Found"},
		"a redirect":            {func(w rw, r *asked) { http.Redirect(w, r, target, http.StatusFound) }, "redirects are not followed"},
		"202":                   {func(w rw, _ *asked) { w.WriteHeader(202) }, ""},
		"a body without an end": {func(w rw, r *asked) { dribble(w, r, "", 1<<10) }, ""},
		"a body byte by byte":   {func(w rw, r *asked) { dribble(w, r, "", 1) }, ""},
		"a header byte by byte": {func(w rw, r *asked) { dribble(w, r, "HTTP/1.1 200 OK\r\nX: ", 1) }, "deadline exceeded"},
		"an error without an end": {func(w rw, r *asked) {
			w.WriteHeader(503)
			dribble(w, r, "", 1<<10)
		}, "answers 503"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.do)
			t.Cleanup(server.Close)
			sink := own(t, server.URL, "")
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			err := sink.Deliver(ctx, first())
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%v, want %q", err, c.says)
			}
			if err == nil && ctx.Err() != nil {
				t.Error("the rest of the answer holds up the next event")
			}
			if err != nil && (strings.Contains(err.Error(), server.URL) || len(err.Error()) > 1000) {
				t.Errorf("the error has the address, or is long: %.1200s", err)
			}
		})
	}
	t.Cleanup(func() {
		if elsewhere.asked > 0 {
			t.Error("a redirect was followed")
		}
	})
}

// dribble writes so many bytes at a time, until the client leaves: as a body, or from its own beginning on.
func dribble(w http.ResponseWriter, r *http.Request, begin string, size int) {
	_, _ = io.Copy(io.Discard, r.Body)
	out, flush := io.Writer(w), func() { _ = http.NewResponseController(w).Flush() }
	if begin != "" {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		out, flush = conn, func() {}
		_, _ = io.WriteString(conn, begin)
	}
	for ticks := time.Tick(time.Millisecond); ; <-ticks {
		if _, err := out.Write(make([]byte, size)); err != nil {
			return
		}
		flush()
	}
}

// After a failure, what was acknowledged is not sent again; the failing event has the same id.
func TestGoesOnAfterAFailure(t *testing.T) {
	r := &receiver{refuses: func(n int, w http.ResponseWriter) bool {
		if n == 3 {
			w.WriteHeader(500)
		}
		return n == 3
	}}
	l := &memory{changes: disclosures(1, 2, 3, 4), epochs: lineage}
	d := deliverer(l, named(own(t, r.serve(t), "").Sink, deliver.Plan{OneByOne: true, Timeout: time.Minute}))
	o := d.Once(t.Context())[0]
	if o.Err == nil || !strings.Contains(o.Err.Error(), "disclosure:e1:3") || l.known(t).Feeds["disclosures"].Number != 0 {
		t.Errorf("%+v at %+v", o, l.known(t))
	}
	if o := d.Once(t.Context())[0]; o.Err != nil || o.Delivered != 4 || l.known(t).Feeds["disclosures"].Number != 4 {
		t.Errorf("%+v at %+v", o, l.known(t))
	}
	if got := r.ids(); !slices.Equal(got, []string{"disclosure:e1:1", "disclosure:e1:2", "disclosure:e1:3", "disclosure:e1:4"}) {
		t.Errorf("received %v", got)
	}
}

// A process that is stopped keeps what was acknowledged, so that the next one repeats nothing.
func TestStopRepeatsNothing(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	r := &receiver{refuses: func(n int, w http.ResponseWriter) bool {
		if n == 3 {
			stop()
			w.WriteHeader(500)
		}
		return n == 3
	}}
	l, url := &memory{changes: disclosures(1, 2, 3, 4), epochs: lineage}, r.serve(t)
	plan := deliver.Plan{OneByOne: true, Timeout: time.Minute}
	deliverer(l, named(own(t, url, "").Sink, plan)).Once(ctx)
	if s := l.known(t); s.Feeds["disclosures"].Number != 2 || s.Delivered != 2 || s.Failures != 0 {
		t.Errorf("%+v", s)
	}
	if o := deliverer(l, named(own(t, url, "").Sink, plan)).Once(t.Context())[0]; o.Err != nil || o.Delivered != 2 {
		t.Errorf("%+v", o)
	}
	if got := r.ids(); !slices.Equal(got, []string{"disclosure:e1:1", "disclosure:e1:2", "disclosure:e1:3", "disclosure:e1:4"}) {
		t.Errorf("received %v", got)
	}
}

// A store that does not take a position, or takes it and does not say so, makes nothing come again;
// a rewind does.
func TestUnkeptPositionRepeatsNothing(t *testing.T) {
	for _, taken := range []bool{false, true} {
		for fails := 1; fails <= 4; fails++ {
			r := new(receiver)
			l := &memory{changes: disclosures(1, 2, 3, 4), epochs: lineage}
			l.lost = func(n int) (bool, error) {
				if n > fails {
					return false, nil
				}
				return taken && n%2 == 1, errors.New("the database is away")
			}
			d := deliverer(l, named(own(t, r.serve(t), "").Sink, deliver.Plan{OneByOne: true, Timeout: time.Minute, Most: 2, Page: 2}))
			for range 4 {
				d.Once(t.Context())
			}
			want := []string{"disclosure:e1:1", "disclosure:e1:2", "disclosure:e1:3", "disclosure:e1:4"}
			if got := r.ids(); !slices.Equal(got, want) || l.known(t).Feeds["disclosures"].Number != 4 {
				t.Errorf("after %d that fail (taken: %v): %v, %+v", fails, taken, got, l.known(t))
			}
			if _, err := deliver.Rewind(t.Context(), l, 0, "me", "hook", "", "start"); err != nil {
				t.Fatal(err)
			}
			if o := d.Once(t.Context())[0]; o.Err != nil || !slices.Equal(r.ids(), append(want, want...)) {
				t.Errorf("after a rewind: %+v %v", o, r.ids())
			}
		}
	}
}

// 410 disables a webhook at once, until it is rewound.
func TestGone(t *testing.T) {
	r := &receiver{refuses: func(n int, w http.ResponseWriter) bool {
		if n == 1 {
			w.WriteHeader(http.StatusGone)
		}
		return n == 1
	}}
	l := &memory{changes: disclosures(1, 2), epochs: lineage}
	d := deliverer(l, named(own(t, r.serve(t), "").Sink, deliver.Plan{OneByOne: true, Timeout: time.Minute}))
	for range 2 {
		if o := d.Once(t.Context())[0]; o.Err == nil || !strings.Contains(o.Err.Error(), "410 Gone") {
			t.Error(o.Err)
		}
	}
	if s := l.known(t); !strings.Contains(s.Disabled, "410 Gone") || r.asked != 1 {
		t.Errorf("asked %d times, %+v", r.asked, s)
	}
	l.state, _ = json.Marshal(deliver.State{Feeds: map[string]deliver.Position{db.FeedDisclosures: {}}, Disabled: "410 Gone"})
	if _, err := deliver.Rewind(t.Context(), l, 0, "me", "hook", "", "start"); err != nil {
		t.Fatal(err)
	}
	if o := d.Once(t.Context())[0]; o.Err != nil || len(r.events) != 2 {
		t.Errorf("%+v, received %v", o, r.ids())
	}
}

// A store that has gone back says so in an event of its own, which comes until it is acknowledged and
// before what is stored instead.
func TestWebhookOfAStoreThatWentBack(t *testing.T) {
	r := &receiver{refuses: func(n int, w http.ResponseWriter) bool {
		if n == 4 || n == 6 {
			w.WriteHeader(500)
		}
		return n == 4 || n == 6
	}}
	l := &memory{changes: disclosures(1, 2, 3), epochs: lineage}
	d := deliverer(l, named(own(t, r.serve(t), "").Sink, deliver.Plan{OneByOne: true, Timeout: time.Minute}))
	if o := d.Once(t.Context())[0]; o.Err != nil {
		t.Fatal(o.Err)
	}
	l.epochs = epoch.Lineage{{ID: "e1"}, {ID: "e2", Ended: map[string]int64{db.FeedDisclosures: 2}, Skip: 1000}}
	l.changes = disclosures(1, 2, 1003)
	for range 2 { // the event is refused, and then what follows it
		if o := d.Once(t.Context())[0]; o.Err == nil {
			t.Error("it is not refused")
		}
	}
	if o := d.Once(t.Context())[0]; o.Err != nil {
		t.Fatal(o.Err)
	}
	want := []string{"disclosure:e1:1", "disclosure:e1:2", "disclosure:e1:3", "went_back:disclosures:e1:3:e1:2", "disclosure:e2:1003"}
	if got := r.ids(); !slices.Equal(got, want) {
		t.Errorf("received %v", got)
	}
	if got := r.bodies[3]; !strings.HasPrefix(got, `{"type":"log.went_back","timestamp":"`) ||
		!strings.HasSuffix(got, `"data":{"feed":"disclosures","was":"e1:3","from":"e1:2"}}`) {
		t.Error(got)
	}
}

// A receiver may want some types of disclosures and some instruments.
func TestWhatReceiversWant(t *testing.T) {
	r := new(receiver)
	url := r.serve(t)
	quote := db.Change{Kind: "quote", Number: 9, Record: &market.Observation{InstrumentID: "bist:GARAN"},
		Key: key("instrument_id", "bist:GARAN")}
	index := db.Change{Kind: "index", Number: 8, Record: &market.BistIndex{Code: "XU100"}, Key: key("code", "XU100")}
	for more, want := range map[string]string{
		"":                         "disclosure index quote",
		`, "types": ["FR", "DKB"]`: "index quote",
		`, "types": ["ÖDA"]`:       "disclosure index quote",
		`, "ids": ["bist:THYAO"]`:  "disclosure index",
		`, "ids": ["bist:GARAN"]`:  "index quote",
		`, "ids": ["us:THYAO"]`:    "index",
	} {
		r.events = nil
		sink := own(t, url, more)
		for _, c := range append(disclosures(1), index, quote) {
			b := &deliver.Batch{Feed: db.FeedOf(c.Kind), Changes: []db.Change{c}, Epochs: lineage}
			need.NoError(t, sink.Deliver(t.Context(), b))
		}
		var got []string
		for _, id := range r.ids() {
			got = append(got, strings.Split(id, ":")[0])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: received %v, want %s", more, got, want)
		}
	}
}

// A webhook dials nothing of a private network, whatever name leads there.
func TestPrivateAddresses(t *testing.T) {
	r := new(receiver)
	for _, url := range []string{r.serve(t), "http://localhost:1/", "http://0.0.0.0:1/"} {
		sink, err := hook(t, strings.Replace(url, "http:", "https:", 1), "")
		need.NoError(t, err)
		for what, err := range map[string]error{"check": sink.Check(t.Context()), "deliver": sink.Deliver(t.Context(),
			first())} {
			if err == nil || !strings.Contains(err.Error(), `"allow_private": true allows`) {
				t.Errorf("%s %s: %v", what, url, err)
			}
		}
	}
	sink, err := hook(t, "https://example.com", "")
	need.NoError(t, err)
	for _, host := range strings.Fields(`0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 127.1.2.3 168.63.129.16 169.254.169.254 172.31.0.1 192.0.0.192
		192.168.1.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 [::] [::1] [::ffff:10.0.0.1] [::ffff:8.8.8.8] [::127.0.0.1] [64:ff9b::7f00:1]
		[fe80::1] [fe80::1%eth0] [fc00::1] [fd00:ec2::254] [fec0::1] [ff02::1] [2001::1] [2001:db8::1] [2002:7f00:1::]`) {
		if err := deliver.Dials(sink.Sink, host+":443"); err == nil {
			t.Errorf("%s is dialled", host)
		}
	}
	for _, host := range []string{"8.8.8.8", "100.128.0.1", "172.32.0.1", "[2a00:1450:4017::1]"} {
		if err := deliver.Dials(sink.Sink, host+":8443"); err != nil {
			t.Error(err)
		}
	}
}

// No proxy dials for a webhook: it would not look at addresses. Proxies are read once in a process,
// so this is one of its own.
func TestNoProxy(t *testing.T) {
	const inner = "PIYASA_TEST_PROXY"
	if os.Getenv(inner) != "" {
		sink := own(t, "http://receiver.invalid/", "")
		if err := sink.Deliver(t.Context(), first()); err == nil {
			t.Error("somebody has acknowledged")
		}
		return
	}
	r := new(receiver)
	url := r.serve(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNoProxy$")
	cmd.Env = append(os.Environ(), inner+"=1", "HTTP_PROXY="+url, "http_proxy="+url, "NO_PROXY=", "no_proxy=")
	if out, err := cmd.CombinedOutput(); err != nil || r.asked > 0 {
		t.Errorf("the proxy is asked %d times: %v\n%s", r.asked, err, out)
	}
}

// Retry-After is seconds or a moment, of which an hour counts.
func TestRetryAfter(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "7": 7 * time.Second, "-1": 0, "99999999": time.Hour, "soon": 0,
		time.Now().Add(10 * time.Hour).UTC().Format(http.TimeFormat): time.Hour, "Wed, 18 Mar 2020 06:00:00 GMT": 0} {
		r := &receiver{refuses: func(_ int, w http.ResponseWriter) bool {
			w.Header().Set("Retry-After", text)
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}}
		err := own(t, r.serve(t), "").Deliver(t.Context(), first())
		if got := deliver.AskedToWait(err); got != want {
			t.Errorf("%q: %s, want %s: %v", text, got, want, err)
		}
	}
}
