package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/db/dbtest"
	"piyasa/internal/value"
	"piyasa/serve/server"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

const (
	rightCode = `{"code": "ABCD-2345"}`
	wrongCode = `{"code": "ABCD-2346"}`
)

// first is a server without keys, and its home page in a browser beside it.
type first struct {
	*fixture.Server
	t     *testing.T
	http  *httptest.Server
	empty bool
	files []string // that were stored
}

func newFirst(t *testing.T, url string, change func(*server.FirstRun)) *first {
	f := &first{t: t, empty: true}
	run := &server.FirstRun{
		Code: "ABCD-2345", Until: time.Now().Add(time.Hour),
		Create: func(ctx context.Context, key *access.Key) (bool, error) {
			made, err := f.Store.CreateFirstKey(ctx, key)
			if keys, _ := f.Store.Keys(ctx); made {
				f.Keys(keys...) // as the tailer does
			}
			return made, err
		},
		Ingest: func(_ context.Context, file io.Reader) (any, error) {
			text, err := io.ReadAll(file)
			f.files = append(f.files, string(text))
			return map[string]int{"stored": len(f.files)}, err
		},
	}
	if change != nil {
		change(run)
	}
	f.Server = fixture.New(t, fixture.On(url), func(s *fixture.Setup) {
		s.Config.FirstRun = run
		s.Config.Origins = server.Origins{server.AnyOrigin} // which says nothing about this
		s.Config.Ready = func() (server.Readiness, error) { return server.Readiness{Empty: f.empty}, nil }
	})
	f.Keys()
	f.http = httptest.NewServer(f.Server)
	t.Cleanup(f.http.Close)
	return f
}

// send sends what the page would, but for headers, which are in pairs. Of an empty value: none.
func (f *first) send(method, path, body string, header ...string) (int, map[string]any) {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), method, f.http.URL+path, strings.NewReader(body))
	need.NoError(f.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if method != http.MethodGet {
		r.Header.Set("Origin", f.http.URL)
	}
	for i := 0; i < len(header); i += 2 {
		if r.Header.Del(header[i]); header[i] == "Host" {
			r.Host = header[i+1]
		} else if header[i+1] != "" {
			r.Header.Set(header[i], header[i+1])
		}
	}
	res, err := http.DefaultClient.Do(r)
	need.NoError(f.t, err)
	defer res.Body.Close()
	var out map[string]any
	need.NoError(f.t, json.NewDecoder(res.Body).Decode(&out))
	if !strings.Contains(res.Header.Get("Cache-Control"), "no-store") {
		f.t.Errorf("%s may be kept: %v", path, res.Header)
	}
	return res.StatusCode, out
}

// refuses checks that a code is refused, with a text.
func (f *first) refuses(code string, status int, says string, header ...string) {
	f.t.Helper()
	if got, out := f.send("POST", "/first-key", code, header...); got != status || !strings.Contains(out["detail"].(string), says) {
		f.t.Errorf("%s %v: %d %v", code, header, got, out)
	}
}

func (f *first) offers(what any, header ...string) {
	f.t.Helper()
	if _, out := f.send("GET", "/readyz", "", header...); out["first_run"] != what {
		f.t.Errorf("%v: %v, not %v", header, out, what)
	}
}

func (f *first) stored() []*access.Key {
	f.t.Helper()
	keys, err := f.Store.Keys(f.t.Context())
	need.NoError(f.t, err)
	return keys
}

func TestFirstKey(t *testing.T) {
	f := newFirst(t, "", nil)
	f.offers("key")
	status, out := f.send("POST", "/first-key", `{"code": " abcd2345"}`)
	keys := f.stored()
	if status != http.StatusOK || len(keys) != 1 || keys[0].ID != out["id"] || keys[0].Plan != "pro" ||
		value.ListOf(keys[0].Scopes) != value.ListOf(access.ParseScopes("all")) {
		t.Fatalf("%d %v %+v", status, out, keys)
	}
	if _, err := f.Services.Gate.Authenticate(out["key"].(string)); err != nil {
		t.Error(err)
	}
	f.offers("file")
	f.refuses(rightCode, 404, "The code was used")
	if len(f.stored()) != 1 {
		t.Error("another key was made")
	}
}

