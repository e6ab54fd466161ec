package collect_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/test/fixture/need"
)

// A clock that was fast and has been put right silences nothing.
func TestClockThatWasFast(t *testing.T) {
	m, source := newMemory(), &counting{most: 2}
	c := collector(t, m, source, numbers)
	c.Now = func() time.Time { return noon.Add(12 * time.Hour) }
	if o := c.Once(t.Context())[0]; o.Err != nil || o.Answers != 2 {
		t.Fatalf("%+v", o)
	}
	source.most = 3
	c.Now = func() time.Time { return noon }
	if o := c.Once(t.Context())[0]; o.Err != nil || o.Answers != 1 || m.kinds() != "1 2 up=true 3 up=true" {
		t.Errorf("%+v %s", o, m.kinds())
	}
	if o := c.Once(t.Context())[0]; !o.Idle {
		t.Errorf("again: %+v", o)
	}
}

// keyed is a source with a credential.
type keyed struct {
	counting
	key *collect.Secret
}

func (k *keyed) Ask(kept json.RawMessage, now time.Time) (*collect.Request, error) {
	asked, err := k.counting.Ask(kept, now)
	if asked != nil {
		asked.Header = http.Header{"X-Key": {k.key.Reveal()}}
		asked.Also = []int{http.StatusTeapot}
	}
	return asked, err
}

func (k *keyed) Parse(kept json.RawMessage, asked *collect.Request, got *collect.Answer) (*collect.Result, error) {
	if text, drifts := strings.CutPrefix(string(got.Body), "drift: "); drifts {
		return &collect.Result{Drift: []string{text}, Keep: json.RawMessage("1")}, nil
	}
	if string(kept) == `"cursor"` || got.Status == http.StatusTeapot {
		return &collect.Result{Keep: json.RawMessage(strconv.Quote(string(got.Body)))}, nil
	}
	if body := string(got.Body); strings.HasPrefix(body, "[") {
		return nil, fmt.Errorf("it has %.30q and %s", body, body)
	}
	return k.counting.Parse(kept, asked, got)
}

// readKeyed returns a collector of a keyed source, as a configuration makes it.
func readKeyed(t *testing.T, store *collecttest.Store, key string, upstream http.HandlerFunc) *collect.Collector {
	t.Helper()
	server := httptest.NewServer(upstream)
	t.Cleanup(server.Close)
	t.Setenv("THE_KEY", key)
	config, err := collect.Read(fmt.Appendf(nil, `{"sources": {"c": {"connector": "keyed", "base": %q, "key": {"env": "THE_KEY"}}}}`,
		server.URL), collect.Makers{
		"keyed": func(text json.RawMessage) (collect.Source, error) {
			in, err := collect.Settings[struct {
				Key *collect.Secret `json:"key"`
			}](text)
			return &keyed{counting{most: 3, plan: collect.Plan{Schedule: collect.Schedule{Every: time.Hour}}}, in.Key}, err
		},
	})
	need.NoError(t, err)
	return &collect.Collector{Config: config, Store: store, Emit: store.Emit, Holder: "one", Agent: "piyasa/test",
		Now: func() time.Time { return noon }}
}

// each writes every byte, or every character, of a text in a way.
func each[T byte | rune](text []T, way string) (all string) {
	for _, c := range text {
		all += fmt.Sprintf(way, c)
	}
	return all
}

