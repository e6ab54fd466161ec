// Package answer is what all HTTP answers have in common: how bodies and
// problems are written, which media type is chosen, the id of the request, and
// what is logged of a failure.
package answer

import (
	"net/http"
	"strconv"

	"piyasa/internal/value"
)

// JSON writes body as JSON. It encodes before anything is sent, so that a
// failure can still become an error response.
func JSON(w http.ResponseWriter, status int, body any) {
	Write(w, status, "application/json", body)
}

// Write is like JSON with another media type. Bytes, and pieces of them, are
// written as they are.
func Write(w http.ResponseWriter, status int, mediaType string, body any) {
	var pieces [][]byte
	switch body := body.(type) {
	case [][]byte:
		pieces = body
	case []byte:
		pieces = [][]byte{body}
	default:
		pieces = [][]byte{Encoded(body)}
	}
	length := 0
	for _, p := range pieces {
		length += len(p)
	}
	h := w.Header()
	h.Set("Content-Length", strconv.Itoa(length))
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	for _, p := range pieces {
		_, _ = w.Write(p)
	}
}

// Header is a header with one value; its name is in canonical form.
type Header struct{ Name, Value string }

// SetHeaders sets headers with one allocation for all of them.
func SetHeaders(h http.Header, all ...Header) {
	values := make([]string, len(all))
	for i, one := range all {
		values[i] = one.Value
		h[one.Name] = values[i : i+1 : i+1]
	}
}

// Encoded returns body as JSON, HTML characters as they are, and a line break.
func Encoded(body any) []byte {
	text, err := value.AppendJSON(nil, body)
	if err != nil {
		panic(err) // a type of ours that cannot be encoded; answered as internal
	}
	return append(text, '\n')
}
