package web

import (
	"encoding/json"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// t is a text that the pages' script translates: all text of its element, or the named attributes of it.
func t(text string, attributes ...string) g.Node {
	if len(attributes) == 0 {
		return g.Group{g.Attr("data-t"), g.Text(text)}
	}
	all := g.Group{h.Data("t", strings.Join(attributes, " "))}
	for _, name := range attributes {
		all = append(all, g.Attr(name, text))
	}
	return all
}

// framed returns a page as a document. The files are those that it loads.
func framed(page Page, settings Settings, scripts, styles, preload []string) g.Node {
	data, err := json.Marshal(settings) // escapes <, > and &
	if err != nil {
		panic(err) // the settings are ours
	}
	return h.Doctype(h.HTML(h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			g.If(page.Description != "", h.Meta(h.Name("description"), h.Content(page.Description))),
			h.TitleEl(g.If(page.Title != "", g.Text(page.Title+" · ")), g.Text("piyasa")),
			h.Link(h.Rel("icon"), h.Type("image/svg+xml"), h.Href("/favicon.svg")),
			g.Map(styles, func(file string) g.Node { return h.Link(h.Rel("stylesheet"), h.Href("/"+file)) }),
			h.Script(h.Type("application/json"), h.ID("settings"), g.Raw(string(data))),
			g.Map(scripts, func(file string) g.Node { return h.Script(h.Type("module"), h.Src("/"+file)) }),
			g.Map(preload, func(file string) g.Node { return h.Link(h.Rel("modulepreload"), h.Href("/"+file)) }),
		),
		h.Body(
			h.A(h.Class("skip"), h.Href("#main"), t("Skip to the content")),
			h.Header(h.Class("site-header"), header(page, settings.Key)),
			h.Aside(h.Class("gone"), h.ID("gone"), t("Connection", "aria-label"), g.Attr("hidden"),
				h.Span(h.Role("alert")), g.Text(" "), h.Span(h.Class("age"))),
			h.Main(h.ID("main"), h.TabIndex("-1"), g.If(page.Class != "", h.Class(page.Class)),
				g.If(page.Full, h.H1(h.Class("unseen"), g.Text(page.Title))), page.Body),
			g.If(!page.Full, h.Footer(h.Class("site-footer"),
				h.P(g.Text("piyasa "+settings.Version)),
				h.P(h.A(h.Href("/licenses.md"), t("licences of these pages"))),
				h.P(h.Class("row end"),
					button(g.Attr("data-exact"), g.Attr("hidden"), t("Figures as the API writes them")),
					button(h.Data("language", "en"), h.Lang("en"), g.Text("English")),
					button(h.Data("language", "tr"), h.Lang("tr"), g.Text("Türkçe"))))),
			h.Div(h.Class("unseen"), h.ID("said"), h.Role("status")),
			h.NoScript(h.P(h.Class("note warn"), g.Text("What moves on this page needs JavaScript."))),
		),
	))
}

// header returns the links to other pages, the search and the key; for operators only the name.
func header(page Page, key string) g.Node {
	brand := g.Group{h.Class("brand"), h.Img(h.Src("/favicon.svg"), h.Alt(""), h.Width("24"), h.Height("24")), g.Text("piyasa")}
	if page.Private {
		return h.Span(brand)
	}
	current := func(path string) g.Node { return g.If(path == page.Current, h.Aria("current", "page")) }
	return g.Group{
		h.A(brand, h.Href("/"), current("/")),
		h.Nav(h.Class("doors"), t("Site", "aria-label"),
			g.Map(doors, func(d door) g.Node { return h.A(h.Href(d.Path), current(d.Path), t(d.Name)) })),
		h.Div(h.Class("finder"), h.Input(t("Find an instrument", "placeholder", "aria-label"), h.Type("search"),
			h.Aria("keyshortcuts", "/"), h.AutoComplete("off"), h.MaxLength("100"))),
		h.Details(h.Class("key-panel"),
			h.Summary(h.Span(t("API key")), g.Text(" "), h.Span(h.Class("key-state"))),
			h.Form(
				g.If(key != "", h.P(t("This demo has a key, which everyone may use. A new demo has a new one."))),
				h.Label(h.Span(t("API key")), h.Input(h.Class("code"), h.ID("api-key"), h.Type("text"), h.Value(key),
					h.Aria("describedby", "key-hint"), h.AutoComplete("off"),
					g.Attr("autocapitalize", "off"), g.Attr("spellcheck", "false"))),
				h.P(h.Class("key-hint"), h.ID("key-hint"), h.Aria("live", "polite"),
					hint(t("Enter an API key. To make one:")), hint(t("The server refused this key. To make a new one:"))),
				h.Div(h.Class("row"),
					button(h.Data("copy", "{KEY}"), t("Copy key")),
					button(h.Data("copy", "curl -H 'X-API-Key: {KEY}' {ORIGIN}/v1/markets/bist/status"), t("Copy curl"))),
				h.P(t("The key stays in this tab of the browser.")),
			)),
	}
}

func hint(text g.Node) g.Node {
	return h.Span(g.Attr("hidden"), h.Span(text), g.Text(" "), h.Code(g.Text("piyasa keys create")))
}

func button(of ...g.Node) g.Node { return h.Button(h.Type("button"), g.Group(of)) }

// app is where the script of a page draws.
var app = h.Div(h.ID("app"))

// notFound returns the content of the page for a path that does not exist.
func notFound(path string) g.Node {
	return g.Group{
		h.H1(t("Not found")),
		h.P(h.Span(t("There is no page:")), g.Text(" "), h.Code(g.Text(path)), g.Text(".")),
		h.P(h.Span(t("Go on from here:")), g.Text(" "), h.A(h.Href("/"), t("Home")), g.Text(", "), h.A(h.Href("/docs"), t("Docs")),
			g.Text(", "), h.A(h.Href("/docs/rest"), t("the list of routes")), g.Text(".")),
	}
}
