package document

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// hostile writes documents that are valid or nearly so, with more of
// everything than anyone needs: fragments in fragments, the same fields again
// and again, aliases, inline fragments, directives, variables, operations.
type hostile struct {
	*rand.Rand
	schema    *ast.Schema
	fragments []*ast.Definition // types of fragments F0, F1, …; each spreads later ones
	names     int               // of aliases; few, so that they clash
	again     int               // how often at most a selection is repeated
	wide      int               // selections of a set
	left      int               // selections that may still be written
}

// document writes a document of about size selections.
func (h *hostile) document(operations, fragments, size int) string {
	h.left = size
	var text strings.Builder
	reachable := h.reachable()
	for range fragments {
		h.fragments = append(h.fragments, reachable[h.IntN(len(reachable))])
	}
	for i := range operations {
		fmt.Fprintf(&text, "query Q%d($yes: Boolean = true, $ids: [ID!] = [\"bist:DMOST\"]) { ", i)
		h.set(&text, h.schema.Query, 0, 1)
		if i == 0 {
			for _, f := range h.spreadable(h.schema.Query, 0) {
				fmt.Fprintf(&text, "...F%d ", f)
			}
		}
		text.WriteString("x: watchlist(ids: $ids) @include(if: $yes) { symbol } } ")
	}
	// A fragment spreads later ones only, so that this sees all that are spread.
	for i, def := range h.fragments {
		if strings.Contains(text.String(), fmt.Sprintf("...F%d ", i)) {
			fmt.Fprintf(&text, "fragment F%d on %s { ", i, def.Name)
			h.set(&text, def, i+1, 4)
			text.WriteString("} ")
		}
	}
	return text.String()
}

// reachable returns the types that fragments are on: some that contain each other.
func (h *hostile) reachable() (types []*ast.Definition) {
	for _, name := range []string{"Query", "Instrument", "Quote", "Disclosure", "DisclosureFields", "Sector", "BistIndex", "__Type"} {
		types = append(types, h.schema.Types[name])
	}
	return types
}

// set writes selections of a type; they may spread fragments from the one
// numbered from.
func (h *hostile) set(text *strings.Builder, def *ast.Definition, from, depth int) {
	for range 1 + h.IntN(h.wide) {
		if h.left <= 0 {
			break
		}
		h.left--
		var one strings.Builder
		h.selection(&one, def, from, depth)
		for i := 0; i < 1+h.IntN(h.again) && (i == 0 || h.left > 0); i++ {
			text.WriteString(one.String())
			h.left -= strings.Count(one.String(), " ") / 2
		}
	}
	text.WriteString("__typename ")
}

func (h *hostile) selection(text *strings.Builder, def *ast.Definition, from, depth int) {
	switch h.IntN(6) {
	case 0:
		if on := h.spreadable(def, from); len(on) > 0 { // a space after the name, so that it can be found
			fmt.Fprintf(text, "...F%d %s ", on[h.IntN(len(on))], h.directive())
			return
		}
	case 1:
		fmt.Fprintf(text, "... on %s%s { ", def.Name, h.directive())
		h.set(text, def, from, depth)
		text.WriteString("} ")
		return
	case 2:
		for _, i := range h.schema.GetImplements(def) {
			fmt.Fprintf(text, "... on %s { ", i.Name)
			h.set(text, i, from, depth)
			text.WriteString("} ")
			return
		}
	}
	fields := def.Fields
	if len(fields) == 0 || h.IntN(8) == 0 {
		fmt.Fprintf(text, "%s__typename%s ", h.alias(), h.directive())
		return
	}
	f := fields[h.IntN(len(fields))]
	of := h.schema.Types[f.Type.Name()]
	if strings.HasPrefix(f.Name, "__") || depth > 6 && !of.IsLeafType() {
		text.WriteString("__typename ")
		return
	}
	text.WriteString(h.alias() + f.Name)
	h.arguments(text, f)
	text.WriteString(h.directive() + " ")
	if !of.IsLeafType() {
		text.WriteString("{ ")
		h.set(text, of, from, depth+1)
		text.WriteString("} ")
	}
}

func (h *hostile) spreadable(def *ast.Definition, from int) (numbers []int) {
	for i := from; i < len(h.fragments); i++ {
		if h.fragments[i] == def {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

func (h *hostile) alias() string {
	if h.names == 0 || h.IntN(3) > 0 {
		return ""
	}
	return fmt.Sprintf("a%d: ", h.IntN(h.names))
}

func (h *hostile) directive() string {
	return []string{"", "", "", " @skip(if: false)", " @include(if: true)", " @include(if: true) @skip(if: false)"}[h.IntN(6)]
}

func (h *hostile) arguments(text *strings.Builder, f *ast.FieldDefinition) {
	var given []string
	for _, a := range f.Arguments {
		if a.Type.NonNull || h.IntN(4) == 0 {
			if v := h.value(a.Type); v != "" {
				given = append(given, a.Name+": "+v)
			}
		}
	}
	if len(given) > 0 {
		text.WriteString("(" + strings.Join(given, ", ") + ")")
	}
}

func (h *hostile) value(t *ast.Type) string {
	if t.Elem != nil {
		return "[" + strings.Join([]string{h.value(t.Elem), h.value(t.Elem)}[:1+h.IntN(2)], ", ") + "]"
	}
	switch def := h.schema.Types[t.NamedType]; {
	case def.Kind == ast.Enum:
		return def.EnumValues[h.IntN(len(def.EnumValues))].Name
	case t.NamedType == "Int":
		return fmt.Sprint(1 + h.IntN(3))
	case t.NamedType == "ID", t.NamedType == "String":
		return []string{`"bist:DMOST"`, `"crypto:1"`}[h.IntN(2)]
	case t.NamedType == "Boolean":
		return "true"
	case t.NamedType == "Date":
		return `"2026-03-01"`
	}
	return ""
}
