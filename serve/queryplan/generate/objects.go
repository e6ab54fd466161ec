package main

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
)

// objectsText is the template of the tables of package queryplan.
const objectsText = `
{{ reserveImport "context" }}
{{ reserveImport "strconv" }}
{{ reserveImport "github.com/99designs/gqlgen/graphql/introspection" }}
{{ reserveImport "piyasa/loaders" }}
{{ reserveImport "piyasa/serve/queryplan" }}

// Objects returns the objects of the schema as package queryplan runs them: what they
// hold is appended, relations are asked of r.
func Objects(r Relations) []*queryplan.Object {
	o := objects{r, newExecutionContext(nil, &executableSchema{}, nil)}
	return []*queryplan.Object{
{{- range .All }}
		o.{{ .Name | lcFirst }}(),
{{- end }}
	}
}

type objects struct {
	Relations
	ec *executionContext // reads arguments
}

{{ range .All }}
func (o objects) {{ .Name | lcFirst }}() *queryplan.Object {
	return &queryplan.Object{Name: {{ .Name | quote }}, Implementors: {{ .Name | lcFirst }}Implementors, Fields: []*queryplan.Field{
{{- range .Fields }}
		{{ $.Field . }}
{{- end }}
	}}
}
{{ end }}
{{ $.Below }}
`

// All returns all objects of the schema.
func (w *writer) All() []*codegen.Object { return w.data.Objects }

// Field returns the line of the table for f.
func (w *writer) Field(f *codegen.Field) (string, error) {
	ref, of := f.TypeReference, "of.("+w.parent(f)+")"
	typ := "nil"
	var err error
	if !isFigure(f) || isEnums(ref) {
		if typ, err = w.typeOf(ref); err != nil {
			return "", fmt.Errorf("%s.%s: %w", f.Object.Name, f.Name, err)
		}
	}
	line := fmt.Sprintf("{Name: %q, NonNull: %t, ", f.Name, ref.GQL.NonNull)
	if typ != "nil" {
		line += "Type: " + typ + ", "
	}
	if len(f.Args) > 0 {
		line += "Args: o.ec." + f.ArgsFunc() + ", "
	}
	held := of + "." + f.GoFieldName
	switch {
	case f.Name == "__schema":
		line += "Each: func(context.Context, any, map[string]any) (any, error) { return " +
			"queryplan.Boxed(introspection.WrapSchema(parsedSchema)), nil }"
	case f.Name == "__type":
		line += `Each: func(_ context.Context, _ any, args map[string]any) (any, error) {
			return queryplan.Boxed(introspection.WrapTypeFromDef(parsedSchema, parsedSchema.Types[args["name"].(string)])), nil
		}`
	case f.Object.Stream:
		line += fmt.Sprintf(`Events: func(ctx context.Context, args map[string]any) (func(context.Context) (any, bool), error) {
			events, err := o.%s().%s(ctx%s)
			return queryplan.Events(events, err, func(v *%s) any { return %s })
		}`, f.Object.Name, f.GoFieldName, w.args(f), w.Ref(ref.GO), w.boxed(ref, "(*v)", "v"))
	case w.IsBatch(f):
		line += fmt.Sprintf(`All: func(ctx context.Context, relation loaders.Relation, of []any, args map[string]any) ([]any, []error) {
			return queryplan.All(ctx, relation, of, func(objs []%[1]s) ([]%[2]s, []error) { return o.%[3]s().%[4]s(ctx, objs%[5]s) }, func(v *%[2]s) any { return %[6]s })
		}`, w.Parent(f), w.Ref(ref.GO), f.Object.Name, f.GoFieldName, w.args(f), w.boxed(ref, "(*v)", "v"))
	case f.IsResolver && f.Object.Root:
		line += w.each(f, fmt.Sprintf("o.%s().%s(ctx%s)", f.Object.Name, f.GoFieldName, w.args(f)), true)
	case f.IsResolver:
		line += w.each(f, fmt.Sprintf("o.%s().%s(ctx, %s%s)", f.Object.Name, f.GoFieldName, of, w.args(f)), true)
	case inTurn(f) != nil:
		if typ, err = w.typeInTurn(f); err != nil {
			return "", fmt.Errorf("%s.%s: %w", f.Object.Name, f.Name, err)
		}
		line = fmt.Sprintf(`{Name: %q, NonNull: %t, Type: %s, Each: func(_ context.Context, of any, _ map[string]any) (any, error) { return queryplan.InTurn(%sInTurn()) }`, f.Name, ref.GQL.NonNull, typ, held)
	case f.IsMethod() && !isFigure(f):
		args := strings.TrimPrefix(w.args(f), ", ")
		if f.MethodHasContext {
			args = "ctx" + w.args(f)
		}
		line += w.each(f, held+"("+args+")", !f.NoErr)
	case isLeaf(ref):
		name, err := w.leaf(ref)
		if err != nil {
			return "", fmt.Errorf("%s.%s: %w", f.Object.Name, f.Name, err)
		}
		if f.IsMethod() {
			held += "()"
		}
		line += fmt.Sprintf("Append: func(b []byte, of any) ([]byte, queryplan.Outcome) { return %s(b, %s) }", name, held)
		if isEnums(ref) {
			line += fmt.Sprintf(", Get: func(of any) any { return &%s }", held)
		}
	default:
		line += fmt.Sprintf("Get: func(of any) any { return %s }", w.boxed(ref, held, "&"+held))
	}
	return line + "},", nil
}

