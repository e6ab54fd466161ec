package ingest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"piyasa/domain/macro"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// shape lists the fields of a struct and how each is read from a JSON member. It is
// derived once from the struct's tags: json names the member; record:"required"
// demands it, record:"name,required" names it where REST hides it, record:"-" keeps
// it out of records; one:"a b c" lists the allowed values, if not all of its enum; range:"1 3" bounds a whole
// number; most:"10000" bounds the elements of a list; text:"any" allows empty text; time:"past" refuses a moment, day or month
// of the future, time:"any" allows it. Fields of embedded structs are members of the
// record.
type shape struct {
	fields []shapeField
	byName map[string]int
	timed  []int // fields that must not be of the future, or contain such
}

type shapeField struct {
	name     string
	index    []int
	required bool
	read     reader
}

// reader reads the next JSON value into v. It never sees a null.
type reader func(dec *jsontext.Decoder, v reflect.Value, path string) *value.Invalid

// maxFields is how many members decode can mark as seen.
const maxFields = 64

var shapes sync.Map // reflect.Type → *shape

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := &shape{byName: map[string]int{}}
	for _, f := range reflect.VisibleFields(t) {
		name, required := memberOf(f.Tag)
		if name == "-" || f.Anonymous || !f.IsExported() {
			continue
		}
		s.byName[name] = len(s.fields)
		if isTimed(f.Type, f.Tag) {
			s.timed = append(s.timed, len(s.fields))
		}
		s.fields = append(s.fields, shapeField{name, f.Index, required, readerOf(f.Type, f.Tag)})
	}
	if len(s.fields) > maxFields {
		panic(fmt.Sprintf("ingest: %s has more than %d fields", t, maxFields))
	}
	shapes.Store(t, s)
	return s
}

// memberOf returns the name of a field's member, "-" when it has none, and whether
// it is required.
func memberOf(tag reflect.StructTag) (name string, required bool) {
	switch rule := tag.Get("record"); rule {
	case "", "required":
		name, _, _ := strings.Cut(tag.Get("json"), ",")
		return name, rule == "required"
	default:
		name, rule, _ := strings.Cut(rule, ",")
		return name, rule == "required"
	}
}

// envelope holds the members that a line has besides those of its record: the kind, which is
// already known, and whether the line withdraws the record.
type envelope struct {
	kind      *kind
	withdrawn bool
}

// decode reads a member of the envelope; known is false for any other.
func (e *envelope) decode(dec *jsontext.Decoder, name string) (known bool, wrong *value.Invalid) {
	switch {
	case e == nil || name != "record" && name != "withdrawn":
		return false, nil
	case name == "record" || dec.PeekKind() == 'n':
		if err := dec.SkipValue(); err != nil {
			return true, notJSON(err)
		}
		return true, nil
	}
	if wrong := readBool(dec, reflect.ValueOf(&e.withdrawn).Elem(), name); wrong != nil {
		return true, wrong
	}
	if e.withdrawn && e.kind.lasting != "" {
		return true, value.Invalidf(name, "does not apply to %s: %s", e.kind.name, e.kind.lasting)
	}
	return true, nil
}

// names lists the members of the envelope for messages.
func (e *envelope) names() string {
	if e == nil || e.kind.lasting != "" {
		return ""
	}
	return ", withdrawn"
}

// demands reports whether a required member must be stated. A withdrawal needs only the key.
func (e *envelope) demands(name string) bool {
	return e == nil || !e.withdrawn || slices.Contains(e.kind.key, name)
}

// decode reads an object into v, a struct of the shape's type. of is nil unless the object is a
// whole line.
func (s *shape) decode(dec *jsontext.Decoder, v reflect.Value, path string, of *envelope) *value.Invalid {
	if k := dec.PeekKind(); k != '{' {
		return wrongKind(dec, strings.TrimSuffix(path, "."), "an object")
	}
	if _, err := dec.ReadToken(); err != nil {
		return notJSON(err)
	}
	var seen uint64 // bit i: member i was stated
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return notJSON(err)
		}
		if known, wrong := of.decode(dec, name.String()); wrong != nil {
			return wrong
		} else if known {
			continue
		}
		i, ok := s.byName[name.String()]
		if !ok {
			return value.Invalidf(path+plainName(name.String()), "is not a member of this record; the members are %s", s.names()+of.names())
		}
		if dec.PeekKind() == 'n' {
			_, _ = dec.ReadToken()
			continue
		}
		f := &s.fields[i]
		if wrong := f.read(dec, v.FieldByIndex(f.index), path+f.name); wrong != nil {
			return wrong
		}
		seen |= 1 << i
	}
	if _, err := dec.ReadToken(); err != nil {
		return notJSON(err)
	}
	for i, f := range s.fields {
		if f.required && seen&(1<<i) == 0 && of.demands(f.name) {
			return value.Invalidf(path+f.name, "is missing")
		}
	}
	return nil
}

