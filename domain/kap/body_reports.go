package kap

import (
	"slices"
	"strings"
)

// openReports opens what the platform's own service sends, in either
// container: reports {id, content}, whose content is a tree of report items.
//
// Every item is at least one field, a heading or a statement left open one
// without a value. A text in two languages is two values that differ in the
// measure LanguageOptionAxis: they are one field. A value that does not say
// that it is English stands under tr, as it was given.
//
// Values are of a context (a day or a period) and of measures (the members of
// a table's dimensions, in any order). Where these are needed to tell
// values apart, the values stand in rows: a row is one context, one set of
// measures and one position, and its first cells say which.
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

// reports holds the state while the reports of a body are opened.
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

// items opens the items that stand together under a holder. A hypercube and the
// siblings after it form one table.
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

// item opens an item without the items below it.
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
	statements, ok := r.statements(values, name)
	if !ok {
		return false
	}
	for _, st := range statements {
		r.state(st, Field{Key: name, Label: label, Value: st.text}, table, len(statements) > 1)
	}
	more, ok := attributes(item, name, "name", "abstract", "preferredLabel", "isHypercubeItem", "isDimensionItem", "isTypedDomain", "langs",
		"Values", "ReportItem")
	r.add(more...)
	return ok
}

// statement is the text of an item in one row, in one or both languages.
type statement struct {
	text     Localized
	measures []Field // what it describes
	measured string  // the same for equal measures
	position int     // among the statements of the item that are measured alike
	more     []Field // qualify it
}

// statements combines the values of an item: values with equal measures in
// different languages are one statement.
func (r *reports) statements(values []node, name string) ([]*statement, bool) {
	type place struct {
		measured string
		position int
	}
	type spoken struct{ measured, language string }
	var all []*statement
	at, count := map[place]*statement{}, map[spoken]int{}
	for i := range values {
		v := &values[i]
		text, ok := v.member("value").scalar()
		if !ok {
			return nil, false
		}
		measures, ok := r.measures(v, name)
		if !ok {
			return nil, false
		}
		more, ok := attributes(v, name, "value", "contextId", "Measures")
		if !ok {
			return nil, false
		}
		in := spoken{measures.text, measures.language}
		of := place{measures.text, count[in]}
		count[in]++
		st := at[of]
		if st == nil {
			st = &statement{measures: measures.cells, measured: of.measured, position: of.position}
			at[of] = st
			all = append(all, st)
		}
		*st.text.in(measures.language) = text
		st.qualify(slices.Concat(more, measures.more), measures.language)
	}
	return all, true
}

// qualify adds attributes of the text in a language; what both languages have
// in common is added once.
func (s *statement) qualify(more []Field, language string) {
	for _, f := range more {
		i := slices.IndexFunc(s.more, func(known Field) bool { return known.Key == f.Key })
		if i < 0 {
			s.more = append(s.more, f)
			continue
		}
		switch known, text := &s.more[i].Value, f.Value.TR; {
		case *known.TR == *text:
		case language == english:
			known.EN = text
		default:
			known.TR, known.EN = text, known.TR
		}
	}
}

// state adds a statement as f, with the cells that explain it.
func (r *reports) state(s *statement, f Field, table string, several bool) {
	if several || len(s.measures) > 0 {
		row := tableRow{r.number, table, s.measured, s.position}
		number, known := r.rows[row]
		if !known {
			number = r.rowsOf[table]
			r.rowsOf[table]++
			r.rows[row] = number
		}
		f.Group, f.Row = &table, &number
		if !known {
			r.addBeside(f, s.measures)
		}
	}
	r.add(f)
	r.addBeside(f, s.more)
}

func (r *reports) add(fields ...Field) {
	for _, f := range fields {
		r.fields = append(r.fields, &f)
	}
}

// addBeside adds cells at the position of f.
func (r *reports) addBeside(f Field, cells []Field) {
	for _, c := range cells {
		c.Group, c.Row = f.Group, f.Row
		r.add(c)
	}
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

// isYes reads the platform's encodings of a flag.
func isYes(flag *node) bool {
	text, _ := flag.scalar()
	return text != nil && (*text == "yes" || *text == "true")
}
