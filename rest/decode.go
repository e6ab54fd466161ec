package rest

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// limited is a set of parameters with a range for limit, or last.
type limited interface{ limit() value.Limit }

// strict is a set of parameters that rejects any other parameter.
type strict interface{ strict() }

// param reads one parameter from its texts into a field.
type param struct {
	name   string
	path   bool
	index  []int
	read   func(text string, into reflect.Value) error
	list   bool // each occurrence adds values
	repeat bool // it may be repeated; the domain reads the texts
}

// decoderOf returns the function that reads the parameters of type t from a request, derived once
// from the tags path and query; only is the format of a route that offers no choice. It reads
// everything that it can, even if something is wrong. It reports a single wrong value (422) before
// a wrong combination (400), and that before a number that nothing can have (404).
func decoderOf(t reflect.Type, only string) func(*http.Request, reflect.Value) error {
	params := paramsOf(t)
	_, alone := reflect.Zero(t).Interface().(strict)
	return func(r *http.Request, into reflect.Value) error {
		query := parseQuery(r.URL.RawQuery)
		var wrong, repeated, absent error
		unknown := otherFormat(query["format"], params, only)
		if alone {
			unknown = cmp.Or(unknownParameter(query, params), unknown)
		}
		for _, p := range params {
			if p.path {
				text := r.PathValue(p.name)
				switch err := p.read(text, into.FieldByIndex(p.index)); {
				case errors.Is(err, errTooLarge):
					absent = problem.New(problem.NotFound, "There is nothing with the number %s.", problem.Clip(text))
				case err != nil && wrong == nil:
					wrong = named(err, p.name, text)
				}
				continue
			}
			values := query[p.name]
			if len(values) == 0 {
				continue
			}
			if p.list {
				values = []string{strings.Join(values, ",")}
			}
			if p.repeat {
				words := strings.Split(values[0], ",")
				if slices.Contains(words, "") && wrong == nil {
					wrong = named(errors.New("must not be empty"), p.name, "")
				}
				into.FieldByIndex(p.index).Set(reflect.ValueOf(words))
				continue
			}
			if len(values) > 1 && repeated == nil {
				repeated = repeatedParameter(p.name)
			}
			if err := p.read(values[0], into.FieldByIndex(p.index)); err != nil && wrong == nil {
				wrong = named(err, p.name, values[0])
			}
		}
		return cmp.Or(wrong, repeated, unknown, absent)
	}
}

// parseQuery reads a query string. net/url fails on a semicolon and on a stray percent sign; here
// they are literal, since a parameter that a route does not know must not affect it.
func parseQuery(raw string) url.Values {
	query := url.Values{}
	for pair := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name = unescape(name)
		query[name] = append(query[name], unescape(value))
	}
	return query
}

func unescape(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// unknownParameter returns the problem of the first parameter, by name, that is not among params;
// nil if there is none.
func unknownParameter(query url.Values, params []param) error {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if (name == "" && strings.Join(query[name], "") == "") ||
			slices.ContainsFunc(params, func(p param) bool { return !p.path && p.name == name }) {
			continue
		}
		known := namesOf(params)
		meant := problem.DidYouMean(name, known)
		if meant == "" {
			meant = ";"
		}
		e := problem.New(problem.UnknownParameter, "This route has no parameter %s%s allowed parameters: %s.",
			problem.Shown(name), meant, cmp.Or(strings.Join(known, ", "), "none"))
		e.Members.Parameter = name
		return e
	}
	return nil
}

// namesOf returns the names of the query parameters.
func namesOf(params []param) []string {
	var names []string
	for _, p := range params {
		if !p.path {
			names = append(names, p.name)
		}
	}
	return names
}

func repeatedParameter(name string) error {
	e := problem.New(problem.RepeatedParameter, "%s may be given only once.", name)
	e.Members.Parameter = name
	return e
}

// named turns the error of a reader into the problem of a parameter.
func named(err error, name, value string) error {
	if e, ok := errors.AsType[*problem.Error](err); ok {
		return e.About(name, value)
	}
	return problem.New(problem.InvalidParameter, "%s %v; got %s.", name, err, problem.Shown(value)).About(name, value)
}

func paramsOf(t reflect.Type) []param {
	var params []param
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		if name := f.Tag.Get("path"); name != "" {
			params = append(params, param{name: name, path: true, index: f.Index, read: pathReaderOf(f.Type)})
			continue
		}
		name := f.Tag.Get("query")
		read := readerOf(name, f.Type, t)
		if name == "resolution" {
			read = readResolution(wordsOf(f))
		}
		params = append(params, param{name: name, index: f.Index, read: read, list: f.Type.Kind() == reflect.Slice,
			repeat: f.Tag.Get("collectionFormat") == "multi"})
	}
	return params
}

// pathReaderOf returns the reader of a part of the path, which is never missing.
func pathReaderOf(t reflect.Type) func(string, reflect.Value) error {
	switch {
	case value.EnumOf(t) != nil:
		return func(text string, into reflect.Value) error { return readWord(text, into.Addr()) }
	case t.Kind() == reflect.String:
		return func(text string, into reflect.Value) error {
			into.SetString(text)
			return nil
		}
	case t.Kind() == reflect.Int:
		return readNumber
	}
	panic("rest: no reader for paths of type " + t.String())
}

// errTooLarge reports that a whole number is larger than any that we store.
var errTooLarge = errors.New("is too large a number")

