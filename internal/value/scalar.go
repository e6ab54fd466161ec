package value

import (
	"fmt"
	"strconv"
)

// appendQuoted appends text, which must need no escaping, as a JSON string;
// empty text is null.
func appendQuoted(b []byte, text string) []byte {
	if text == "" {
		return append(b, "null"...)
	}
	return strconv.AppendQuote(b, text)
}

// UnmarshalScalar reads a GraphQL scalar that is text in both directions.
func UnmarshalScalar(v any, into interface{ UnmarshalText([]byte) error }, scalar string) error {
	text, ok := v.(string)
	if !ok {
		return fmt.Errorf("%s must be a string", scalar)
	}
	return into.UnmarshalText([]byte(text))
}

// must reads a constant; it panics on text that parse rejects.
func must[T any](parse func(string) (T, error), text string) T {
	v, err := parse(text)
	if err != nil {
		panic(fmt.Sprintf("the constant %q %v", text, err))
	}
	return v
}
