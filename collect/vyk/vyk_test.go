package vyk_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/standin"
	"piyasa/collect/vyk"
	"piyasa/test/fixture/need"
)

const host = "upstream.example"

// world is a collector, its store and the stand-in that it asks.
type world struct {
	*testing.T
	*collect.Collector
	store   *collecttest.Store
	network *collecttest.Network
	asked   []string // paths
}

// newWorld returns a world in a synctest; settings follow the key.
func newWorld(t *testing.T, settings string) *world {
	t.Setenv("VYK_KEY", standin.VYKKey)
	t.Setenv("VYK_USER", standin.VYKUser)
	t.Setenv("VYK_PASSWORD", standin.VYKPassword)
	if !strings.Contains(settings, `"user"`) {
		settings += `, "key": {"env": "VYK_KEY"}`
	}
	config, err := collect.Read([]byte(`{"sources": {"kap": {"connector": "vyk", "base": "http://`+host+`/api"`+settings+`}}}`),
		collect.Makers{"vyk": vyk.New})
	need.NoError(t, err)
	w := &world{T: t, store: collecttest.NewStore()}
	upstream := standin.VYK(time.Now)
	w.network = collecttest.NewNetwork(t, map[string]http.Handler{host: http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.asked = append(w.asked, r.URL.Path)
		upstream.ServeHTTP(out, r)
	})})
	w.Collector = &collect.Collector{Config: config, Store: w.store, Emit: w.store.Emit, Holder: "one", Agent: "piyasa/test", Now: time.Now,
		Transport: w.network}
	return w
}

// run lets the collector run every 10 s for a while.
func (w *world) run(long time.Duration) {
	w.Helper()
	for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(10 * time.Second) {
		if o := w.Once(w.Context())[0]; o.Err != nil && w.store.Fail == nil {
			w.Fatalf("at %s: %+v", time.Now(), o)
		}
	}
	if lost := w.network.Lost(); len(lost) > 0 {
		w.Fatalf("other hosts were asked: %v", lost)
	}
}

// numbers returns those of the disclosures that were emitted, in their order.
func (w *world) numbers() []int64 {
	all := w.emitted()
	slices.Sort(all)
	return all
}

// emitted returns those of the disclosures in the order in which they were emitted.
func (w *world) emitted() (all []int64) {
	for _, l := range w.store.Lines() {
		if l.Kind == "disclosure" {
			n, _ := l.Fields["disclosure_index"].(json.Number).Int64()
			all = append(all, n)
		}
	}
	return all
}

// listed returns the numbers that the service has from one on, and whose details come.
func listed(from int64) (all []int64) {
	for n := from; n <= standin.VYKNewest(time.Now()); n++ {
		before := time.Now()
		if standin.VYKTardy(n) {
			before = before.Add(-10 * time.Minute) // until it is looked for again
		}
		if standin.VYKListed(n, before) && !standin.VYKNever(n) {
			all = append(all, n)
		}
	}
	return all
}

// begin is a moment of a test.
func begin() { time.Sleep(time.Until(time.Date(2031, 6, 3, 9, 1, 0, 0, collect.Istanbul))) }

// After an outage of three days everything is there, in order, and nothing twice; details
// that are late are waited for, and one that never comes holds nothing up for long.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin()
		from := standin.VYKNewest(time.Now())
		w := newWorld(t, "")
		w.run(3 * time.Hour)
		if got, want := w.numbers(), listed(from); !slices.Equal(got, want) {
			t.Fatalf("before: %v; want %v", got, want)
		}
		time.Sleep(72 * time.Hour)
		w.run(30 * time.Minute)
		w.run(5 * time.Minute)
		if got, want := w.numbers(), listed(from); !slices.Equal(got, want) || len(want) < 200 {
			t.Errorf("%v; want %v", got, want)
		}
		if !slices.ContainsFunc(rangeOf(from, from+220), standin.VYKNever) {
			t.Error("no number of the test never comes")
		}
		collecttest.Ingest(t, time.Now(), w.store.All())
	})
}

func rangeOf(from, to int64) (all []int64) {
	for n := from; n < to; n++ {
		all = append(all, n)
	}
	return all
}

// A token ends while a page is read: another one is asked for, and nothing is lost.
func TestTokenEndsWithinAPage(t *testing.T) {
	for _, scheme := range []string{"", "Bearer"} {
		synctest.Test(t, func(t *testing.T) {
			begin()
			from := standin.VYKNewest(time.Now()) - 40
			w := newWorld(t, fmt.Sprintf(`, "pace": "4s", "from": %d, "scheme": %q`, from, scheme))
			w.run(5 * time.Minute)
			logins := 0
			for _, path := range w.asked {
				if path == "/api/auth/generateToken" {
					logins++
				}
			}
			if got, want := w.numbers(), listed(from); !slices.Equal(got, want) || logins < 3 {
				t.Errorf("%d tokens, %v; want %v", logins, got, want)
			}
		})
	}
}

