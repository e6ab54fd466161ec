// Package web holds the pages of piyasa: the frame that they share, and their scripts and styles.
// `make pages` builds those from src into dist, which the repository holds and the binary embeds,
// so that a build of piyasa needs no Node.
package web

import (
	"bytes"
	"embed"
	"io/fs"
	"maps"
	"net/http"
	"strconv"
	"time"

	g "maragu.dev/gomponents"
)

//go:embed all:dist
var dist embed.FS

// Settings is what the server writes into every page. Everyone who can open a page can read it.
type Settings struct {
	// Version is piyasa's.
	Version string `json:"version"`
	// Key is the API key that the pages start with; empty lets the visitor enter one.
	Key string `json:"key,omitempty"`
	// Watchlist lists the instruments that the home page shows at a first visit; if it is empty,
	// the page chooses some of the catalog.
	Watchlist []string `json:"watchlist,omitempty"`
	// Tabs are those that GraphiQL opens for a visitor without tabs of their own; if there are
	// none, it offers a short query.
	Tabs []Tab `json:"tabs,omitempty"`
	// Clock is the clock of the service, which a replay sets; nil: pages use the browser's.
	Clock func() time.Time `json:"-"`
	// Now is the time of Clock when the page was sent; Write sets it.
	Now *time.Time `json:"now,omitempty"`
}

// Tab is a query that GraphiQL offers.
type Tab struct {
	// Title becomes the operation's name, and so the tab's label, when Query is
	// an anonymous operation; GraphiQL labels tabs with operation names only.
	Title string `json:"title,omitempty"`
	// Query is the GraphQL document.
	Query string `json:"query"`
	// Variables is a JSON object, or empty.
	Variables string `json:"variables,omitempty"`
}

// door is a page that the header of every page links to.
type door struct{ Path, Name string }

// doors are those links, in their order.
var doors = []door{
	{"/markets", "Markets"},
	{"/disclosures", "Disclosures"},
	{"/graphiql", "GraphiQL"},
	{"/docs", "Docs"},
	{"/status", "Status"},
}

// Page is what differs between pages.
type Page struct {
	Title       string // in front of the product's name; empty on the home page
	Description string // for search engines and previews; may be empty
	Current     string // path of the door that leads here; may be the path of none
	Body        g.Node // content of the element main
	Class       string // of the element main: "site-main", or "site-main prose" for text
	Script      string // entry of site/web/vite.config.js beside the site's own; may be empty
	Private     bool   // whether it is for operators: without doors and key, with forms
	Full        bool   // whether the page fills the window and so has no footer
}

// The policy of pages: they run, load and ask only what this server sends. A blob is an image that
// a page has requested with its key.
const (
	strict = "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; " +
		"frame-ancestors 'none'"
	// Monaco adds style elements, and starts its workers from blobs.
	lenient = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
		"img-src 'self' data:; font-src 'self' data:; worker-src 'self' blob:; connect-src 'self'; " +
		"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// Site writes the pages of the site and serves their files: Write answers one request with a page,
// and Handlers and Files return handlers by pattern.
type Site struct {
	settings Settings
	files    fs.FS
	built    manifest
}

// New returns the site with the settings of a server.
func New(settings Settings) *Site {
	built, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the path is a constant
	}
	return newSite(built, settings)
}

func newSite(files fs.FS, settings Settings) *Site {
	return &Site{settings: settings, files: files, built: readManifest(files)}
}

// Write answers a request with a page.
func (s *Site) Write(w http.ResponseWriter, status int, page Page) {
	s.write(w, status, strict, page)
}

