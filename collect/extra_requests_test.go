package collect_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
)

// album is a source of a price an hour, for which it must show a key, and of pictures on
// another host.
type album struct{ most int }

func (album) Plan() collect.Plan {
	return collect.Plan{Base: "http://upstream.example/", Second: "http://images.example/static/",
		Schedule: collect.Schedule{Every: time.Hour}}
}

func (album) Ask(json.RawMessage, time.Time) (*collect.Request, error) {
	return &collect.Request{Path: "price", Header: http.Header{"X-Key": {albumKey}}, Expect: collect.JSON}, nil
}

const (
	albumKey = "the-key-of-the-album"
	picture  = "\x89PNG\r\n\x1a\n" + "\x00\x00\x00\x00IEND\xaeB`\x82"
)

func (a album) Extra(kept json.RawMessage, _ time.Time) (*collect.Request, error) {
	n := albumKept(kept) + 1
	if n > a.most {
		return nil, nil
	}
	return &collect.Request{
		Path: fmt.Sprint("picture/", n), Header: http.Header{"X-Key": {albumKey}, "If-Modified-Since": {"then"}}, Expect: collect.PNG,
		Second: true, Within: 10 * time.Second, MaxBytes: 100, Also: []int{http.StatusNotFound},
	}, nil
}

func albumKept(kept json.RawMessage) (n int) {
	_ = json.Unmarshal(or(kept, "0"), &n)
	return n
}

func (album) Parse(kept json.RawMessage, asked *collect.Request, got *collect.Answer) (*collect.Result, error) {
	n := albumKept(kept)
	if asked.Path == "price" {
		return &collect.Result{Records: []collect.Record{{Kind: "price", Fields: map[string]any{"at": got.At}}}, Keep: or(kept, "0")}, nil
	}
	r := &collect.Result{Keep: json.RawMessage(fmt.Sprint(n + 1))}
	switch {
	case got.Trouble != nil:
		r.Warning = fmt.Sprintf("%s: %s (too large: %t)", asked.Path, got.Trouble.What, got.Trouble.TooLarge)
	case got.Status == http.StatusNotFound:
		r.Warning = asked.Path + " is not there"
	case string(got.Body) != picture:
		return nil, errors.New("it is torn")
	default:
		r.Records = []collect.Record{{Kind: "picture", Fields: map[string]any{"n": n + 1}}}
	}
	return r, nil
}

// albumCollector returns a collector of an album whose pictures a handler has.
func albumCollector(t *testing.T, most int, pictures http.HandlerFunc) (*collect.Collector, *collecttest.Store, *collecttest.Network) {
	t.Helper()
	price := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != albumKey {
			t.Error("the price is asked for without the key")
		}
		fmt.Fprint(w, "{}")
	}
	network := collecttest.NewNetwork(t, map[string]http.Handler{"upstream.example": http.HandlerFunc(price), "images.example": pictures})
	store, source := collecttest.NewStore(), album{most}
	return &collect.Collector{
		Config: &collect.Config{Sources: []collect.Named{{Name: "c", Source: source, Own: source.Plan()}}},
		Store:  store, Emit: store.Emit, Holder: "one", Agent: "piyasa/test", Now: time.Now, Transport: network,
	}, store, network
}

// counted returns how many records of a kind a store has.
func counted(s *collecttest.Store, kind string) (n int) {
	for _, l := range s.Lines() {
		if l.Kind == kind {
			n++
		}
	}
	return n
}

// What is asked on the second host comes after what was due, with its state, and without a
// credential.
func TestExtras(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		c, store, _ := albumCollector(t, 70, func(w http.ResponseWriter, r *http.Request) {
			asked++
			if r.URL.Path != fmt.Sprint("/static/picture/", asked) || r.Header.Get("X-Key") != "" ||
				r.Header.Get("If-Modified-Since") != "then" {
				t.Errorf("%s %v", r.URL.Path, r.Header)
			}
			fmt.Fprint(w, picture)
		})
		for range 2 {
			if o := c.Once(t.Context())[0]; o.Err != nil || o.Warning != nil {
				t.Fatalf("%+v", o)
			}
			time.Sleep(time.Hour)
		}
		if state := string(store.State("c")); counted(store, "picture") != 70 || counted(store, "price") != 2 ||
			!strings.Contains(state, `"kept":70`) || strings.Contains(store.All(), `"up":false`) {
			t.Errorf("%s", store.All())
		}
	})
}

