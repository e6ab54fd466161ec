package rest

import (
	"bytes"
	"encoding/json"
	"slices"
)

// OpenAPI30 converts our OpenAPI 3.1 document to 3.0, for tools that do not read 3.1: schemas that
// allow null state it with the member nullable.
func OpenAPI30(document []byte) []byte {
	from := json.NewDecoder(bytes.NewReader(document))
	from.UseNumber()
	var d map[string]any
	must(from.Decode(&d))
	d = nullable(d).(map[string]any)
	d["openapi"] = "3.0.3"
	text, err := json.MarshalIndent(d, "", "  ")
	must(err)
	return text
}

// nullable replaces the type null in a part of a document.
func nullable(part any) any {
	switch part := part.(type) {
	case []any:
		for i, p := range part {
			part[i] = nullable(p)
		}
	case map[string]any:
		for name, p := range part {
			part[name] = nullable(p)
		}
		if types, ok := part["type"].([]any); ok { // the type of a schema; a member with the name type is an object
			part["type"] = slices.DeleteFunc(types, func(t any) bool { return t == "null" })[0]
			part["nullable"] = true
		}
		if of, ok := part["anyOf"].([]any); ok && slices.ContainsFunc(of, isNull) {
			part["nullable"] = true
			if part["anyOf"] = slices.DeleteFunc(of, isNull); len(of) == 2 {
				part["allOf"] = part["anyOf"]
				delete(part, "anyOf")
			}
		}
	}
	return part
}

// isNull reports whether a schema allows only null.
func isNull(schema any) bool {
	s, _ := schema.(map[string]any)
	return s["type"] == "null"
}
