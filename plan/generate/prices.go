package main

import (
	"fmt"
	"strings"

	"github.com/99designs/gqlgen/codegen"
)

// pricesText is a resolver of the query that prices its fields.
const pricesText = `
{{ reserveImport "context" }}

// Pricing resolves the query to nothing: each field tells its price and fails with what
// Tell returns.
type Pricing struct {
	Lists *ComplexityRoot
	Below map[string]int // what an object of a type holds, by the type's name
	Tell  func(ctx context.Context, field string, price int) error
}

{{ range .QueryFields }}
// {{ .GoFieldName }} implements QueryResolver.
func (p Pricing) {{ .GoFieldName }}{{ $.PricedSignature . }} {
	below := p.Below[{{ .TypeReference.Definition.Name | quote }}]
	price := 1 + below
	if list := p.Lists.Query.{{ .GoFieldName }}; list != nil {
		price = list(below{{ $.ArgNames . }})
	}
	return none, p.Tell(ctx, {{ .Name | quote }}, price)
}
{{ end }}
`

// QueryFields returns the fields of the query that have resolvers.
func (w *writer) QueryFields() []*codegen.Field { return w.Resolved(w.data.QueryRoot) }

// PricedSignature returns what a field's resolver takes and returns, with names.
func (w *writer) PricedSignature(f *codegen.Field) string {
	var args strings.Builder
	for i, a := range f.Args {
		fmt.Fprintf(&args, ", a%d %s", i, w.Ref(a.TypeReference.GO))
	}
	return fmt.Sprintf("(ctx context.Context%s) (none %s, err error)", &args, w.Ref(f.TypeReference.GO))
}

// ArgNames returns the names of a field's arguments as PricedSignature has them.
func (*writer) ArgNames(f *codegen.Field) string {
	var names strings.Builder
	for i := range f.Args {
		fmt.Fprintf(&names, ", a%d", i)
	}
	return names.String()
}
