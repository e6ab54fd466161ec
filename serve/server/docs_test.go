package server_test

import (
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"piyasa/internal/problem"
	"piyasa/test/fixture"
)

// page is what a test reads of a page.
type page struct {
	anchors, links, loads []string // ids; addresses that links lead to, and that the page loads by itself
}

var (
	idOf   = regexp.MustCompile(`\sid="([^"]*)"`)
	linkOf = regexp.MustCompile(`<a\s[^>]*?href="([^"]*)"`)
	loadOf = regexp.MustCompile(`<(?:link|script|img|source|iframe)\s[^>]*?(?:href|src)="([^"]*)"`)
)

func readPage(text string) page {
	all := func(of *regexp.Regexp) (values []string) {
		for _, m := range of.FindAllStringSubmatch(text, -1) {
			values = append(values, html.UnescapeString(m[1]))
		}
		return values
	}
	return page{all(idOf), all(linkOf), all(loadOf)}
}

// Every link of every page of the book leads to something, at the place that it names; every
// page has its Markdown, whose links do, too.
func TestLinksOfDocs(t *testing.T) {
	a := fixture.New(t)
	pages, others := map[string]page{}, map[string]int{}
	var walk func(from, link string)
	walk = func(from, link string) {
		path, anchor, _ := strings.Cut(link, "#")
		if path == "" {
			path = from
		}
		if strings.Contains(path, "://") || path == "/" || strings.HasPrefix(path, "/graphiql") {
			return
		}
		if !strings.HasPrefix(path, "/") {
			t.Errorf("%s links to %s", from, link)
			return
		}
		p, seen := pages[path]
		if !seen && others[path] == 0 {
			res := a.Send("GET", path, "", "", "Accept", "text/html, */*;q=0.1")
			if res.StatusCode != http.StatusOK {
				t.Errorf("%s links to %s: %d", from, link, res.StatusCode)
			}
			if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
				others[path] = res.StatusCode
				return
			}
			p = readPage(res.Text)
			pages[path] = p
			if twice := slices.Sorted(slices.Values(p.anchors)); len(slices.Compact(slices.Clone(twice))) != len(twice) {
				t.Errorf("%s has an anchor twice: %q", path, twice)
			}
			for _, address := range p.loads {
				if strings.Contains(address, "//") {
					t.Errorf("%s loads %s", path, address)
				}
			}
			for _, next := range p.links {
				walk(path, next)
			}
		}
		if anchor != "" && seen && !slices.Contains(p.anchors, anchor) {
			t.Errorf("%s links to %s, which has no such place", from, link)
		}
	}
	walk("/", "/docs")
	for path, p := range pages { // now that all are known
		for _, link := range p.links {
			walk(path, link)
		}
	}
	if len(pages) < 90 || others["/docs/api.md"] == 0 || others["/docs/clients/python/client.py"] == 0 ||
		others["/docs/graphiql.png"] == 0 && others["/docs/rest/quote.md"] == 0 {
		t.Errorf("found only %d pages and %v", len(pages), others)
	}
}

// The reference has every operation and channel, with all parameters and problems.
func TestReferenceHasEveryOperation(t *testing.T) {
	a := fixture.New(t)
	former := regexp.MustCompile(`Formerly$`)
	for _, o := range fixture.DescribedOperations() {
		text := a.Get("/docs/rest/"+former.ReplaceAllString(o.ID, "")+".md", "").Text
		if !strings.Contains(text, "`"+o.Path+"`") && !strings.HasPrefix(text, "# "+o.Method+" "+o.Path+"\n") {
			t.Errorf("%s %s has no page: %.100s", o.Method, o.Path, text)
		}
		if o.Deprecated {
			continue
		}
		for status, answers := range o.Responses {
			if _, refused := answers.Content[problem.MediaType]; refused && !strings.Contains(text, "\n| "+status+" | [`") {
				t.Errorf("%s lacks its problems with status %s", o.ID, status)
			}
		}
		if e := o.Responses["200"].Content["application/json"].Examples["recorded"]; e.Summary != "" &&
			(!strings.Contains(text, "A recorded answer") || !strings.Contains(text, "```json\n")) {
			t.Errorf("%s lacks its example", o.ID)
		}
	}
	quote := a.Get("/docs/rest/quote.md", "").Text
	for _, part := range []string{"| `currency` | query | `TRY`, `USD`, `EUR` |", "Scope: ", "Cost: 1 request unit",
		"GraphQL counterpart: `quote`", "```sh\ncurl -H \"X-API-Key: $KEY\" '", "```python\n", "```js\n", "```go\n",
		"| `last` | decimal as text", "| 403 | [`missing-scope`](/problems/missing-scope) |"} {
		if !strings.Contains(quote, part) {
			t.Errorf("no %s in\n%s", part, quote)
		}
	}
	socket := a.Get("/docs/sockets/disclosures.md", "").Text
	for _, part := range []string{"`/v1/kap/stream` is deprecated", "### subscribe", "### disclosure", "| `data.disclosure_index` |",
		"| 4429 | `slow_consumer` |", "| `replay` | 1000 |", "Scope: kap"} {
		if !strings.Contains(socket, part) {
			t.Errorf("no %s in\n%s", part, socket)
		}
	}
	if page := a.Get("/docs/rest/quote", "").Text; !strings.Contains(page, `data-path="/v1/quotes/{instrument_id}"`) ||
		!strings.Contains(page, `value="bist:DMOST"`) {
		t.Errorf("no form: %s", page)
	}
}