// With a user and a password no token is asked for.
func TestBasic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin()
		w := newWorld(t, `, "user": {"env": "VYK_USER"}, "password": {"env": "VYK_PASSWORD"}, "pace": "10s"`)
		w.run(3 * time.Minute)
		if len(w.numbers()) == 0 || slices.Contains(w.asked, "/api/auth/generateToken") {
			t.Error(w.numbers(), w.asked)
		}
	})
}

// The store fails at each emission in turn: the end is the same.
func TestStoreFails(t *testing.T) {
	run := func(fail int, how collecttest.Failure) (lines []string, emissions int) {
		synctest.Test(t, func(t *testing.T) {
			begin()
			w := newWorld(t, fmt.Sprintf(`, "from": %d`, standin.VYKNewest(time.Now())-12))
			w.store.Fail = func() collecttest.Failure {
				emissions++
				if emissions == fail {
					return how
				}
				return collecttest.Works
			}
			w.run(4 * time.Minute)
			for _, l := range w.store.Lines() {
				if how != collecttest.Denies || !slices.Contains(lines, l.Text) {
					lines = append(lines, l.Text)
				}
			}
		})
		return lines, emissions
	}
	want, emissions := run(0, collecttest.Works)
	if len(want) < 10 {
		t.Fatal(want)
	}
	for fail := 1; fail <= emissions; fail++ {
		for _, how := range []collecttest.Failure{collecttest.Loses, collecttest.Denies} {
			if got, _ := run(fail, how); !slices.Equal(got, want) {
				t.Fatalf("emission %d, %d: %v; want %v", fail, how, got, want)
			}
		}
	}
}

// Attachments come into the folder without their frames.
func TestAttachmentsInFolder(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		begin()
		from := standin.VYKNewest(time.Now()) - 20
		w := newWorld(t, fmt.Sprintf(`, "from": %d, "attachments": {"folder": %q}`, from, folder))
		w.run(3 * time.Minute)
		files := 0
		for _, l := range w.store.Lines() {
			all, _ := l.Fields["attachments"].([]any)
			for _, a := range all {
				location, _ := a.(map[string]any)["location"].(string)
				text, err := os.ReadFile(filepath.Join(folder, location))
				n, _ := l.Fields["disclosure_index"].(json.Number).Int64()
				if want := string(standin.VYKFile(n)); err != nil || string(text) != want {
					t.Errorf("%s: %q, %v; want %q", location, text, err, want)
				}
				files++
			}
			n, _ := l.Fields["disclosure_index"].(json.Number).Int64()
			if standin.VYKBlocked(n) && (l.Fields["body"] != nil || l.Fields["attachments"] != nil) {
				t.Errorf("%d is blocked: %s", n, l.Text)
			}
		}
		if files < 4 {
			t.Errorf("%d files", files)
		}
	})
}

func TestSettings(t *testing.T) {
	t.Setenv("VYK_KEY", "k")
	for text, want := range map[string]string{
		`{}`: "either",
		`{"key": {"env": "VYK_KEY"}, "user": {"env": "VYK_KEY"}, "password": {"env": "VYK_KEY"}}`: "either",
		`{"user": {"env": "VYK_KEY"}}`:                               "either",
		`{"key": "secret"}`:                                          "never the secret",
		`{"key": {"env": "VYK_KEY"}, "scheme": "Token"}`:             "Bearer",
		`{"key": {"env": "VYK_KEY"}, "from": 0}`:                     "from",
		`{"key": {"env": "VYK_KEY"}, "hold": "2h"}`:                  "hold",
		`{"key": {"env": "VYK_KEY"}, "attachments": "local"}`:        "remote",
		`{"key": {"env": "VYK_KEY"}, "attachments": {"folder": ""}}`: "remote",
		`{"key": {"env": "VYK_KEY"}, "form": 1}`:                     "form",
	} {
		if _, err := vyk.New([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
}

// What goes back to a number forgets nothing that is still open before it, and skips nothing.
func TestRewindKeepsWhatIsOpen(t *testing.T) {
	t.Setenv("VYK_REWIND_KEY", "rewind")
	s, err := vyk.New(json.RawMessage(`{"key": {"env": "VYK_REWIND_KEY"}}`))
	need.NoError(t, err)
	kept := json.RawMessage(`{"last": 100, "next": 50, "queue": [{"n": 40}, {"n": 48}], "late": [{"n": 7}, {"file": "a"}, {"n": 45}],
		"gaps": [{"from": 10, "to": 12}, {"from": 41, "to": 46}, {"from": 47, "to": 47}], "files": ["f"]}`)
	next, err := s.(collect.Rewinder).Rewind(kept, "44")
	need.NoError(t, err)
	type of struct {
		N, From, To int
		File        string
	}
	var got struct {
		Next              int
		Queue, Late, Gaps []of
		Files             []string
	}
	need.NoError(t, json.Unmarshal(next, &got))
	if text := fmt.Sprint(got); text != "{44 [{40 0 0 }] [{7 0 0 } {0 0 0 a}] [{0 10 12 } {0 41 43 }] [f]}" {
		t.Error(text)
	}
	for _, wrong := range []string{"50", "100", "0", "x"} {
		if _, err := s.(collect.Rewinder).Rewind(kept, wrong); err == nil || !strings.Contains(err.Error(), "up to the disclosure 49") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
