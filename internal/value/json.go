package value

import (
	"bytes"
	"encoding/json"
)

// AppendJSON appends the JSON of v to b, with <, > and & as they are: json.Marshal
// escapes them for pages.
func AppendJSON(b []byte, v any) ([]byte, error) {
	text := bytes.NewBuffer(b)
	e := json.NewEncoder(text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}
