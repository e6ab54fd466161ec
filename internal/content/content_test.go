package content_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piyasa/internal/content"
	"piyasa/internal/problem"
	"piyasa/test/fixture/need"
)

// read is what is at a location: its text, or the problem.
func read(t testing.TB, s *content.Store, location string) string {
	t.Helper()
	bytes, size, err := s.Open(t.Context(), location)
	if err != nil {
		e, ok := errors.AsType[*problem.Error](err)
		if !ok {
			t.Errorf("%q: %v is no problem", location, err)
			return ""
		}
		return string(e.Kind)
	}
	defer bytes.Close()
	text, err := io.ReadAll(bytes)
	if err != nil {
		return "cut"
	}
	if size >= 0 && size != int64(len(text)) {
		t.Errorf("%q: %d bytes, said to be %d", location, len(text), size)
	}
	return string(text)
}

func open(t testing.TB, place string) *content.Store {
	t.Helper()
	s, err := content.Open(place)
	need.NoError(t, err)
	return s
}

// A folder gives what is in it, and nothing else, however it is asked for.
func TestFolder(t *testing.T) {
	outside := t.TempDir()
	folder := filepath.Join(outside, "store")
	for path, text := range map[string]string{"secret": "secret", "store/a.pdf": "a", "store/deep/b ü.pdf": "b", "store/..c": "c",
		"store/empty": "", "store-two/x": "x"} {
		path = filepath.Join(outside, path)
		need.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		need.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for name, target := range map[string]string{"in": "a.pdf", "out": "../secret", "absolute": filepath.Join(outside, "secret"), "up": "..",
		"self": "self", "nowhere": "nothing"} {
		need.NoError(t, os.Symlink(target, filepath.Join(folder, name)))
	}
	s := open(t, folder)
	for location, want := range map[string]string{
		"a.pdf": "a", "deep/b ü.pdf": "b", "deep/../a.pdf": "a", "./a.pdf": "a", "..c": "c", "empty": "", "in": "a",
		"../secret": "not-found", "deep/../../secret": "not-found", "../store-two/x": "not-found",
		filepath.Join(outside, "secret"): "not-found", filepath.Join(folder, "a.pdf"): "not-found", "/a.pdf": "not-found",
		"out": "not-found", "absolute": "not-found", "up/secret": "not-found", "up": "not-found", "self": "not-found",
		"nowhere": "not-found",
		"":        "not-found", ".": "not-found", "..": "not-found", "deep": "not-found", "missing": "not-found", "a.pdf/x": "not-found",
		"a.pdf/": "not-found",
		"a\x00b": "not-found", strings.Repeat("x", 5000): "not-found", "https://example.test/a.pdf": "not-found",
		"..%2fsecret": "not-found", `..\secret`: "not-found",
	} {
		if got := read(t, s, location); got != want {
			t.Errorf("%.60q: %q, want %q", location, got, want)
		}
	}
}

// A store without a place has no documents; an invalid place is an error.
func TestPlaces(t *testing.T) {
	if got := read(t, open(t, ""), "a.pdf"); got != "not-found" {
		t.Errorf("nowhere: %s", got)
	}
	file := filepath.Join(t.TempDir(), "file")
	need.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, place := range []string{file, file + "/missing", "http://", "https://", "https:///kap", "https://x.test/kap?key=1",
		"http://[::1"} {
		if _, err := content.Open(place); err == nil {
			t.Errorf("%s is taken", place)
		}
	}
}

// remote is a server of documents below /kap/ that has others beside them, and
// counts who asks for these.
func remote(t testing.TB) (base string, asked *[]string) {
	t.Helper()
	asked = new([]string)
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.RequestURI)
		_, _ = io.WriteString(w, "outside")
	})
	mux.HandleFunc("/kap/{rest...}", func(w http.ResponseWriter, r *http.Request) {
		switch rest := r.PathValue("rest"); rest {
		case "a.pdf", "deep/b ü.pdf", "a%2Fb":
			_, _ = io.WriteString(w, rest+r.URL.RawQuery)
		case "who":
			user, _, _ := r.BasicAuth()
			_, _ = io.WriteString(w, "user "+user)
		case "redirect":
			http.Redirect(w, r, "/secret", http.StatusFound)
		case "gone":
			w.WriteHeader(http.StatusGone)
		case "403", "500", "204", "206":
			var status int
			_, _ = fmt.Sscan(rest, &status)
			w.WriteHeader(status)
		case "cut":
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		default:
			http.NotFound(w, r)
		}
	})
	// As servers do that unescape before they look: the path counts decoded and cleaned.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "..") {
			*asked = append(*asked, r.RequestURI)
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/kap", asked
}

