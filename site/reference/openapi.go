// Package reference makes pages of the book from the descriptions that programs
// read: a page for each operation of the OpenAPI document, and one for each channel
// of the AsyncAPI document.
package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Samples are requests and messages that a server can answer, by operation id and by channel name.
// A server needs them if its data is not that of the recorded examples.
type Samples struct {
	Requests map[string]string // path and query
	Messages map[string]string // subscriptions
}

// openAPI holds the parts of an OpenAPI document that the pages show.
type openAPI struct {
	Servers    []struct{ URL string }
	Tags       []struct{ Name string }
	Paths      map[string]map[string]*operation
	Components struct{ Schemas map[string]*schema }
}

type operation struct {
	ID          string `json:"operationId"`
	Summary     string
	Description string
	Tags        []string
	Deprecated  bool
	Parameters  []parameter
	Security    []map[string][]string
	RequestBody struct{ Content map[string]content }
	Responses   map[string]response

	method, path string
	formerly     string // deprecated path of the same operation; empty: none
}

type parameter struct {
	Name, In, Description string
	Required              bool
	Schema                *schema
}

type response struct {
	Description string
	Content     map[string]content
	Headers     map[string]struct{ Description string }
}

type content struct {
	Schema   *schema
	Examples map[string]struct {
		Summary string
		Value   json.RawMessage
	}
}

// operations returns the operations that are not deprecated, in the order of the document's tags
// and then of their paths.
func (d *openAPI) operations() []*operation {
	var all []*operation
	former := map[string]string{}
	for path, methods := range d.Paths {
		for method, op := range methods {
			op.method, op.path = strings.ToUpper(method), path
			if id, ok := strings.CutSuffix(op.ID, formerly); ok && op.Deprecated {
				former[id] = path
				continue
			}
			all = append(all, op)
		}
	}
	rank := map[string]int{}
	for i, tag := range d.Tags {
		rank[tag.Name] = i
	}
	slices.SortFunc(all, func(a, b *operation) int {
		if a.tag() != b.tag() {
			return rank[a.tag()] - rank[b.tag()]
		}
		return strings.Compare(a.path+a.method, b.path+b.method)
	})
	for _, op := range all {
		op.formerly = former[op.ID]
	}
	return all
}

// formerly ends the ids of operations at older paths.
const formerly = "Formerly"

func (o *operation) tag() string { return o.Tags[0] }

// name returns the name of an operation on pages.
func (o *operation) name() string { return o.method + " " + o.path }

// file returns the file of an operation's page.
func (o *operation) file() string { return "rest/" + o.ID + ".md" }

// keyed reports whether the operation needs a key.
func (o *operation) keyed() bool { return len(o.Security) > 0 }

// example returns the recorded answer, if there is one: its request and its media
// type.
func (o *operation) example() (request, media string, answer json.RawMessage) {
	answers := o.Responses["200"].Content
	for _, media := range slices.Sorted(maps.Keys(answers)) {
		if e, ok := answers[media].Examples["recorded"]; ok {
			return e.Summary, media, e.Value
		}
	}
	return "", "", nil
}

// schema is a JSON schema of the documents.
type schema struct {
	Ref                  string `json:"$ref"`
	Description          string
	Type                 any
	Format, Pattern      string
	Const                any
	Enum                 []any
	Items                *schema
	Properties           map[string]*schema
	AdditionalProperties json.RawMessage
	Required             []string
	AnyOf                []*schema
	Minimum, Maximum     *json.Number
	MinItems, MaxItems   *int
	Default              any
}

// member is a member of a body, with the path to it.
type member struct{ Path, Type, About string }

// deepest is how many levels of nested members a page lists.
const deepest = 6

// members lists the members of what a schema describes.
func members(named map[string]*schema, s *schema) []member {
	var all []member
	var walk func(s *schema, at string, depth int, above []string)
	walk = func(s *schema, at string, depth int, above []string) {
		s, name := resolved(named, s)
		if s.Items != nil {
			walk(s.Items, at+"[]", depth, above)
			return
		}
		if depth > deepest || slices.Contains(above, name) {
			return
		}
		if name != "" {
			above = append(slices.Clip(above), name)
		}
		for _, key := range s.order() {
			p := s.Properties[key]
			path := strings.TrimPrefix(at+"."+key, ".")
			all = append(all, member{path, typeOf(named, p), p.about(named)})
			walk(p, path, depth+1, above)
		}
		if values := s.values(); values != nil {
			walk(values, at+".*", depth+1, above)
		}
	}
	walk(s, "", 0, nil)
	return all
}

// order returns the names of the members: first the required ones in the order of encoding, then
// the others.
func (s *schema) order() []string {
	var names []string
	for _, name := range s.Required {
		if s.Properties[name] != nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// values returns the schema of the values of an object whose member names are data (a map); nil: it
// has named members.
func (s *schema) values() *schema {
	var values schema
	if len(s.AdditionalProperties) == 0 || s.AdditionalProperties[0] != '{' || json.Unmarshal(s.AdditionalProperties, &values) != nil {
		return nil
	}
	return &values
}

// resolved follows references, also in schemas of values that may be null.
func resolved(named map[string]*schema, s *schema) (of *schema, name string) {
	for range deepest {
		switch {
		case s.Ref != "":
			name = s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
			if named[name] == nil {
				return &schema{}, name
			}
			s = named[name]
		case len(s.AnyOf) > 0 && s.AnyOf[0].Ref != "":
			s = s.AnyOf[0]
		default:
			return s, name
		}
	}
	return s, name
}

func (s *schema) about(named map[string]*schema) string {
	if s.Description != "" {
		return s.Description
	}
	of, _ := resolved(named, s)
	return of.Description
}

// typeOf names the type of a value in words.
func typeOf(named map[string]*schema, s *schema) string {
	null := len(s.AnyOf) == 2
	of, name := resolved(named, s)
	types := []string{}
	switch t := of.Type.(type) {
	case string:
		types = append(types, t)
	case []any:
		for _, one := range t {
			if one == "null" {
				null = true
			} else {
				types = append(types, fmt.Sprint(one))
			}
		}
	}
	text := strings.Join(types, " or ")
	switch {
	case of.Const != nil:
		text = fmt.Sprintf("`%q`", of.Const)
	case name == "Decimal":
		text = "decimal as text"
	case of.Items != nil:
		if text = "list"; of.Items.Ref == "" {
			text = "list of " + typeOf(named, of.Items)
		}
	case of.Format != "":
		text = of.Format
	case text == "string":
		text = "text"
	case text == "":
		text = "any"
	}
	if len(of.Enum) > 0 {
		text = oneOf(of.Enum)
	}
	if null {
		text += ", or null"
	}
	return text
}

// oneOf lists values that are allowed.
func oneOf(values []any) string {
	var all []string
	for _, v := range values {
		if v != nil {
			all = append(all, fmt.Sprintf("`%v`", v))
		}
	}
	return strings.Join(all, ", ")
}
