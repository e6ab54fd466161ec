package kap

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// JSON is a JSON value that is passed on unchanged, with the order of members
// and the digits of numbers.
type JSON json.RawMessage

// MarshalJSON implements json.Marshaler.
func (j JSON) MarshalJSON() ([]byte, error) { return json.RawMessage(j).MarshalJSON() }

// AppendJSON appends the value without its white space.
func (j JSON) AppendJSON(b []byte) []byte {
	compact := bytes.NewBuffer(b)
	if err := json.Compact(compact, j); err != nil {
		panic(err) // it was read as JSON
	}
	return compact.Bytes()
}

// MarshalGQL writes the scalar JSON.
func (j JSON) MarshalGQL(w io.Writer) { _, _ = w.Write(j.AppendJSON(nil)) }

// UnmarshalGQL implements graphql.Unmarshaler; no argument is of this type.
func (j *JSON) UnmarshalGQL(any) error { return errors.New("JSON is not an input type") }
