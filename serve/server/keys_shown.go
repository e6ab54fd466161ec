package server

import (
	"maps"
	"slices"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// keysShown is what the page of keys shows.
type keysShown struct {
	Keys     []*access.Key
	Plans    access.Plans
	Form     string
	Secret   access.Secret // of the key that was created or rotated
	Done     string
	Mistake  string
	NotShown bool // the keys cannot be read
}

func (s keysShown) content() g.Node {
	list := g.If(!s.NotShown, h.P(h.Class("muted"), g.Text("There is none yet.")))
	if len(s.Keys) > 0 {
		columns := []string{"Name", "Key", "Plan", "Scopes", "Created", "State", "Change"}
		list = h.Div(h.Class("scroll"), h.TabIndex("0"), h.Role("group"), h.Aria("label", "Keys"), h.Table(h.Aria("label", "Keys"),
			h.THead(h.Tr(g.Map(columns, func(name string) g.Node { return h.Th(h.Scope("col"), g.Text(name)) }))),
			h.TBody(g.Map(s.Keys, s.row))))
	}
	return g.Group{
		h.H1(g.Text("Keys")),
		g.If(s.Done != "", h.Div(h.Class("note"), h.Role("status"), h.Strong(g.Text(s.Done)), g.If(s.Secret != "", g.Group{
			h.P(g.Text("This is the only time the key is shown.")),
			h.Div(h.Class("row"), h.Code(h.ID("secret"), g.Text(string(s.Secret))),
				h.Button(h.Type("button"), h.Data("copy-from", "secret"), g.Text("Copy key")))}))),
		g.If(s.Mistake != "", h.Div(h.Class("note bad"), h.Role("alert"), g.Text(s.Mistake))),
		g.If(s.NotShown, h.Div(h.Class("note bad"), h.Role("alert"), g.Text("The keys cannot be read now."))),
		h.Section(h.Class("card keys"), h.Aria("labelledby", "all"), h.H2(h.ID("all"), g.Text("All keys")), list),
		h.Section(h.Class("card keys"), h.Aria("labelledby", "create"), h.H2(h.ID("create"), g.Text("Create a key")),
			h.Form(h.Class("create"), s.sent(),
				h.Label(g.Text("Name"), h.Input(h.Name("name"), h.Required(), h.MaxLength("200"), h.AutoComplete("off"))),
				h.Label(g.Text("Plan"), h.Select(h.Name("plan"),
					g.Map(slices.Sorted(maps.Keys(s.Plans)), func(name string) g.Node { return h.Option(g.Text(name)) }))),
				h.FieldSet(h.Legend(g.Text("Scopes")), g.Map(access.Grantable, func(scope access.Scope) g.Node {
					return h.Label(h.Class("check"), h.Input(h.Type("checkbox"), h.Name("scope"), h.Value(string(scope)),
						g.If(scope != access.Operate, h.Checked())), h.Code(g.Text(string(scope))))
				})),
				h.Label(h.Class("check"), h.Input(h.Type("checkbox"), h.Name("test"), h.Value("yes")), g.Text("A test key")),
				h.Div(h.Button(h.Class("main"), h.Name("action"), h.Value("create"), g.Text("Create"))))),
	}
}

// row returns the row of a key in the table.
func (s keysShown) row(key *access.Key) g.Node {
	id := h.Input(h.Type("hidden"), h.Name("id"), h.Value(key.ID))
	state, change := h.Span(h.Class("tag up"), g.Text("live")), h.Details(h.Class("more"),
		h.Summary(g.Text("Change"), h.Span(h.Class("unseen"), g.Text(" "+key.Name))),
		h.Div(h.Class("row"),
			h.Form(s.sent(), id, h.Button(h.Name("action"), h.Value("rotate"), g.Text("New secret"))),
			h.Form(s.sent(), id, h.Button(h.Class("danger"), h.Name("action"), h.Value("revoke"), g.Text("Revoke")))))
	if key.RevokedAt != nil {
		state, change = h.Span(h.Class("tag down"), g.Text("revoked "+day(*key.RevokedAt))), nil
	}
	return h.Tr(h.Data("id", key.ID),
		h.Th(h.Scope("row"), g.Text(key.Name), g.If(key.Test, g.Group{g.Text(" "), h.Span(h.Class("tag"), g.Text("test"))}),
			h.Span(h.Class("id"), g.Text(key.ID))),
		h.Td(h.Code(g.Text(key.Prefix+"…"))),
		h.Td(g.Text(key.Plan)),
		h.Td(h.Class("small"), g.Text(value.ListOf(key.Scopes))),
		h.Td(h.Class("nowrap"), g.Text(day(key.CreatedAt))),
		h.Td(state), h.Td(change))
}

// sent makes a form one that the page takes once.
func (s keysShown) sent() g.Node {
	return g.Group{h.Method("post"), h.Action(keysPath), h.Input(h.Type("hidden"), h.Name("form"), h.Value(s.Form))}
}

func day(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.DateOnly) }