func (s *Site) write(w http.ResponseWriter, status int, policy string, page Page) {
	if page.Class == "" && !page.Full {
		page.Class = "site-main"
	}
	settings := s.settings
	if page.Script != "graphiql" {
		settings.Tabs = nil
	}
	if settings.Clock != nil {
		now := settings.Clock()
		settings.Now = &now
	}
	entries := []string{"site"}
	if page.Script != "" {
		entries = append(entries, page.Script)
	}
	if page.Private {
		settings.Key = ""
	}
	scripts, styles, preload := s.built.needs(entries)
	var text bytes.Buffer
	if err := framed(page, settings, scripts, styles, preload).Render(&text); err != nil {
		panic(err) // a buffer takes everything
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin")
	if h.Set("Cache-Control", "no-cache"); page.Private {
		h.Set("Cache-Control", "no-store")
	}
	h.Set("Content-Length", strconv.Itoa(text.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes())
}

// NotFound answers with a page for a path that does not exist.
func (s *Site) NotFound(w http.ResponseWriter, path string) {
	s.Write(w, http.StatusNotFound, Page{Title: "Not found", Body: notFound(path), Class: "site-main prose"})
}

// Page returns a handler that always answers with the same page.
func (s *Site) Page(page Page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { s.Write(w, http.StatusOK, page) })
}

// GraphiQL returns a handler that answers with the GraphQL editor.
func (s *Site) GraphiQL() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.write(w, http.StatusOK, lenient, Page{
			Title: "GraphiQL", Description: "A GraphQL editor with documentation.", Current: "/graphiql", Script: "graphiql", Full: true,
			Class: "graphiql-page",
		})
	})
}

// Handlers returns the handlers of the site's pages, by pattern.
func (s *Site) Handlers() map[string]http.Handler {
	pages := map[string]http.Handler{
		"/{$}":              s.Page(home),
		"/instruments/{id}": s.Page(instrument),
		"/disclosures":      s.Page(disclosures),

		"/disclosures/{index}": s.Page(disclosures),
		"/streams":             s.Page(streams),

		"/status":       s.Page(status),
		"/graphiql":     s.GraphiQL(),
		"/graphiql/{$}": http.RedirectHandler("/graphiql", http.StatusMovedPermanently),
	}
	for _, of := range markets {
		pages["/"+of.Script] = s.Page(of)
	}
	maps.Copy(pages, s.Files())
	return pages
}

// Files returns the handlers of the files that pages load, by pattern.
func (s *Site) Files() map[string]http.Handler {
	files := http.HandlerFunc(s.file)
	return map[string]http.Handler{
		"/assets/{file}": files, "/favicon.svg": files, "/licenses.md": files,
		// Browsers request it even beside answers that are not pages.
		"/favicon.ico": http.RedirectHandler("/favicon.svg", http.StatusMovedPermanently),
	}
}

// The pages about whole markets. Each has the path of its script's name.
var markets = []Page{
	market("Markets", "Movers, sectors and indices.", "markets"),
	market("Screener", "Companies by their figures.", "screener"),
	market("Compare", "Figures of instruments beside each other.", "compare"),
	market("Funds", "Funds by their returns.", "funds"),
	market("Calendar", "Economic releases and public offerings.", "calendar"),
	market("Prices of producers", "The domestic producer price index.", "macro"),
}

func market(title, description, script string) Page {
	return Page{Title: title, Description: description, Current: "/markets", Script: script, Body: app}
}

// The pages that ask the API.
var (
	home        = Page{Description: "Market data, exact and honest, over GraphQL and REST.", Current: "/", Script: "home", Body: app}
	instrument  = Page{Title: "Instrument", Script: "instrument", Body: app}
	disclosures = Page{
		Title: "Disclosures", Description: "Disclosures to read and to search, and new ones as they are stored.", Current: "/disclosures",
		Script: "disclosures", Body: app,
	}
	streams = Page{
		Title: "Disclosure stream", Description: "Disclosures as they are stored, across lost connections.", Current: "/docs",
		Script: "streams", Body: app,
	}
	status = Page{Title: "Status", Description: "Whether data is fresh, and what a key may do.", Current: "/status",
		Script: "status", Body: app}
)
