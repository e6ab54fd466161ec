package book

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Rendered is a page as HTML.
type Rendered struct {
	Title    string    // its first heading
	HTML     string    // to be shown unchanged
	Headings []Heading // below the title
	sections []section
}

// Heading is a heading of a page.
type Heading struct {
	Level        int
	Text, Anchor string
}

// section is a heading of a page and the text up to the next one.
type section struct {
	Heading
	text string
}

// markdown turns Markdown into HTML. It leaves out HTML in the Markdown.
type markdown struct {
	book *Book
	goldmark.Markdown
}

func newMarkdown(b *Book) *markdown {
	return &markdown{b, goldmark.New(
		// alignments as attributes, since no page may have styles of its own
		goldmark.WithExtensions(extension.Linkify, extension.Strikethrough,
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(tabbed{}, 500))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(pieces{}, 100))),
	)}
}

// page renders a page.
func (m *markdown) page(p *Page) Rendered {
	source := []byte(p.Text)
	doc := m.Parser().Parse(text.NewReader(source))
	rendered := Rendered{Title: p.Title}
	taken := anchors{}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			h := Heading{n.Level, textOf(n, source), ""}
			h.Anchor = taken.of(h.Text)
			n.SetAttributeString("id", []byte(h.Anchor))
			if n.Level == 1 {
				rendered.Title = h.Text
			} else {
				rendered.Headings = append(rendered.Headings, h)
			}
			rendered.sections = append(rendered.sections, section{Heading: h})
			return ast.WalkSkipChildren, nil
		case *ast.Link:
			n.Destination = []byte(m.book.resolve(p.File, string(n.Destination)))
		case *ast.Image:
			n.Destination = []byte(m.book.resolve(p.File, string(n.Destination)))
		}
		return ast.WalkContinue, nil
	})
	sectionTexts(doc, source, rendered.sections)
	var html bytes.Buffer
	if err := m.Renderer().Render(&html, source, doc); err != nil {
		panic("book: " + err.Error()) // a buffer takes everything
	}
	page := html.String()
	if p.panel.HTML != "" {
		at := strings.Index(page, `<h2 id="`+p.panel.Before+`"`)
		if at < 0 {
			at = len(page)
		}
		page = page[:at] + p.panel.HTML + page[at:]
	}
	rendered.HTML = page // from Markdown without HTML, and our own panel
	return rendered
}

// sectionTexts fills in the text below each heading.
func sectionTexts(doc ast.Node, source []byte, sections []section) {
	at := -1
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindHeading {
			at++
		} else if at >= 0 {
			sections[at].text += textOf(n, source) + "\n"
		}
	}
}

// textOf returns the text of a node without markup.
func textOf(n ast.Node, source []byte) string {
	var s strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				s.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			s.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				s.WriteByte(' ')
			}
		case *ast.String:
			s.Write(n.Value)
		case *ast.AutoLink:
			s.Write(n.Label(source))
		case *ast.FencedCodeBlock:
			s.Write(n.Lines().Value(source))
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(s.String())
}

// listedPart is a part in a table of contents.
type listedPart struct {
	title string
	pages []Source
}

// contents reads a table of contents: a heading for each part, and an item that
// begins with a link for each page.
func (m *markdown) contents(source []byte) []listedPart {
	var parts []listedPart
	doc := m.Parser().Parse(text.NewReader(source))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if last := len(parts) - 1; last >= 0 && parts[last].pages == nil {
				parts = parts[:last] // nothing was listed below it
			}
			parts = append(parts, listedPart{title: textOf(n, source)})
		case *ast.ListItem:
			link, ok := n.FirstChild().FirstChild().(*ast.Link)
			if !ok || outside(string(link.Destination)) || len(parts) == 0 {
				break
			}
			title := textOf(link, source)
			about := strings.TrimPrefix(textOf(n, source), title)
			last := &parts[len(parts)-1]
			last.pages = append(last.pages, Source{File: string(link.Destination), Title: title, About: strings.TrimPrefix(about, ": ")})
		}
		return ast.WalkContinue, nil
	})
	return parts
}
