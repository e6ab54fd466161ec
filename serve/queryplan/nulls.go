package queryplan

import (
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
)

// NullError reports a variable that is null where an argument must not be null.
type NullError struct {
	Argument string
	Type     *ast.Type // of the argument, or of the element of its list
	Variable string
}

func (e *NullError) Error() string {
	return fmt.Sprintf("Argument %q of non-null type %q must not be null; $%s is null.", e.Argument, e.Type, e.Variable)
}

// NullOf returns the first null that variables put into the arguments of a field where its
// types do not allow it, or nil. Validation accepts such a null if the variable has a default,
// which the null replaces.
func NullOf(f *ast.Field, variables map[string]any) *NullError {
	for _, arg := range f.Arguments {
		if null := nullAt(arg.Value, f.Definition.Arguments.ForName(arg.Name).Type, variables); null != nil {
			null.Argument = arg.Name
			return null
		}
	}
	return nil
}

func nullAt(v *ast.Value, t *ast.Type, variables map[string]any) *NullError {
	if v.Kind == ast.Variable {
		if value, given := variables[v.Raw]; given && value == nil && t.NonNull {
			return &NullError{Type: t, Variable: v.Raw}
		}
		return nil
	}
	if v.Kind == ast.ListValue && t.Elem != nil {
		for _, element := range v.Children {
			if null := nullAt(element.Value, t.Elem, variables); null != nil {
				return null
			}
		}
	}
	return nil
}