// isFigure reports whether a field is a scalar that its object holds, or that a method of the
// object without arguments computes.
func isFigure(f *codegen.Field) bool {
	simple := len(f.Args) == 0 && !f.MethodHasContext && f.NoErr && !f.TypeReference.IsSlice()
	return isLeaf(f.TypeReference) && !f.IsResolver && (!f.IsMethod() || simple)
}

// parent returns the Go type of the object that f belongs to; roots have none.
func (w *writer) parent(f *codegen.Field) string {
	if f.Object.Root {
		return ""
	}
	return w.Parent(f)
}

// args returns the arguments of f as in the call of its resolver.
func (w *writer) args(f *codegen.Field) string {
	var args strings.Builder
	for _, a := range f.Args {
		fmt.Fprintf(&args, ", args[%q].(%s)", a.Name, w.Ref(a.TypeReference.GO))
	}
	return args.String()
}

// each returns a function that calls the resolver for one parent.
func (w *writer) each(f *codegen.Field, call string, fails bool) string {
	ctx, of, args := "_", "_", "_"
	if strings.Contains(call, "(ctx") {
		ctx = "ctx"
	}
	if strings.Contains(call, "of.(") {
		of = "of"
	}
	if strings.Contains(call, "args[") {
		args = "args"
	}
	head := fmt.Sprintf("Each: func(%s context.Context, %s any, %s map[string]any) (any, error) {\n", ctx, of, args)
	if !fails {
		return head + fmt.Sprintf("v := %s\nreturn %s, nil }", call, w.boxed(f.TypeReference, "v", "&v"))
	}
	return head + fmt.Sprintf("v, err := %s\nreturn %s, err }", call, w.boxed(f.TypeReference, "v", "&v"))
}

// boxed returns a value as package queryplan holds it: a pointer to an object, a pointer to
// the slice of a list, or any other value itself.
func (w *writer) boxed(ref *config.TypeReference, value, pointer string) string {
	switch {
	case isLeaf(ref) && !isEnums(ref):
		return value
	case ref.IsSlice():
		return pointer
	case isAbstract(ref):
		return value
	case ref.IsPtr():
		return "queryplan.Boxed(" + value + ")"
	default:
		return pointer
	}
}

// isLeaf reports whether ref leads to scalars or enums, also within lists.
func isLeaf(ref *config.TypeReference) bool { return ref.Definition.IsLeafType() }

// isEnums reports whether ref is a list of enums: unlike those of scalars, its elements have
// their own places in the paths of errors.
func isEnums(ref *config.TypeReference) bool { return ref.IsSlice() && ref.Definition.Kind == ast.Enum }

func isAbstract(ref *config.TypeReference) bool { return ref.Definition.IsAbstractType() }

