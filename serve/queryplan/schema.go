package queryplan

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/internal/cache"
)

// Schema runs operations in place of gqlgen's executor: it keeps the plans of documents, within
// bounds, resolves them breadth first, and writes the answers. It implements
// graphql.ExecutableSchema, so gqlgen still reads and validates the documents.
type Schema struct {
	graphql.ExecutableSchema
	// returns the context of a root field of a query, and of everything below it; may be nil
	Begin func(ctx context.Context, field string) context.Context
	// returns the context of everything below a field with these arguments; may be nil
	Below func(ctx context.Context, arguments map[string]any) context.Context

	objects map[string]*Object
	roots   map[ast.Operation]*Object
	plans   *cache.Bounded[*ast.OperationDefinition, *plans]
	ran     func()
}

// The most heap, in bytes, of all kept plans with their documents, and the estimates for it.
const (
	maxKept     = 32 << 20
	nodeBytes   = 256 // of a node
	textBytes   = 200 // for each byte of a parsed document, at most
	maxVariants = 4   // most plans of one operation, by its conditions
)

// New returns a Schema that runs operations by the tables of the schema's objects, and calls ran
// for each operation.
func New(schema graphql.ExecutableSchema, objects []*Object, ran func()) *Schema {
	s := &Schema{
		ExecutableSchema: schema, objects: make(map[string]*Object, len(objects)), ran: ran,
		plans: cache.NewBounded(maxKept, func(_ *ast.OperationDefinition, p *plans) int { return p.weight }),
	}
	for _, o := range objects {
		o.byName = make(map[string]*Field, len(o.Fields))
		for _, f := range o.Fields {
			o.byName[f.Name] = f
		}
		s.objects[o.Name] = o
	}
	s.roots = map[ast.Operation]*Object{ast.Query: s.objects[schema.Schema().Query.Name]}
	if def := schema.Schema().Mutation; def != nil {
		s.roots[ast.Mutation] = s.objects[def.Name]
	}
	if def := schema.Schema().Subscription; def != nil {
		s.roots[ast.Subscription] = s.objects[def.Name]
	}
	s.complete()
	return s
}

// Counts returns how often a plan was found or had to be made, and what is kept.
func (s *Schema) Counts() cache.Counts { return s.plans.Counts() }

// complete panics unless the tables have every field of the schema; otherwise they were
// generated from an older one.
func (s *Schema) complete() {
	for _, def := range s.Schema().Types {
		if def.Kind != ast.Object {
			continue
		}
		for _, f := range def.Fields {
			if o := s.objects[def.Name]; f.Name != "__typename" && (o == nil || o.byName[f.Name] == nil) {
				panic("the tables lack " + def.Name + "." + f.Name + ": run make generate")
			}
		}
	}
}

// plans holds the plans of one operation, by the values of its conditions.
type plans struct {
	conditions []string // the variables of @skip and @include
	weight     int

	mu   sync.Mutex
	made map[string]made
}

// made is the result of compiling: an operation, or an error.
type made struct {
	op      *operation
	refused error
}

// Check returns an error if an operation cannot be run.
func (s *Schema) Check(oc *graphql.OperationContext) error {
	_, err := s.planned(oc)
	return err
}

// Exec implements graphql.ExecutableSchema.
func (s *Schema) Exec(ctx context.Context) graphql.ResponseHandler {
	oc := graphql.GetOperationContext(ctx)
	op, err := s.planned(oc)
	if err != nil {
		graphql.AddError(ctx, err)
		return nil
	}
	s.ran()
	if oc.Operation.Operation == ast.Subscription {
		return s.subscribe(ctx, oc, op)
	}
	answered := false
	return func(ctx context.Context) *graphql.Response {
		if answered {
			return nil
		}
		answered = true
		return &graphql.Response{Data: s.answer(ctx, oc, op)}
	}
}

// Asked returns the fields that an operation asks for, each once for each of its places; ok is
// false if the operation cannot be run.
func (s *Schema) Asked(oc *graphql.OperationContext) (fields []Asked, ok bool) {
	op, err := s.planned(oc)
	if err != nil {
		return nil, false
	}
	return op.asked, true
}

// planned returns the kept plan of an operation, or makes one.
func (s *Schema) planned(oc *graphql.OperationContext) (*operation, error) {
	root := s.roots[oc.Operation.Operation]
	if root == nil {
		return nil, fmt.Errorf("there is no %s", oc.Operation.Operation)
	}
	kept, known := s.plans.GetIfPresent(oc.Operation)
	if !known {
		kept = &plans{conditions: Conditions(oc), made: map[string]made{}}
	}
	key, ok := kept.key(oc.Variables)
	if !ok {
		return nil, errUnclear
	}
	kept.mu.Lock()
	m, compiled := kept.made[key]
	kept.mu.Unlock()
	if compiled {
		s.plans.Asked(1, 0)
		return m.op, m.refused
	}
	s.plans.Asked(0, 1)
	m = s.compile(oc, root)
	kept.mu.Lock()
	if len(kept.made) < maxVariants {
		kept.made[key] = m
	}
	kept.mu.Unlock()
	if !known {
		if m.op != nil {
			kept.weight = nodeBytes * m.op.nodes
		}
		if len(kept.conditions) > 0 {
			kept.weight *= maxVariants
		}
		kept.weight += textBytes * len(oc.RawQuery)
		s.plans.Set(oc.Operation, kept)
	}
	return m.op, m.refused
}

// key encodes the values of the conditions.
func (p *plans) key(variables map[string]any) (key string, ok bool) {
	if len(p.conditions) == 0 {
		return "", true
	}
	spelled := make([]byte, len(p.conditions))
	for i, name := range p.conditions {
		value, ok := variables[name].(bool)
		if !ok {
			return "", false
		}
		spelled[i] = '0'
		if value {
			spelled[i] = '1'
		}
	}
	return string(spelled), true
}

// Conditions returns the variables of @skip and @include, which decide what an operation selects.
func Conditions(oc *graphql.OperationContext) (names []string) {
	seen := map[string]bool{}
	note := func(directives ast.DirectiveList) {
		for _, d := range directives {
			if d.Name != "skip" && d.Name != "include" {
				continue
			}
			for _, arg := range d.Arguments {
				if arg.Value.Kind == ast.Variable {
					names = append(names, arg.Value.Raw)
				}
			}
		}
	}
	var walk func(ast.SelectionSet)
	walk = func(set ast.SelectionSet) {
		for _, selected := range set {
			switch s := selected.(type) {
			case *ast.Field:
				note(s.Directives)
				walk(s.SelectionSet)
			case *ast.InlineFragment:
				note(s.Directives)
				walk(s.SelectionSet)
			case *ast.FragmentSpread:
				note(s.Directives)
				if !seen[s.Name] {
					seen[s.Name] = true
					walk(oc.Doc.Fragments.ForName(s.Name).SelectionSet)
				}
			}
		}
	}
	walk(oc.Operation.SelectionSet)
	slices.Sort(names)
	return slices.Compact(names)
}