// readNumber reads a whole number. A number out of range becomes the nearest int, with
// errTooLarge: no row has it.
func readNumber(text string, into reflect.Value) error {
	n, err := strconv.Atoi(text)
	tooLarge := errors.Is(err, strconv.ErrRange)
	if !wholeNumber.MatchString(text) || (err != nil && !tooLarge) {
		return errors.New("must be a whole number")
	}
	into.SetInt(int64(n))
	if tooLarge {
		return errTooLarge
	}
	return nil
}

var textType = reflect.TypeFor[encoding.TextUnmarshaler]()

// readerOf returns the reader of a parameter by its Go type; of is the struct that it belongs to.
func readerOf(name string, t, of reflect.Type) func(string, reflect.Value) error {
	switch {
	case t == reflect.TypeFor[[]string]():
		return readList
	case t == reflect.TypeFor[[]int]():
		return readNumbers
	case t.Kind() == reflect.Slice && isWord(t.Elem()):
		return readEnums
	case t == reflect.TypeFor[*string]():
		return readText
	case t == reflect.TypeFor[*int]():
		if limit, ok := limitOf(name, t, of); ok {
			return readInt(name, limit)
		}
		if name == "limit" {
			panic("rest: a limit without a range in " + of.String())
		}
		return readWhole
	case t == reflect.TypeFor[*bool]():
		return readBool
	case t.Kind() == reflect.Pointer && isWord(t.Elem()):
		return readEnum
	}
	panic("rest: no reader for parameters of type " + t.String())
}

// readList splits a comma-separated list; an empty text is an empty list, which differs from no
// list.
func readList(text string, into reflect.Value) error {
	values := listOf(text)
	if slices.Contains(values, "") {
		return errors.New("must hold values, separated by commas, none of them empty")
	}
	into.Set(reflect.ValueOf(values))
	return nil
}

func listOf(text string) []string {
	if text == "" {
		return []string{}
	}
	return strings.Split(text, ",")
}

// readNumbers splits a comma-separated list of whole numbers.
func readNumbers(text string, into reflect.Value) error {
	numbers := []int{}
	for _, word := range listOf(text) {
		n, err := strconv.Atoi(word)
		if err != nil || !wholeNumber.MatchString(word) {
			return errors.New("must hold whole numbers, separated by commas")
		}
		numbers = append(numbers, n)
	}
	into.Set(reflect.ValueOf(numbers))
	return nil
}

// readEnums splits a comma-separated list of values that implement encoding.TextUnmarshaler.
func readEnums(text string, into reflect.Value) error {
	values := reflect.MakeSlice(into.Type(), 0, 0)
	for _, word := range listOf(text) {
		v := reflect.New(into.Type().Elem())
		if err := readWord(word, v); err != nil {
			return err
		}
		values = reflect.Append(values, v.Elem())
	}
	into.Set(values)
	return nil
}

// readText reads free text; the domain decides what empty text means.
func readText(text string, into reflect.Value) error {
	into.Set(reflect.ValueOf(&text))
	return nil
}

func readBool(text string, into reflect.Value) error {
	if text != "true" && text != "false" {
		return errors.New("must be true or false")
	}
	into.Set(reflect.ValueOf(new(text == "true")))
	return nil
}

func readEnum(text string, into reflect.Value) error {
	v := reflect.New(into.Type().Elem())
	if err := readWord(text, v); err != nil {
		return err
	}
	into.Set(v)
	return nil
}

// isWord reports whether values of a type implement encoding.TextUnmarshaler, or are of an enum.
func isWord(t reflect.Type) bool {
	return value.EnumOf(t) != nil || reflect.PointerTo(t).Implements(textType)
}

// readWord reads a value of a type for which isWord is true.
func readWord(text string, into reflect.Value) error {
	if itself, ok := into.Interface().(encoding.TextUnmarshaler); ok {
		return itself.UnmarshalText([]byte(text))
	}
	into.Elem().SetString(text)
	return value.OneOf(text, value.EnumOf(into.Type().Elem()))
}

// readResolution returns the reader of a route that offers only some resolutions; its error lists
// them.
func readResolution(offered []string) func(string, reflect.Value) error {
	last := len(offered) - 1
	if slices.Contains(offered, string(market.TwoHours)) { // so it is not only for shares
		for i, one := range offered {
			offered[i] = market.Resolution(one).Offered()
		}
	}
	return func(text string, into reflect.Value) error {
		if readEnum(text, into) != nil {
			return fmt.Errorf("must be %s or %s", strings.Join(offered[:last], ", "), offered[last])
		}
		return nil
	}
}

var wholeNumber = regexp.MustCompile(`^-?[0-9]+$`)

// readWhole is readNumber for a filter that may be absent. A number out of range is accepted: no
// row has it.
func readWhole(text string, into reflect.Value) error {
	n := new(int)
	if err := readNumber(text, reflect.ValueOf(n).Elem()); err != nil && !errors.Is(err, errTooLarge) {
		return err
	}
	into.Set(reflect.ValueOf(n))
	return nil
}

func readInt(name string, limit value.Limit) func(string, reflect.Value) error {
	return func(text string, into reflect.Value) error {
		n, err := strconv.Atoi(text)
		if err != nil || !wholeNumber.MatchString(text) || n < limit.Min || n > limit.Max {
			return limit.Refuse(name, text)
		}
		into.Set(reflect.ValueOf(&n))
		return nil
	}
}
