// Package web holds the pages of piyasa, built from this folder by
// `npm run build` into dist and embedded into the binary, and serves them.
package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/binary"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

//go:embed all:dist
var dist embed.FS

const (
	root        = "/graphiql"
	placeholder = `"PIYASA_SETTINGS"`

	contentSecurityPolicy = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
		"img-src 'self' data:; font-src 'self' data:; worker-src 'self' blob:; connect-src 'self'; " +
		"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

	notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>GraphiQL · piyasa</title>
<p>The pages are not built into this piyasa: run <code>make build</code>.</p>
</html>
`
)

// Settings is what the server tells the GraphiQL page.
type Settings struct {
	// Key is the API key the page starts with; empty lets the user enter one.
	// Everyone who can open the page can read it.
	Key string `json:"key,omitempty"`
	// Tabs are opened for a visitor who has no tabs of their own; without any
	// the page offers a short query.
	Tabs []Tab `json:"tabs,omitempty"`
}

// Tab is a query the page offers.
type Tab struct {
	// Title becomes the operation's name, and so the tab's label, when Query is
	// an anonymous operation; GraphiQL labels tabs with operation names only.
	Title string `json:"title,omitempty"`
	// Query is the GraphQL document.
	Query string `json:"query"`
	// Variables is a JSON object, or empty.
	Variables string `json:"variables,omitempty"`
}

// GraphiQL serves the GraphiQL page at /graphiql and its files under
// /graphiql/. It expects request paths as the client sent them. In a binary
// without built pages it answers 503.
func GraphiQL(settings Settings) http.Handler {
	built, err := fs.Sub(dist, "dist/graphiql")
	if err != nil {
		panic(err) // the path is a constant
	}
	return newGraphiQL(built, settings)
}

type graphiQL struct {
	files    fs.FS
	page     []byte // nil when not built
	pageGzip []byte
}

func newGraphiQL(files fs.FS, settings Settings) *graphiQL {
	index, err := fs.ReadFile(files, "index.html")
	if err != nil {
		return &graphiQL{files: files}
	}
	// Marshal escapes <, > and &, so no value can end the script element.
	injected, err := json.Marshal(settings)
	if err != nil {
		panic(err) // strings always marshal
	}
	page := bytes.Replace(index, []byte(placeholder), injected, 1)
	return &graphiQL{files: files, page: page, pageGzip: compress(page)}
}

func (g *graphiQL) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path == root || r.URL.Path == root+"/" {
		g.servePage(w, r)
		return
	}
	g.serveFile(w, r, strings.TrimPrefix(r.URL.Path, root+"/"))
}

func (g *graphiQL) servePage(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", contentSecurityPolicy)
	h.Set("Cache-Control", "no-cache")
	if g.page == nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, notBuilt)
		return
	}
	h.Set("Vary", "Accept-Encoding")
	body := g.page
	if acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body = g.pageGzip
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}

func (g *graphiQL) serveFile(w http.ResponseWriter, r *http.Request, name string) {
	// The page is served above, filled in; .gz files only as an encoding.
	if name == "index.html" || path.Ext(name) == ".gz" {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	file, size, ok := g.open(name)
	body := io.Reader(file)
	if !ok { // most files are there as gzip only
		if file, size, ok = g.open(name + ".gz"); !ok {
			http.NotFound(w, r)
			return
		}
		h.Set("Vary", "Accept-Encoding")
		if body = file; acceptsGzip(r) {
			h.Set("Content-Encoding", "gzip")
		} else {
			body, size = unpack(file)
		}
	}
	defer file.Close()
	h.Set("Content-Type", contentType(name))
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	if strings.HasPrefix(name, "assets/") { // their names carry a hash of the content
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "public, max-age=3600")
	}
	if r.Method == http.MethodGet {
		io.Copy(w, body)
	}
}

// open opens a regular file; names that leave the folder are not found.
func (g *graphiQL) open(name string) (fs.File, int64, bool) {
	file, err := g.files.Open(name)
	if err != nil {
		return nil, 0, false
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, 0, false
	}
	return file, info.Size(), true
}

// contentType knows what the build writes; package mime would ask the system,
// which may not know fonts.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	case ".woff":
		return "font/woff"
	case ".ttf":
		return "font/ttf"
	case ".md":
		return "text/markdown; charset=utf-8"
	default:
		return "application/octet-stream"
	}
}

// acceptsGzip reads Accept-Encoding, where q=0 means "not this one".
func acceptsGzip(r *http.Request) bool {
	for _, value := range r.Header.Values("Accept-Encoding") {
		for part := range strings.SplitSeq(value, ",") {
			coding, params, _ := strings.Cut(part, ";")
			if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
				continue
			}
			weight, found := strings.CutPrefix(strings.TrimSpace(params), "q=")
			q, err := strconv.ParseFloat(weight, 64)
			return !found || err == nil && q > 0
		}
	}
	return false
}

// unpack returns what a file of the build was before it was compressed, and its length.
func unpack(file io.Reader) (io.Reader, int64) {
	packed, err := io.ReadAll(file)
	if err != nil {
		panic(err) // it is in memory
	}
	unzip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(err) // the build wrote it
	}
	return unzip, int64(binary.LittleEndian.Uint32(packed[len(packed)-4:])) // gzip ends with the length
}

func compress(data []byte) []byte {
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	zip.Write(data) // a bytes.Buffer takes everything
	zip.Close()
	return packed.Bytes()
}
