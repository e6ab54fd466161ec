package book

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Anchors returns the anchors of the headings in Markdown, as GitHub makes them.
func Anchors(markdown string) []string {
	var all []string
	taken := anchors{}
	each(markdown, func(n ast.Node, source []byte) {
		if n.Kind() == ast.KindHeading {
			all = append(all, taken.of(textOf(n, source)))
		}
	})
	return all
}

// Links returns what links and pictures in Markdown lead to.
func Links(markdown string) []string {
	var all []string
	each(markdown, func(n ast.Node, _ []byte) {
		switch n := n.(type) {
		case *ast.Link:
			all = append(all, string(n.Destination))
		case *ast.Image:
			all = append(all, string(n.Destination))
		}
	})
	return all
}

// each visits the nodes of Markdown.
func each(markdown string, visit func(n ast.Node, source []byte)) {
	source := []byte(markdown)
	_ = ast.Walk(newMarkdown(nil).Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(n, source)
		}
		return ast.WalkContinue, nil
	})
}
