// Package plantest compares executors: it makes documents from a schema's
// grammar and runs them through both.
package plantest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// Document is an operation and the values of its variables.
type Document struct {
	Text      string
	Variables map[string]any
}

// Grammar makes documents of a schema.
type Grammar struct {
	Schema *ast.Schema
	Depth  int // most nested fields
	Width  int // about how many fields a selection has
	// Values returns a literal for an argument; if it returns none, one is made from the type.
	Values func(r *rand.Rand, of *ast.FieldDefinition, arg *ast.ArgumentDefinition) (string, bool)
}

// Random returns a random valid document, with random names, directives and fragments.
func (g *Grammar) Random(r *rand.Rand) Document {
	for {
		d := &drawing{Grammar: g, r: r, left: maxFields, declared: map[string]string{}, values: map[string]any{}}
		body := d.selection(g.Schema.Query, g.Depth)
		var text strings.Builder
		text.WriteString("query")
		if len(d.variables) > 0 {
			fmt.Fprintf(&text, "(%s)", strings.Join(d.variables, ", "))
		}
		text.WriteString(" " + body)
		for _, f := range d.fragments {
			text.WriteString("\n" + f)
		}
		doc, err := parser.ParseQuery(&ast.Source{Input: text.String()})
		if err != nil {
			panic(fmt.Sprint(err, "\n", text.String()))
		}
		if len(validator.ValidateWithRules(g.Schema, doc, nil)) == 0 {
			return Document{text.String(), d.values}
		}
	}
}

// maxFields is about how many fields a document has at most: validation is quadratic.
const maxFields = 60

// drawing is a document being made.
type drawing struct {
	*Grammar
	r         *rand.Rand
	left      int               // fields that may still be drawn
	variables []string          // declarations
	declared  map[string]string // by type and value, so that fields can be repeated
	values    map[string]any
	fragments []string
	names     []string // of fragments, and their types
}

func (d *drawing) once(in int) bool { return d.r.IntN(in) == 0 }