// Whatever is wrong with them is a warning, and the source is up.
func TestExtrasThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"not there": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, "picture/1 is not there"},
		"a page": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
			"picture/1: the answer is a page instead of PNG"},
		"half a picture": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, picture[:12])
		}, "picture/1: the answer is a PNG without its end"},
		"no picture": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "GIF89a") }, "picture/1: the answer is not PNG"},
		"empty":      {func(http.ResponseWriter, *http.Request) {}, "picture/1: the answer is empty"},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.example/", http.StatusFound)
		}, "picture/1: the upstream has moved"},
		"refused": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, "picture/1: the upstream refused"},
		"failing": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, "picture/1: the upstream failed"},
		"busy":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, "picture/1: the upstream asks to wait"},
		"hanging": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "picture/1: the upstream cannot be reached"},
		"cut": {func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		}, "picture/1: the upstream cannot be reached"},
		"much larger": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte(picture), 100))
		}, "larger than 100 bytes (too large: true)"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c1, store, network := albumCollector(t, 3, c.answer)
				c1.Config.Keep = collect.Keep{Folder: filepath.Join(t.TempDir(), "raw"), Days: 1000}
				c1.Config.Sources[0].Own.Pace = time.Second // so that raw answers have different times
				o := c1.Once(t.Context())[0]
				if o.Err != nil || o.Warning == nil || !strings.Contains(o.Warning.Error(), c.says) ||
					strings.Count(o.Warning.Error(), "picture/") != 3 {
					t.Errorf("%+v", o)
				}
				if counted(store, "price") != 1 || strings.Contains(store.All(), `"up":false`) ||
					!strings.Contains(string(store.State("c")), `"kept":3`) {
					t.Errorf("%s", store.All())
				}
				if lost := network.Lost(); len(lost) > 0 {
					t.Errorf("other hosts were asked: %v", lost)
				}
				if found := c1.Check(t.Context())[0]; found.Err != nil || found.Warning == nil ||
					!strings.Contains(found.Warning.Error(), c.says) {
					t.Errorf("checked: %+v", found)
				}
				var replayed strings.Builder
				if err := c1.Config.Replay(c1.Config.Keep.Folder, &replayed); err != nil || strings.Count(replayed.String(), "\n") != 1 {
					t.Errorf("replayed: %v %s", err, replayed.String())
				}
			})
		})
	}
}

// What is due never waits for extras: in a quarter of the time until then one may be begun, and
// in no more than a minute.
func TestNothingWaitsForExtras(t *testing.T) {
	for every, want := range map[time.Duration]time.Duration{time.Hour: time.Minute, time.Minute: 15 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			c, store, _ := albumCollector(t, 1000, func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(7 * time.Second)
				fmt.Fprint(w, picture)
			})
			c.Config.Sources[0].Own.Schedule.Every = every
			time.Sleep(time.Until(time.Now().Truncate(every).Add(every)))
			begin := time.Now()
			o := c.Once(t.Context())[0]
			if took := time.Since(begin); o.Err != nil || o.Warning != nil || took > want+7*time.Second || took < want {
				t.Errorf("%s: %s, %+v", every, took, o)
			}
			if n := counted(store, "picture"); n != 1+int(want/(7*time.Second)) ||
				!strings.Contains(string(store.State("c")), fmt.Sprintf(`"kept":%d`, n)) {
				t.Errorf("%s: %d pictures, %s", every, n, store.State("c"))
			}
		})
	}
}

