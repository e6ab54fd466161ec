package rest

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"piyasa/domain/macro"
	"piyasa/internal/value"
)

// Parameter describes one parameter of a route.
type Parameter struct {
	Name        string
	In          string // "path" or "query"
	Description string
	Type        string   // "text", "number", "true or false", "list of text" or "list of numbers"; a list is one text with commas
	Values      []string // all allowed values, in their letter case; nil: any value
	Min, Max    *int     // bounds of a number, or of the length of a list; nil: not stated
	Default     *int     // of a limit
	Required    bool
	Repeated    bool // whether each occurrence adds a value
}

// Parameters describes the parameters of a route's path and query, in the order in which mistakes
// are reported.
func (r Route) Parameters() []Parameter {
	var all []Parameter
	for _, p := range paramsOf(r.params) {
		f := r.params.FieldByIndex(p.index)
		d := Parameter{Name: p.name, In: "query", Description: f.Tag.Get("description"), Type: typeOf(f.Type), Repeated: p.repeat,
			Required: p.path || f.Tag.Get("required") == "true"}
		if p.path {
			d.In = "path"
		}
		d.Values = wordsOf(f)
		if limit, ok := limitOf(p.name, f.Type, r.params); ok {
			d.Min, d.Max = &limit.Min, &limit.Max
			if p.name == "limit" {
				d.Default = &limit.Default
			}
		}
		for tag, bound := range map[string]**int{"minItems": &d.Min, "maxItems": &d.Max} {
			if n, err := strconv.Atoi(f.Tag.Get(tag)); err == nil {
				*bound = &n
			}
		}
		all = append(all, d)
	}
	return all
}

// wordsOf returns all values of a parameter of an enum: those of the enum, or only those that the
// tag enum names.
func wordsOf(f reflect.StructField) []string {
	if some := f.Tag.Get("enum"); some != "" {
		return strings.Split(some, ",")
	}
	return slices.Clone(value.EnumOf(plain(f.Type)))
}

// limitOf returns the range of a number among the parameters of a type, if it has one.
func limitOf(name string, t, of reflect.Type) (value.Limit, bool) {
	if t != reflect.TypeFor[*int]() {
		return value.Limit{}, false
	}
	if name == "importance" {
		return macro.ImportanceLimit, true
	}
	l, ok := reflect.Zero(of).Interface().(limited)
	if !ok || name != "limit" && name != "last" {
		return value.Limit{}, false
	}
	return l.limit(), true
}

// typeOf names the type of a parameter for documentation.
func typeOf(t reflect.Type) string {
	switch t = plain(t); {
	case t.Kind() == reflect.Int:
		return "number"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Int:
		return "list of numbers"
	case t.Kind() == reflect.Slice:
		return "list of text"
	}
	return "text"
}
