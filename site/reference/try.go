package reference

import (
	"slices"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// trial is a form with which a reader tries an operation or a socket.
type trial struct {
	Method, Path string
	Keyed        bool
	Fields       []field
	Body         string
	Socket       bool
	CSV          bool // whether the answer is also available as CSV
}

type field struct {
	Name, In, Value, About string
	Required               bool
	Values                 []string
}

func (t trial) html() string {
	body, send := "Body", "Send"
	second := h.Button(h.Type("button"), g.Attr("data-curl"), g.Text("Copy as curl"))
	if t.Socket {
		body, send = "Message", "Connect and send"
		second = h.Button(h.Type("button"), g.Attr("data-close"), h.Disabled(), g.Text("Close"))
	}
	return g.Group{h.Section(h.Class("try"), h.Aria("labelledby", "try-it"),
		h.H2(h.ID("try-it"), g.Text("Try it "), h.A(h.Class("anchor"), h.Href("#try-it"), h.Aria("label", "Link to Try it"), g.Text("#"))),
		h.Form(h.Data("method", t.Method), h.Data("path", t.Path),
			g.If(t.Keyed, g.Attr("data-keyed")), g.If(t.Socket, g.Attr("data-socket")),
			h.AutoComplete("off"), g.Map(t.Fields, field.label),
			g.If(t.Body != "", h.Label(h.Class("wide"), h.Span(g.Text(body)),
				h.Textarea(g.Attr("data-body"), h.Rows("3"), g.Attr("spellcheck", "false"), g.Text(t.Body)))),
			h.P(h.Class("buttons"), h.Button(g.Text(send)), second,
				g.If(t.CSV, h.Button(h.Type("button"), g.Attr("data-csv"), g.Text("Save as CSV"))), h.Code(g.Attr("data-line")))),
		h.NoScript(h.P(g.Text("The form needs JavaScript; the code above does not."))),
		h.Div(g.Attr("data-answer"), g.Attr("hidden"), h.P(h.Role("status")), h.Pre(h.TabIndex("0"), h.Aria("label", "Answer"))))}.String()
}

// label returns the part of the form that asks for a field.
func (f field) label() g.Node {
	named := g.Group{h.Name(f.Name), h.Data("in", f.In)}
	input := h.Input(named, h.Value(f.Value), g.Attr("spellcheck", "false"), g.If(f.Required, h.Required()))
	if len(f.Values) > 0 {
		input = h.Select(named, h.Option(h.Value(""), g.Text("–")), g.Map(f.Values, func(v string) g.Node {
			return h.Option(g.If(v == f.Value, h.Selected()), g.Text(v))
		}))
	}
	return h.Label(h.Title(f.About), h.Span(g.Text(f.Name), g.If(f.Required, g.Group{g.Text(" "), h.Small(g.Text("required"))})), input)
}

// try returns the form of an operation; empty where a form could show nothing: for pages, streams
// and operations that need a signed link.
func try(o *operation, r request) string {
	_, page := o.Responses["200"].Content["text/html"]
	signed := slices.ContainsFunc(o.Parameters, func(p parameter) bool { return p.Name == "signature" })
	if r.streams || page || signed || r.answers == "" || o.method != "GET" && r.body == "" {
		return ""
	}
	_, csv := o.Responses["200"].Content["text/csv"]
	t := trial{Method: o.method, Path: o.path, Keyed: o.keyed(), Body: r.body, CSV: csv && o.method == "GET"}
	for _, p := range o.Parameters {
		f := field{Name: p.Name, In: p.In, Value: r.value(o, p), About: p.Description, Required: p.Required}
		if p.Schema != nil && p.Schema.Items == nil {
			for _, v := range p.Schema.Enum {
				if text, ok := v.(string); ok {
					f.Values = append(f.Values, text)
				}
			}
		}
		t.Fields = append(t.Fields, f)
	}
	return t.html()
}