// typeOf returns the code of a queryplan.Type.
func (w *writer) typeOf(ref *config.TypeReference) (string, error) {
	switch {
	case isLeaf(ref) && !isEnums(ref):
		name, err := w.leaf(ref)
		return fmt.Sprintf("&queryplan.Type{NonNull: %t, Append: func(b []byte, v any) ([]byte, queryplan.Outcome) { "+
			"return %s(b, v.(%s)) }}", ref.GQL.NonNull, name, w.Ref(ref.GO)), err
	case ref.IsPtrToSlice(), ref.IsPtrToPtr(), ref.IsPtrToIntf(), !isLeaf(ref) && (ref.IsMarshaler || ref.Marshaler != nil):
		return "", fmt.Errorf("the tables do not know %s as %s", ref.GO, ref.GQL)
	}
	key := "type" + ref.UniquenessKey()
	if w.below[key] == "" {
		text, err := w.composite(ref)
		if err != nil {
			return "", err
		}
		w.put(key, fmt.Sprintf("var %s = %s", key, text))
	}
	return key, nil
}

func (w *writer) composite(ref *config.TypeReference) (string, error) {
	if !ref.IsSlice() {
		if isAbstract(ref) {
			w.put("concrete"+ref.Definition.Name, w.concrete(w.data.Interfaces[ref.Definition.Name]))
			return fmt.Sprintf("&queryplan.Type{NonNull: %t, Name: %q, Concrete: concrete%[2]s}", ref.GQL.NonNull, ref.Definition.Name), nil
		}
		return fmt.Sprintf("&queryplan.Type{NonNull: %t, Name: %q}", ref.GQL.NonNull, ref.Definition.Name), nil
	}
	elem, err := w.typeOf(ref.Elem())
	list := "(*list.(*" + w.Ref(ref.GO) + "))"
	return fmt.Sprintf(`&queryplan.Type{NonNull: %t, Elem: %s,
		Len: func(list any) int { return queryplan.Len%s },
		At: func(list any, i int) any { return %s },
	}`, ref.GQL.NonNull, elem, list, w.boxed(ref.Elem(), list+"[i]", "&"+list+"[i]")), err
}

// inTurn returns the variant of a method, if there is one, that returns the objects of its list
// one after the other in the same memory, such as ObjectsInTurn for Objects.
func inTurn(f *codegen.Field) *types.Func {
	if !f.IsMethod() || len(f.Args) > 0 {
		return nil
	}
	twin, _, _ := types.LookupFieldOrMethod(f.Object.Type, true, nil, f.GoFieldName+"InTurn")
	method, _ := twin.(*types.Func)
	return method
}

// typeInTurn returns the code of the queryplan.Type of a list whose objects share their memory
// in turn: they are only written, none of them is null, and none of their relations is asked
// for.
func (w *writer) typeInTurn(f *codegen.Field) (string, error) {
	ref, of := f.TypeReference, f.TypeReference.Definition.Name
	if !ref.Elem().GQL.NonNull {
		return "", fmt.Errorf("objects of %s may be null, so they cannot be there in turn", of)
	}
	object := w.data.Objects.ByName(of)
	if object == nil {
		return "", fmt.Errorf("%s has many types, so objects of it cannot be there in turn", of)
	}
	for _, below := range object.Fields {
		if !isFigure(below) {
			return "", fmt.Errorf("%s.%s is more than a figure, so objects of it cannot be there in turn", of, below.Name)
		}
	}
	elem, err := w.typeOf(ref.Elem())
	list := "list.(" + w.Ref(inTurn(f).Signature().Results().At(0).Type()) + ")"
	return fmt.Sprintf(`&queryplan.Type{NonNull: %t, Elem: %s,
		Len: func(list any) int { return %[3]s.Len() },
		At: func(list any, i int) any { return %[3]s.At(i) },
	}`, ref.GQL.NonNull, elem, list), err
}

// concrete returns the code that finds the object type of a value of an abstract type.
func (w *writer) concrete(abstract *codegen.Interface) string {
	var cases strings.Builder
	for _, i := range abstract.Implementors {
		value, check := "v", ""
		if i.TakeRef {
			value = "&v"
		}
		if i.CanBeNil() {
			check = fmt.Sprintf("if v == nil {\nreturn %q, nil\n}\n", i.Name)
		}
		fmt.Fprintf(&cases, "case %s:\n%sreturn %q, %s\n", w.Ref(i.Type), check, i.Name, value)
	}
	return fmt.Sprintf("func concrete%s(v any) (string, any) {\nswitch v := v.(type) {\n%s}\nreturn \"\", v\n}", abstract.Name, &cases)
}

// put stores a declaration to be written below the tables.
func (w *writer) put(name, text string) {
	if w.below == nil {
		w.below = map[string]string{}
	}
	w.below[name] = text
}

