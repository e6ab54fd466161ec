package graphqlhttp

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/document"
)

// exactVariables refuses values that the libraries would bend into shape: an
// enum in another case becomes the empty one, text becomes a number.
type exactVariables struct{ schema *ast.Schema }

// ExtensionName implements graphql.HandlerExtension.
func (*exactVariables) ExtensionName() string { return "ExactVariables" }

// Validate implements graphql.HandlerExtension.
func (v *exactVariables) Validate(schema graphql.ExecutableSchema) error {
	v.schema = schema.Schema()
	return nil
}

// MutateOperationContext implements graphql.OperationContextMutator.
func (v *exactVariables) MutateOperationContext(_ context.Context, oc *graphql.OperationContext) *gqlerror.Error {
	if err := limitValues(oc.Variables); err != nil {
		return err
	}
	for _, def := range oc.Operation.VariableDefinitions {
		value, given := oc.Variables[def.Variable]
		if must := v.mismatch(def.Type, value); given && must != "" {
			err := gqlerror.Errorf("$%s must be %s", def.Variable, must)
			errcode.Set(err, errcode.ValidationFailed)
			return err
		}
	}
	return nil
}

// limitValues refuses variables with too many values or too long a text: each
// place that uses a variable reads all of it.
func limitValues(variables map[string]any) *gqlerror.Error {
	values, longest := 0, 0
	var count func(reflect.Value)
	count = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface:
			count(v.Elem())
			return
		case reflect.Slice:
			for i := range v.Len() {
				count(v.Index(i))
			}
		case reflect.Map:
			for _, key := range v.MapKeys() {
				longest = max(longest, key.Len())
				count(v.MapIndex(key))
			}
		case reflect.String:
			longest = max(longest, v.Len())
		}
		values++
	}
	for _, value := range variables {
		count(reflect.ValueOf(value))
	}
	var err *gqlerror.Error
	switch {
	case values > document.MaxValues:
		err = gqlerror.Errorf("the variables have %d values; at most %d are allowed", values, document.MaxValues)
	case longest > document.MaxTextBytes:
		err = gqlerror.Errorf("the variables have %d bytes in a string; at most %d are allowed", longest, document.MaxTextBytes)
	default:
		return nil
	}
	errcode.Set(err, errcode.ValidationFailed)
	return err
}

// mismatch says what a value had to be, or nothing when it is that. Lists take
// a single value too, as the language has it.
func (v *exactVariables) mismatch(t *ast.Type, value any) string {
	if value == nil {
		return "" // whether null is allowed has been checked
	}
	if t.Elem != nil {
		list := reflect.ValueOf(value) // of any, or of its only element's type
		if list.Kind() != reflect.Slice {
			return v.mismatch(t.Elem, value)
		}
		for i := range list.Len() {
			if must := v.mismatch(t.Elem, list.Index(i).Interface()); must != "" {
				return must
			}
		}
		return ""
	}
	def := v.schema.Types[t.NamedType]
	text, isText := value.(string)
	switch {
	case def.Kind == ast.Enum && (!isText || def.EnumValues.ForName(text) == nil):
		names := ""
		for _, e := range def.EnumValues {
			names += " " + e.Name
		}
		return "one of" + names
	case t.NamedType == "Int" && !isInteger(value, 32):
		return "a whole number of at most 32 bits"
	case t.NamedType == "String" && !isText:
		return "a string"
	case t.NamedType == "ID" && !isText && !isInteger(value, 64):
		return "a string"
	}
	return ""
}

// isInteger reports whether a decoded value is a whole number of so many bits,
// as requests (json.Number) and defaults of documents (int64) decode.
func isInteger(value any, bits int) bool {
	switch n := value.(type) {
	case json.Number, int, int64:
		_, err := strconv.ParseInt(fmt.Sprint(n), 10, bits)
		return err == nil
	}
	return false
}
