package server

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2/formatter"

	"piyasa/answer"
	"piyasa/asyncapi"
	"piyasa/problem"
	"piyasa/rest"
)

//go:embed docs.html
var docsHTML string

var docsPage = template.Must(template.New("docs").Parse(docsHTML))

// docsPolicy lets the pages have their own style, which it knows by its hash, and nothing
// else.
var docsPolicy = func() string {
	_, rest, _ := strings.Cut(docsHTML, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	hash := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

// docs serves a page for people: where to ask, and every route.
func (s *Server) docs() http.Handler {
	return s.page(http.StatusOK, struct {
		BaseURL, Version string
		Routes           []rest.Route
		Problem          *problemText
	}{BaseURL: s.services.BaseURL, Version: s.config.Version, Routes: s.routes})
}

// problemText is what the type of a problem leads to.
type problemText struct {
	Kind   problem.Kind
	Title  string
	Status int
	Code   string
}

// problemPage says what a problem's type means.
func (s *Server) problemPage() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := problem.Kind(r.PathValue("kind"))
		if kind.Status() == 0 {
			s.notFound(w, r)
			return
		}
		s.page(http.StatusOK, struct {
			BaseURL, Version string
			Routes           []rest.Route
			Problem          *problemText
		}{s.services.BaseURL, s.config.Version, nil, &problemText{kind, kind.Title(), kind.Status(), kind.Code()}}).ServeHTTP(w, r)
	})
}

func (s *Server) page(status int, data any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		var buf bytes.Buffer
		if err := docsPage.Execute(&buf, data); err != nil {
			panic(err) // the template and its data are ours
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", docsPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		w.WriteHeader(status)
		_, _ = w.Write(buf.Bytes())
	})
}

// openAPI serves the description of the routes.
func (s *Server) openAPI() http.Handler {
	return described(rest.JSON, func() []byte { return rest.OpenAPI(s.routes, s.services.BaseURL, s.config.Version) })
}

// asyncAPI serves the description of the sockets.
func (s *Server) asyncAPI() http.Handler {
	return described(rest.JSON, func() []byte { return asyncapi.Document(s.services.BaseURL, s.config.Version) })
}

// schema serves the GraphQL schema for tools that make clients.
func (s *Server) schema() http.Handler {
	return described("text/plain; charset=utf-8", func() []byte {
		var text bytes.Buffer
		formatter.NewFormatter(&text, formatter.WithIndent("  ")).FormatSchema(s.prices.Schema())
		return text.Bytes()
	})
}

// described serves a document in a media type that the first request makes, since most servers
// are never asked for it. Caches ask whether it has changed.
func described(media string, document func() []byte) http.Handler {
	made := sync.OnceValues(func() ([]byte, string) {
		text := document()
		return text, fmt.Sprintf(`"%x"`, sha256.Sum256(text))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, etag := made()
		h := w.Header()
		h.Set("ETag", "W/"+etag) // it may be packed on its way
		h.Set("Cache-Control", "public, no-cache")
		if answer.Matches(r.Header.Values("If-None-Match"), etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h.Set("Content-Type", media)
		h.Set("X-Content-Type-Options", "nosniff")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(text)
	})
}
