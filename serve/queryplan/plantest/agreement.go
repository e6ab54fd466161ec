package plantest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// member is a member of a JSON object, in a list that keeps the order.
type member struct {
	name  string
	value any
}

// ordered decodes JSON, with objects as lists of members.
func ordered(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		object := []member{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := ordered(d)
			if err != nil {
				return nil, err
			}
			object = append(object, member{name.(string), value})
		}
		_, err = d.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			value, err := ordered(d)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = d.Token()
		return list, err
	}
	return token, nil
}

// spelled appends a decoded value, with one encoding for each string.
func spelled(b []byte, v any) []byte {
	switch v := v.(type) {
	case []member:
		b = append(b, '{')
		for _, m := range v {
			b = append(spelled(b, m.name), ':')
			b = append(spelled(b, m.value), ',')
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for _, element := range v {
			b = append(spelled(b, element), ',')
		}
		return append(b, ']')
	}
	text, _ := json.Marshal(v)
	return append(b, text...)
}

// nulled returns the path to the null in an answer that an error at path causes.
func nulled(data any, path []any) (to string, found bool) {
	for i := 0; ; i++ {
		if data == nil {
			return fmt.Sprint(path[:i]), true
		}
		if i == len(path) {
			return fmt.Sprint(path), false
		}
		switch v := data.(type) {
		case []member:
			at := slices.IndexFunc(v, func(m member) bool { return m.name == path[i] })
			if at < 0 {
				return fmt.Sprint(path), false
			}
			data = v[at].value
		case []any:
			var at int
			if _, err := fmt.Sscan(fmt.Sprint(path[i]), &at); err != nil || at >= len(v) {
				return fmt.Sprint(path), false
			}
			data = v[at]
		default:
			return fmt.Sprint(path), false
		}
	}
}

// Disagreement says how an answer differs from that of graphql-js, or "". The data must have
// the same members in the same order. If an error makes a distant parent null, an executor need
// not report the other errors below that parent; graphql-js does not wait for them. So each of
// its errors must be among ours, and each other error of ours must cause a null for which
// graphql-js reports an error, too.
func Disagreement(ours Answer, data string, errs []Error) string {
	decoded := func(text string) any {
		d := json.NewDecoder(bytes.NewReader([]byte(text)))
		d.UseNumber()
		v, err := ordered(d)
		if err != nil {
			return err.Error()
		}
		return v
	}
	answer, expected := decoded(ours.Data), decoded(data)
	a, b := string(spelled(nil, expected)), string(spelled(nil, answer))
	var all []string
	if different := Difference(Answer{Data: a}, Answer{Data: b}); different != "" {
		return different
	}
	theirs, causes := map[string]bool{}, map[string]bool{}
	for _, e := range errs {
		to, ok := nulled(expected, e.Path)
		if !ok {
			all = append(all, "graphql-js: no null at "+to)
		}
		theirs[fmt.Sprint(e.Path)], causes[to] = true, true
	}
	for _, text := range ours.InTurn {
		var e Error
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&e); err != nil {
			return err.Error()
		}
		to, ok := nulled(answer, e.Path)
		if !ok || !causes[to] {
			all = append(all, fmt.Sprintf("only ours: %s", text))
		}
		delete(theirs, fmt.Sprint(e.Path))
	}
	for path := range theirs {
		all = append(all, "only of graphql-js: "+path)
	}
	return strings.Join(all, "\n")
}