// Whatever an upstream repeats of a credential, in whatever form: no message, status or state
// has it, and not half of it.
func TestCredentialsThatAreRepeated(t *testing.T) {
	const key = `s3cr&t/"k<y>"+ş=öne`
	inJSON, _ := json.Marshal(key)
	for name, form := range map[string]string{
		"as it is": key, "in an address": url.QueryEscape(key), "in a path": url.PathEscape(key),
		"in an address, small": strings.ToLower(url.QueryEscape(key)),
		"in JSON":              string(inJSON), "in base64": base64.StdEncoding.EncodeToString([]byte(key)),
		"in base64 of addresses": base64.URLEncoding.EncodeToString([]byte(key)),
		"in a message":           strconv.QuoteToASCII(key), "in a page": "s3cr&amp;t/&#34;k&lt;y&gt;&#34;+ş=öne",
		"in another page":  "s3cr&amp;t/&quot;k&lt;y&gt;&quot;+ş=öne",
		"in other letters": strings.ToUpper(key[:14]) + key[14:], "in an address, every letter": each([]byte(key), "%%%02X"),
		"in an address, every letter, small": each([]byte(key), "%%%02x"),
		"in an address within another":       url.QueryEscape(url.QueryEscape(key)),
		"in a page, every letter":            each([]rune(key), "&#%d;"), "in JSON, every letter": each([]rune(key), `\u%04x`),
		"in JSON within JSON": strconv.Quote(strconv.QuoteToASCII(key)), "in hexadecimal": hex.EncodeToString([]byte(key)),
		"in base64 with a name":       base64.StdEncoding.EncodeToString([]byte("me:" + key)),
		"in base64 with a longer one": base64.StdEncoding.EncodeToString([]byte("user:" + key + ":")),
		"in base64, in an address":    url.QueryEscape(base64.StdEncoding.EncodeToString([]byte("john:" + key))),
	} {
		for where, answer := range map[string]http.HandlerFunc{
			"refused": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403); fmt.Fprint(w, "no: ", form) },
			"cut": func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(500)
				fmt.Fprint(w, strings.Repeat("x", 190), form)
			},
			"a page":       func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>", form) },
			"not as known": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "[", form, form) },
			"to be kept":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418); fmt.Fprint(w, form) },
			"moved": func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/"+strings.Repeat("x", 190)+url.PathEscape(form))
				w.WriteHeader(302)
			},
			"named": func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain; charset="+strings.Repeat("x", 30)+url.PathEscape(form))
				fmt.Fprint(w, "{")
			},
			"half of it": func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(403)
				fmt.Fprint(w, "no: ", form[:len(form)*2/3])
			},
			"half of it, as told": func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(403)
				fmt.Fprintf(w, `{"no": "%s..."}`, form[:len(form)*2/3])
			},
			"without it all": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403); fmt.Fprint(w, "no") },
		} {
			store := collecttest.NewStore()
			c := readKeyed(t, store, key, answer)
			o := c.Once(t.Context())[0]
			if o.Err == nil {
				t.Errorf("%s, %s: no error", name, where)
				continue
			}
			for what, said := range map[string]string{"the error": o.Err.Error(), "the check": fmt.Sprint(c.Check(t.Context())[0].Err),
				"the store": store.All()} {
				for _, part := range []string{form, form[:10], key, "s3cr", "S3CR"} {
					if strings.Contains(said, part) {
						t.Errorf("%s, %s: %s has %q: %s", name, where, what, part, said)
					}
				}
			}
		}
	}
}

// The log shows no credential of members that have appeared.
func TestCredentialsInTheLog(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	readKeyed(t, collecttest.NewStore(), "a-secret-key", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(418)
		fmt.Fprint(w, "drift: .a%2Dsecret%2dkey is new")
	}).Once(t.Context())
	if text := log.String(); !strings.Contains(text, "is new") || strings.Contains(text, "secret") {
		t.Error(text)
	}
}

func TestCredentialInTheBase(t *testing.T) {
	_, err := collect.Read([]byte(`{"sources": {"c": {"connector": "counting", "base": "https://me:hunter22@upstream.example/"}}}`),
		collect.Makers{
			"counting": func(json.RawMessage) (collect.Source, error) { return &counting{}, nil }})
	if err == nil || !strings.Contains(err.Error(), "no credential") || strings.Contains(err.Error(), "hunter22") {
		t.Error(err)
	}
}

// settled is a source of one answer, which says nothing new if it is the same.
type settled struct{ plan collect.Plan }

func (s *settled) Plan() collect.Plan { return s.plan }

func (*settled) Ask(json.RawMessage, time.Time) (*collect.Request, error) {
	return &collect.Request{Path: "number/1", Expect: collect.JSON, Settled: true}, nil
}

func (*settled) Parse(_ json.RawMessage, _ *collect.Request, got *collect.Answer) (*collect.Result, error) {
	return &collect.Result{Records: []collect.Record{{Kind: "number", Fields: map[string]any{"n": string(got.Body)}}},
		Keep: json.RawMessage("{}")}, nil
}

