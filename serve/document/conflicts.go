package document

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// conflicts rejects fields with the same response name that cannot be merged: what the
// specification calls "field selection merging". It looks at all fields of a name together,
// while the usual algorithm compares each pair, and so looks at each expanded selection only a
// few times. The document must be valid otherwise.
func conflicts(schema *ast.Schema, doc *ast.QueryDocument, work *Work) gqlerror.List {
	m := merging{schema: schema, arguments: map[*ast.Field]string{}, work: work}
	for _, o := range doc.Operations {
		fields := m.fields([]ast.SelectionSet{o.SelectionSet})
		m.shapes(fields, nil)
		m.meanings(fields, nil)
	}
	return m.errs
}

// merging finds conflicts.
type merging struct {
	schema    *ast.Schema
	arguments map[*ast.Field]string // as text, equal for equal arguments
	work      *Work
	errs      gqlerror.List
}

// sameName holds the fields with one response name at one place of the answer.
type sameName struct {
	name   string
	fields []*ast.Field
}

// fields returns the fields of selections at one place, by response name.
func (m *merging) fields(sets []ast.SelectionSet) []sameName {
	var groups []sameName
	at, seen := map[string]int{}, map[*ast.FragmentDefinition]bool{}
	var collect func(ast.SelectionSet)
	collect = func(set ast.SelectionSet) {
		for _, selection := range set {
			switch s := selection.(type) {
			case *ast.Field:
				m.work.Compared++
				i, ok := at[s.Alias]
				if !ok {
					i = len(groups)
					at[s.Alias] = i
					groups = append(groups, sameName{name: s.Alias})
				}
				groups[i].fields = append(groups[i].fields, s)
			case *ast.InlineFragment:
				collect(s.SelectionSet)
			case *ast.FragmentSpread:
				if !seen[s.Definition] {
					seen[s.Definition] = true
					collect(s.Definition.SelectionSet)
				}
			}
		}
	}
	for _, set := range sets {
		collect(set)
	}
	return groups
}

// below returns the fields that are selected within some fields.
func (m *merging) below(fields []*ast.Field) []sameName {
	var sets []ast.SelectionSet
	for _, f := range fields {
		if len(f.SelectionSet) > 0 {
			sets = append(sets, f.SelectionSet)
		}
	}
	if len(sets) == 0 {
		return nil
	}
	return m.fields(sets)
}

// shapes rejects a response name whose values would have different shapes, whatever objects they
// come from.
func (m *merging) shapes(groups []sameName, path []string) {
	for _, g := range groups {
		first := g.fields[0]
		if i := slices.IndexFunc(g.fields, func(f *ast.Field) bool {
			return m.shape(f.Definition.Type) != m.shape(first.Definition.Type)
		}); i > 0 {
			other := g.fields[i]
			m.refuse(path, g.name, other, fmt.Sprintf("they return conflicting types %q and %q",
				first.Definition.Type, other.Definition.Type))
			continue
		}
		m.shapes(m.below(g.fields), append(path, g.name))
	}
}

// shape returns the shape of a value of type t as text; all objects have the same, since their
// fields are compared separately.
func (m *merging) shape(t *ast.Type) string {
	if t.Elem == nil && !m.schema.Types[t.NamedType].IsLeafType() {
		return strings.Repeat("!", len(t.String())-len(t.NamedType)) + "{}"
	}
	if t.Elem == nil {
		return t.String()
	}
	return fmt.Sprintf("[%s]%t", m.shape(t.Elem), t.NonNull)
}

// meanings rejects a response name that would mean different fields, or fields with different
// arguments, of the same object.
func (m *merging) meanings(groups []sameName, path []string) {
	for _, g := range groups {
		for _, fields := range ofSameObject(g.fields) {
			first := fields[0]
			if i := slices.IndexFunc(fields, func(f *ast.Field) bool { return f.Name != first.Name }); i > 0 {
				m.refuse(path, g.name, fields[i], fmt.Sprintf("%q and %q are different fields", first.Name, fields[i].Name))
				continue
			}
			if i := slices.IndexFunc(fields, func(f *ast.Field) bool { return m.argumentsOf(f) != m.argumentsOf(first) }); i > 0 {
				m.refuse(path, g.name, fields[i], "they have differing arguments")
				continue
			}
			m.meanings(m.below(fields), append(path, g.name))
		}
	}
}

// ofSameObject returns groups of fields that can be of one object: those of each object type
// together with those of abstract types.
func ofSameObject(fields []*ast.Field) [][]*ast.Field {
	var abstract []*ast.Field
	var objects []string
	of := map[string][]*ast.Field{}
	for _, f := range fields {
		name := f.ObjectDefinition.Name
		switch {
		case f.ObjectDefinition.Kind != ast.Object:
			abstract = append(abstract, f)
		case of[name] == nil:
			objects = append(objects, name)
			fallthrough
		default:
			of[name] = append(of[name], f)
		}
	}
	if len(objects) == 0 {
		return [][]*ast.Field{abstract}
	}
	var all [][]*ast.Field
	for _, name := range objects {
		all = append(all, slices.Concat(of[name], abstract))
	}
	return all
}

func (m *merging) argumentsOf(f *ast.Field) string {
	if len(f.Arguments) == 0 {
		return ""
	}
	text, ok := m.arguments[f]
	if !ok {
		var b strings.Builder
		for _, a := range slices.SortedFunc(slices.Values(f.Arguments), func(a, b *ast.Argument) int {
			return cmp.Compare(a.Name, b.Name)
		}) {
			b.WriteString(a.Name)
			spell(&b, a.Value)
		}
		text = b.String()
		m.arguments[f] = text
	}
	return text
}

// spell writes a value, with the fields of an object sorted by name.
func spell(b *strings.Builder, v *ast.Value) {
	fmt.Fprintf(b, ":%d", v.Kind)
	b.WriteString(strconv.Quote(v.Raw))
	children := v.Children
	if v.Kind == ast.ObjectValue {
		children = slices.SortedStableFunc(slices.Values(children), func(a, b *ast.ChildValue) int { return cmp.Compare(a.Name, b.Name) })
	}
	b.WriteByte('(')
	for _, child := range children {
		b.WriteString(child.Name)
		spell(b, child.Value)
	}
	b.WriteByte(')')
}

// refuse reports a conflict, unless enough have been reported.
func (m *merging) refuse(path []string, name string, at *ast.Field, why string) {
	if len(m.errs) == maxErrors {
		return
	}
	m.errs = append(m.errs, &gqlerror.Error{
		Message: fmt.Sprintf("Fields %q conflict because %s. Use different aliases on the fields to fetch both if this was intentional.",
			strings.Join(append(path, name), "."), why),
		Locations: []gqlerror.Location{{Line: at.Position.Line, Column: at.Position.Column}},
		Rule:      "OverlappingFieldsCanBeMerged",
	})
}
