package kap

import (
	"slices"
	"strconv"
	"strings"
)

// openReports opens what the platform's own service sends, in either
// container: reports {id, content}, whose content is a tree of report items.
//
// Every item is at least one field, a heading or a statement left open one
// without a value. The platform does not say which language a value is in: it
// stands under tr, as it was given.
//
// Values are of a context (a day or a period) and of measures (the members of
// a table's dimensions). Where these are needed to tell values apart, the
// values stand in rows: a row is one context, one set of measures and one
// position, and its first cells say which.
func openReports(doc *node, _ string) ([]*Field, bool) {
	r := &reports{fields: []*Field{}, rows: map[tableRow]int{}, rowsOf: map[string]int{}}
	list := doc.some()
	for i := range list {
		if r.number = i; !r.open(&list[i]) {
			return nil, false
		}
	}
	return r.fields, true
}

// reports are the reports of a body while they are opened.
type reports struct {
	fields   []*Field
	rows     map[tableRow]int // their numbers
	rowsOf   map[string]int   // how many each table has
	number   int              // of the report
	contexts map[string]*node // of the report, by id
	usual    string           // id of the only context of the report, which values need not repeat
	labels   map[string]Localized
}

// tableRow identifies a row.
type tableRow struct {
	report          int
	table, measured string
	position        int // among the values of one item that are measured alike
}

// open opens a report.
func (r *reports) open(report *node) bool {
	id, ok := report.member("id").name()
	if !ok || !report.only("id", "content") {
		return false
	}
	content := report.member("content")
	if content == nil {
		return true
	}
	if !content.only("id", "isMultiDimensional", "ContextList", "ReportItem") || !r.readContexts(content.member("ContextList")) {
		return false
	}
	r.labels = map[string]Localized{}
	return r.items(content.member("ReportItem"), id, "")
}

// readContexts reads {Context: [{id, key, Period}, …]}.
func (r *reports) readContexts(lists *node) bool {
	r.contexts, r.usual = map[string]*node{}, ""
	of := lists.some()
	for i := range of {
		contexts := of[i].member("Context").some()
		if of[i].kind != '{' {
			return false
		}
		for j := range contexts {
			id, ok := contexts[j].member("id").name()
			if !ok || r.contexts[id] != nil {
				return false
			}
			r.contexts[id], r.usual = &contexts[j], id
		}
	}
	if len(r.contexts) != 1 {
		r.usual = ""
	}
	return true
}

// items opens items that stand together under a holder. A hypercube is the
// table of what is below it and of what follows it there: its lines are
// siblings of it.
func (r *reports) items(list *node, holder, hypercube string) bool {
	some := list.some()
	for i := range some {
		item := &some[i]
		name, ok := item.member("name").name()
		if !ok {
			return false
		}
		if isYes(item.member("isHypercubeItem")) {
			hypercube = name
		}
		table := hypercube
		if table == "" {
			table = holder
		}
		if !r.item(item, name, table) || !r.items(item.member("ReportItem"), name, hypercube) {
			return false
		}
	}
	return true
}

// item opens what an item says itself.
func (r *reports) item(item *node, name, table string) bool {
	label, ok := labelOf(item.member("langs"))
	if !ok {
		return false
	}
	values, ok := valuesOf(item.member("Values"))
	if !ok {
		return false
	}
	r.labels[name] = label
	if len(values) == 0 {
		r.add(Field{Key: name, Label: label})
	}
	positions := map[string]int{}
	for i := range values {
		if !r.value(&values[i], Field{Key: name, Label: label}, table, positions, len(values) > 1) {
			return false
		}
	}
	more, ok := attributes(item, name, "name", "abstract", "preferredLabel", "isHypercubeItem", "isDimensionItem", "isTypedDomain", "langs", "Values", "ReportItem")
	r.add(more...)
	return ok
}