// Below returns the declarations that the tables need.
func (w *writer) Below() string {
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(w.below)) {
		all.WriteString(w.below[name] + "\n\n")
	}
	return all.String()
}

// leaf returns the name of the function that appends values of a leaf as gqlgen's marshal
// function writes them.
func (w *writer) leaf(ref *config.TypeReference) (string, error) {
	name := "append" + ref.UniquenessKey()
	if w.below[name] != "" {
		return name, nil
	}
	w.put(name, "-") // stops recursion
	var body string
	switch {
	case ref.IsPtrToSlice(), ref.IsPtrToPtr(), ref.IsPtrToIntf(), ref.IsContext:
		return "", fmt.Errorf("the tables do not know %s as %s", ref.GO, ref.GQL)
	case ref.IsSlice():
		each, err := w.leaf(ref.Elem())
		if err != nil {
			return "", err
		}
		body = fmt.Sprintf("return queryplan.AppendList(b, v, %t, %t, %s)", ref.GQL.NonNull, ref.GQL.Elem.NonNull, each)
	default:
		if ref.IsNilable() {
			outcome := "queryplan.Null"
			if ref.GQL.NonNull {
				outcome = "queryplan.Null | queryplan.Failed"
			}
			body = fmt.Sprintf("if v == nil {\nreturn b, %s\n}\n", outcome)
		}
		body += w.scalar(ref)
	}
	w.put(name, fmt.Sprintf("func %s(b []byte, v %s) ([]byte, queryplan.Outcome) {\n%s\n}", name, w.Ref(ref.GO), body))
	return name, nil
}

// scalar returns the code that appends a scalar that is not null.
func (w *writer) scalar(ref *config.TypeReference) string {
	if ref.IsMarshaler {
		if appendsJSON(ref.GO) {
			return "return v.AppendJSON(b), 0"
		}
		return fmt.Sprintf("return queryplan.AppendMarshaler(b, v, %t)", ref.GQL.NonNull)
	}
	v := "v"
	switch {
	case ref.IsTargetNilable() && !ref.IsNilable():
		v = "&v"
	case !ref.IsTargetNilable() && ref.IsNilable():
		v = "*v"
	}
	if ref.CastType != nil && !ref.HasEnumValues() {
		v = w.Ref(ref.CastType) + "(" + v + ")"
	}
	if ref.Marshaler.Pkg().Path() == "github.com/99designs/gqlgen/graphql" {
		if ref.HasEnumValues() {
			return enum(ref, v)
		}
		switch ref.Marshaler.Name() {
		case "MarshalString", "MarshalID":
			return "return queryplan.AppendString(b, " + v + "), 0"
		case "MarshalInt", "MarshalInt8", "MarshalInt16", "MarshalInt32":
			return "return strconv.AppendInt(b, int64(" + v + "), 10), 0"
		case "MarshalInt64":
			return "return strconv.AppendInt(b, " + v + ", 10), 0"
		case "MarshalBoolean":
			return "return strconv.AppendBool(b, " + v + "), 0"
		}
	}
	return fmt.Sprintf("return queryplan.AppendMarshaler(b, %s(%s), %t)", templates.Call(ref.Marshaler), v, ref.GQL.NonNull)
}

// enum returns the code that appends the name of an enum's value: a switch is faster than
// gqlgen's map from values to names. As there, a value unknown to the schema is "".
func enum(ref *config.TypeReference, value string) string {
	var cases strings.Builder
	for _, v := range ref.EnumValues {
		object := v.Object.Name()
		if from := templates.CurrentImports.Lookup(v.Object.Pkg().Path()); from != "" {
			object = from + "." + object
		}
		fmt.Fprintf(&cases, "case %s:\nreturn append(b, `%q`...), 0\n", object, v.Definition.Name)
	}
	return fmt.Sprintf("switch %s {\n%s}\nreturn append(b, `\"\"`...), 0", value, &cases)
}

// appendsJSON reports whether one of our scalars has a method that appends what its MarshalGQL
// writes.
func appendsJSON(t types.Type) bool {
	method, _, _ := types.LookupFieldOrMethod(t, true, nil, "AppendJSON")
	f, ok := method.(*types.Func)
	if !ok {
		return false
	}
	s := f.Type().(*types.Signature)
	return s.Params().Len() == 1 && s.Params().At(0).Type().String() == "[]byte" && s.Results().Len() == 1 &&
		s.Results().At(0).Type().String() == "[]byte"
}