// selection returns a selection set in braces, with at least one field.
func (d *drawing) selection(of *ast.Definition, depth int) string {
	var all []string
	for i := range 1 + d.r.IntN(2*d.Width) {
		if i > 0 && d.left <= 0 {
			break
		}
		all = append(all, d.selected(of, depth))
		if d.once(6) { // a field that merges with this one
			all = append(all, d.selected(of, depth))
		}
	}
	if d.once(2) {
		d.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return "{ " + strings.Join(all, " ") + " }"
}

func (d *drawing) selected(of *ast.Definition, depth int) string {
	if d.left <= 0 {
		return d.field(of, 1)
	}
	draw := d.r.IntN(12)
	if of.Kind == ast.Union && !d.once(4) {
		draw = d.r.IntN(2)
	}
	switch draw {
	case 0:
		if on := d.typeWithin(of); on != nil {
			return "... on " + on.Name + d.directive() + " " + d.selection(on, depth)
		}
	case 1:
		if on := d.typeWithin(of); on != nil {
			return "..." + d.fragment(on, depth) + d.directive()
		}
	case 2:
		return "..." + d.directive() + " " + d.selection(of, depth)
	}
	return d.field(of, depth)
}

// typeWithin returns a type that a fragment within of may be on.
func (d *drawing) typeWithin(of *ast.Definition) *ast.Definition {
	var possible []*ast.Definition
	if of.Kind != ast.Union || d.once(5) {
		possible = append(possible, of)
	}
	for _, p := range d.Schema.GetPossibleTypes(of) {
		possible = append(possible, p)
		possible = append(possible, d.Schema.GetImplements(p)...)
	}
	return possible[d.r.IntN(len(possible))]
}

// fragment returns the name of an existing or a new fragment.
func (d *drawing) fragment(on *ast.Definition, depth int) string {
	for _, name := range d.names {
		if strings.HasSuffix(name, fmt.Sprintf("_%s_%d", on.Name, depth)) && d.once(2) {
			return name
		}
	}
	name := fmt.Sprintf("F%d_%s_%d", len(d.fragments), on.Name, depth)
	d.fragments = append(d.fragments, "")
	at := len(d.fragments) - 1
	d.fragments[at] = "fragment " + name + " on " + on.Name + " " + d.selection(on, depth)
	d.names = append(d.names, name)
	return name
}

func (d *drawing) field(of *ast.Definition, depth int) string {
	d.left--
	var fields []*ast.FieldDefinition
	for _, f := range of.Fields {
		if !strings.HasPrefix(f.Name, "__") && (depth > 1 || d.Schema.Types[f.Type.Name()].IsLeafType()) {
			fields = append(fields, f)
		}
	}
	if len(fields) == 0 || d.once(12) {
		return d.alias("__typename", "") + "__typename" + d.directive()
	}
	f := fields[d.r.IntN(len(fields))]
	if named := d.Schema.Types[f.Type.Name()]; named.IsLeafType() && depth > 2 && d.once(2) {
		f = fields[d.r.IntN(len(fields))] // prefer fields that nest
	}
	args := d.arguments(f)
	text := d.alias(f.Name, args) + f.Name + args + d.directive()
	if named := d.Schema.Types[f.Type.Name()]; !named.IsLeafType() {
		text += " " + d.selection(named, depth-1)
	}
	return text
}

// alias returns an alias for a field and its arguments, such that fields of one response name
// can usually be merged.
func (d *drawing) alias(field, args string) string {
	switch {
	case args != "":
		sum := 0
		for _, c := range args {
			sum = (sum*31 + int(c)) % 997
		}
		return fmt.Sprintf("%s%d: ", field, sum)
	case d.once(8):
		return string(rune('a'+d.r.IntN(3))) + field + ": "
	case d.once(60):
		return "x: "
	}
	return ""
}

func (d *drawing) directive() string {
	if !d.once(9) {
		return ""
	}
	name := []string{"skip", "include"}[d.r.IntN(2)]
	text := fmt.Sprintf(" @%s(if: %s)", name, d.boolean(name == "include"))
	if d.once(5) {
		text += fmt.Sprintf(" @%s(if: %s)", map[string]string{"skip": "include", "include": "skip"}[name], d.boolean(name == "skip"))
	}
	return text
}

// boolean returns a literal or variable that usually lets a field in.
func (d *drawing) boolean(usual bool) string {
	value := usual
	if d.once(3) {
		value = !usual
	}
	if d.once(2) {
		return fmt.Sprint(value)
	}
	name := fmt.Sprintf("if%t%d", value, d.r.IntN(2))
	declaration := "$" + name + ": Boolean!"
	if name[len(name)-1] == '0' {
		declaration = fmt.Sprintf("$%s: Boolean = %t", name, value)
	} else {
		d.values[name] = value
	}
	if d.declared[name] == "" {
		d.declared[name] = declaration
		d.variables = append(d.variables, declaration)
	}
	return "$" + name
}

func (d *drawing) arguments(f *ast.FieldDefinition) string {
	var all []string
	for _, arg := range f.Arguments {
		if !arg.Type.NonNull && d.once(2) {
			continue
		}
		value, ok := "", false
		if d.Values != nil {
			value, ok = d.Values(d.r, f, arg)
		}
		if !ok {
			value = d.literal(arg.Type)
		}
		if d.once(4) {
			value = d.variable(arg.Type, value)
		}
		all = append(all, arg.Name+": "+value)
	}
	if len(all) == 0 {
		return ""
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// literal returns a random literal of a type.
func (d *drawing) literal(t *ast.Type) string {
	if !t.NonNull && d.once(8) {
		return "null"
	}
	if t.Elem != nil {
		if d.once(8) && !strings.HasPrefix(t.Elem.Name(), "[") {
			return d.literal(&ast.Type{NamedType: t.Elem.NamedType, Elem: t.Elem.Elem, NonNull: true}) // a single value as a list of one
		}
		all := make([]string, d.r.IntN(4))
		for i := range all {
			all[i] = d.literal(t.Elem)
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	def := d.Schema.Types[t.NamedType]
	if def.Kind == ast.Enum {
		return def.EnumValues[d.r.IntN(len(def.EnumValues))].Name
	}
	switch t.NamedType {
	case "Int", "Long":
		return fmt.Sprint(d.r.IntN(8))
	case "Boolean":
		return fmt.Sprint(d.once(2))
	case "ID":
		return fmt.Sprintf("%q", fmt.Sprintf("n%d", d.r.IntN(14)))
	}
	return []string{`"1.5"`, `"bad"`, `"worse"`, `"x"`}[d.r.IntN(4)]
}

// variable replaces a literal by a variable, with a value or only a default.
func (d *drawing) variable(t *ast.Type, literal string) string {
	key := t.String() + literal
	if name := d.declared[key]; name != "" {
		return name
	}
	name := fmt.Sprintf("v%d", len(d.variables))
	declaration := "$" + name + ": " + t.String()
	switch d.r.IntN(3) {
	case 0:
		if literal == "null" || t.NonNull {
			d.values[name] = plain(literal)
			break
		}
		declaration += " = " + literal
	case 1:
		d.values[name] = plain(literal)
	default:
		if t.NonNull {
			d.values[name] = plain(literal)
		} // otherwise the variable has no value
	}
	d.variables = append(d.variables, declaration)
	d.declared[key] = "$" + name
	return "$" + name
}

// plain returns a literal as the JSON of a request has it.
func plain(literal string) any {
	doc, err := parser.ParseQuery(&ast.Source{Input: "{ f(a: " + literal + ") }"})
	if err != nil {
		panic(err)
	}
	value, err := doc.Operations[0].SelectionSet[0].(*ast.Field).Arguments[0].Value.Value(nil)
	if err != nil {
		panic(err)
	}
	if list, ok := value.([]any); ok && list == nil {
		return []any{} // a nil slice would be null
	}
	return value
}
