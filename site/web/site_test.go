package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	g "maragu.dev/gomponents"

	"piyasa/test/fixture/need"
)

const testManifest = `{
	"_shared-abc.js": {"file": "assets/shared-abc.js", "name": "shared", "imports": ["_deep-abc.js"], "css": ["assets/shared-abc.css"]},
	"_deep-abc.js": {"file": "assets/deep-abc.js", "name": "deep"},
	"src/site/site.ts": {"file": "assets/site-abc.js", "name": "site", "src": "src/site/site.ts", "isEntry": true, "imports": ["_shared-abc.js"], "css": ["assets/site-abc.css"]},
	"src/pages/home.tsx": {"file": "assets/home-abc.js", "name": "home", "isEntry": true, "imports": ["_shared-abc.js", "src/site/site.ts"]},
	"src/graphiql/main.tsx": {"file": "assets/graphiql-abc.js", "name": "graphiql", "isEntry": true, "css": ["assets/graphiql-abc.css"]}
}`

func builtFS() fstest.MapFS {
	script := []byte("console.log('piyasa')")
	return fstest.MapFS{
		"manifest.json":          {Data: []byte(testManifest)},
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

func compress(data []byte) []byte {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(data) // a bytes.Buffer takes everything
	_ = zip.Close()
	return packed.Bytes()
}

// served answers as the server's mux does.
func served(s *Site) http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range s.Handlers() {
		mux.Handle(pattern, h)
	}
	return mux
}

func request(t *testing.T, h http.Handler, method, target string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func read(t *testing.T, response *http.Response) string {
	t.Helper()
	body := io.Reader(response.Body)
	if response.Header.Get("Content-Encoding") == "gzip" {
		unzip, err := gzip.NewReader(body)
		need.NoError(t, err)
		body = unzip
	}
	data, err := io.ReadAll(body)
	need.NoError(t, err)
	return string(data)
}

// The binary holds every file that its pages name.
func TestEmbedded(t *testing.T) {
	h := served(New(Settings{}))
	files := regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`)
	for _, target := range []string{"/", "/graphiql", "/instruments/bist:DMOST", "/disclosures", "/status"} {
		response := request(t, h, "GET", target)
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", target, response.StatusCode)
		}
		named := files.FindAllStringSubmatch(read(t, response), -1)
		if len(named) < 3 {
			t.Errorf("%s names only %q", target, named)
		}
		for _, file := range named {
			if got := request(t, h, "GET", file[1]).StatusCode; got != http.StatusOK {
				t.Errorf("%s of %s: status %d", file[1], target, got)
			}
		}
	}
}

func TestPage(t *testing.T) {
	clock := func() time.Time { return time.Date(2026, 3, 18, 12, 0, 0, 0, time.UTC) }
	site := newSite(builtFS(), Settings{Key: "k", Version: "v1", Tabs: []Tab{{Query: "{ a }"}}, Clock: clock})
	page := Page{Title: "A < B", Description: `"quoted"`, Current: "/docs", Body: g.Raw("<p>words</p>"), Script: "home"}
	response := request(t, site.Page(page), "GET", "/words")
	body := read(t, response)
	for name, value := range map[string]string{
		"Content-Type":  "text/html; charset=utf-8",
		"Cache-Control": "no-cache",
		"Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; " +
			"form-action 'self'; " +
			"frame-ancestors 'none'",
		"Content-Length": strconv.Itoa(len(body)),
	} {
		if got := response.Header.Get(name); got != value {
			t.Errorf("%s = %q, want %q", name, got, value)
		}
	}
	for _, part := range []string{
		"<title>A &lt; B · piyasa</title>", `content="&#34;quoted&#34;"`, "<p>words</p>", `<a href="/docs" aria-current="page" data-t>`,
		`<main id="main" tabindex="-1" class="site-main">`,
		`<script type="application/json" id="settings">{"version":"v1","key":"k","now":"2026-03-18T12:00:00Z"}</script>`,
	} {
		if !strings.Contains(body, part) {
			t.Errorf("no %q in %s", part, body)
		}
	}
	for _, file := range []string{"site-abc.js", "home-abc.js", "shared-abc.js", "deep-abc.js", "site-abc.css", "shared-abc.css",
		"graphiql-abc.js"} {
		if got, want := strings.Count(body, `"/assets/`+file+`"`), 1; got != want && file != "graphiql-abc.js" ||
			file == "graphiql-abc.js" && got != 0 {
			t.Errorf("%s is there %d times", file, got)
		}
	}
	keyless := read(t, request(t, site.Page(Page{Private: true}), "GET", "/"))
	if strings.Contains(keyless, `"key"`) || strings.Contains(keyless, "api-key") {
		t.Errorf("a page without a key: %s", keyless)
	}
}

// Only Monaco needs a policy that is less strict, and only GraphiQL the tabs.
func TestGraphiQL(t *testing.T) {
	site := newSite(builtFS(), Settings{Tabs: []Tab{{Title: "One", Query: "{ a }"}}})
	response := request(t, served(site), "GET", "/graphiql")
	if got := response.Header.Get("Content-Security-Policy"); !strings.Contains(got, "style-src 'self' 'unsafe-inline'") ||
		!strings.Contains(got, "frame-ancestors 'none'") {
		t.Errorf("policy %q", got)
	}
	if body := read(t, response); !strings.Contains(body, `"tabs":[{"title":"One"`) || !strings.Contains(body, "graphiql-abc.css") {
		t.Errorf("body %q", body)
	}
}

func TestSettingsAreSafe(t *testing.T) {
	settings := Settings{
		Key: `</script><script>alert(1)</script>`,
		Tabs: []Tab{
			{Title: "<!--<script>", Query: "{ a(b: \"\\\"&'\u2028\") }", Variables: `{"a": "</SCRIPT>"}`},
			{Query: `{{.Key}}`},
		},
	}
	body := read(t, request(t, served(newSite(builtFS(), settings)), "GET", "/graphiql"))
	_, rest, _ := strings.Cut(body, `id="settings">`)
	injected, _, _ := strings.Cut(rest, "</script>")
	if strings.ContainsAny(injected, "<>&\u2028") {
		t.Errorf("not escaped: %s", injected)
	}
	var got Settings
	need.NoError(t, json.Unmarshal([]byte(injected), &got))
	if !reflect.DeepEqual(got, settings) {
		t.Errorf("got %+v, want %+v", got, settings)
	}
	if strings.Contains(body, "alert(1)</script>") {
		t.Error("the key is not escaped")
	}
}

func TestFiles(t *testing.T) {
	h := served(newSite(builtFS(), Settings{}))
	const immutable = "public, max-age=31536000, immutable"
	tests := []struct{ target, contentType, cache string }{
		{"/assets/app-abc.js", "text/javascript; charset=utf-8", immutable},
		{"/assets/app-abc.css", "text/css; charset=utf-8", immutable},
		{"/assets/icons-abc.ttf", "font/ttf", immutable},
		{"/assets/text-abc.woff2", "font/woff2", immutable},
		{"/assets/text-abc.woff", "font/woff", immutable},
		{"/assets/other-abc.bytes", "application/octet-stream", immutable},
		{"/favicon.svg", "image/svg+xml", "public, max-age=3600"},
		{"/licenses.md", "text/markdown; charset=utf-8", "public, max-age=3600"},
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

// Browsers ask for an icon by this name beside answers that are no pages.
func TestIcon(t *testing.T) {
	w := httptest.NewRecorder()
	served(newSite(builtFS(), Settings{})).ServeHTTP(w, httptest.NewRequest("GET", "/favicon.ico", nil))
	if w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != "/favicon.svg" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

func TestGzip(t *testing.T) {
	h := served(newSite(builtFS(), Settings{}))
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
		response := request(t, h, "GET", "/assets/app-abc.js", "Accept-Encoding", test.accept)
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
	response := request(t, h, "GET", "/favicon.svg", "Accept-Encoding", "gzip")
	if got := response.Header.Get("Content-Encoding"); got != "" {
		t.Errorf("a file without .gz: Content-Encoding %q", got)
	}
}

func TestNotFound(t *testing.T) {
	h := served(newSite(builtFS(), Settings{}))
	for _, target := range []string{
		"/manifest.json",
		"/assets/app-abc.js.gz",
		"/assets",
		"/assets/",
		"/assets/none.js",
		"/graphiql/nothing",
		"/assets/..%2fmanifest.json",
		"/graphiqlx",
	} {
		if got := request(t, h, "GET", target).StatusCode; got != http.StatusNotFound {
			t.Errorf("%s: status %d", target, got)
		}
	}
}

func TestHead(t *testing.T) {
	// A real server, which drops the body of an answer to HEAD.
	server := httptest.NewServer(served(newSite(builtFS(), Settings{})))
	defer server.Close()
	for _, target := range []string{"/graphiql", "/assets/app-abc.js"} {
		response, err := server.Client().Head(server.URL + target)
		need.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || len(body) != 0 || response.ContentLength <= 0 {
			t.Errorf("HEAD %s: status %d, %d bytes, length %d, %v",
				target, response.StatusCode, len(body), response.ContentLength, err)
		}
	}
}
