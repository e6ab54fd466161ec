package document

import (
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// intsOf32Bits rejects a literal that the type Int cannot hold; the library's rules allow 64
// bits.
func intsOf32Bits(observers *core.Events, refuse core.AddErrFunc) {
	observers.OnValue(func(_ *core.Walker, v *ast.Value) {
		if v.Kind != ast.IntValue || v.Definition == nil || v.Definition.Name != "Int" {
			return
		}
		_, err := strconv.ParseInt(v.Raw, 10, 32)
		if _, explained := strconv.ParseInt(v.Raw, 10, 64); err != nil && explained == nil {
			refuse(core.Message("Int cannot represent non 32-bit signed integer value: %s", v.Raw), core.At(v.Position))
		}
	})
}

// oneStream rejects a subscription to more than one field. The library's rule counts a field
// once that is asked for twice under two names.
func oneStream(observers *core.Events, refuse core.AddErrFunc) {
	observers.OnOperation(func(_ *core.Walker, o *ast.OperationDefinition) {
		if o.Operation != ast.Subscription {
			return
		}
		name := "Anonymous Subscription"
		if o.Name != "" {
			name = "Subscription " + strconv.Quote(o.Name)
		}
		names, seen := map[string]bool{}, map[*ast.FragmentDefinition]bool{}
		var walk func(ast.SelectionSet)
		walk = func(set ast.SelectionSet) {
			for _, selection := range set {
				switch s := selection.(type) {
				case *ast.Field:
					if strings.HasPrefix(s.Name, "__") {
						refuse(core.Message("%s must not select an introspection top level field.", name), core.At(s.Position))
					}
					if len(names) == 1 && !names[s.Alias] {
						refuse(core.Message("%s must select only one top level field.", name), core.At(s.Position))
					}
					names[s.Alias] = true
				case *ast.InlineFragment:
					walk(s.SelectionSet)
				case *ast.FragmentSpread:
					if s.Definition != nil && !seen[s.Definition] {
						seen[s.Definition] = true
						walk(s.Definition.SelectionSet)
					}
				}
			}
		}
		walk(o.SelectionSet)
	})
}

// noFragmentVariables rejects variables of a fragment, which the library parses although the
// language does not have them.
func noFragmentVariables(observers *core.Events, refuse core.AddErrFunc) {
	observers.OnFragment(func(_ *core.Walker, f *ast.FragmentDefinition) {
		if len(f.VariableDefinition) > 0 {
			refuse(core.Message("Fragment %q cannot have variables.", f.Name), core.At(f.VariableDefinition[0].Position))
		}
	})
}
