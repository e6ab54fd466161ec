package kap

import (
	"slices"
	"strconv"
	"strings"
)

// The languages of values.
const (
	turkish = "tr"
	english = "en"
)

// in returns the place of the text in a language.
func (l *Localized) in(language string) **string {
	if language == english {
		return &l.EN
	}
	return &l.TR
}

// languageOf reads a measure that says which language a value is in; ok is false for other
// measures. A language other than Turkish and English counts as tr.
func languageOf(measure, member string) (language string, named, ok bool) {
	if localName(measure) != "LanguageOptionAxis" {
		return "", false, false
	}
	switch localName(member) {
	case "EnglishMember":
		return english, true, true
	case "TurkishMember":
		return turkish, true, true
	}
	return turkish, false, true
}

// localName returns the name of a taxonomy's element without its prefix, such
// as oda_ or kap-fr:.
func localName(name string) string { return name[strings.LastIndexAny(name, "_:")+1:] }

// measures identify what a value describes.
type measures struct {
	cells    []Field
	text     string // the same for any order of the measures
	language string
	more     []Field // names a language that cells have no place for
}

// measures returns the cells that describe v, a value of the item name: its
// context unless it is the usual one, and its members of dimensions.
func (r *reports) measures(v *node, name string) (m measures, ok bool) {
	m.language = turkish
	var keys []string
	id, ok := v.member("contextId").scalar()
	if !ok {
		return m, false
	}
	if id != nil && *id != "" && *id != r.usual {
		context := r.contexts[*id]
		about, aboutOK := attributes(context, "", "id", "Period")
		period, periodOK := attributes(context.member("Period"), "")
		if !aboutOK || !periodOK {
			return m, false
		}
		m.cells = slices.Concat([]Field{{Key: "contextId", Value: Localized{TR: id}}}, about, period)
		keys = append(keys, measureKey(m.cells[:1]))
	}
	lists := v.member("Measures").some()
	for i := range lists {
		if !lists[i].only("Measure") {
			return m, false
		}
		list := lists[i].member("Measure").some()
		for j := range list {
			axis, ok := list[j].member("measureName").name()
			member, memberOK := list[j].member("measureValueName").name()
			more, moreOK := attributes(&list[j], axis, "measureName", "measureValueName")
			if !ok || !memberOK || !moreOK {
				return m, false
			}
			if language, named, ok := languageOf(axis, member); ok {
				m.language = language
				if !named {
					m.more = append(m.more, Field{Key: name + "." + axis, Value: Localized{TR: &member}})
				}
				m.more = append(m.more, more...)
				continue
			}
			cells := append([]Field{{Key: axis, Label: r.labels[axis], Value: Localized{TR: &member}}}, more...)
			m.cells = append(m.cells, cells...)
			keys = append(keys, measureKey(cells))
		}
	}
	slices.Sort(keys)
	m.text = strings.Join(keys, " ")
	return m, true
}

// measureKey encodes a measure and its attributes, independent of their order.
func measureKey(cells []Field) string {
	parts := make([]string, len(cells))
	for i, c := range cells {
		parts[i] = strconv.Quote(c.Key) + strconv.Quote(*c.Value.TR)
	}
	slices.Sort(parts[1:])
	return strconv.Quote(strings.Join(parts, ""))
}

// attributes returns the members of n other than the known ones, such as the
// currency of a value, under the path of their names. Empty members are left
// out.
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
