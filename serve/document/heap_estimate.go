package document

import (
	"strings"
	"unsafe"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"
)

// The heap taken by the nodes of a document, in bytes. Each has its own position, and a slot in
// a list that is up to twice as long as needed.
const (
	slot          = 2 * unsafe.Sizeof(ast.Selection(nil))
	token         = unsafe.Sizeof(lexer.Token{})
	fieldBytes    = int(unsafe.Sizeof(ast.Field{}) + token + slot)
	typenameBytes = int(unsafe.Sizeof(ast.FieldDefinition{}) + unsafe.Sizeof(ast.Type{}))
	inlineBytes   = int(unsafe.Sizeof(ast.InlineFragment{}) + token + slot)
	spreadBytes   = int(unsafe.Sizeof(ast.FragmentSpread{}) + token + slot)
	definedBytes  = int(unsafe.Sizeof(ast.FragmentDefinition{}) + unsafe.Sizeof(ast.OperationDefinition{}) + token)
	directedBytes = int(unsafe.Sizeof(ast.Directive{}) + token + slot)
	argumentBytes = int(unsafe.Sizeof(ast.Argument{}) + token + slot)
	valueBytes    = int(unsafe.Sizeof(ast.Value{}) + token)
	childBytes    = int(unsafe.Sizeof(ast.ChildValue{}) + slot)
	commentBytes  = int(unsafe.Sizeof(ast.Comment{}) + token + slot)
	variableBytes = int(unsafe.Sizeof(ast.VariableDefinition{}) + unsafe.Sizeof(ast.Type{}) + 2*token + slot)
)

// heapOf estimates how many bytes of heap a document and its text take.
func heapOf(text string, doc *ast.QueryDocument) int {
	bytes := len(text) + commentBytes*strings.Count(text, "#")
	for _, o := range doc.Operations {
		bytes += definedBytes + heapOfDirectives(o.Directives) + heapOfSelections(o.SelectionSet)
		bytes += heapOfVariables(o.VariableDefinitions)
	}
	for _, f := range doc.Fragments {
		bytes += definedBytes + heapOfDirectives(f.Directives) + heapOfSelections(f.SelectionSet)
		bytes += heapOfVariables(f.VariableDefinition)
	}
	return bytes
}

func heapOfSelections(set ast.SelectionSet) (bytes int) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			bytes += fieldBytes + heapOfArguments(s.Arguments) + heapOfDirectives(s.Directives) + heapOfSelections(s.SelectionSet)
			if s.Name == "__typename" {
				bytes += typenameBytes
			}
		case *ast.InlineFragment:
			bytes += inlineBytes + heapOfDirectives(s.Directives) + heapOfSelections(s.SelectionSet)
		case *ast.FragmentSpread:
			bytes += spreadBytes + heapOfDirectives(s.Directives)
		}
	}
	return bytes
}

func heapOfDirectives(list ast.DirectiveList) (bytes int) {
	for _, d := range list {
		bytes += directedBytes + heapOfArguments(d.Arguments)
	}
	return bytes
}

func heapOfArguments(list ast.ArgumentList) (bytes int) {
	for _, a := range list {
		bytes += argumentBytes + heapOfValue(a.Value)
	}
	return bytes
}

func heapOfVariables(list ast.VariableDefinitionList) (bytes int) {
	for _, v := range list {
		bytes += variableBytes + heapOfDirectives(v.Directives)
		if v.DefaultValue != nil {
			bytes += heapOfValue(v.DefaultValue)
		}
	}
	return bytes
}

// heapOfValue includes the text of a string, which is a copy if it had escapes.
func heapOfValue(v *ast.Value) int {
	bytes := valueBytes + len(v.Raw)
	for _, child := range v.Children {
		bytes += childBytes + heapOfValue(child.Value)
	}
	return bytes
}
