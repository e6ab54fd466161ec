package collect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// strict reads settings like encoding/json, but rejects unknown members and states the place of
// errors.
var strict = jsonv2.JoinOptions(
	jsonv1.DefaultOptionsV1(), jsonv2.RejectUnknownMembers(true), jsonv1.ReportErrorsWithLegacySemantics(false),
)

// mistake is a fault of a member of settings.
type mistake struct {
	path string // of the member, such as request.headers.X-Kind; empty: all of them
	says string
}

// Error implements error.
func (m *mistake) Error() string {
	switch {
	case m.path == "":
		return m.says
	case strings.HasPrefix(m.says, "must ") || strings.HasPrefix(m.says, "is "):
		return fmt.Sprintf("%q %s", m.path, m.says)
	}
	return fmt.Sprintf("%q: %s", m.path, m.says)
}

// at turns an error about part of a member's value into one about that member, with its path.
func at(path string, err error) error {
	inner, ok := err.(*mistake) // a wrapped one stays whole
	if !ok {
		inner = &mistake{says: err.Error()}
	}
	return &mistake{strings.Trim(path+"."+inner.path, "."), inner.says}
}

// strictly reads one JSON value without unknown or repeated members.
func strictly(text []byte, into any) error {
	if err := CheckJSON(text); err != nil {
		return err
	}
	err := jsonv2.Unmarshal(text, into, strict)
	wrong, ok := errors.AsType[*jsonv2.SemanticError](err)
	if !ok {
		return err
	}
	path := strings.Join(slices.Collect(wrong.JSONPointer.Tokens()), ".")
	if errors.Is(wrong.Err, jsonv2.ErrUnknownName) {
		return &mistake{path, "is unknown; known are " + strings.Join(membersOf(wrong.GoType), ", ")}
	}
	if wrong.Err != nil && !errors.Is(wrong.Err, strconv.ErrSyntax) && !errors.Is(wrong.Err, strconv.ErrRange) {
		return at(path, wrong.Err)
	}
	return &mistake{path, "must be " + sortOf(wrong.GoType) + "; got " + given(text, wrong)}
}

// membersOf returns the members that a type of settings has.
func membersOf(t reflect.Type) (all []string) {
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			all = append(all, name)
		}
	}
	return all
}

// sortOf names a type in JSON's terms.
func sortOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

// given describes a member's value, but shows no text, which may be a credential.
func given(text []byte, wrong *jsonv2.SemanticError) string {
	switch wrong.JSONKind {
	case '"':
		return "text"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	value := bytes.TrimLeft(text[min(wrong.ByteOffset, int64(len(text))):], " \t\r\n:,")
	if v, err := jsontext.NewDecoder(bytes.NewReader(value)).ReadValue(); err == nil {
		return string(v)
	}
	return wrong.JSONKind.String()
}

// Settings reads the settings of a connector, and rejects unknown members.
func Settings[T any](settings json.RawMessage) (in T, err error) {
	return in, strictly(settings, &in)
}

// Member reads a member of settings.
func Member(name string, text json.RawMessage, into any) error {
	if err := strictly(text, into); err != nil {
		return at(name, err)
	}
	return nil
}
