package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

const testIndex = `<!doctype html><script type="application/json" id="settings">"PIYASA_SETTINGS"</script><div id="root"></div>`

func builtFS() fstest.MapFS {
	script := []byte("console.log('piyasa')")
	return fstest.MapFS{
		"index.html":             {Data: []byte(testIndex)},
		"favicon.svg":            {Data: []byte("<svg/>")},
		"licenses.md":            {Data: []byte("# Licenses")},
		"assets/app-abc.js.gz":   {Data: compress(script)},
		"assets/app-abc.css":     {Data: []byte("a{}")},
		"assets/icons-abc.ttf":   {Data: []byte("ttf")},
		"assets/text-abc.woff2":  {Data: []byte("woff2")},
		"assets/text-abc.woff":   {Data: []byte("woff")},
		"assets/other-abc.bytes": {Data: []byte("?")},
	}
}

func request(t *testing.T, h http.Handler, method, target string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	response := w.Result()
	if got := response.Header.Get("X-Content-Type-Options"); got != "nosniff" {
		t.Errorf("%s %s: X-Content-Type-Options = %q", method, target, got)
	}
	return response
}

func read(t *testing.T, response *http.Response) string {
	t.Helper()
	body := io.Reader(response.Body)
	if response.Header.Get("Content-Encoding") == "gzip" {
		unzip, err := gzip.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		body = unzip
	}
	data, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestNotBuilt(t *testing.T) {
	h := newGraphiQL(fstest.MapFS{".gitkeep": {}}, Settings{Key: "secret"})
	for _, target := range []string{"/graphiql", "/graphiql/"} {
		response := request(t, h, "GET", target)
		if response.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%s: status %d", target, response.StatusCode)
		}
		if got := response.Header.Get("Content-Type"); got != "text/html; charset=utf-8" {
			t.Errorf("%s: Content-Type %q", target, got)
		}
		if body := read(t, response); !strings.Contains(body, "make build") || strings.Contains(body, "secret") {
			t.Errorf("%s: body %q", target, body)
		}
	}
	if got := request(t, h, "GET", "/graphiql/assets/app-abc.js").StatusCode; got != http.StatusNotFound {
		t.Errorf("asset: status %d", got)
	}
}

// The embedded folder may or may not hold a build; it must serve either way.
func TestEmbedded(t *testing.T) {
	response := request(t, GraphiQL(Settings{}), "GET", "/graphiql")
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("status %d", response.StatusCode)
	}
	if body := read(t, response); strings.Contains(body, placeholder) {
		t.Error("the placeholder is still in the page")
	}
}

func TestPage(t *testing.T) {
	h := newGraphiQL(builtFS(), Settings{Key: "k"})
	for _, target := range []string{"/graphiql", "/graphiql/"} {
		for _, encoding := range []string{"identity", "gzip, br"} {
			response := request(t, h, "GET", target, "Accept-Encoding", encoding)
			if response.StatusCode != http.StatusOK {
				t.Fatalf("%s: status %d", target, response.StatusCode)
			}
			want := map[string]string{
				"Content-Type":  "text/html; charset=utf-8",
				"Cache-Control": "no-cache",
				"Vary":          "Accept-Encoding",
				"Content-Security-Policy": "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
					"img-src 'self' data:; font-src 'self' data:; worker-src 'self' blob:; connect-src 'self'; " +
					"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			}
			for name, value := range want {
				if got := response.Header.Get(name); got != value {
					t.Errorf("%s: %s = %q, want %q", target, name, got, value)
				}
			}
			if gotGzip := response.Header.Get("Content-Encoding") == "gzip"; gotGzip != (encoding != "identity") {
				t.Errorf("%s, Accept-Encoding %q: gzip = %t", target, encoding, gotGzip)
			}
			if body := read(t, response); !strings.Contains(body, `id="settings">{"key":"k"}</script>`) {
				t.Errorf("%s: body %q", target, body)
			}
		}
	}
}

func TestSettingsAreSafe(t *testing.T) {
	settings := Settings{
		Key: `</script><script>alert(1)</script>`,
		Tabs: []Tab{
			{Title: "<!--<script>", Query: "{ a(b: \"\\\"&'\u2028\") }", Variables: `{"a": "</SCRIPT>"}`},
			{Query: `"PIYASA_SETTINGS"`},
		},
	}
	body := read(t, request(t, newGraphiQL(builtFS(), settings), "GET", "/graphiql"))
	before, after, _ := strings.Cut(testIndex, placeholder)
	injected, ok := strings.CutPrefix(body, before)
	if !ok {
		t.Fatalf("body %q", body)
	}
	if injected, ok = strings.CutSuffix(injected, after); !ok {
		t.Fatalf("body %q", body)
	}
	if strings.ContainsAny(injected, "<>&\u2028") {
		t.Errorf("not escaped: %s", injected)
	}
	var got Settings
	if err := json.Unmarshal([]byte(injected), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, settings) {
		t.Errorf("got %+v, want %+v", got, settings)
	}
}

func TestNoSettings(t *testing.T) {
	body := read(t, request(t, newGraphiQL(builtFS(), Settings{}), "GET", "/graphiql"))
	if !strings.Contains(body, `id="settings">{}</script>`) {
		t.Errorf("body %q", body)
	}
}

func TestFiles(t *testing.T) {
	h := newGraphiQL(builtFS(), Settings{})
	const immutable = "public, max-age=31536000, immutable"
	tests := []struct{ target, contentType, cache string }{
		{"/graphiql/assets/app-abc.js", "text/javascript; charset=utf-8", immutable},
		{"/graphiql/assets/app-abc.css", "text/css; charset=utf-8", immutable},
		{"/graphiql/assets/icons-abc.ttf", "font/ttf", immutable},
		{"/graphiql/assets/text-abc.woff2", "font/woff2", immutable},
		{"/graphiql/assets/text-abc.woff", "font/woff", immutable},
		{"/graphiql/assets/other-abc.bytes", "application/octet-stream", immutable},
		{"/graphiql/favicon.svg", "image/svg+xml", "public, max-age=3600"},
		{"/graphiql/licenses.md", "text/markdown; charset=utf-8", "public, max-age=3600"},
	}
	for _, test := range tests {
		response := request(t, h, "GET", test.target)
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", test.target, response.StatusCode)
		}
		if got := response.Header.Get("Content-Type"); got != test.contentType {
			t.Errorf("%s: Content-Type %q", test.target, got)
		}
		if got := response.Header.Get("Cache-Control"); got != test.cache {
			t.Errorf("%s: Cache-Control %q", test.target, got)
		}
		if response.ContentLength != int64(len(read(t, response))) {
			t.Errorf("%s: Content-Length %d", test.target, response.ContentLength)
		}
	}
}