// value opens one value of an item into f and what qualifies it.
func (r *reports) value(v *node, f Field, table string, positions map[string]int, several bool) bool {
	text, ok := v.member("value").scalar()
	if !ok {
		return false
	}
	measures, ok := r.measures(v)
	if !ok {
		return false
	}
	more, ok := attributes(v, f.Key, "value", "contextId", "Measures")
	if !ok {
		return false
	}
	if several || len(measures) > 0 {
		var measured []byte
		for _, m := range measures {
			measured = strconv.AppendQuote(strconv.AppendQuote(measured, m.Key), *m.Value.TR)
		}
		row := tableRow{r.number, table, string(measured), positions[string(measured)]}
		positions[row.measured]++
		number, known := r.rows[row]
		if !known {
			number = r.rowsOf[table]
			r.rowsOf[table]++
			r.rows[row] = number
		}
		f.Group, f.Row = &table, &number
		if !known {
			r.addBeside(f, measures)
		}
	}
	f.Value.TR = text
	r.add(f)
	r.addBeside(f, more)
	return true
}

// measures are the cells that tell what v is of: its context unless it is the
// usual one, and its members of dimensions.
func (r *reports) measures(v *node) (cells []Field, ok bool) {
	id, ok := v.member("contextId").scalar()
	if !ok {
		return nil, false
	}
	if id != nil && *id != "" && *id != r.usual {
		context := r.contexts[*id]
		about, aboutOK := attributes(context, "", "id", "Period")
		period, periodOK := attributes(context.member("Period"), "")
		if !aboutOK || !periodOK {
			return nil, false
		}
		cells = slices.Concat([]Field{{Key: "contextId", Value: Localized{TR: id}}}, about, period)
	}
	lists := v.member("Measures").some()
	for i := range lists {
		if !lists[i].only("Measure") {
			return nil, false
		}
		list := lists[i].member("Measure").some()
		for j := range list {
			name, ok := list[j].member("measureName").name()
			member, memberOK := list[j].member("measureValueName").name()
			more, moreOK := attributes(&list[j], name, "measureName", "measureValueName")
			if !ok || !memberOK || !moreOK {
				return nil, false
			}
			cells = append(cells, Field{Key: name, Label: r.labels[name], Value: Localized{TR: &member}})
			cells = append(cells, more...)
		}
	}
	return cells, true
}

func (r *reports) add(fields ...Field) {
	for _, f := range fields {
		r.fields = append(r.fields, &f)
	}
}

// addBeside adds cells where f stands.
func (r *reports) addBeside(f Field, cells []Field) {
	for _, c := range cells {
		c.Group, c.Row = f.Group, f.Row
		r.add(c)
	}
}

// attributes are the members of n besides the known ones, such as the currency
// of a value, under the path of their names. What is empty says nothing.
func attributes(n *node, path string, known ...string) ([]Field, bool) {
	if n == nil {
		return nil, true
	}
	var fields []Field
	for i, name := range n.names {
		if n.values[i].kind == 'n' || slices.Contains(known, name) {
			continue
		}
		text, ok := n.values[i].scalar()
		if !ok || name == "" {
			return nil, false
		}
		if *text != "" {
			fields = append(fields, Field{Key: strings.TrimPrefix(path+"."+name, "."), Value: Localized{TR: text}})
		}
	}
	return fields, n.kind == '{'
}

// labelOf reads {lang: [{code, value}, …]}.
func labelOf(langs *node) (label Localized, ok bool) {
	lists := langs.some()
	for i := range lists {
		if !lists[i].only("lang") {
			return label, false
		}
		list := lists[i].member("lang").some()
		for j := range list {
			code, _ := list[j].member("code").name()
			text, ok := list[j].member("value").scalar()
			to := map[string]**string{"tr": &label.TR, "en": &label.EN}[strings.ToLower(code)]
			if !ok || to == nil || *to != nil || !list[j].only("code", "value") {
				return label, false
			}
			*to = text
		}
	}
	return label, true
}

// valuesOf reads {Value: [value, …]}.
func valuesOf(lists *node) (values []node, ok bool) {
	of := lists.some()
	for i := range of {
		if !of[i].only("Value") {
			return nil, false
		}
		values = append(values, of[i].member("Value").some()...)
	}
	return values, true
}

// isYes reads the platform's spelling of a flag.
func isYes(flag *node) bool {
	text, _ := flag.scalar()
	return text != nil && (*text == "yes" || *text == "true")
}
