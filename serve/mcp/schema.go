package mcp

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/domain/market"
)

// schemaIndex searches the root fields and types of the graph.
type schemaIndex struct {
	schema  *ast.Schema
	entries []schemaEntry
}

// schemaEntry is a root field or a type.
type schemaEntry struct {
	field   *ast.FieldDefinition // of Query; nil: it is a type
	of      *ast.Definition
	name    []string // its words
	related []string // words of the type that a field leads to, or of the fields of a type
	about   []string // words of its description
}

func newSchemaIndex(schema *ast.Schema) *schemaIndex {
	x := &schemaIndex{schema: schema}
	if schema == nil {
		return x
	}
	for _, f := range schema.Query.Fields {
		if strings.HasPrefix(f.Name, "__") {
			continue
		}
		of := schema.Types[f.Type.Name()]
		e := schemaEntry{field: f, of: of, name: wordsOf(f.Name), related: wordsOf(f.Type.Name()), about: wordsOf(f.Description)}
		if of != nil {
			e.about = append(e.about, wordsOf(of.Description)...)
			for _, inner := range of.Fields {
				e.about = append(e.about, wordsOf(inner.Name)...)
			}
		}
		x.entries = append(x.entries, e)
	}
	for _, of := range schema.Types {
		if of.BuiltIn || strings.HasPrefix(of.Name, "__") || of == schema.Query || of == schema.Subscription {
			continue
		}
		e := schemaEntry{of: of, name: wordsOf(of.Name), about: wordsOf(of.Description)}
		for _, f := range of.Fields {
			e.related = append(e.related, wordsOf(f.Name)...)
			e.about = append(e.about, wordsOf(f.Description)...)
		}
		for _, v := range of.EnumValues {
			e.related = append(e.related, wordsOf(v.Name)...)
		}
		x.entries = append(x.entries, e)
	}
	slices.SortStableFunc(x.entries, func(a, b schemaEntry) int {
		if by := cmp.Compare(b2i(a.field == nil), b2i(b.field == nil)); by != 0 {
			return by
		}
		if a.field != nil {
			return 0 // as the schema has them
		}
		return cmp.Compare(a.of.Name, b.of.Name)
	})
	return x
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// unspecific are words that a search ignores.
var unspecific = strings.Fields("a an all and are as at by can for from get how in is it its me of on or the there to " +
	"what when where which " +
	"with give show list field fields type types query stock company")

// synonyms maps words of a search to the schema's words for the same thing.
var synonyms = map[string]string{
	"price": "quote", "prices": "quote", "earnings": "financials", "statement": "financials", "balance": "financials",
	"income": "financials", "cashflow": "financials",
	"cash": "financials", "etf": "fund", "ratio": "valuation", "inflation": "producer", "ppi": "producer", "history": "candles",
	"ohlc": "candles", "gainers": "movers",
	"losers": "movers", "rsi": "indicators", "macd": "indicators", "offering": "ipo", "kap": "disclosures", "filing": "filings",
	"hours": "session",
}

// wordsOf returns the words of a name or of prose, in lower case, without plural endings.
func wordsOf(s string) (words []string) {
	var spaced strings.Builder
	lower := false
	for _, r := range s {
		if unicode.IsUpper(r) && lower {
			spaced.WriteByte(' ')
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		spaced.WriteRune(r)
	}
	for _, w := range strings.FieldsFunc(market.Fold(spaced.String()), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		words = append(words, singular(w))
	}
	return words
}

func singular(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		return w[:len(w)-1]
	}
	return w
}

// Bounds of what a search shows.
const (
	maxRoots    = 6
	maxTypes    = 6
	maxFound    = 2_500 // tokens
	shortPhrase = 110   // bytes of a field's description
	manyFields  = 25    // of a type that is shown only if it is sought, such as Instrument
)

func (h *Handler) searchSchema(_ context.Context, in arguments) (string, error) {
	return h.schema.search(in.text("query")), nil
}

// search returns the parts of the schema that match a query, in the schema definition language.
func (x *schemaIndex) search(query string) string {
	if exact := x.named(strings.TrimSpace(query)); exact != "" {
		return exact
	}
	roots, types := x.ranked(query)
	if len(roots)+len(types) == 0 {
		return x.contents("Nothing matches. ")
	}
	out := &schemaText{budget: maxFound, types: map[string]bool{}}
	for _, e := range roots[:min(maxRoots, len(roots))] {
		out.add(rootText(e.field))
	}
	for _, e := range roots[:min(2, len(roots))] { // the types of their answers, so that a query can select fields at once
		out.addType(e.of)
	}
	for _, e := range types[:min(maxTypes, len(types))] {
		out.addType(e.of)
	}
	for _, e := range roots[:min(2, len(roots))] {
		x.addParts(out, e.of)
	}
	return out.String() + "# Name a type, or Query.field, to see it alone.\n"
}

// named returns the root field or type with exactly this name; empty: there is none.
func (x *schemaIndex) named(name string) string {
	root, field, dotted := strings.Cut(name, ".")
	if dotted {
		of := x.schema.Types[root]
		if of == nil {
			return ""
		}
		f := of.Fields.ForName(field)
		if f == nil {
			return ""
		}
		out := &schemaText{budget: maxAnswer - 500, types: map[string]bool{}}
		out.add(fieldText(root+".", f, true))
		of = x.schema.Types[f.Type.Name()]
		out.addType(of)
		if of != nil {
			x.addParts(out, of)
		}
		for _, a := range f.Arguments {
			out.addType(x.schema.Types[a.Type.Name()])
		}
		return out.String()
	}
	if f := x.schema.Query.Fields.ForName(name); f != nil {
		return x.named("Query." + name)
	}
	if of := x.schema.Types[name]; of != nil && of == x.schema.Query {
		return x.contents("")
	} else if of != nil {
		out := &schemaText{budget: maxAnswer - 500, types: map[string]bool{}}
		out.addType(of)
		x.addParts(out, of)
		return out.String()
	}
	return ""
}

// addParts adds the types of the fields of a type.
func (x *schemaIndex) addParts(out *schemaText, of *ast.Definition) {
	for _, f := range of.Fields {
		if part := x.schema.Types[f.Type.Name()]; part != nil && len(part.Fields) < manyFields {
			out.addType(part)
		}
	}
}

// contents names all root fields.
func (x *schemaIndex) contents(before string) string {
	var names []string
	for _, f := range x.schema.Query.Fields {
		if !strings.HasPrefix(f.Name, "__") {
			names = append(names, f.Name)
		}
	}
	return before + "The fields of Query: " + strings.Join(names, ", ") + ". Name one to see its arguments and its type.\n"
}

// ranked returns the root fields and the types that match words, the best first.
func (x *schemaIndex) ranked(query string) (roots, types []schemaEntry) {
	var words []string
	for _, w := range wordsOf(query) {
		if slices.Contains(unspecific, w) {
			continue
		}
		words = append(words, w)
		if other := synonyms[w]; other != "" {
			words = append(words, singular(other))
		}
	}
	if len(words) == 0 {
		words = wordsOf(query)
	}
	score := map[string]int{}
	keyOf := func(e schemaEntry) string {
		if e.field != nil {
			return "Query." + e.field.Name
		}
		return e.of.Name
	}
	for _, e := range x.entries {
		for _, w := range words {
			switch {
			case slices.Contains(e.name, w):
				score[keyOf(e)] += 8
			case slices.Contains(e.related, w):
				score[keyOf(e)] += 4
			case slices.Contains(e.about, w):
				score[keyOf(e)] += 2
			}
		}
		if s := score[keyOf(e)]; s > 0 {
			score[keyOf(e)] = 10*s - len(e.name) // the simplest of equals
		}
	}
	for _, e := range x.entries {
		switch {
		case score[keyOf(e)] == 0:
		case e.field != nil:
			roots = append(roots, e)
		default:
			types = append(types, e)
		}
	}
	best := func(a, b schemaEntry) int { return score[keyOf(b)] - score[keyOf(a)] }
	slices.SortStableFunc(roots, best)
	slices.SortStableFunc(types, best)
	return roots, types
}
