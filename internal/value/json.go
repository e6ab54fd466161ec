package value

import (
	"bytes"
	"encoding/json"
)

// AppendJSON appends the JSON of v to b. Unlike json.Marshal, it does not escape <, > and &.
func AppendJSON(b []byte, v any) ([]byte, error) {
	text := bytes.NewBuffer(b)
	e := json.NewEncoder(text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}
