package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"piyasa/internal/problem"
	"piyasa/site/book"
)

// REST returns the pages of an OpenAPI document: one that lists the operations, and below it one
// for each. samples has requests by operation id (see Samples.Requests).
func REST(document []byte, samples map[string]string) (book.Source, error) {
	var d openAPI
	if err := json.Unmarshal(document, &d); err != nil {
		return book.Source{}, fmt.Errorf("reference: the OpenAPI document: %w", err)
	}
	base := ""
	if len(d.Servers) > 0 {
		base = d.Servers[0].URL
	}
	home := book.Source{File: "rest/README.md", Title: "REST",
		About: "each route with its parameters, cost, problems, an example, and a form to try it"}
	var text strings.Builder
	text.WriteString("# REST, route by route\n\nEvery operation of [openapi.json](/openapi.json) with its parameters, cost, problems, a " +
		"recorded answer and code. " +
		"[The API](../api.md) has what they share: [conventions](../api.md#conventions), [problems](../api.md#problems), [limits and " +
		"cost](../api.md#limits-and-cost).\n")
	tag := ""
	for _, op := range d.operations() {
		if op.tag() != tag {
			tag = op.tag()
			fmt.Fprintf(&text, "\n## %s\n\n| operation | answers |\n| --- | --- |\n", tag)
		}
		fmt.Fprintf(&text, "| [`%s`](%s.md) | %s |\n", op.name(), op.ID, cell(op.Summary))
		request := requestOf(op, samples[op.ID])
		home.Below = append(home.Below, book.Source{
			File: op.file(), Title: strings.TrimPrefix(op.name(), "GET "), About: op.Summary, Group: tag, Text: op.page(&d, base, request),
			Panel: book.Panel{HTML: try(op, request), Before: "answer"},
		})
	}
	home.Text = text.String()
	return home, nil
}

// asCSV begins the sentence of a description that lists columns.
const asCSV = "As CSV it has the columns"

// cell returns text for a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(text)
}

// page returns the page of an operation.
func (o *operation) page(d *openAPI, base string, r request) string {
	var s strings.Builder
	fmt.Fprintf(&s, "# %s\n\n%s.", o.name(), strings.TrimSuffix(o.Summary, "."))
	about, columns, csv := strings.Cut(o.Description, asCSV)
	if about = strings.TrimSpace(about); about != "" {
		s.WriteString(" " + about)
	}
	if !o.keyed() {
		s.WriteString(" It needs no key.")
	}
	if o.formerly != "" {
		fmt.Fprintf(&s, " The older path `%s` is deprecated.", o.formerly)
	}
	s.WriteString("\n")
	o.parameters(&s, d)
	if _, socket := o.Responses["101"]; socket && r.answers == "" {
		s.WriteString("\n[WebSockets](../sockets/README.md) shows its messages, and code that connects.\n")
	} else {
		s.WriteString("\n## Example\n\n" + r.snippets(base, o.keyed()))
	}
	if recorded, media, answer := o.example(); answer != nil {
		if recorded == r.String() {
			fmt.Fprintf(&s, "\nA recorded answer, `%s`:\n", media)
		} else {
			fmt.Fprintf(&s, "\nA recorded answer of `%s`, `%s`:\n", recorded, media)
		}
		fmt.Fprintf(&s, "\n```json\n%s\n```\n", indented(answer))
	}
	o.answers(&s, d)
	if csv { // a long list that repeats the members of the answer
		s.WriteString("\n" + asCSV + columns + "\n")
	}
	o.refusals(&s)
	return s.String()
}

func (o *operation) parameters(s *strings.Builder, d *openAPI) {
	if len(o.Parameters) > 0 {
		s.WriteString("\n## Parameters\n\n| name | in | value | meaning |\n| --- | --- | --- | --- |\n")
		inPath := func(p parameter) int {
			if p.In == "path" {
				return 0
			}
			return 1
		}
		slices.SortStableFunc(o.Parameters, func(a, b parameter) int { return inPath(a) - inPath(b) })
		for _, p := range o.Parameters {
			need := ""
			if p.Required && p.In != "path" {
				need = ", required"
			}
			fmt.Fprintf(s, "| `%s` | %s%s | %s | %s |\n", p.Name, p.In, need, cell(valueOf(d, p.Schema)), cell(p.Description))
		}
	}
	for _, media := range slices.Sorted(maps.Keys(o.RequestBody.Content)) {
		fmt.Fprintf(s, "\n## Body\n\n`%s`:\n\n", media)
		memberTable(s, members(d.Components.Schemas, o.RequestBody.Content[media].Schema))
	}
}

