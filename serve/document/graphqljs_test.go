package document

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"piyasa/serve/queryplan/plantest"
	"piyasa/serve/queryplan/plantest/world"
)

// graphQLJS is where graphql-js lies.
const graphQLJS = "../queryplan/plantest/graphqljs"

// onPurpose are the corners that we refuse and graphql-js does not, or the reverse.
var onPurpose = map[string]string{
	`subscription ($b: Boolean!) {ticks @include(if: $b)}`:       "graphql-js fails as it evaluates the condition while it validates",
	`subscription ($b: Boolean!) {... @include(if: $b) {ticks}}`: "the same",
	`mutation {words}`: "graphql-js refuses it only when it is executed",
	"{words # \x07\n}": "control characters are of the language since 2025 only; an " +
		"escape can say them",
	"{words(of: \"\x07\")}":                                 "the same",
	`{nodes(ids: 99999999999999999999) {id}}`:               "no id is such a number",
	`{... @defer {words}}`:                                  "@defer is known and ignored",
	`{...F @defer(label: "a")} fragment F on Query {words}`: "the same",
}

// agree compares who refuses a document, and reports whether it is valid.
func agree(t *testing.T, js *plantest.GraphQLJS, r *Reader, text string) (valid bool) {
	t.Helper()
	if doc, err := parser.ParseQuery(&ast.Source{Input: text}); err == nil && len(limit(doc, new(Work))) > 0 {
		return false // it is refused whether valid or not
	}
	_, ours := r.read(text, new(Work))
	theirs := js.Validate(t, text)
	if (len(ours) > 0) != (len(theirs) > 0) && onPurpose[text] == "" {
		t.Errorf("%q\nours:   %v\ntheirs: %s", text, ours, strings.Join(theirs, "; "))
	}
	return len(theirs) == 0
}

// graphql-js refuses what we refuse.
func TestGraphQLJSRefusesTheSame(t *testing.T) {
	tests := world.NewExecutableSchema(world.Config{}).Schema()
	js := plantest.NewGraphQLJS(t, graphQLJS, tests)
	valid := 0
	for _, text := range corners {
		if agree(t, js, NewReader(tests, 0), text) {
			valid++
		}
	}
	if valid < len(corners)/4 || valid > len(corners)*3/4 {
		t.Errorf("%d of %d corners are valid", valid, len(corners))
	}
	for _, s := range []*ast.Schema{tests, schema} {
		js := plantest.NewGraphQLJS(t, graphQLJS, s)
		valid, documents := 0, 400
		for seed := range uint64(documents) {
			if agree(t, js, NewReader(s, 0), mutated(s, seed, 5)) {
				valid++
			}
		}
		if valid < documents/6 || valid > documents*5/6 {
			t.Errorf("%d of %d documents are valid", valid, documents)
		}
	}
}

// FuzzGraphQLJS looks for a document that only one of the two refuses.
func FuzzGraphQLJS(f *testing.F) {
	tests := world.NewExecutableSchema(world.Config{}).Schema()
	js := plantest.NewGraphQLJS(f, graphQLJS, tests)
	for seed := range uint64(10) {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, seed, words uint64) { agree(t, js, NewReader(tests, 0), mutated(tests, seed, words)) })
}

var (
	tokens  = regexp.MustCompile(`"(?:\\.|[^"\\])*"|\.\.\.|\$?\w+|[^\s,]`)
	isValue = regexp.MustCompile(`^[\w"]`)
)

// words are what mutations write, beside what a document has already.
var words = strings.Fields(`query subscription fragment on null true 1 -7 1.5 2e3 99999999999 "x" """x""" [ ] { } ( ) : = ! @ @skip
	@include(if:true) @skip(if:$v0) @deprecated $v0 $v1 $iftrue0 $iffalse1 Boolean Int Int! String ID [ID!] Node Query Thing Named RED id name __typename
	__schema{types{name}} __type a: nope ... ...F0 [1,null] {a:1} # é . &`)

// mutated is a document of which a token or two were changed, mostly into others of their kind.
func mutated(of *ast.Schema, seed, more uint64) string {
	r := rand.New(rand.NewPCG(seed, more))
	grammar := plantest.Grammar{Schema: of, Depth: 3, Width: 2}
	all := tokens.FindAllString(grammar.Random(r).Text, -1)
	for range 1 + r.IntN(2) {
		at, word := r.IntN(len(all)), words[r.IntN(len(words))]
		if r.IntN(2) == 0 {
			word = all[r.IntN(len(all))]
		}
		switch r.IntN(9) {
		case 0:
			all[at] = word
		case 1:
			all = slices.Insert(all, at, word)
		case 2:
			other := r.IntN(len(all))
			all[at], all[other] = all[other], all[at]
		case 3:
			all = slices.Delete(all, at, at+1)
		default:
			if isValue.MatchString(all[at]) == isValue.MatchString(word) {
				all[at] = word
			}
		}
	}
	return strings.Join(all, " ")
}
