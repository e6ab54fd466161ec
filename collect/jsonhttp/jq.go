package jsonhttp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"slices"

	"github.com/itchyny/gojq"

	"piyasa/collect"
)

// Bounds of a program.
const (
	mostOutputs = 100_000
	mostSafe    = 1<<53 - 1 // the largest integer that every JSON reader keeps exact
	mostDepth   = 100
)

// impure are functions whose results depend on more than the answer.
var impure = []string{
	"now", "localtime", "strflocaltime", "env", "$ENV", "input", "inputs", "input_filename", "input_line_number", "debug", "stderr", "halt",
	"halt_error",
	"get_search_list", "modulemeta", "$__prog_args",
}

// compile compiles and checks the programs.
func (s *source) compile() error {
	var wrong []error
	one := func(member, text string) {
		if text == "" {
			return
		}
		if _, err := program(text); err != nil {
			wrong = append(wrong, fmt.Errorf("%q is no program of jq: %w", member, err))
		}
	}
	if s.Records == "" {
		wrong = append(wrong, errors.New(`"records" must be a program of jq that makes records of an answer`))
	}
	one("records", s.Records)
	one("keep", s.Keep)
	one("fails", s.Fails)
	if s.Paging != nil {
		one("paging.items", s.Paging.Items)
		one("paging.cursor", s.Paging.Cursor)
		one("paging.next", s.Paging.Next)
		one("paging.total", s.Paging.Total)
		one("paging.stop", s.Paging.Stop)
	}
	if s.Detail != nil {
		one("detail.items", s.Detail.Items)
		one("detail.records", s.Detail.Records)
	}
	return errors.Join(wrong...)
}

func program(text string) (*gojq.Code, error) {
	query, err := gojq.Parse(text)
	if err != nil {
		return nil, err
	}
	if name := calls(reflect.ValueOf(query)); name != "" {
		return nil, fmt.Errorf("%s has no place here: a record must be of its answer alone", name)
	}
	if len(query.Imports) > 0 {
		return nil, errors.New("it must not import anything")
	}
	return gojq.Compile(query, gojq.WithVariables([]string{"$kept", "$headers", "$item"}),
		gojq.WithEnvironLoader(func() []string { return nil }))
}

// calls returns an impure function that a program calls; empty: none.
func calls(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if f, ok := v.Interface().(*gojq.Func); ok && f != nil && slices.Contains(impure, f.Name) {
			return f.Name
		}
		if !v.IsNil() {
			return calls(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				if name := calls(v.Field(i)); name != "" {
					return name
				}
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if name := calls(v.Index(i)); name != "" {
				return name
			}
		}
	}
	return ""
}

// decode reads an answer and the types of its members. Numbers become text, so that no program
// turns them into floats.
func decode(body []byte) (answer any, types map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, nil, errors.New("there is something after the JSON")
	}
	types = map[string]any{}
	for place, is := range shape(v) {
		types[place] = is
	}
	answer, err = texts(v)
	return answer, types, err
}

// texts returns a value with text instead of its numbers.
func texts(v any) (_ any, err error) {
	switch v := v.(type) {
	case json.Number:
		return collect.Plain(v.String())
	case []any:
		for i := range v {
			if v[i], err = texts(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name := range v {
			if v[name], err = texts(v[name]); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return v, nil
}

// exact reports a number in a record that may have lost digits.
func exact(v any, depth int) error {
	if depth > mostDepth {
		return errors.New("is too deep")
	}
	switch v := v.(type) {
	case float64:
		return fmt.Errorf("is a number that has been a float (%v): decimals must stay text, without tonumber and arithmetic", v)
	case *big.Int:
		return fmt.Errorf("is the number %s, which is too large: it must be text", v)
	case int:
		if v > mostSafe || v < -mostSafe {
			return fmt.Errorf("is the number %d, which is too large: it must be text", v)
		}
	case []any:
		for i := range v {
			if err := exact(v[i], depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for name := range v {
			if err := exact(v[name], depth+1); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}
