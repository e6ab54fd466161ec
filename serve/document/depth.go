package document

import "github.com/vektah/gqlparser/v2/ast"

// Depth returns the greatest nesting of fields in an operation, without introspection.
func Depth(o *ast.OperationDefinition) int {
	return depths{}.of(o.SelectionSet)
}

// depths holds the depths of fragments, each measured once.
type depths map[*ast.FragmentDefinition]int

func (d depths) of(set ast.SelectionSet) (deepest int) {
	for _, selection := range set {
		below := 0
		switch s := selection.(type) {
		case *ast.Field:
			if s.Name != "__schema" && s.Name != "__type" {
				below = 1 + d.of(s.SelectionSet)
			}
		case *ast.InlineFragment:
			below = d.of(s.SelectionSet)
		case *ast.FragmentSpread:
			known, ok := d[s.Definition]
			if !ok {
				known = d.of(s.Definition.SelectionSet)
				d[s.Definition] = known
			}
			below = known
		}
		deepest = max(deepest, below)
	}
	return deepest
}
