package main

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/templates"
)

// relationsText is the template of the interface of all relations, and of the code that makes
// a ResolverRoot of it.
const relationsText = `
{{ reserveImport "context" }}
{{ reserveImport "github.com/99designs/gqlgen/graphql" }}

// Relations answers what leads from an object to others. It is ResolverRoot,
// but the fields that the configuration calls batch take all parents of a place
// at once and answer in their order.
type Relations interface {
{{- range .Objects }}
	{{ .Name }}() {{ $.RelationsOf . }}
{{- end }}
}

{{ if .Oracle }}
// Resolvers returns r as gqlgen's executor asks it, one parent at a time.
func Resolvers(r Relations) ResolverRoot { return resolvers{r} }

type resolvers struct{ Relations }

// one returns the answer of a batch of one; a panic is its error.
func one[V any](ctx context.Context, ask func() ([]V, []error)) (v V, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = graphql.GetOperationContext(ctx).RecoverFunc(ctx, p)
		}
	}()
	values, errs := ask()
	return values[0], errs[0]
}
{{ end }}

{{ range .Objects }}{{ if $.Batched . }}
{{- $object := . }}
// {{ .Name }}Relations leads from a {{ .Name }} to others.
type {{ .Name }}Relations interface {
{{- range $.Resolved . }}
	{{ .GoFieldName }}{{ $.Signature . }}
{{- end }}
}

{{ if $.Oracle }}
// {{ .Name }} answers one parent at a time.
func (r resolvers) {{ .Name }}() {{ .Name }}Resolver { return resolversOf{{ .Name }}{r.Relations.{{ .Name }}()} }

type resolversOf{{ .Name }} struct{ {{ .Name }}Relations }
{{ range $.Resolved . }}{{ if $.IsBatch . }}
// {{ .GoFieldName }} is a batch of one.
func (r resolversOf{{ $object.Name }}) {{ .GoFieldName }}(ctx context.Context, obj {{ $.Parent . }}{{ range $i, $arg := .Args }}, a{{ $i }} {{ $.Ref .TypeReference.GO }}{{ end }}) ({{ $.Ref .TypeReference.GO }}, error) {
	return one(ctx, func() ([]{{ $.Ref .TypeReference.GO }}, []error) {
		return r.{{ $object.Name }}Relations.{{ .GoFieldName }}(ctx, []{{ $.Parent . }}{obj}{{ range $i, $arg := .Args }}, a{{ $i }}{{ end }})
	})
}
{{ end }}{{ end }}
{{ end }}
{{ end }}{{ end }}
`

// writer is the data and the functions of the templates.
type writer struct {
	Oracle  bool
	data    *codegen.Data
	batched map[string]map[string]bool
	below   map[string]string // declarations that the tables of objects need, by name
}

// Data returns gqlgen's view of the schema.
func (w *writer) Data() *codegen.Data { return w.data }

// Objects returns the objects that have resolvers.
func (w *writer) Objects() (found []*codegen.Object) {
	for _, o := range w.data.Objects {
		if o.HasResolvers() {
			found = append(found, o)
		}
	}
	return found
}

// Batched reports whether o has fields that take all their parents at once.
func (w *writer) Batched(o *codegen.Object) bool { return len(w.batched[o.Name]) > 0 }

// IsBatch reports whether f takes all its parents at once.
func (w *writer) IsBatch(f *codegen.Field) bool { return w.batched[f.Object.Name][f.Name] }

// RelationsOf returns the interface of o's relations: ours if it has batches, or else gqlgen's.
func (w *writer) RelationsOf(o *codegen.Object) string {
	if w.Batched(o) {
		return o.Name + "Relations"
	}
	return o.Name + "Resolver"
}

// Resolved returns the fields of o that have resolvers.
func (*writer) Resolved(o *codegen.Object) (found []*codegen.Field) {
	for _, f := range o.Fields {
		if f.IsResolver {
			found = append(found, f)
		}
	}
	return found
}

// Signature returns the parameters and results of a relation.
func (w *writer) Signature(f *codegen.Field) string {
	if !w.IsBatch(f) {
		return f.ShortResolverDeclaration()
	}
	var args strings.Builder
	for _, a := range f.Args {
		fmt.Fprintf(&args, ", %s %s", a.VarName, w.Ref(a.TypeReference.GO))
	}
	return fmt.Sprintf("(ctx context.Context, objs []%s%s) ([]%s, []error)", w.Parent(f), &args, w.Ref(f.TypeReference.GO))
}

// Parent returns the Go type of the object that f belongs to.
func (w *writer) Parent(f *codegen.Field) string { return w.Ref(f.Object.Reference()) }

// Ref returns a Go type as code.
func (*writer) Ref(t types.Type) string { return templates.CurrentImports.LookupType(t) }
