package book_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"piyasa/docs"
	"piyasa/site/book"
	"piyasa/test/fixture/need"
)

func ours(t testing.TB) *book.Book {
	t.Helper()
	b, err := book.New(docs.Files)
	need.NoError(t, err)
	return b
}

func of(t *testing.T, files map[string]string) *book.Book {
	t.Helper()
	folder := fstest.MapFS{}
	for name, text := range files {
		folder[name] = &fstest.MapFile{Data: []byte(text)}
	}
	b, err := book.New(folder)
	need.NoError(t, err)
	return b
}

// Every page of docs/ is in the book, once and in order.
func TestContentsListEveryPage(t *testing.T) {
	b := ours(t)
	seen := map[string]int{"README.md": 1}
	for i, p := range b.Pages {
		seen[p.File]++
		if i > 0 && (p.Previous != b.Pages[i-1] || b.Pages[i-1].Next != p) {
			t.Errorf("%s does not follow %s", p.File, b.Pages[i-1].File)
		}
		if p.Above == nil && (p.About == "" || p.Part == "") {
			t.Errorf("docs/README.md says nothing about %s", p.File)
		}
	}
	err := fs.WalkDir(docs.Files, ".", func(file string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(file, ".md") && seen[file] != 1 {
			t.Errorf("%s is in the contents %d times: list it in docs/README.md, or in the README.md of its folder", file, seen[file])
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Links between pages lead to files and headings that exist, also where no server is.
func TestLinksInTheRepository(t *testing.T) {
	anchors := map[string][]string{}
	anchorsOf := func(file string) []string {
		if anchors[file] == nil {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Error(err)
			}
			anchors[file] = append(book.Anchors(string(text)), "")
		}
		return anchors[file]
	}
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob("../../" + pattern)
		need.NoError(t, err)
		pages = append(pages, found...)
	}
	count := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		need.NoError(t, err)
		for _, link := range book.Links(string(text)) {
			if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
				continue
			}
			count++
			to, anchor, _ := strings.Cut(link, "#")
			file := page
			if to != "" {
				file = filepath.Join(filepath.Dir(page), to)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, link)
			} else if path.Ext(file) == ".md" && !slices.Contains(anchorsOf(file), anchor) {
				t.Errorf("%s links to %s, which has no such heading", page, link)
			}
		}
	}
	if count < 100 {
		t.Errorf("found only %d links", count)
	}
}