// plainName returns a member's name for messages, quoted if it has characters that control a
// terminal.
func plainName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return problem.Shown(name)
	}
	return problem.Clip(name)
}

func (s *shape) names() string {
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = f.name
	}
	return strings.Join(names, ", ")
}

var (
	textType    = reflect.TypeFor[encoding.TextUnmarshaler]()
	decimalType = reflect.TypeFor[value.Decimal]()
	numberType  = reflect.TypeFor[macro.Number]()
	rawType     = reflect.TypeFor[json.RawMessage]()
)

// readerOf returns the reader of a Go type. It panics on a type that no record has.
func readerOf(t reflect.Type, tag reflect.StructTag) reader {
	switch {
	case t == decimalType:
		return readDecimal
	case t == rawType:
		return readRaw
	case t == numberType:
		return readNumber
	case t.Kind() == reflect.Pointer:
		return readPointer(t.Elem(), readerOf(t.Elem(), tag))
	case reflect.PointerTo(t).Implements(textType):
		return readText
	}
	switch t.Kind() {
	case reflect.String:
		allowed := strings.Fields(tag.Get("one"))
		if len(allowed) == 0 {
			allowed = value.EnumOf(t)
		}
		return readString(allowed, tag.Get("text") == "any")
	case reflect.Int, reflect.Int64:
		return readInt(tag.Get("one"), tag.Get("range"))
	case reflect.Bool:
		return readBool
	case reflect.Slice:
		return readList(readerOf(t.Elem(), tag), tag.Get("most"))
	case reflect.Struct:
		return func(dec *jsontext.Decoder, v reflect.Value, path string) *value.Invalid {
			return shapeOf(t).decode(dec, v, path+".", nil)
		}
	}
	panic(fmt.Sprintf("ingest: no reader for %s", t))
}

func readPointer(t reflect.Type, read reader) reader {
	return func(dec *jsontext.Decoder, v reflect.Value, path string) *value.Invalid {
		p := reflect.New(t)
		v.Set(p)
		return read(dec, p.Elem(), path)
	}
}

func readDecimal(dec *jsontext.Decoder, v reflect.Value, path string) *value.Invalid {
	if dec.PeekKind() != '"' {
		return wrongKind(dec, path, `an exact decimal in a JSON string, such as "305.25"`)
	}
	text, wrong := readToken(dec, path)
	if wrong != nil {
		return wrong
	}
	d, err := value.ParseDecimal(text)
	if err != nil {
		return value.Invalidf(path, "%v; got %s", err, problem.Shown(text))
	}
	*v.Addr().Interface().(*value.Decimal) = d
	return nil
}

func readText(dec *jsontext.Decoder, v reflect.Value, path string) *value.Invalid {
	if dec.PeekKind() != '"' {
		return wrongKind(dec, path, "a JSON string")
	}
	text, wrong := readToken(dec, path)
	if wrong != nil {
		return wrong
	}
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)); err != nil {
		return value.Invalidf(path, "%v; got %s", err, problem.Shown(text))
	}
	return nil
}

func readString(allowed []string, mayBeEmpty bool) reader {
	return func(dec *jsontext.Decoder, v reflect.Value, path string) *value.Invalid {
		if dec.PeekKind() != '"' {
			return wrongKind(dec, path, "a JSON string")
		}
		text, wrong := readToken(dec, path)
		if wrong != nil {
			return wrong
		}
		if allowed != nil {
			if err := value.OneOf(text, allowed); err != nil {
				return value.Invalidf(path, "%v; got %s", err, problem.Shown(text))
			}
		}
		if text == "" && !mayBeEmpty {
			return value.Invalidf(path, "must not be empty; leave the member out if it is optional and has no value")
		}
		v.SetString(text)
		return nil
	}
}