func TestGzip(t *testing.T) {
	h := newGraphiQL(builtFS(), Settings{})
	tests := []struct {
		accept string
		want   bool
	}{
		{"", false},
		{"br", false},
		{"gzip", true},
		{"br, GZIP;q=0.5", true},
		{"gzip;q=0", false},
		{"gzip; q=0.000, br", false},
		{"x-gzip-other", false},
	}
	for _, test := range tests {
		response := request(t, h, "GET", "/graphiql/assets/app-abc.js", "Accept-Encoding", test.accept)
		if got := response.Header.Get("Content-Encoding") == "gzip"; got != test.want {
			t.Errorf("Accept-Encoding %q: gzip = %t", test.accept, got)
		}
		if got := response.Header.Get("Vary"); got != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: Vary %q", test.accept, got)
		}
		if got := read(t, response); got != "console.log('piyasa')" {
			t.Errorf("Accept-Encoding %q: body %q", test.accept, got)
		}
	}
	response := request(t, h, "GET", "/graphiql/favicon.svg", "Accept-Encoding", "gzip")
	if got := response.Header.Get("Content-Encoding"); got != "" {
		t.Errorf("a file without .gz: Content-Encoding %q", got)
	}
}

func TestNotFound(t *testing.T) {
	h := newGraphiQL(builtFS(), Settings{})
	for _, target := range []string{
		"/graphiql/index.html", // the unfilled template
		"/graphiql/assets/app-abc.js.gz",
		"/graphiql/assets",
		"/graphiql/assets/",
		"/graphiql/assets/none.js",
		"/graphiql/nothing",
		"/graphiql/../embed.go",
		"/graphiqlx",
	} {
		if got := request(t, h, "GET", target).StatusCode; got != http.StatusNotFound {
			t.Errorf("%s: status %d", target, got)
		}
	}
}

func TestMethods(t *testing.T) {
	// A real server, which drops the body of an answer to HEAD.
	server := httptest.NewServer(newGraphiQL(builtFS(), Settings{}))
	defer server.Close()
	for _, target := range []string{"/graphiql", "/graphiql/assets/app-abc.js"} {
		response, err := server.Client().Head(server.URL + target)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || len(body) != 0 || response.ContentLength <= 0 {
			t.Errorf("HEAD %s: status %d, %d bytes, length %d, %v",
				target, response.StatusCode, len(body), response.ContentLength, err)
		}
		response = request(t, newGraphiQL(builtFS(), Settings{}), "POST", target)
		if response.StatusCode != http.StatusMethodNotAllowed || response.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s: status %d, Allow %q", target, response.StatusCode, response.Header.Get("Allow"))
		}
	}
}

func TestCompress(t *testing.T) {
	want := bytes.Repeat([]byte("piyasa "), 1000)
	unzip, err := gzip.NewReader(bytes.NewReader(compress(want)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(unzip); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
