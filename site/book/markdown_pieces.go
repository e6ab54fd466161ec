package book

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// tabs are blocks of code that do the same in several languages.
type tabs struct{ ast.BaseBlock }

var kindTabs = ast.NewNodeKind("Tabs")

// Kind implements ast.Node.
func (*tabs) Kind() ast.NodeKind { return kindTabs }

// Dump implements ast.Node.
func (t *tabs) Dump(source []byte, level int) { ast.DumpHelper(t, source, level, nil, nil) }

// tabbed turns consecutive blocks of code in different languages into tabs.
type tabbed struct{}

// Transform implements parser.ASTTransformer.
func (tabbed) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	language := func(n ast.Node) string {
		if code, ok := n.(*ast.FencedCodeBlock); ok {
			return string(code.Language(reader.Source()))
		}
		return ""
	}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		run := []ast.Node{n}
		for next := n.NextSibling(); next != nil && languages[language(n)] != "" &&
			languages[language(next)] != ""; next = next.NextSibling() {
			run = append(run, next)
		}
		if len(run) < 2 {
			continue
		}
		t := new(tabs)
		doc.InsertBefore(doc, n, t)
		for _, code := range run {
			t.AppendChild(t, code)
		}
		n = t
	}
}

// languages maps the language of a block of code to the label of its tab.
var languages = map[string]string{"sh": "curl", "python": "Python", "js": "JavaScript", "go": "Go"}

// pieces renders the elements of our pages that goldmark does not render as we want them.
type pieces struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (pieces) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, heading)
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(extast.KindTable, table)
	r.Register(kindTabs, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		return around(w, entering, `<div class="tabs">`, "</div>\n")
	})
}

func around(w util.BufWriter, entering bool, before, after string) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(before)
	} else {
		_, _ = w.WriteString(after)
	}
	return ast.WalkContinue, nil
}

// heading writes a heading with a link to itself.
func heading(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	level := string(rune('0' + n.(*ast.Heading).Level))
	anchor := ""
	if id, ok := n.AttributeString("id"); ok {
		anchor = html.EscapeString(string(id.([]byte)))
	}
	link := ""
	if level != "1" {
		link = ` <a class="anchor" href="#` + anchor + `" aria-label="Link to ` + html.EscapeString(textOf(n, source)) + `">#</a>`
	}
	return around(w, entering, "<h"+level+` id="`+anchor+`">`, link+"</h"+level+">\n")
}

// code writes a block of code that can also be scrolled by keyboard.
func code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.FencedCodeBlock)
	language := string(block.Language(source))
	label := languages[language]
	if label == "" {
		label = language
	}
	if label == "" || language == "example" {
		label = "text"
	}
	_, _ = w.WriteString(`<div class="code" data-language="` + html.EscapeString(language) + `"><p>` + html.EscapeString(label) +
		`</p><pre tabindex="0"><code>` + highlighted(language, string(block.Lines().Value(source))) + "</code></pre></div>\n")
	return ast.WalkSkipChildren, nil
}

// table writes a table in a box that scrolls where the window is narrow.
func table(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	label := "Table"
	for before := n.PreviousSibling(); before != nil; before = before.PreviousSibling() {
		if before.Kind() == ast.KindHeading {
			label = "Table: " + strings.TrimSpace(textOf(before, source))
			break
		}
	}
	label = html.EscapeString(label)
	return around(w, entering, `<div class="scroll" tabindex="0" role="group" aria-label="`+label+`"><table aria-label="`+label+`">`+"\n",
		"</table></div>\n")
}