// A remote place gives what is below its address, and asks for nothing else:
// another host, another scheme, a path that leads out, however it is written.
func TestRemote(t *testing.T) {
	base, asked := remote(t)
	host := strings.TrimPrefix(strings.TrimSuffix(base, "/kap"), "http://")
	for _, place := range []string{base, base + "/", base + "///"} {
		s := open(t, place)
		for location, want := range map[string]string{
			"a.pdf": "a.pdf", "deep/b%20%C3%BC.pdf": "deep/b ü.pdf", "deep/b ü.pdf": "deep/b ü.pdf", "./a.pdf": "a.pdf",
			"x/../a.pdf": "a.pdf", "a.pdf?v=2": "a.pdfv=2", "a.pdf#part": "a.pdf",
			base + "/a.pdf": "a.pdf", "/kap/a.pdf": "a.pdf", "//" + host + "/kap/a.pdf": "a.pdf",
			"missing": "not-found", "gone": "not-found", "403": "content-store-unavailable", "500": "content-store-unavailable",
			"redirect": "content-store-unavailable", "204": "content-store-unavailable", "206": "content-store-unavailable", "cut": "cut",
			"../secret": "not-found", "..": "not-found", "/secret": "not-found", "x/../../secret": "not-found",
			"/kap/../secret": "not-found", "/kapital/x": "not-found", "/kap": "not-found",
			"%2e%2e/secret": "not-found", "%2E%2E/secret": "not-found", ".%2e/secret": "not-found", "..%2fsecret": "not-found",
			"%2e%2e%2fsecret": "not-found", "x%2f..%2f..%2fsecret": "not-found", "x/%2e%2e/%2e%2e/secret": "not-found",
			"https://" + host + "/kap/a.pdf": "not-found", "http://other.test/kap/a.pdf": "not-found",
			"//other.test/kap/a.pdf": "not-found", "http://" + host + ".other.test/kap/a.pdf": "not-found",
			"http://" + host + "@other.test/kap/a.pdf": "not-found", "file:///etc/passwd": "not-found", "mailto:a@b": "not-found",
			"http:a.pdf": "not-found", "%zz": "not-found", "a\nb": "not-found", "\x7f": "not-found", "http://[::1/kap": "not-found",
			`\\other.test\kap`: "not-found",
		} {
			if got := read(t, s, location); got != want {
				t.Errorf("%s, %q: %q, want %q", strings.TrimPrefix(place, base), location, got, want)
			}
		}
	}
	if len(*asked) > 0 {
		t.Errorf("asked outside of the place: %q", *asked)
	}
}

// Who the store authenticates as is the operator's choice, not a location's.
func TestRemoteUser(t *testing.T) {
	base, _ := remote(t)
	withUser := strings.Replace(base, "http://", "http://operator:secret@", 1)
	if got := read(t, open(t, withUser), "who"); got != "user operator" {
		t.Errorf("relative: %q", got)
	}
	if got := read(t, open(t, base), strings.Replace(base, "http://", "http://mallory:x@", 1)+"/who"); got == "user mallory" {
		t.Errorf("with a user of its own: %q", got)
	}
}

// A place that cannot be reached is unavailable, and so is one whose caller
// does not wait.
func TestUnreachableRemote(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	s := open(t, server.URL)
	server.Close()
	if got := read(t, s, "a.pdf"); got != "content-store-unavailable" {
		t.Errorf("closed: %s", got)
	}
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer hanging.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := open(t, hanging.URL).Open(ctx, "a.pdf")
	if e, ok := errors.AsType[*problem.Error](err); !ok || e.Kind != problem.ContentStoreUnavailable {
		t.Errorf("cancelled: %v", err)
	}
}
