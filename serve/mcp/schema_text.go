package mcp

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// schemaText collects parts of the schema within a budget of tokens.
type schemaText struct {
	strings.Builder
	budget int // tokens
	types  map[string]bool
}

// add adds a piece if it fits.
func (t *schemaText) add(piece string) bool {
	if n := tokens([]byte(piece)); n <= t.budget {
		t.budget -= n
		t.WriteString(piece)
		return true
	}
	return false
}

// addType adds a type that is not there yet: with the descriptions of its fields, or without them
// if it would not fit otherwise.
func (t *schemaText) addType(of *ast.Definition) {
	if of == nil || t.types[of.Name] || of.BuiltIn || of.Kind == ast.Scalar && of.Description == "" {
		return
	}
	t.types[of.Name] = t.add(typeText(of, true)) || t.add(typeText(of, false))
}

// rootText shows a field of Query.
func rootText(f *ast.FieldDefinition) string { return fieldText("Query.", f, true) }

// fieldText shows a field with its arguments, and with their descriptions if described is true.
func fieldText(of string, f *ast.FieldDefinition, described bool) string {
	var b strings.Builder
	if described {
		b.WriteString("# " + oneLine(f.Description) + "\n")
		for _, a := range f.Arguments {
			if a.Description != "" {
				b.WriteString("#   " + a.Name + ": " + oneLine(a.Description) + "\n")
			}
		}
	}
	b.WriteString(of + f.Name + argumentsText(f.Arguments) + ": " + f.Type.String() + "\n")
	return b.String()
}

func argumentsText(arguments ast.ArgumentDefinitionList) string {
	if len(arguments) == 0 {
		return ""
	}
	var all []string
	for _, a := range arguments {
		text := a.Name + ": " + a.Type.String()
		if a.DefaultValue != nil {
			text += " = " + a.DefaultValue.String()
		}
		all = append(all, text)
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// typeText shows a type.
func typeText(of *ast.Definition, described bool) string {
	var b strings.Builder
	if of.Description != "" {
		b.WriteString("# " + oneLine(of.Description) + "\n")
	}
	comment := func(text string) {
		if described && text != "" {
			b.WriteString("  # " + phrase(text))
		}
		b.WriteString("\n")
	}
	switch of.Kind {
	case ast.Enum:
		b.WriteString("enum " + of.Name + " {\n")
		for _, v := range of.EnumValues {
			b.WriteString("  " + v.Name)
			comment(v.Description)
		}
	case ast.Union:
		return b.String() + "union " + of.Name + " = " + strings.Join(of.Types, " | ") + "\n"
	case ast.Scalar:
		return b.String() + "scalar " + of.Name + "\n"
	default:
		b.WriteString(map[ast.DefinitionKind]string{ast.Object: "type ", ast.Interface: "interface ", ast.InputObject: "input "}[of.Kind] +
			of.Name + " {\n")
		for _, f := range of.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			b.WriteString("  " + f.Name + argumentsText(f.Arguments) + ": " + f.Type.String())
			comment(f.Description)
		}
	}
	return b.String() + "}\n"
}

// oneLine returns prose without line breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// phrase returns the beginning of a field's description.
func phrase(s string) string {
	s = oneLine(s)
	if len(s) <= shortPhrase {
		return s
	}
	return clipped(s, shortPhrase) + "…"
}