// Anchors are GitHub's.
func TestAnchors(t *testing.T) {
	text := "# Days of `world` indices\n## A, b & c-d_e\n## Fon Gider Bilgileri: Şubat\n## Same\n## Same\n## [Linked](x.md) " +
		"*word*\n```\n# no heading\n```\n"
	want := []string{"days-of-world-indices", "a-b--c-d_e", "fon-gider-bilgileri-şubat", "same", "same-1", "linked-word"}
	if got := book.Anchors(text); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPages(t *testing.T) {
	b := of(t, map[string]string{
		"README.md": "# Contents\n\n## First\n- [One](one.md): the first\n- [More](sub/README.md): others\n\n## " +
			"Second\n- [Two](two.md)\n",
		"one.md": "# Page one\n\nSee [two](two.md#a-part), [below](sub/x.md), [code](a.py), [gone](../gone.go#L1), " +
			"`[no](../link.md)`, https://example.org.\n\n<script>alert(1)</script>\n\n[bad](javascript:alert(1)) ![p](p.png)\n",
		"two.md": "# Page two\n\n## A part\n\n| a | b |\n| --- | ---: |\n| 1 | 2 |\n\n```sh\ncurl x # " +
			"why\n```\n```python\nimport x\n```\n",
		"sub/README.md":  "# Others\n\n- [X](x.md)\n",
		"sub/x.md":       "# X\n\n[up](../one.md), [beside](README.md)\n",
		"a.py":           "print()",
		"p.png":          "picture",
		"sub/ignored.md": "# no page",
	})
	var order []string
	for _, p := range b.Pages {
		order = append(order, p.Part+" "+p.Address())
	}
	if want := []string{"First /docs/one", "First /docs/sub", "First /docs/sub/x", "Second /docs/two"}; !slices.Equal(order, want) {
		t.Errorf("pages %q", order)
	}
	if p, source := b.At("/docs"); p != b.Home || source {
		t.Errorf("/docs is %v", p)
	}
	for at, want := range map[string]string{"/docs/one": "one.md false", "/docs/one.md": "one.md true", "/docs/sub": "sub/README.md false",
		"/docs/sub/README.md": "sub/README.md true", "/docs/README.md": "README.md true", "/docs/sub/x": "sub/x.md false",
		"/docs/sub/README": "sub/README.md false", "/docs/sub/ignored": "", "/docs/../one": "", "/docs/a.py": ""} {
		got := ""
		if p, source := b.At(at); p != nil {
			got = p.File + map[bool]string{true: " true", false: " false"}[source]
		}
		if got != want {
			t.Errorf("%s is %q, want %q", at, got, want)
		}
	}
	for at, want := range map[string]bool{"/docs/a.py": true, "/docs/p.png": true, "/docs/one.md": false, "/docs/sub": false,
		"/docs/../docs/a.py": false, "/docs/none": false} {
		if _, ok := b.File(at); ok != want {
			t.Errorf("file %s: %t", at, ok)
		}
	}
	one, _ := b.At("/docs/one")
	html := string(one.Rendered().HTML)
	for _, part := range []string{`href="/docs/two#a-part"`, `href="/docs/sub/x"`, `href="/docs/a.py"`, `src="/docs/p.png"`, "gone,",
		"<code>[no](../link.md)</code>", `<h1 id="page-one">`, `href="https://example.org"`} {
		if !strings.Contains(html, part) {
			t.Errorf("no %s in %s", part, html)
		}
	}
	for _, part := range []string{"<script", "javascript:", "gone.go"} {
		if strings.Contains(html, part) {
			t.Errorf("%s in %s", part, html)
		}
	}
	two, _ := b.At("/docs/two")
	html = string(two.Rendered().HTML)
	for _, part := range []string{`<div class="tabs"><div class="code" data-language="sh"><p>curl</p>`, "<p>Python</p>",
		`<span class="comment"> # why</span>`, `<td align="right">2</td>`, `<h2 id="a-part">A part <a class="anchor" href="#a-part"`} {
		if !strings.Contains(html, part) {
			t.Errorf("no %s in %s", part, html)
		}
	}
	x, _ := b.At("/docs/sub/x")
	if html := string(x.Rendered().HTML); !strings.Contains(html, `href="/docs/one"`) || !strings.Contains(html, `href="/docs/sub"`) ||
		x.Above.File != "sub/README.md" {
		t.Errorf("%s", html)
	}
}

func TestSearch(t *testing.T) {
	b := of(t, map[string]string{
		"README.md": "# Contents\n\n## Part\n- [Prices](prices.md)\n- [Other](other.md)\n",
		"prices.md": "# Prices\n\nWhat an instrument trades at.\n\n## Dividends\n\nTEMETTÜ İŞLEMİ and net_profit_parent, " +
			"before a very long story " + strings.Repeat("of words ", 50) + "and an end.\n",
		"other.md": "# Other\n\nA dividend is named here, and so are prices.\n",
	})
	for query, want := range map[string]string{
		"dividend":          "Dividends Other",
		"DIVIDENDS":         "Dividends",
		"prices":            "Prices Other",
		"temettu islemi":    "Dividends",
		"TEMETTÜ  işlemi!":  "Dividends",
		"net_profit_parent": "Dividends",
		"prof":              "Dividends",
		"dividend prices":   "Other",
		"dividend nowhere":  "",
		"dividned":          "Dividends Other",
		"temetu":            "Dividends",
		"rpices":            "Prices Other",
		"pricse":            "Prices Other",
		"divxxxnd":          "",
		"prxces":            "Prices Other",
		"":                  "",
		" ,.;":              "",
	} {
		var got []string
		for _, f := range b.Search(query) {
			got = append(got, f.Heading.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	found := b.Search("temettu")[0]
	if found.Address != "/docs/prices#dividends" || !found.Excerpt[0].Hit || found.Excerpt[0].Text != "TEMETTÜ" {
		t.Errorf("%+v", found)
	}
	length := 0
	for _, piece := range found.Excerpt {
		length += len(piece.Text)
	}
	if length > 250 {
		t.Errorf("an excerpt of %d bytes", length)
	}
}

// What matters most is found first.
func TestSearchInOurs(t *testing.T) {
	b := ours(t)
	for query, want := range map[string]string{"persisted documents": "/docs/api#persisted-documents",
		"slow readers": "/docs/streams#slow-readers", "glossary": "/docs/glossary", "backups": "/docs/operating#backups",
		"webhoks": "/docs/deliver#webhooks", "instaling": "/docs/installing",
		"candels": "/docs/api#candles-and-end-of-day", "qoutes": "/docs/api#routes"} {
		if found := b.Search(query); len(found) == 0 || found[0].Address != want {
			t.Errorf("%q finds %+v", query, found)
		}
	}
}

func FuzzSearch(f *testing.F) {
	b := ours(f)
	for _, query := range []string{"dividends", "İŞLEM ı", "a b c d e f g h i j", "\xff\x00", strings.Repeat("x", 300), "é́́"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		found := b.Search(query)
		if len(found) > 20 {
			t.Errorf("%d found", len(found))
		}
		for _, one := range found {
			for _, piece := range one.Excerpt {
				if piece.Text == "" || !utf8.ValidString(piece.Text) {
					t.Errorf("%q of %s: %q", query, one.Address, piece.Text)
				}
			}
		}
	})
}
