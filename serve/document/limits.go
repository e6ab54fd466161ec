package document

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Limits of a document. A document above them is rejected before it is validated. Clients with
// the usual libraries stay far below.
const (
	MaxTokens     = 2_000
	MaxNameBytes  = 250   // of a name
	MaxTextBytes  = 2_000 // of a string, in the document or in a variable
	MaxOperations = 20
	MaxFragments  = 100
	MaxVariables  = 100    // of an operation
	MaxValues     = 2_000  // in the variables of a request
	MaxNesting    = 25     // nested fields and inline fragments; nested values
	MaxDepth      = 8      // nested fields; introspection is not counted
	MaxRootFields = 20     // introspection is not counted
	MaxAliases    = 100    // of an operation; those in a fragment count at each spread
	MaxSelections = 10_000 // including directives and values, with fragments expanded
	MaxValidated  = 20_000 // the same for a document: each operation and fragment with each fragment that it reaches
)

// limit rejects a document above a limit.
func limit(doc *ast.QueryDocument, work *Work) gqlerror.List {
	m := measuring{fragments: make(map[string]*definition, len(doc.Fragments)), work: work}
	for _, f := range doc.Fragments {
		if m.fragments[f.Name] == nil { // the first of two with one name counts; validation rejects them
			m.fragments[f.Name] = &definition{set: f.SelectionSet}
		}
	}
	var total size // the largest of the operations; nodes: of all of them
	variables := 0
	definitions := make([]*definition, 0, len(doc.Operations)+len(doc.Fragments))
	for _, o := range doc.Operations {
		d := &definition{set: o.SelectionSet}
		m.name(o.Name)
		d.own += m.variables(o.VariableDefinitions) + m.directives(o.Directives)
		expanded := m.definition(d)
		total.depth, total.nesting = max(total.depth, expanded.depth), max(total.nesting, expanded.nesting)
		total.width, total.aliases = max(total.width, expanded.width), max(total.aliases, expanded.aliases)
		total.nodes = saturated(total.nodes + expanded.nodes)
		variables = max(variables, len(o.VariableDefinitions))
		definitions = append(definitions, d)
	}
	for _, f := range doc.Fragments {
		d := m.fragments[f.Name]
		m.name(f.Name)
		m.name(f.TypeCondition)
		d.own += m.variables(f.VariableDefinition) + m.directives(f.Directives)
		total.nesting = max(total.nesting, m.definition(d).nesting)
		definitions = append(definitions, d)
	}
	for _, l := range []struct {
		got, max int
		what     string
	}{
		{len(doc.Operations), MaxOperations, "operations"},
		{len(doc.Fragments), MaxFragments, "fragments"},
		{variables, MaxVariables, "variables"},
		{m.longestName, MaxNameBytes, "bytes in a name"},
		{m.longestText, MaxTextBytes, "bytes in a string"},
		{total.depth, MaxDepth, "nested fields (its depth)"},
		{max(total.nesting, m.nestedValues), MaxNesting, "nested fields, inline fragments or values"},
		{total.width, MaxRootFields, "root fields"},
		{total.aliases, MaxAliases, "aliases"},
		{total.nodes, MaxSelections, "selections, directives and values once its fragments are expanded"},
		{m.reached(definitions), MaxValidated,
			"selections, directives and values to validate in its operations and fragments and what they spread"},
	} {
		if l.got > l.max {
			return refused("the document has %s %s; at most %d are allowed", counted(l.got), l.what, l.max)
		}
	}
	return nil
}

// many is the number at which counting stops.
const many = 1_000_000

// saturated keeps sums of sums from overflowing.
func saturated(n int) int { return min(n, many) }

// counted returns a number for a message.
func counted(n int) string {
	if n >= many {
		return "a million or more"
	}
	return fmt.Sprint(n)
}

// size is the size of a selection with its fragments expanded. Introspection counts for neither
// depth nor width.
type size struct {
	depth   int // nested fields
	nesting int // nested fields and inline fragments
	width   int // fields at the top
	aliases int
	nodes   int // selections, directives and values
}

// add adds a selection at the same level to s.
func (s *size) add(o size) {
	s.width = saturated(s.width + o.width)
	s.aliases = saturated(s.aliases + o.aliases)
	s.nodes = saturated(s.nodes + o.nodes)
	s.depth, s.nesting = max(s.depth, o.depth), max(s.nesting, o.nesting)
}