// valueOf describes the values that a parameter may have.
func valueOf(d *openAPI, p *schema) string {
	if p == nil {
		return ""
	}
	text := typeOf(d.Components.Schemas, p)
	if p.Minimum != nil && p.Maximum != nil {
		text += fmt.Sprintf(", %s to %s", p.Minimum, p.Maximum)
	}
	if p.MaxItems != nil {
		text += fmt.Sprintf(", at most %d", *p.MaxItems)
	}
	if p.Default != nil {
		text += fmt.Sprintf(", default %v", p.Default)
	}
	return text
}

// answers lists the answers of an operation that succeeds.
func (o *operation) answers(s *strings.Builder, d *openAPI) {
	s.WriteString("\n## Answer\n\n| status | media type | meaning |\n| ---: | --- | --- |\n")
	var body *schema
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		r := o.Responses[status]
		if _, refused := r.Content[problem.MediaType]; refused && len(r.Content) == 1 {
			continue
		}
		about := r.Description
		if about == "" || about == http.StatusText(http.StatusOK) {
			about = "The answer."
		}
		var media []string
		for _, m := range slices.Sorted(maps.Keys(r.Content)) {
			if m == problem.MediaType {
				continue
			}
			media = append(media, "`"+m+"`")
			if status == "200" && body == nil {
				body = r.Content[m].Schema
			}
		}
		fmt.Fprintf(s, "| %s | %s | %s |\n", status, strings.Join(media, ", "), cell(about))
	}
	if body == nil {
		return
	}
	if all := members(d.Components.Schemas, body); len(all) > 0 {
		s.WriteString("\nMembers of the JSON; `[]` is each element of a list, `*` each value of an object:\n\n")
		memberTable(s, all)
	}
}

func memberTable(s *strings.Builder, all []member) {
	s.WriteString("| member | type | meaning |\n| --- | --- | --- |\n")
	for _, m := range all {
		fmt.Fprintf(s, "| `%s` | %s | %s |\n", m.Path, cell(m.Type), cell(m.About))
	}
}

// refusals lists the problems.
func (o *operation) refusals(s *strings.Builder) {
	of := map[problem.Kind]bool{}
	for _, r := range o.Responses {
		if _, refused := r.Content[problem.MediaType]; !refused {
			continue
		}
		for word := range strings.FieldsFuncSeq(r.Description, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') }) {
			if kind := problem.Kind(word); kind.Status() != 0 {
				of[kind] = true
			}
		}
	}
	if len(of) == 0 {
		return
	}
	s.WriteString("\n## Problems\n\n| status | problem | title |\n| ---: | --- | --- |\n")
	for _, kind := range slices.SortedFunc(maps.Keys(of), byStatus) {
		fmt.Fprintf(s, "| %d | [`%s`](/problems/%s) | %s |\n", kind.Status(), kind, kind, kind.Title())
	}
}

// byStatus orders problems as pages list them.
func byStatus(a, b problem.Kind) int {
	if a.Status() != b.Status() {
		return a.Status() - b.Status()
	}
	return strings.Compare(string(a), string(b))
}

// Problems returns the page of all kinds of problem.
func Problems() book.Source {
	var s strings.Builder
	s.WriteString("# Problems\n\nAn error is an RFC 9457 document whose `type` ends with one of these kinds; " +
		"GraphQL states the code in `errors[].extensions.code`. [The API](api.md#problems) says what else they have, and in which " +
		"order checks run.\n\n" +
		"| status | problem | title | code in GraphQL |\n| ---: | --- | --- | --- |\n")
	kinds := problem.Kinds()
	slices.SortFunc(kinds, byStatus)
	for _, kind := range kinds {
		fmt.Fprintf(&s, "| %s | [`%s`](/problems/%s) | %s | `%s` |\n", strconv.Itoa(kind.Status()), kind, kind, kind.Title(), kind.Code())
	}
	return book.Source{File: "problems.md", Title: "Problems", About: "every kind of error, with its status and its code in GraphQL",
		Text: s.String()}
}
