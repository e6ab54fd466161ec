package jsonhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"slices"
	"time"

	"github.com/itchyny/gojq"

	"piyasa/collect"
)

// Bounds of a program.
const (
	runTime     = 10 * time.Second
	mostOutputs = 100_000
	mostSafe    = 1<<53 - 1 // the largest whole number that every reader of JSON takes
	mostDepth   = 100
)

// impure are functions whose results are not of the answer alone.
var impure = []string{
	"now", "localtime", "strflocaltime", "env", "$ENV", "input", "inputs", "input_filename", "input_line_number", "debug", "stderr", "halt", "halt_error",
	"get_search_list", "modulemeta", "$__prog_args",
}

// compile reads the programs.
func (s *source) compile() error {
	var wrong []error
	one := func(member, text string, into **gojq.Code) {
		if text == "" {
			return
		}
		code, err := program(text)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%q is no program of jq: %w", member, err))
		}
		*into = code
	}
	if s.Records == "" {
		wrong = append(wrong, errors.New(`"records" must be a program of jq that makes records of an answer`))
	}
	one("records", s.Records, &s.records)
	one("keep", s.Keep, &s.keep)
	one("fails", s.Fails, &s.fails)
	if s.Paging != nil {
		one("items", s.Paging.Items, &s.items)
		one("cursor", s.Paging.Cursor, &s.cursor)
		one("next", s.Paging.Next, &s.next)
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
	return gojq.Compile(query, gojq.WithVariables([]string{"$kept"}), gojq.WithEnvironLoader(func() []string { return nil }))
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

// run returns what a program makes of an answer.
func run(code *gojq.Code, answer any, known map[string]string) (all []any, err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			all, err = nil, fmt.Errorf("the program failed: %v", wrong)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), runTime)
	defer cancel()
	variables := map[string]any{}
	for name, v := range known {
		variables[name] = v
	}
	for out := code.RunWithContext(ctx, answer, variables); ; {
		v, ok := out.Next()
		if !ok {
			return all, nil
		}
		if err, wrong := v.(error); wrong {
			return nil, err
		}
		if all = append(all, v); len(all) > mostOutputs {
			return nil, fmt.Errorf("the program gives more than %d values", mostOutputs)
		}
	}
}

// decode reads an answer. Its numbers become text, so that no program makes floats of them.
func decode(body []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is something after the JSON")
	}
	return texts(v)
}

// texts returns a value with text in place of its numbers.
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

// exact reports a number of a record that may have lost digits.
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
