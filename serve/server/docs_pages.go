package server

import (
	"cmp"
	"fmt"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"piyasa/internal/problem"
	"piyasa/site/book"
)

// bookPage returns content beside the search and the contents of the book; page is nil if it is no page of the book.
func bookPage(b *book.Book, page *book.Page, query string, content g.Node) g.Node {
	return h.Div(h.Class("book"),
		h.Aside(h.Class("side"),
			h.Form(h.Class("search"), h.Role("search"), h.Action("/docs/search"),
				h.Input(h.Type("search"), h.Name("q"), h.Value(query), h.Placeholder("Search the docs"), h.Aria("label", "Search the docs"),
					h.AutoComplete("off")),
				h.Div(h.Class("hits"), g.Attr("hidden"))),
			h.Details(h.Class("menu"), g.Attr("open"), h.Summary(g.Text("Contents")),
				h.Nav(h.Aria("label", "Book"), g.Map(b.Parts, func(part book.Part) g.Node {
					return g.Group{h.P(h.Class("part"), g.Text(part.Title)),
						h.Ul(h.Aria("label", part.Title), g.Map(part.Pages, func(p *book.Page) g.Node {
							return h.Li(pageLink(p, page), pagesBelow(p, page))
						}))}
				})))),
		h.Div(h.Class("page"), content))
}

func pageLink(to, page *book.Page) g.Node {
	return h.A(h.Href(to.Address()), g.If(to == page, h.Aria("current", "page")), g.Text(to.Title))
}

// pagesBelow lists the pages below one, each group under its name, while it or one of them is shown.
func pagesBelow(above, page *book.Page) g.Node {
	if above.Below == nil || page == nil || above != page && above != page.Above {
		return nil
	}
	group := ""
	return h.Ul(g.Map(above.Below, func(p *book.Page) g.Node {
		begins := p.Group != group
		group = p.Group
		return g.Group{g.If(begins, h.Li(h.Class("group"), g.Text(group))), h.Li(pageLink(p, page))}
	}))
}

// pageContent returns the text of a page, and where it is in the book.
func pageContent(page *book.Page, text book.Rendered) g.Node {
	where := g.Group{g.Text(cmp.Or(page.Part, "piyasa"))}
	if page.Above != nil {
		where = append(where, g.Text(" › "), pageLink(page.Above, nil))
	}
	return g.Group{
		h.P(h.Class("where"), where, h.A(h.Class("source"), h.Href(page.Source()), g.Text("Markdown"))),
		g.If(len(text.Headings) > 2, h.Details(h.Class("here"), h.Summary(g.Text("On this page")),
			h.Ul(g.Map(text.Headings, func(to book.Heading) g.Node {
				return g.If(to.Level <= 3, h.Li(h.Class(fmt.Sprint("level", to.Level)), h.A(h.Href("#"+to.Anchor), g.Text(to.Text))))
			})))),
		h.Article(g.Raw(text.HTML)),
		h.Nav(h.Class("turn"), h.Aria("label", "Pages"), turn("prev", "Previous", page.Previous), turn("next", "Next", page.Next)),
	}
}

func turn(rel, name string, to *book.Page) g.Node {
	return g.Iff(to != nil, func() g.Node {
		return h.A(h.Rel(rel), h.Href(to.Address()), h.Small(g.Text(name)), g.Text(" "+to.Title))
	})
}

// foundContent returns the results of a search.
func foundContent(query string, found []book.Found) g.Node {
	content := g.Group{h.H1(g.Text("Search"))}
	if query == "" {
		return append(content, h.P(g.Text("Type words; pages that have all of them are found, also by how words begin.")))
	} else if len(found) == 0 {
		return append(content, h.P(h.Role("status"), g.Textf("Nothing has all words of “%s”.", query)))
	}
	places := "places"
	if len(found) == 1 {
		places = "place"
	}
	return append(content,
		h.P(h.Role("status"), g.Textf("%d %s for “%s”", len(found), places, query)),
		h.Ol(h.Class("found"), g.Map(found, func(f book.Found) g.Node {
			return h.Li(
				h.A(h.Href(f.Address), h.Strong(g.Text(f.Heading.Text)), g.Text(" "), h.Small(g.Text(f.Page.Title))),
				h.P(g.Map(f.Excerpt, func(of book.Marked) g.Node {
					if of.Hit {
						return h.Mark(g.Text(of.Text))
					}
					return g.Text(of.Text)
				})))
		})))
}

// problemContent explains a kind of problem.
func problemContent(kind problem.Kind) g.Node {
	code := func(text string) g.Node { return h.Code(g.Text(text)) }
	return g.Group{
		h.P(h.Class("where"), h.A(h.Href("/docs/problems"), g.Text("Problems"))),
		h.Article(
			h.H1(g.Text(kind.Title())),
			h.P(g.Text("Problem type "), code(string(kind)), g.Textf(": HTTP status %d, in GraphQL ", kind.Status()),
				code("extensions.code"), g.Text(" "), code(kind.Code()), g.Text(". The member "), code("detail"),
				g.Text(" of the problem states what is wrong and what is allowed; "),
				code("request_id"), g.Text(" identifies the request.")),
			h.P(h.A(h.Href("/docs/api#problems"), g.Text("What problems have in common")))),
	}
}
