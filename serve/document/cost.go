package document

import (
	"context"
	"math"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Complexity returns the cost of an operation, up to a number that no limit allows. It is the
// same number as that of gqlgen's complexity.Calculate, which walks a fragment again at each
// spread. Introspection of the schema is free here; Description estimates it.
//
// once, which may be nil, returns a further cost of a field that counts once for each of its
// places in the document, for any number of parents there. Lists count as if at most rows rows
// or ids were asked for.
func Complexity(ctx context.Context, es graphql.ExecutableSchema, o *ast.OperationDefinition, variables map[string]any,
	once func(object, field string) int, rows int) int {
	schema := es.Schema()
	c := costing{
		ofField: func(f *ast.Field, below int) int {
			result := schema.Types[f.Definition.Type.Name()]
			if result.Name == "__Schema" {
				return 0
			}
			below = min(below, dear) // so that a cost cannot overflow and become small
			arguments := atMost(f.ArgumentMap(variables), rows)
			return dearest(schema, f, func(object *ast.Definition) int {
				if own, ok := es.Complexity(ctx, object.Name, f.Name, below, arguments); ok && own >= 1 {
					return own
				}
				return sum(1, below)
			})
		},
		fragments: map[*ast.FragmentDefinition]costs{},
	}
	if once != nil {
		c.once = func(f *ast.Field) int {
			return dearest(schema, f, func(object *ast.Definition) int { return once(object.Name, f.Name) })
		}
	}
	return c.of(o.SelectionSet).sum()
}

// AnyRows means that lists count with the length that is asked for.
const AnyRows = math.MaxInt32

// atMost returns arguments that ask for no more rows or ids than most.
func atMost(arguments map[string]any, most int) map[string]any {
	if most == AnyRows {
		return arguments
	}
	for name, v := range arguments {
		switch v := v.(type) {
		case []any:
			arguments[name] = v[:min(len(v), most)]
		case nil:
		default:
			if name == "first" || name == "last" || name == "limit" {
				if n, err := graphql.UnmarshalInt(v); err == nil && n > most {
					arguments[name] = int64(most)
				}
			}
		}
	}
	return arguments
}

// Sum adds up a figure over the fields of an operation: ofField returns the figure of a field of
// an object with all its rows, where below is the figure of one row.
func Sum(schema *ast.Schema, o *ast.OperationDefinition, ofField func(object string, f *ast.Field, below int) int) int {
	c := costing{fragments: map[*ast.FragmentDefinition]costs{}, ofField: func(f *ast.Field, below int) int {
		return dearest(schema, f, func(object *ast.Definition) int { return ofField(object.Name, f, min(below, dear)) })
	}}
	return c.of(o.SelectionSet).sum()
}

// dearest returns the highest cost of a field among the object types that it may belong to.
func dearest(schema *ast.Schema, f *ast.Field, of func(object *ast.Definition) int) (most int) {
	if f.ObjectDefinition.Kind != ast.Interface {
		return of(f.ObjectDefinition)
	}
	for _, possible := range schema.GetPossibleTypes(f.ObjectDefinition) {
		if possible.Kind == ast.Object { // gqlparser also lists interfaces that implement it
			most = max(most, of(possible))
		}
	}
	return most
}

// dear is more than any limit allows.
const dear = 1 << 24

// Description holds the lengths of the lists that describe a schema, by their introspection
// field: the mean, and, for the one type that a document can name, how much longer its list may
// be.
type Description map[string]int

// Fields estimates how many fields of an operation's answer describe the schema.
func (d Description) Fields(o *ast.OperationDefinition) int {
	c := costing{fragments: map[*ast.FragmentDefinition]costs{}, ofField: func(f *ast.Field, below int) int {
		if f.Name != "__schema" && f.Name != "__type" && f.ObjectDefinition.Name[:1] != "_" {
			return below
		}
		return sum(1, max(d[f.ObjectDefinition.Name+"."+f.Name], 1)*min(below, dear))
	}}
	return c.of(o.SelectionSet).sum()
}

// DescriptionOf measures a schema.
func DescriptionOf(schema *ast.Schema) Description {
	types, fields, args, values, longest := 0, 0, 0, 0, 0
	for _, def := range schema.Types {
		types++
		fields += len(def.Fields)
		values += len(def.EnumValues)
		longest = max(longest, len(def.Fields), len(def.EnumValues))
		for _, f := range def.Fields {
			args += len(f.Arguments)
		}
	}
	mean := func(n, of int) int { return (n + of - 1) / max(of, 1) }
	return Description{
		schema.Query.Name + ".__type": mean(longest, mean(fields, types)),
		"__Schema.types":              types,
		"__Schema.directives":         len(schema.Directives),
		"__Type.fields":               mean(fields, types),
		"__Type.enumValues":           mean(values, types),
		"__Field.args":                mean(args, fields),
	}
}

// costing adds up selections, and computes each fragment once.
type costing struct {
	ofField   func(f *ast.Field, below int) int
	once      func(f *ast.Field) int // may be nil
	fragments map[*ast.FragmentDefinition]costs
}

// costs are the costs of a selection: for each object, and once for all objects.
type costs struct{ each, once int }

func (c costs) sum() int { return sum(c.each, c.once) }

func (c costs) add(o costs) costs { return costs{sum(c.each, o.each), sum(c.once, o.once)} }

func (c costing) of(set ast.SelectionSet) (total costs) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			own := c.of(s.SelectionSet)
			own.each = c.ofField(s, own.each)
			if c.once != nil {
				own.once = sum(own.once, c.once(s))
			}
			total = total.add(own)
		case *ast.InlineFragment:
			total = total.add(c.of(s.SelectionSet))
		case *ast.FragmentSpread:
			known, ok := c.fragments[s.Definition]
			if !ok {
				known = c.of(s.Definition.SelectionSet)
				c.fragments[s.Definition] = known
			}
			total = total.add(known)
		}
	}
	return total
}

// sum adds numbers that are not negative; if the sum would overflow, it is the largest int.
func sum(a, b int) int {
	const largest = int(^uint(0) >> 1)
	a, b = max(a, 0), max(b, 0)
	if a > largest-b {
		return largest
	}
	return a + b
}
