// Package document reads GraphQL documents: it parses them, checks their limits, validates them,
// computes their cost, and keeps those that it has read. The work is at most a constant times
// the tokens of the document, whatever its fragments: each fragment is measured once before
// anything expands it, and a document that would expand to too much is rejected.
package document

import (
	"cmp"
	"slices"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"piyasa/internal/cache"
)

// Reader reads documents of one schema, and keeps the documents read.
type Reader struct {
	schema *ast.Schema
	rules  []core.Rule
	kept   *Cache[*ast.QueryDocument]
}

// NewReader makes a reader that keeps documents with at most maxBytes of heap altogether.
func NewReader(schema *ast.Schema, maxBytes int) *Reader {
	all := rules.NewDefaultRules()
	all.RemoveRule(rules.OverlappingFieldsCanBeMergedRule.Name) // it is quadratic; conflicts replaces it
	all.RemoveRule(rules.SingleFieldSubscriptionsRule.Name)
	all.AddRule("IntsOf32Bits", intsOf32Bits)
	all.AddRule("OneStream", oneStream)
	all.AddRule("NoFragmentVariables", noFragmentVariables)
	r := &Reader{schema: schema, kept: NewCache(maxBytes, heapOf)}
	for name, check := range all.GetInner() {
		r.rules = append(r.rules, core.Rule{Name: name, RuleFunc: check})
	}
	slices.SortFunc(r.rules, func(a, b core.Rule) int { return cmp.Compare(a.Name, b.Name) })
	return r
}

// Counts returns how often documents were found or had to be read, and what is kept.
func (r *Reader) Counts() cache.Counts { return r.kept.Counts() }

// Read returns the document in text, without @defer: answers come in one piece. Requests share
// the document and must not change it. The errors say why it is rejected.
func (r *Reader) Read(text string) (*ast.QueryDocument, gqlerror.List) {
	if doc, ok := r.kept.get(text); ok {
		return doc, nil
	}
	doc, errs := r.read(text, new(Work))
	if len(errs) == 0 {
		r.kept.put(text, doc)
	}
	return doc, errs
}

// Work counts the work of reading a document.
type Work struct {
	Measured  int // nodes that the limits looked at
	Validated int // nodes that the rules looked at
	Compared  int // fields that were compared with others of the same response name
}

func (r *Reader) read(text string, work *Work) (*ast.QueryDocument, gqlerror.List) {
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, MaxTokens)
	if err != nil {
		e := gqlerror.WrapIfUnwrapped(err)
		errcode.Set(e, errcode.ParseFailed)
		return nil, gqlerror.List{e}
	}
	if e := damagedText(text); e != nil {
		errcode.Set(e, errcode.ParseFailed)
		return nil, gqlerror.List{e}
	}
	if len(doc.Operations) == 0 {
		return nil, refused("no operation provided")
	}
	if errs := limit(doc, work); len(errs) > 0 {
		return nil, errs
	}
	errs := r.validate(doc, work)
	if len(errs) == 0 {
		errs = conflicts(r.schema, doc, work)
	}
	if len(errs) > 0 {
		for _, e := range errs {
			errcode.Set(e, errcode.ValidationFailed)
		}
		return nil, errs
	}
	dropDefer(doc)
	return doc, nil
}

// refused returns the error that rejects a valid document, or one that is not validated.
func refused(format string, args ...any) gqlerror.List {
	e := gqlerror.Errorf(format, args...)
	errcode.Set(e, errcode.ValidationFailed)
	return gqlerror.List{e}
}

// maxErrors is the most mistakes of a document that are reported.
const maxErrors = 20

// enough ends a validation that has found maxErrors.
type enough struct{}

// validate checks doc by the rules of the language, except for conflicts of fields.
func (r *Reader) validate(doc *ast.QueryDocument, work *Work) (errs gqlerror.List) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(enough); !ok {
				panic(p)
			}
			errs = append(errs, gqlerror.Errorf("there are more errors than these %d; validation ended", maxErrors))
		}
	}()
	var observers core.Events
	observers.OnField(func(*core.Walker, *ast.Field) { work.Validated++ })
	observers.OnFragmentSpread(func(*core.Walker, *ast.FragmentSpread) { work.Validated++ })
	observers.OnInlineFragment(func(*core.Walker, *ast.InlineFragment) { work.Validated++ })
	observers.OnDirective(func(*core.Walker, *ast.Directive) { work.Validated++ })
	observers.OnValue(func(*core.Walker, *ast.Value) { work.Validated++ })
	for _, rule := range r.rules {
		rule.RuleFunc(&observers, func(options ...core.ErrorOption) {
			if len(errs) == maxErrors {
				panic(enough{})
			}
			e := &gqlerror.Error{Rule: rule.Name}
			for _, option := range options {
				option(e)
			}
			errs = append(errs, e)
		})
	}
	core.Walk(r.schema, doc, &observers)
	return errs
}

// dropDefer removes @defer, which a server may ignore by the proposal: here an answer comes in
// one piece. gqlgen would send null for deferred fragments and never send the rest.
func dropDefer(doc *ast.QueryDocument) {
	isDefer := func(d *ast.Directive) bool { return d.Name == "defer" }
	var drop func(ast.SelectionSet)
	drop = func(set ast.SelectionSet) {
		for _, selection := range set {
			switch s := selection.(type) {
			case *ast.Field:
				drop(s.SelectionSet)
			case *ast.InlineFragment:
				s.Directives = slices.DeleteFunc(s.Directives, isDefer)
				drop(s.SelectionSet)
			case *ast.FragmentSpread:
				s.Directives = slices.DeleteFunc(s.Directives, isDefer)
			}
		}
	}
	for _, o := range doc.Operations {
		drop(o.SelectionSet)
	}
	for _, f := range doc.Fragments {
		drop(f.SelectionSet)
	}
}