// One that hangs ends when the source is due again, which is reported.
func TestExtraThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, store, _ := albumCollector(t, 3, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		c.Config.Sources[0].Own.Schedule.Every = 5 * time.Second
		time.Sleep(time.Until(time.Now().Truncate(time.Minute).Add(time.Minute)))
		begin := time.Now()
		o := c.Once(t.Context())[0]
		if took := time.Since(begin); o.Err != nil || o.Warning == nil ||
			o.Warning.Error() != "picture/1: no answer came before the source was due again" || took != 5*time.Second {
			t.Errorf("%s, %+v", took, o)
		}
		if counted(store, "price") != 1 || strings.Contains(store.All(), `"up":false`) {
			t.Errorf("%s", store.All())
		}
	})
}

// What the source cannot read it goes on without, once it learns it.
func TestExtraThatIsOdd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, store, _ := albumCollector(t, 3, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, picture)
			if strings.HasSuffix(r.URL.Path, "/2") {
				fmt.Fprint(w, picture) // a second one after it
			}
		})
		o := c.Once(t.Context())[0]
		if o.Err != nil || o.Warning == nil || !strings.HasPrefix(o.Warning.Error(),
			"picture/2: the answer is not what this upstream is known to give") || counted(store, "picture") != 2 {
			t.Errorf("%+v %s", o, store.All())
		}
	})
}

// A picture that the store refuses is named, and others are stored.
func TestRefusedExtrasAreNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, store, _ := albumCollector(t, 60, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, picture) })
		store.Refuse = func(l collecttest.Line) string {
			if l.Kind == "picture" && fmt.Sprint(l.Fields["n"]) != "7" {
				return "must be nice"
			}
			return ""
		}
		o := c.Once(t.Context())[0]
		if o.Err != nil || o.Refused > 0 || o.Warning == nil ||
			!strings.Contains(o.Warning.Error(), "picture/34 is refused: close must be nice") ||
			strings.Contains(o.Warning.Error(), "picture/7 ") || !strings.HasSuffix(o.Warning.Error(), "\nand 9 more warnings") ||
			counted(store, "picture") != 1 {
			t.Errorf("%+v", o)
		}
	})
}

// The second host is as configured; where only the base is, everything goes there.
func TestSecondBase(t *testing.T) {
	all := collect.Makers{"album": func(json.RawMessage) (collect.Source, error) { return album{}, nil }, "counting": makers["counting"]}
	for text, want := range map[string]string{
		`{"connector": "album"}`:                                                         "http://images.example/static/",
		`{"connector": "album", "base": "http://a.example/x/"}`:                          "http://a.example/x/",
		`{"connector": "album", "second_base": "http://b.example/"}`:                     "http://b.example/",
		`{"connector": "album", "base": "http://a.example", "second_base": "http://b/"}`: "http://b/",
		`{"connector": "album", "second_base": "b.example"}`:                             `"second_base" must be an address`,
		`{"connector": "album", "second_base": "http://a:b@b.example/"}`:                 `"second_base" must have no credential`,
		`{"connector": "counting", "second_base": "http://b.example/"}`:                  `"second_base" has no meaning for this connector`,
	} {
		config, err := collect.Read([]byte(`{"sources": {"c": `+text+`}}`), all)
		got := fmt.Sprint(err)
		if err == nil {
			got = config.Sources[0].Own.Second
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// The store fails at each emission in turn: in the end everything is there, and nothing that was
// stored is asked for twice.
func TestExtrasWhileTheStoreFails(t *testing.T) {
	for fail := 1; fail <= 5; fail++ {
		for _, how := range []collecttest.Failure{collecttest.Loses, collecttest.Denies} {
			synctest.Test(t, func(t *testing.T) {
				c, store, _ := albumCollector(t, 70, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, picture) })
				emissions := 0
				store.Fail = func() collecttest.Failure {
					if emissions++; emissions == fail {
						return how
					}
					return collecttest.Works
				}
				failed := 0
				for range 4 {
					if o := c.Once(t.Context())[0]; o.Err != nil {
						failed++
					}
					time.Sleep(time.Hour)
				}
				if counted(store, "picture") != 70 || failed != 1 || !strings.Contains(string(store.State("c")), `"kept":70`) {
					t.Errorf("emission %d, %d: %d pictures, %d runs failed, %s",
						fail, how, counted(store, "picture"), failed, store.State("c"))
				}
			})
		}
	}
}