func TestFirstKeyIsForThePageOfThisMachine(t *testing.T) {
	f := newFirst(t, "", nil)
	port := f.http.Listener.Addr().(*net.TCPAddr).Port
	for _, header := range [][]string{
		{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Origin", ""}, {"Origin", "http://127.0.0.1:1"},
		{"Origin", strings.Replace(f.http.URL, "http:", "https:", 1)}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
		{"Host", "rebound.example", "Origin", "http://rebound.example"}, {"Host", "192.0.2.7", "Origin", "http://192.0.2.7"},
		{"X-Forwarded-For", "192.0.2.1"}, {"X-Forwarded-Host", "piyasa.example"}, {"X-Forwarded-Proto", "https"},
		{"Forwarded", "for=192.0.2.1"}, {"Via", "1.1 proxy"}, {"X-Real-IP", "127.0.0.1"},
	} {
		f.refuses(rightCode, 403, "Only the home page", header...)
		if header[0] != "Origin" || header[1] != "" {
			f.offers(nil, header...)
		}
	}
	for _, body := range []string{"", "{", `"ABCD-2345"`, `{"code": "` + strings.Repeat("A", 2000) + `"}`} {
		f.refuses(body, 400, "must be a JSON object")
	}
	f.refuses(rightCode, 400, "application/json", "Content-Type", "text/plain")
	if status, _ := f.send("GET", "/first-key", ""); status != 405 {
		t.Errorf("GET: %d", status)
	}
	for peer, local := range map[string]string{"192.0.2.1:9": "127.0.0.1", "127.0.0.1:9": "192.0.2.7"} {
		r := httptest.NewRequest("POST", f.http.URL+"/first-key", strings.NewReader(rightCode))
		r.RemoteAddr = peer
		r.Header.Set("Origin", f.http.URL)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		at := &net.TCPAddr{IP: net.ParseIP(local), Port: port}
		f.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, at)))
		if w.Code != 403 {
			t.Errorf("from %s at %s: %d %s", peer, local, w.Code, w.Body)
		}
	}
	if len(f.stored()) != 0 {
		t.Fatal("a key was made")
	}
	local := strings.Replace(f.http.URL, "127.0.0.1", "localhost", 1)
	host := strings.TrimPrefix(local, "http://")
	if status, out := f.send("POST", "/first-key", rightCode, "Host", host, "Origin", local); status != 200 {
		t.Errorf("as localhost: %d %v", status, out)
	}
}

func TestFirstKeyIsAFeature(t *testing.T) {
	a := fixture.New(t)
	if res := a.Send("POST", "/first-key", "", rightCode, "Content-Type", "application/json"); res.StatusCode != 404 {
		t.Errorf("%d %s", res.StatusCode, res.Text)
	}
}

func TestWrongAndOldCodes(t *testing.T) {
	f := newFirst(t, "", nil)
	for _, left := range []string{"4 more", "3 more", "2 more", "1 more"} {
		f.refuses(wrongCode, 422, left)
	}
	f.refuses(wrongCode, 404, "wrongly too often")
	f.refuses(rightCode, 404, "wrongly too often")
	f.offers(nil)
	old := newFirst(t, "", func(run *server.FirstRun) { run.Until = time.Now() })
	old.offers(nil)
	old.refuses(rightCode, 404, "older than 15 minutes")
	if len(f.stored())+len(old.stored()) != 0 {
		t.Error("a key was made")
	}
}

// The code counts again when the store could not keep the key, and not when there is one.
func TestFirstKeyOnAStoreThatFailsAndOnOneWithKeys(t *testing.T) {
	var fails error
	f := newFirst(t, "", func(run *server.FirstRun) {
		create := run.Create
		run.Create = func(ctx context.Context, key *access.Key) (bool, error) {
			if fails != nil {
				return false, fails
			}
			return create(ctx, key)
		}
	})
	fails = errors.New("away")
	f.refuses(rightCode, 503, "not available")
	fails = nil
	revoked := fixture.Key("gone", access.FX)
	need.NoError(t, errors.Join(f.Store.CreateKey(t.Context(), revoked), f.Store.RevokeKey(t.Context(), revoked.ID, 1)))
	f.refuses(rightCode, 404, "There is a key already")
	f.offers(nil)
	if len(f.stored()) != 1 {
		t.Error("a key was made beside another")
	}
}

