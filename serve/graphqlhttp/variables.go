package graphqlhttp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/internal/problem"
	"piyasa/serve/document"
	"piyasa/serve/queryplan"
)

// checkVariables rejects values that the libraries would coerce, or reject without stating the
// value: an enum in another letter case, text for a number, 2.0 for 2.
func (d *documents) checkVariables(o *ast.OperationDefinition, given map[string]any) *gqlerror.Error {
	declared := make(map[string]any, len(o.VariableDefinitions))
	for _, def := range o.VariableDefinitions {
		declared[def.Variable] = given[def.Variable]
	}
	if err := limitValues(declared); err != nil {
		return err
	}
	for _, def := range o.VariableDefinitions {
		if must, got := mismatch(d.costs.Schema(), def.Type, declared[def.Variable]); must != "" {
			err := gqlerror.Errorf("$%s must be %s; got %s", def.Variable, must, problem.Clip(string(line(got))))
			errcode.Set(err, errcode.ValidationFailed)
			return err
		}
	}
	return nil
}

// checkConditions rejects a null variable of @skip or @include: it would cause an error in each
// object with such a directive.
func checkConditions(oc *graphql.OperationContext) *gqlerror.Error {
	for _, def := range oc.Operation.VariableDefinitions {
		if value, given := oc.Variables[def.Variable]; given && value == nil && slices.Contains(queryplan.Conditions(oc), def.Variable) {
			err := gqlerror.Errorf("$%s must not be null: @skip or @include depends on it", def.Variable)
			errcode.Set(err, errcode.ValidationFailed)
			return err
		}
	}
	return nil
}

// limitValues rejects variables with too many values or too long a text: each place that uses a
// variable reads all of it.
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

// mismatch returns what a value had to be, with the value or the inner value that is wrong, or
// "" if all fit. Lists also take a single value, as in the language.
func mismatch(schema *ast.Schema, t *ast.Type, value any) (must string, got any) {
	if value == nil {
		return "", nil // whether null is allowed has been checked
	}
	if t.Elem != nil {
		list := reflect.ValueOf(value) // a slice of any, or of the type of its single element
		if list.Kind() != reflect.Slice {
			return mismatch(schema, t.Elem, value)
		}
		for i := range list.Len() {
			if must, got := mismatch(schema, t.Elem, list.Index(i).Interface()); must != "" {
				return must, got
			}
		}
		return "", nil
	}
	def := schema.Types[t.NamedType]
	text, isText := value.(string)
	switch {
	case def.Kind == ast.Enum && (!isText || def.EnumValues.ForName(text) == nil):
		names := ""
		for _, e := range def.EnumValues {
			names += " " + e.Name
		}
		return "one of" + names, value
	case t.NamedType == "Int" && !isInteger(value, 32):
		return "a whole number of at most 32 bits, without a fraction or an exponent", value
	case t.NamedType == "String" && !isText:
		return "a string", value
	case t.NamedType == "ID" && !isText && !isInteger(value, 64):
		return "a string", value
	}
	return "", nil
}

// isInteger reports whether a decoded value is a whole number of at most bits bits. Requests
// decode to json.Number, defaults of documents to int64.
func isInteger(value any, bits int) bool {
	switch n := value.(type) {
	case json.Number, int, int64:
		_, err := strconv.ParseInt(fmt.Sprint(n), 10, bits)
		return err == nil
	}
	return false
}
