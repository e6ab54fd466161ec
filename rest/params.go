package rest

import (
	"encoding"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"piyasa/domain/market"
	"piyasa/problem"
)

// limited is a set of parameters whose limit has a range.
type limited interface{ limit() market.Limit }

// param reads one parameter from its texts into a field.
type param struct {
	name  string
	path  bool
	index []int
	read  func(text string, into reflect.Value) error
}

// decoderOf returns the function that reads the parameters of type t from a
// request: derived once, from the tags path and query. A single wrong value
// (422) is reported before a wrong combination (400).
func decoderOf(t reflect.Type) func(*http.Request, reflect.Value) error {
	params := paramsOf(t)
	return func(r *http.Request, into reflect.Value) error {
		query, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			return problem.New(problem.InvalidParameter, "The query string is not validly encoded.")
		}
		var repeated error
		for _, p := range params {
			if p.path {
				into.FieldByIndex(p.index).SetString(r.PathValue(p.name))
				continue
			}
			switch values := query[p.name]; {
			case len(values) == 0:
				continue
			case len(values) > 1:
				if repeated == nil {
					repeated = repeatedParameter(p.name)
				}
			default:
				if err := p.read(values[0], into.FieldByIndex(p.index)); err != nil {
					return named(err, p.name, values[0])
				}
			}
		}
		return repeated
	}
}

func repeatedParameter(name string) error {
	e := problem.New(problem.RepeatedParameter, "%s may be given once only.", name)
	e.Members.Parameter = name
	return e
}

// named turns what a reader said into the problem of a parameter.
func named(err error, name, value string) error {
	value = clip(value)
	if e, ok := errors.AsType[*problem.Error](err); ok {
		return e.About(name, value)
	}
	return problem.New(problem.InvalidParameter, "%s %v; got %q.", name, err, value).About(name, value)
}

// maxShown bounds how much of a client's text a problem repeats.
const maxShown = 80

func clip(text string) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "…"
	}
	return text
}

func paramsOf(t reflect.Type) []param {
	var params []param
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		if name := f.Tag.Get("path"); name != "" {
			params = append(params, param{name: name, path: true, index: f.Index})
			continue
		}
		params = append(params, param{name: f.Tag.Get("query"), index: f.Index, read: readerOf(f.Type, t)})
	}
	return params
}

var textType = reflect.TypeFor[encoding.TextUnmarshaler]()

// readerOf is the reader of a parameter's Go type; of is the set it belongs to.
func readerOf(t, of reflect.Type) func(string, reflect.Value) error {
	switch {
	case t == reflect.TypeFor[[]string]():
		return readList
	case t == reflect.TypeFor[*string]():
		return readText
	case t == reflect.TypeFor[*int]():
		bounds, ok := reflect.Zero(of).Interface().(limited)
		if !ok {
			panic("rest: a number without a range in " + of.String())
		}
		return readInt(bounds.limit())
	case t.Kind() == reflect.Pointer && t.Implements(textType):
		return readEnum
	}
	panic("rest: no reader for parameters of type " + t.String())
}

// readList cuts a comma-separated list; an empty text is an empty list.
func readList(text string, into reflect.Value) error {
	if text != "" {
		into.Set(reflect.ValueOf(strings.Split(text, ",")))
	}
	return nil
}

// readText reads free text; empty is the same as absent.
func readText(text string, into reflect.Value) error {
	if text != "" {
		into.Set(reflect.ValueOf(&text))
	}
	return nil
}

func readEnum(text string, into reflect.Value) error {
	v := reflect.New(into.Type().Elem())
	if err := v.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)); err != nil {
		return err
	}
	into.Set(v)
	return nil
}

var wholeNumber = regexp.MustCompile(`^-?[0-9]+$`)

func readInt(limit market.Limit) func(string, reflect.Value) error {
	return func(text string, into reflect.Value) error {
		n, err := strconv.Atoi(text)
		if err != nil || !wholeNumber.MatchString(text) || n < limit.Min || n > limit.Max {
			return errors.New("must be " + limit.Must())
		}
		into.Set(reflect.ValueOf(&n))
		return nil
	}
}