// A store that kept the key, although it said that it failed, gives it to the next who has the code.
func TestFirstKeyWhoseAnswerIsLost(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		lost := true
		f := newFirst(t, url, func(run *server.FirstRun) {
			create := run.Create
			run.Create = func(ctx context.Context, key *access.Key) (bool, error) {
				made, err := create(ctx, key)
				if lost {
					lost = false
					return false, errors.New("the connection is gone")
				}
				return made, err
			}
		})
		f.refuses(rightCode, 503, "not available")
		status, out := f.send("POST", "/first-key", rightCode)
		if keys := f.stored(); status != http.StatusOK || len(keys) != 1 || keys[0].ID != out["id"] {
			t.Fatalf("%d %v, and there are %+v", status, out, keys)
		}
		if _, err := f.Services.Gate.Authenticate(out["key"].(string)); err != nil {
			t.Error(err)
		}
	})
}

// Two servers on a store, each asked twice at once, make one key.
func TestOneFirstKeyOfSeveralServers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		servers := []*first{newFirst(t, url, nil), newFirst(t, url, nil)}
		var asking sync.WaitGroup
		var mu sync.Mutex
		made := 0
		for i := range 4 {
			asking.Go(func() {
				r, _ := http.NewRequestWithContext(t.Context(), "POST", servers[i%2].http.URL+"/first-key", strings.NewReader(rightCode))
				r.Header.Set("Origin", servers[i%2].http.URL)
				r.Header.Set("Content-Type", "application/json")
				res, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				_ = res.Body.Close()
				mu.Lock()
				defer mu.Unlock()
				if res.StatusCode == 200 {
					made++
				} else if res.StatusCode != 404 {
					t.Errorf("%d", res.StatusCode)
				}
			})
		}
		asking.Wait()
		if keys := servers[0].stored(); made != 1 || len(keys) != 1 {
			t.Errorf("%d made, %d stored", made, len(keys))
		}
	})
}

func TestFirstFile(t *testing.T) {
	f := newFirst(t, "", nil)
	_, out := f.send("POST", "/first-key", rightCode)
	key := out["key"].(string)
	other := access.NewSecret(false)
	f.Keys(append(f.stored(), &access.Key{ID: "other", Hash: other.Hash(), Plan: "pro", Scopes: access.Scopes})...)
	sends := func(status int, says string, header ...string) {
		t.Helper()
		got, out := f.send("POST", "/first-file", "{}\n", header...)
		if text, _ := json.Marshal(out); got != status || !strings.Contains(string(text), says) {
			t.Errorf("%v: %d %s", header, got, text)
		}
	}
	sends(401, "API key")
	sends(403, "Only the key that was made", "X-API-Key", string(other))
	sends(403, "Only the home page", "X-API-Key", key, "Origin", "https://evil.example")
	sends(403, "Only the home page", "X-API-Key", key, "X-Forwarded-For", "192.0.2.1")
	sends(200, `"stored":1`, "X-API-Key", key)
	f.empty = false
	f.offers(nil)
	sends(404, "stored already", "X-API-Key", key)
	if len(f.files) != 1 || f.files[0] != "{}\n" {
		t.Errorf("%q", f.files)
	}
}

// A file has a bound, also where its size is not known before, and one is stored at a time.
func TestBoundsOfFirstFiles(t *testing.T) {
	storing, done := make(chan error), make(chan struct{})
	f := newFirst(t, "", func(run *server.FirstRun) {
		run.Ingest = func(_ context.Context, file io.Reader) (any, error) {
			_, err := io.Copy(io.Discard, file)
			storing <- err
			<-done
			return nil, nil
		}
	})
	_, out := f.send("POST", "/first-key", rightCode)
	send := func(size int64, known bool) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", f.http.URL+"/first-file", io.LimitReader(endless{}, size))
		if r.ContentLength = -1; known {
			r.ContentLength = size
		}
		r.RemoteAddr = "127.0.0.1:9"
		r.Header.Set("Origin", f.http.URL)
		r.Header.Set("X-API-Key", out["key"].(string))
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, f.http.Listener.Addr())))
		return w
	}
	const most = 64 << 20
	if w := send(most+1, true); w.Code != 400 || !strings.Contains(w.Body.String(), "64 MiB") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	go send(most+1, false)
	if err := <-storing; err == nil {
		t.Error("a file without end is read")
	}
	if w := send(1, true); w.Code != 503 || !strings.Contains(w.Body.String(), "Another file") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	close(done)
}

// endless reads as zeros.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