// Pages are Markdown for those who ask for it.
func TestDocsAsMarkdown(t *testing.T) {
	a := fixture.New(t)
	for path, accept := range map[string]string{"/docs/glossary": "text/markdown", "/docs/glossary.md": "text/html",
		"/docs": "text/markdown, */*;q=0.1", "/docs/README.md": "", "/docs/rest": "text/markdown"} {
		res := a.Send("GET", path, "", "", "Accept", accept)
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/markdown; charset=utf-8" ||
			!strings.HasPrefix(res.Text, "# ") || !strings.Contains(strings.Join(res.Header.Values("Vary"), ","), "Accept") {
			t.Errorf("%s for %q: %d %v %.80s", path, accept, res.StatusCode, res.Header, res.Text)
		}
		if again := a.Send("GET", path, "", "", "Accept", accept, "If-None-Match", res.Header.Get("ETag")); again.StatusCode != 304 {
			t.Errorf("%s again: %d", path, again.StatusCode)
		}
	}
	for _, accept := range []string{"text/html", "*/*", "text/html, text/markdown", ""} {
		if res := a.Send("GET", "/docs/glossary", "", "", "Accept", accept); !strings.HasPrefix(res.Header.Get("Content-Type"),
			"text/html") {
			t.Errorf("%q: %s", accept, res.Header.Get("Content-Type"))
		}
	}
	for path, to := range map[string]string{"/docs/": "/docs", "/docs/api/": "/docs/api", "/docs/rest/README": "/docs/rest"} {
		if res := a.Get(path, ""); res.StatusCode != 301 || res.Header.Get("Location") != to {
			t.Errorf("%s: %d %s", path, res.StatusCode, res.Header.Get("Location"))
		}
	}
	for _, path := range []string{"/docs/none", "/docs/none.md", "/docs/embed.go", "/docs/clients", "/docs/..%2fREADME.md",
		"/docs/decisions/none"} {
		if res := a.Get(path, ""); res.StatusCode != 404 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
}

// The lists for language models name every page, and are of sensible size.
func TestListsForLanguageModels(t *testing.T) {
	a := fixture.New(t)
	list, whole := a.Get("/llms.txt", ""), a.Get("/llms-full.txt", "")
	for _, part := range []string{"# piyasa\n\n> ", "## Guides\n", "/docs/start.md): ", "/docs/rest/README.md): ",
		"/docs/sockets/README.md): "} {
		if !strings.Contains(list.Text, part) {
			t.Errorf("no %s in\n%s", part, list.Text)
		}
	}
	for _, link := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(list.Text, -1) {
		path := link[1][strings.Index(link[1], "/docs/"):]
		if !strings.Contains(link[1], "://") || a.Get(path, "").StatusCode != 200 {
			t.Errorf("%s", link[1])
		}
	}
	if len(list.Text) > 8_000 || len(whole.Text) > 200_000 || !strings.Contains(whole.Text, "# Concepts\n") ||
		!strings.Contains(whole.Text, "# Streams\n") {
		t.Errorf("%d and %d bytes", len(list.Text), len(whole.Text))
	}
}

func TestSearchOfDocs(t *testing.T) {
	a := fixture.New(t)
	for query, want := range map[string]string{"slow+readers": `href="/docs/streams#slow-readers"`, "": "Type words",
		"qqqq": "Nothing has all words", "%3Cscript%3E": "&lt;script&gt;", strings.Repeat("x", 5000): "Nothing has",
		"%ff%00": "Nothing has"} {
		res := a.Get("/docs/search?q="+query, "")
		if res.StatusCode != 200 || !strings.Contains(res.Text, want) || strings.Contains(res.Text, "<script>") {
			t.Errorf("%.20s: %d, no %s in %s", query, res.StatusCode, want, res.Text)
		}
	}
}
