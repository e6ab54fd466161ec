package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// tool is a tool for agents: its description, its arguments, and the function behind it.
type tool struct {
	name, description string
	arguments         []argument
	run               func(context.Context, arguments) (string, error)
}

// argument is an argument of a tool.
type argument struct {
	name, description string
	kind              kind
	required          bool
	one               []string // allowed values of a text, or of each item of a list; nil: any
	least, most       int      // of a number, of the length of a list
	usual             int      // default of a number
}

type kind string

const (
	text   kind = "string"
	whole  kind = "integer"
	list   kind = "array"
	object kind = "object"
)

// arguments holds the arguments of a call by name, each a string, int, []string or map[string]any.
// Arguments that are empty or were not given are left out.
type arguments map[string]any

func (a arguments) text(name string) string {
	s, _ := a[name].(string)
	return s
}

func (a arguments) number(name string) int {
	n, _ := a[name].(int)
	return n
}

func (a arguments) list(name string) []string {
	l, _ := a[name].([]string)
	return l
}

// variables returns the given arguments among names as variables of a query.
func (a arguments) variables(names ...string) map[string]any {
	given := map[string]any{}
	for _, name := range names {
		if v, ok := a[name]; ok {
			given[name] = v
		}
	}
	return given
}

// described returns the tool as clients see it.
func (t tool) described() *sdk.Tool {
	type property struct {
		Type        kind           `json:"type"`
		Description string         `json:"description,omitempty"`
		Enum        []string       `json:"enum,omitempty"`
		Items       map[string]any `json:"items,omitempty"`
		Minimum     int            `json:"minimum,omitempty"`
		Maximum     int            `json:"maximum,omitempty"`
		MaxItems    int            `json:"maxItems,omitempty"`
		Default     int            `json:"default,omitempty"`
	}
	properties, required := map[string]property{}, []string{}
	for _, a := range t.arguments {
		p := property{Type: a.kind, Description: a.description, Default: a.usual}
		switch a.kind {
		case text:
			p.Enum = a.one
		case whole:
			p.Minimum, p.Maximum = a.least, a.most
		case list:
			p.Items, p.MaxItems = map[string]any{"type": text}, a.most
			if a.one != nil {
				p.Items["enum"] = a.one
			}
		}
		properties[a.name] = p
		if a.required {
			required = append(required, a.name)
		}
	}
	return &sdk.Tool{
		Name: t.name, Description: t.description,
		InputSchema: map[string]any{"type": object, "properties": properties, "required": required, "additionalProperties": false},
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true},
	}
}

// read reads the arguments of a call. It forgives what models confuse: numbers and lists in
// text, one value where a list is wanted, letter case. Problems: invalid-parameter,
// unknown-parameter, too-many-values.
func (t tool) read(given json.RawMessage) (arguments, error) {
	members := map[string]any{}
	if given = bytes.TrimSpace(given); len(given) > 0 && string(given) != "null" {
		d := json.NewDecoder(bytes.NewReader(given))
		d.UseNumber()
		if d.Decode(&members) != nil {
			return nil, problem.New(problem.InvalidParameter, "arguments must be a JSON object.")
		}
	}
	read := arguments{}
	for _, a := range t.arguments {
		v, ok := members[a.name]
		delete(members, a.name)
		if ok && v != nil && v != "" {
			if err := a.read(v, read); err != nil {
				return nil, err
			}
		}
		if _, ok := read[a.name]; !ok && a.required {
			return nil, problem.New(problem.InvalidParameter, "%s is required: %s", a.name, a.description).About(a.name, "")
		} else if !ok && a.usual != 0 {
			read[a.name] = a.usual
		}
	}
	for name := range members {
		e := problem.New(problem.UnknownParameter, "%s has no argument %s; it has %s.",
			t.name, problem.Shown(name), strings.Join(t.names(), ", "))
		e.Members.Available = t.names()
		return nil, e
	}
	return read, nil
}

func (t tool) names() (names []string) {
	for _, a := range t.arguments {
		names = append(names, a.name)
	}
	return names
}

// read reads the value of an argument into others.
func (a argument) read(v any, into arguments) error {
	shown := shownValue(v)
	switch v := v.(type) {
	case string:
		v = strings.TrimSpace(v)
		switch a.kind {
		case text:
			return a.readText(v, into)
		case whole:
			return a.readWhole(v, into)
		case list:
			return a.readList(strings.FieldsFunc(v, func(r rune) bool { return r == ',' }), into)
		case object: // some clients send it as text
			inner := map[string]any{}
			d := json.NewDecoder(strings.NewReader(v))
			d.UseNumber()
			if d.Decode(&inner) == nil && jsontext.Value(v).IsValid() {
				into[a.name] = inner
				return nil
			}
		}
	case json.Number:
		switch a.kind {
		case whole: // 2.0 and 2e0 are whole, too, to JSON Schema
			return a.readWhole(wholeText(v.String()), into)
		case text: // a symbol can be a number
			return a.readText(v.String(), into)
		case list:
			return a.readList([]string{v.String()}, into)
		}
	case []any:
		if a.kind == list {
			items := make([]string, len(v))
			for i, item := range v {
				items[i] = shownValue(item)
			}
			return a.readList(items, into)
		}
	case map[string]any:
		if a.kind == object {
			into[a.name] = v
			return nil
		}
	}
	return problem.Parameter(a.name, shown, map[kind]string{text: "text", whole: "a whole number", list: "a list of texts",
		object: "a JSON object"}[a.kind])
}

func shownValue(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	encoded, err := value.AppendJSON(nil, v)
	if err != nil {
		return ""
	}
	return string(encoded)
}

func (a argument) readText(v string, into arguments) error {
	if v, ok := a.oneOf(v); ok {
		into[a.name] = v
		return nil
	}
	return problem.Parameter(a.name, v, "one of "+strings.Join(a.one, ", "))
}

// oneOf returns the allowed value that equals v but for letter case.
func (a argument) oneOf(v string) (string, bool) {
	if a.one == nil {
		return v, true
	}
	i := slices.IndexFunc(a.one, func(allowed string) bool { return strings.EqualFold(allowed, v) })
	if i < 0 {
		return "", false
	}
	return a.one[i], true
}

func (a argument) readWhole(v string, into arguments) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < a.least || n > a.most {
		return problem.Parameter(a.name, v, "a whole number from "+strconv.Itoa(a.least)+" to "+strconv.Itoa(a.most))
	}
	into[a.name] = n
	return nil
}

func (a argument) readList(items []string, into arguments) error {
	var read []string
	for _, item := range items {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		allowed, ok := a.oneOf(item)
		if !ok {
			return problem.Parameter(a.name, item, "a list of "+strings.Join(a.one, ", "))
		}
		read = append(read, allowed)
	}
	if len(read) > a.most {
		e := problem.New(problem.TooManyValues, "%s may have at most %d values; got %d.", a.name, a.most, len(read)).About(a.name,
			strings.Join(read, ","))
		e.Members.Limit = &a.most
		return e
	}
	if len(read) > 0 {
		into[a.name] = read
	}
	return nil
}

// wholeText returns a whole number without its fraction and exponent: 2.0 and 2e0 as 2.
func wholeText(number string) string {
	const most = 40 // characters, and digits that an exponent adds
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	shift, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil || len(mantissa) > most || max(shift, -shift) > most {
		return number
	}
	exact, ok := new(big.Rat).SetString(number)
	if !ok || !exact.IsInt() {
		return number
	}
	return exact.Num().String()
}
