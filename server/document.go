package server

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// documentLimits refuses documents that are too deep, too wide or too full of
// aliases.
type documentLimits struct{}

// ExtensionName implements graphql.HandlerExtension.
func (documentLimits) ExtensionName() string { return "DocumentLimits" }

// Validate implements graphql.HandlerExtension.
func (documentLimits) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator.
func (documentLimits) MutateOperationContext(_ context.Context, oc *graphql.OperationContext) *gqlerror.Error {
	m := measure{fragments: map[string]fragmentSize{}}
	size := m.selection(oc.Operation.SelectionSet)
	for _, limit := range []struct {
		what     string
		got, max int
	}{
		{"nested fields", size.depth, maxDepth},
		{"root fields", size.width, maxRootFields},
		{"aliases", size.aliases, maxAliases},
	} {
		if limit.got > limit.max {
			err := gqlerror.Errorf("the document has %d %s; at most %d are allowed", limit.got, limit.what, limit.max)
			errcode.Set(err, errcode.ValidationFailed)
			return err
		}
	}
	return nil
}

// fragmentSize is the size of a selection: how deep, how wide at its top, and
// how many aliases at any depth. Introspection is neither deep nor wide.
type fragmentSize struct{ depth, width, aliases int }

// measure adds up selections; each fragment is measured once, so that a
// document of fragments within fragments costs no more than its text.
type measure struct {
	fragments map[string]fragmentSize
}

func (m measure) selection(set ast.SelectionSet) fragmentSize {
	var size fragmentSize
	add := func(s fragmentSize) {
		size.depth = max(size.depth, s.depth)
		size.width = saturated(size.width + s.width)
		size.aliases = saturated(size.aliases + s.aliases)
	}
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			below := m.selection(s.SelectionSet)
			below.depth, below.width = below.depth+1, 1
			if strings.HasPrefix(s.Name, "__") {
				below.depth, below.width = 0, 0
			}
			if s.Alias != s.Name {
				below.aliases++
			}
			add(below)
		case *ast.InlineFragment:
			add(m.selection(s.SelectionSet))
		case *ast.FragmentSpread:
			known, ok := m.fragments[s.Name]
			if !ok {
				known = m.selection(s.Definition.SelectionSet)
				m.fragments[s.Name] = known
			}
			add(known)
		}
	}
	return size
}

// saturated keeps sums of sums from overflowing.
func saturated(n int) int { return min(n, 1<<30) }

// inlineDefer lets @defer be ignored, as the proposal allows: an answer is one
// piece here. gqlgen would send null for what is deferred and never the rest.
// The parsed document is shared with other requests, so it is parsed anew.
func inlineDefer(schema *ast.Schema, oc *graphql.OperationContext) gqlerror.List {
	if !strings.Contains(oc.RawQuery, "@defer") {
		return nil
	}
	doc, err := parser.ParseQuery(&ast.Source{Input: oc.RawQuery})
	if err != nil {
		return gqlerror.List{gqlerror.WrapIfUnwrapped(err)}
	}
	if errs := validator.ValidateWithRules(schema, doc, nil); len(errs) > 0 {
		return errs
	}
	for _, o := range doc.Operations {
		dropDefer(o.SelectionSet)
	}
	for _, f := range doc.Fragments {
		dropDefer(f.SelectionSet)
	}
	oc.Doc, oc.Operation = doc, doc.Operations.ForName(oc.OperationName)
	return nil
}

func dropDefer(set ast.SelectionSet) {
	drop := func(directives ast.DirectiveList) ast.DirectiveList {
		kept := ast.DirectiveList{}
		for _, d := range directives {
			if d.Name != "defer" {
				kept = append(kept, d)
			}
		}
		return kept
	}
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			dropDefer(s.SelectionSet)
		case *ast.InlineFragment:
			s.Directives = drop(s.Directives)
			dropDefer(s.SelectionSet)
		case *ast.FragmentSpread:
			s.Directives = drop(s.Directives)
		}
	}
}
