package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Member is a member of a kind of record.
type Member struct {
	Name  string       // as lines state it
	Type  reflect.Type // of its value in Go; of what a pointer points to
	index []int
}

// Members lists the members of a kind in order; nil: no such kind.
func Members(kind string) []Member {
	k := kinds[kind]
	if k == nil {
		return nil
	}
	t := reflect.TypeOf(k.make()).Elem()
	members := make([]Member, len(k.shape.fields))
	for i, f := range k.shape.fields {
		members[i] = Member{f.name, t.FieldByIndex(f.index).Type, f.index}
		if members[i].Type.Kind() == reflect.Pointer {
			members[i].Type = members[i].Type.Elem()
		}
	}
	return members
}

// Of returns the member's value in a record, a pointer; ok is false if the record has none.
func (m Member) Of(record any) (v reflect.Value, ok bool) {
	return stated(reflect.ValueOf(record).Elem().FieldByIndex(m.index))
}

// stated returns the value of a field; ok is false if a line would not state it.
func stated(v reflect.Value) (_ reflect.Value, ok bool) {
	switch v.Kind() {
	case reflect.Pointer:
		return v.Elem(), !v.IsNil()
	case reflect.Bool, reflect.Int, reflect.Int64:
		return v, true
	case reflect.Slice:
		return v, !v.IsNil()
	}
	return v, !v.IsZero()
}

// AppendLine appends the line that states a record, without a newline. Ingest reads the same
// record from that line.
func AppendLine(line []byte, kind string, record any) ([]byte, error) {
	k := kinds[kind]
	if k == nil {
		return line, fmt.Errorf("%q is no kind of record", kind)
	}
	line = strconv.AppendQuote(append(line, `{"record":`...), kind)
	return k.shape.append(append(line, ','), reflect.ValueOf(record).Elem())
}

// append appends the members of v, a struct of the shape's type, and the end of the object.
func (s *shape) append(line []byte, v reflect.Value) (_ []byte, err error) {
	for _, f := range s.fields {
		member, ok := stated(v.FieldByIndex(f.index))
		if !ok {
			continue
		}
		line = append(strconv.AppendQuote(line, f.name), ':')
		if line, err = AppendJSON(line, member); err != nil {
			return line, fmt.Errorf("%s: %w", f.name, err)
		}
		line = append(line, ',')
	}
	if last := len(line) - 1; line[last] == ',' {
		line = line[:last]
	}
	return append(line, '}'), nil
}

// AppendJSON appends the value of a member in the form of lines.
func AppendJSON(line []byte, v reflect.Value) (_ []byte, err error) {
	isText := reflect.PointerTo(v.Type()).Implements(textType)
	switch kind := v.Kind(); {
	case kind == reflect.Pointer:
		return AppendJSON(line, v.Elem())
	case kind == reflect.Struct && !isText && v.Type() != decimalType:
		return shapeOf(v.Type()).append(append(line, '{'), v)
	case kind == reflect.Slice && !isText && v.Type() != rawType:
		line = append(line, '[')
		for i := range v.Len() {
			if i > 0 {
				line = append(line, ',')
			}
			if line, err = AppendJSON(line, v.Index(i)); err != nil {
				return line, err
			}
		}
		return append(line, ']'), nil
	case kind == reflect.String && v.Type() != numberType:
		return jsontext.AppendQuote(line, v.String())
	case v.Type() == rawType:
		one := bytes.NewBuffer(line)
		err := json.Compact(one, v.Bytes()) // a line has no newline; digits stay as they were
		return one.Bytes(), err
	}
	text, err := json.Marshal(v.Interface())
	return append(line, text...), err
}