// The same answer is read again by other settings, by another version, and after its records
// were refused; else it is not.
func TestTheSameAnswer(t *testing.T) {
	for name, validator := range map[string]bool{"the same bytes": false, "not modified": true} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if validator {
					w.Header().Set("ETag", `"1"`)
					if r.Header.Get("If-None-Match") == `"1"` {
						w.WriteHeader(http.StatusNotModified)
						return
					}
				}
				numbers(w, r)
			}))
			defer server.Close()
			store, now := collecttest.NewStore(), noon
			run := func(settings, version string) int {
				t.Helper()
				config, err := collect.Read(fmt.Appendf(nil, `{"sources": {"c": {"connector": "settled", "base": %q%s}}}`,
					server.URL, settings), collect.Makers{
					"settled": func(json.RawMessage) (collect.Source, error) {
						return &settled{collect.Plan{Schedule: collect.Schedule{Every: time.Hour}}}, nil
					}})
				need.NoError(t, err)
				now = now.Add(time.Hour)
				c := &collect.Collector{Config: config, Store: store, Emit: store.Emit, Holder: "one", Agent: "piyasa/" + version,
					Now: func() time.Time { return now }}
				o := c.Once(t.Context())[0]
				if o.Err != nil {
					t.Fatal(o.Err)
				}
				return o.Answers
			}
			refuses := true
			store.Refuse = func(l collecttest.Line) string {
				if refuses && l.Kind == "number" {
					return "not yet"
				}
				return ""
			}
			for range 2 {
				if run("", "1") != 1 {
					t.Error("what was refused is not read again")
				}
			}
			refuses = false
			if run("", "1") != 1 || run("", "1") != 0 {
				t.Error("the same answer is not read, or read twice")
			}
			if run("", "2") != 1 || run("", "2") != 0 || run(`, "verified": true`, "2") != 1 || run(`, "verified": true`, "2") != 0 {
				t.Error("another reader does not read it, or reads it twice")
			}
		})
	}
}

// A store that goes back takes the state with it, and what it has lost is collected again, by
// the same process, too.
func TestStoreThatGoesBack(t *testing.T) {
	store, now := collecttest.NewStore(), noon
	source := &counting{most: 2}
	c := collector(t, newMemory(), source, numbers)
	c.Store, c.Emit, c.Now = store, store.Emit, func() time.Time { return now }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if o := c.Once(ctx)[0]; o.Err != nil || o.Answers != 2 {
		t.Fatalf("%+v", o)
	}
	older := store.Back(1) // the number 1, without a state
	c.Store, c.Emit = older, older.Emit
	if o := c.Once(ctx)[0]; o.Err != nil || o.Answers != 2 || len(older.Lines()) != 3 {
		t.Errorf("%+v, %d lines", o, len(older.Lines()))
	}
}

// A store that hangs ends a run, and the next one goes on.
func TestStoreThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := collecttest.NewStore()
		network := collecttest.NewNetwork(t, map[string]http.Handler{"upstream.example": http.HandlerFunc(numbers)})
		source := &counting{most: 2, plan: collect.Plan{Base: "http://upstream.example/api/",
			Schedule: collect.Schedule{Every: time.Minute}}}
		hangs := true
		c := &collect.Collector{
			Config: &collect.Config{Sources: []collect.Named{{Name: "c", Source: source, Own: source.plan}}}, Store: store, Holder: "one",
			Agent: "piyasa/test", Now: time.Now, Transport: network,
			Emit: func(ctx context.Context, lines []byte, before func([]collect.Refusal) error) ([]collect.Refusal, error) {
				if hangs {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return store.Emit(ctx, lines, before)
			},
		}
		began := time.Now()
		if o := c.Once(t.Context())[0]; !errors.Is(o.Err, context.DeadlineExceeded) || time.Since(began) > 10*time.Minute {
			t.Errorf("after %s: %v", time.Since(began), o.Err)
		}
		hangs = false
		if o := c.Once(t.Context())[0]; o.Err != nil || o.Answers != 2 {
			t.Errorf("%+v", o)
		}
	})
}

// Raw answers that cannot be kept, such as on a full disk, are reported; what they say is
// stored. A source may be left out of what is kept.
func TestRawAnswersThatCannotBeKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	need.NoError(t, os.WriteFile(file, nil, 0o600))
	m := newMemory()
	c := collector(t, m, &counting{most: 2}, numbers)
	c.Config.Keep = collect.Keep{Folder: filepath.Join(file, "raw"), Days: 1}
	if o := c.Once(t.Context())[0]; o.Err != nil || o.Unkept == nil || m.kinds() != "1 2 up=true" {
		t.Errorf("%+v %s", o, m.kinds())
	}
	store, folder := collecttest.NewStore(), t.TempDir()
	server := httptest.NewServer(http.HandlerFunc(numbers))
	defer server.Close()
	config, err := collect.Read(fmt.Appendf(nil,
		`{"keep": {"folder": %q}, "sources": {"c": {"connector": "settled", "base": %q, "keep_raw": false}, "d": {"connector": "settled", "base": %q}}}`, folder, server.URL, server.URL), collect.Makers{
		"settled": func(json.RawMessage) (collect.Source, error) {
			return &settled{collect.Plan{Schedule: collect.Schedule{Every: time.Hour}}}, nil
		}})
	need.NoError(t, err)
	(&collect.Collector{Config: config, Store: store, Emit: store.Emit, Holder: "one",
		Now: func() time.Time { return noon }}).Once(t.Context())
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 || entries[0].Name() != "d" {
		t.Errorf("%v %v", entries, err)
	}
}
