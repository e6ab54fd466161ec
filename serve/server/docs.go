package server

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"

	g "maragu.dev/gomponents"

	"piyasa/docs"
	"piyasa/internal/problem"
	"piyasa/rest"
	"piyasa/serve/answer"
	"piyasa/serve/asyncapi"
	"piyasa/site/book"
	"piyasa/site/reference"
	"piyasa/site/web"
)

// about describes the server, for lists of its pages.
const about = "Market data, exact and honest: quotes, history, statements, disclosures and more over GraphQL, REST and " +
	"WebSockets. Decimals " +
	"are text; an unknown figure is null, usually with its reason."

// newBook makes the book: the pages of docs/, and those of the reference.
func (s *Server) newBook() *book.Book {
	operations, err := reference.REST(rest.OpenAPI(s.routes, s.services.BaseURL, s.config.Version), s.config.Samples.Requests)
	must(err)
	sockets, err := reference.Sockets(asyncapi.Document(s.services.BaseURL, s.config.Version), s.config.Samples.Messages)
	must(err)
	b, err := book.New(docs.Files, book.Added{Title: "Route by route", Before: "Methodology",
		Pages: []book.Source{operations, sockets, reference.Problems()}})
	must(err)
	return b
}

// must panics if a page cannot be made; the tests make all pages.
func must(err error) {
	if err != nil {
		panic("server: the docs: " + err.Error())
	}
}

// docsPages serves the book. MakeDocs or the first request makes the book; the first request
// of each page makes that page.
type docsPages struct {
	server *Server
	made   sync.Map // madeText by name
}

// MakeDocs makes the book of the documentation and the descriptions of the APIs ahead of
// requests. It takes a second or two of processor time.
func (s *Server) MakeDocs() {
	s.book()
	for _, describe := range s.descriptions {
		describe()
	}
}

// madeText is a text that was made once.
type madeText struct {
	media, etag string
	text        []byte
}

// docs returns the handlers of the book by pattern.
func (s *Server) docs() map[string]http.Handler {
	d := &docsPages{server: s}
	return map[string]http.Handler{
		book.Root:                d,
		book.Root + "/{page...}": d,
		book.Root + "/search":    http.HandlerFunc(d.search),
		"/llms.txt":              http.HandlerFunc(d.list),
		"/llms-full.txt":         http.HandlerFunc(d.whole),
		"/problems/{kind}":       http.HandlerFunc(d.problemPage),
	}
}

const (
	markdownMedia = "text/markdown; charset=utf-8"
	plainMedia    = "text/plain; charset=utf-8"
)

// filesOfDocs holds the media types of files that are not pages; files not listed are text.
var filesOfDocs = map[string]string{".png": "image/png"}

// ServeHTTP answers with a page, as Markdown for clients that prefer it, or with a file.
func (d *docsPages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, at := d.server.book(), strings.TrimSuffix(r.URL.Path, "/")
	page, source := b.At(at)
	if page == nil {
		if text, ok := b.File(at); ok {
			media := filesOfDocs[path.Ext(at)]
			if media == "" {
				media = plainMedia
			}
			d.send(w, r, at, media, func() []byte { return text })
			return
		}
		d.server.notFound(w, r)
		return
	}
	if at != r.URL.Path || !source && page.Address() != at {
		http.Redirect(w, r, page.Address(), http.StatusMovedPermanently)
		return
	}
	w.Header().Add("Vary", "Accept")
	if source || prefersMarkdown(r) {
		d.send(w, r, page.Source(), markdownMedia, func() []byte { return []byte(page.Text) })
		return
	}
	text := page.Rendered()
	d.show(w, at, text.Title, page.About, page, func() g.Node { return pageContent(page, text) })
}

// prefersMarkdown reports whether a client asks for Markdown rather than HTML.
func prefersMarkdown(r *http.Request) bool {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	return strings.Contains(accept, "text/markdown") && !strings.Contains(accept, "text/html")
}

// search answers with the results of a search in the book.
func (d *docsPages) search(w http.ResponseWriter, r *http.Request) {
	query := strings.ToValidUTF8(r.URL.Query().Get("q"), "")
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	b := d.server.book()
	d.write(w, "Search", "", bookPage(b, nil, query, foundContent(query, b.Search(query))))
}

// maxQuery is how many bytes of a search text are used.
const maxQuery = 200

// problemPage explains a problem's type.
func (d *docsPages) problemPage(w http.ResponseWriter, r *http.Request) {
	kind := problem.Kind(r.PathValue("kind"))
	if kind.Status() == 0 {
		d.server.notFound(w, r)
		return
	}
	d.show(w, r.URL.Path, kind.Title(), "", nil, func() g.Node { return problemContent(kind) })
}

// list answers /llms.txt.
func (d *docsPages) list(w http.ResponseWriter, r *http.Request) {
	d.send(w, r, r.URL.Path, plainMedia, func() []byte {
		return []byte(d.server.book().List(d.server.services.BaseURL, "piyasa", about))
	})
}

// whole answers /llms-full.txt: everything for authors of clients, without the pages for
// operators.
func (d *docsPages) whole(w http.ResponseWriter, r *http.Request) {
	d.send(w, r, r.URL.Path, plainMedia, func() []byte {
		return []byte(d.server.book().Whole(d.server.services.BaseURL, "start.md", "concepts.md", "guide-dashboard.md", "guide-quant.md",
			"guide-rest.md", "api.md", "streams.md", "rest/README.md", "problems.md"))
	})
}

// show answers with a page, which the first request makes.
func (d *docsPages) show(w http.ResponseWriter, at, title, about string, page *book.Page, content func() g.Node) {
	made := d.once("page "+at, func() madeText {
		var text bytes.Buffer
		must(bookPage(d.server.book(), page, "", content()).Render(&text))
		return madeText{text: text.Bytes()}
	})
	d.write(w, title, about, g.Raw(string(made.text)))
}

func (d *docsPages) write(w http.ResponseWriter, title, about string, body g.Node) {
	d.server.site.Write(w, http.StatusOK, web.Page{
		Title: title, Description: about, Current: book.Root, Script: "docs", Class: "site-main docs", Body: body,
	})
}

// once returns the text named name, which its first request makes.
func (d *docsPages) once(name string, create func() madeText) madeText {
	kept, ok := d.made.Load(name)
	if !ok {
		kept, _ = d.made.LoadOrStore(name, create())
	}
	return kept.(madeText)
}

// send answers with the text named name, which its first request makes, with an ETag for
// caches.
func (d *docsPages) send(w http.ResponseWriter, r *http.Request, name, media string, create func() []byte) {
	sendOnce(w, r, d.once(name, func() madeText {
		text := create()
		return madeText{media, fmt.Sprintf(`"%x"`, sha256.Sum256(text)), text}
	}))
}

// sendOnce answers with a text, or 304 if the client has it.
func sendOnce(w http.ResponseWriter, r *http.Request, t madeText) {
	h := w.Header()
	h.Set("ETag", "W/"+t.etag) // weak, since it may be compressed later
	h.Set("Cache-Control", "public, no-cache")
	if answer.Matches(r.Header.Values("If-None-Match"), t.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", t.media)
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(t.text)
}