// definition is an operation or a fragment that is being measured.
type definition struct {
	set      ast.SelectionSet
	state    state
	expanded size
	own      int      // nodes written in it
	spreads  []string // names of fragments, each once
}

// state says how far a definition is measured. A fragment met again while it is entered
// contains itself; validation rejects it.
type state int

const (
	unmeasured state = iota
	entered
	measured
)

// measuring measures each definition once, so that nested fragments take no more work than the
// text of the document.
type measuring struct {
	fragments                              map[string]*definition
	work                                   *Work
	longestName, longestText, nestedValues int
}

func (m *measuring) definition(d *definition) size {
	if d.state == unmeasured {
		d.state = entered
		d.expanded = m.selections(d, d.set, map[string]bool{})
		d.state = measured
	}
	return d.expanded
}

// selections measures a selection set of d; known has the fragments of d spread so far.
func (m *measuring) selections(d *definition, set ast.SelectionSet, known map[string]bool) size {
	var sum size
	for _, selection := range set {
		m.work.Measured++
		d.own++
		var s size
		switch n := selection.(type) {
		case *ast.Field:
			m.name(n.Name)
			m.name(n.Alias)
			own := m.arguments(n.Arguments) + m.directives(n.Directives)
			d.own += own
			s = m.selections(d, n.SelectionSet, known)
			s.depth, s.width = s.depth+1, 1
			if strings.HasPrefix(n.Name, "__") {
				s.depth, s.width = 0, 0
			}
			if n.Alias != n.Name {
				s.aliases = saturated(s.aliases + 1)
			}
			s.nodes += own
			s.nesting++
		case *ast.InlineFragment:
			m.name(n.TypeCondition)
			own := m.directives(n.Directives)
			d.own += own
			s = m.selections(d, n.SelectionSet, known)
			s.nodes += own
			s.nesting++
		case *ast.FragmentSpread:
			m.name(n.Name)
			own := m.directives(n.Directives)
			d.own += own
			if f := m.fragments[n.Name]; f != nil {
				s = m.definition(f)
				if !known[n.Name] {
					known[n.Name] = true
					d.spreads = append(d.spreads, n.Name)
				}
			}
			s.nodes += own
		}
		s.nodes++
		sum.add(s)
	}
	return sum
}

func (m *measuring) name(name string) { m.longestName = max(m.longestName, len(name)) }

// directives counts the nodes of directives.
func (m *measuring) directives(list ast.DirectiveList) (nodes int) {
	for _, d := range list {
		m.work.Measured++
		m.name(d.Name)
		nodes += 1 + m.arguments(d.Arguments)
	}
	return nodes
}

func (m *measuring) arguments(list ast.ArgumentList) (nodes int) {
	for _, a := range list {
		m.name(a.Name)
		nodes += m.value(a.Value, 1)
	}
	return nodes
}

func (m *measuring) variables(list ast.VariableDefinitionList) (nodes int) {
	for _, v := range list {
		m.work.Measured++
		m.name(v.Variable)
		depth := 0
		for t := v.Type; t != nil; t = t.Elem {
			depth++
			m.name(t.NamedType)
		}
		m.nestedValues = max(m.nestedValues, depth)
		nodes += 1 + m.directives(v.Directives)
		if v.DefaultValue != nil {
			nodes += m.value(v.DefaultValue, 1)
		}
	}
	return nodes
}

// value counts a value and the values in it.
func (m *measuring) value(v *ast.Value, depth int) (nodes int) {
	m.work.Measured++
	m.nestedValues = max(m.nestedValues, depth)
	if v.Kind == ast.StringValue || v.Kind == ast.BlockValue {
		m.longestText = max(m.longestText, len(v.Raw))
	} else {
		m.name(v.Raw)
	}
	nodes = 1
	for _, child := range v.Children {
		m.name(child.Name)
		nodes += m.value(child.Value, depth+1)
	}
	return nodes
}

// reached adds up the nodes that validation walks: those of each definition and of every
// fragment that it reaches. It stops once the sum is too large.
func (m *measuring) reached(definitions []*definition) (nodes int) {
	for _, d := range definitions {
		seen := map[string]bool{}
		next := []*definition{d}
		for len(next) > 0 && nodes <= MaxValidated {
			at := next[len(next)-1]
			next = next[:len(next)-1]
			nodes += at.own
			for _, name := range at.spreads {
				m.work.Measured++
				if !seen[name] {
					seen[name] = true
					next = append(next, m.fragments[name])
				}
			}
		}
	}
	return nodes
}