func readInt(one, bounds string) reader {
	allowed, what := strings.Fields(one), "a whole number of at most 32 bits"
	low, high := int64(math.MinInt32), int64(math.MaxInt32) // the range of GraphQL's Int
	if len(allowed) > 0 {
		what = "one of " + strings.Join(allowed, ", ")
	}
	if lo, hi, ok := strings.Cut(bounds, " "); ok {
		low, _ = strconv.ParseInt(lo, 10, 64)
		high, _ = strconv.ParseInt(hi, 10, 64)
		what = fmt.Sprintf("a whole number from %d to %d", low, high)
	}
	return func(dec *jsontext.Decoder, v reflect.Value, path string) *value.Invalid {
		if dec.PeekKind() != '0' {
			return wrongKind(dec, path, what)
		}
		text, wrong := readToken(dec, path)
		if wrong != nil {
			return wrong
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < low || n > high || (len(allowed) > 0 && !slices.Contains(allowed, text)) {
			return value.Invalidf(path, "must be %s; got %s", what, problem.Shown(text))
		}
		v.SetInt(n)
		return nil
	}
}

func readBool(dec *jsontext.Decoder, v reflect.Value, path string) *value.Invalid {
	if k := dec.PeekKind(); k != 't' && k != 'f' {
		return wrongKind(dec, path, "true or false")
	}
	token, err := dec.ReadToken()
	if err != nil {
		return notJSON(err)
	}
	v.SetBool(token.Bool())
	return nil
}

func readNumber(dec *jsontext.Decoder, v reflect.Value, path string) *value.Invalid {
	if dec.PeekKind() != '0' {
		return wrongKind(dec, path, "a JSON number")
	}
	text, wrong := readToken(dec, path)
	if wrong != nil {
		return wrong
	}
	if _, err := value.ParseDecimal(text); err != nil { // clients would fail on it, or hang
		return value.Invalidf(path, "must be a JSON number without an exponent, not -0, of at most 100 characters; got %s",
			problem.Shown(text))
	}
	v.SetString(text)
	return nil
}

func readRaw(dec *jsontext.Decoder, v reflect.Value, _ string) *value.Invalid {
	raw, err := dec.ReadValue()
	if err != nil {
		return notJSON(err)
	}
	v.SetBytes(raw.Clone())
	return nil
}

func readList(read reader, bound string) reader {
	most, _ := strconv.Atoi(bound)
	return func(dec *jsontext.Decoder, v reflect.Value, path string) *value.Invalid {
		if dec.PeekKind() != '[' {
			return wrongKind(dec, path, "a list")
		}
		if _, err := dec.ReadToken(); err != nil {
			return notJSON(err)
		}
		list := reflect.MakeSlice(v.Type(), 0, 4)
		for i := 0; dec.PeekKind() != ']'; i++ {
			if most > 0 && i == most {
				return value.Invalidf(path, "must have at most %d elements", most)
			}
			at := path + "[" + strconv.Itoa(i) + "]"
			element := reflect.New(v.Type().Elem()).Elem()
			if dec.PeekKind() == 'n' {
				return value.Invalidf(at, "must not be null")
			}
			if wrong := read(dec, element, at); wrong != nil {
				return wrong
			}
			list = reflect.Append(list, element)
		}
		if _, err := dec.ReadToken(); err != nil {
			return notJSON(err)
		}
		v.Set(list)
		return nil
	}
}

func readToken(dec *jsontext.Decoder, path string) (string, *value.Invalid) {
	token, err := dec.ReadToken()
	if err != nil {
		return "", notJSON(err)
	}
	text := token.String()
	if strings.IndexByte(text, 0) >= 0 { // no store can keep it
		return "", value.Invalidf(path, "must not contain the character U+0000")
	}
	return text, nil
}

// wrongKind returns the fault of the next value, which is not of the type that must names.
func wrongKind(dec *jsontext.Decoder, path, must string) *value.Invalid {
	raw, err := dec.ReadValue()
	if err != nil {
		return notJSON(err)
	}
	return value.Invalidf(path, "must be %s; got %s", must, problem.Clip(string(raw)))
}

func notJSON(err error) *value.Invalid {
	return value.Invalidf("", "is not one valid JSON object: %v", err)
}
