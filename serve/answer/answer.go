// Package answer has what all HTTP answers share: it writes bodies and problems, chooses media
// types, gives requests their ids, keeps answers in memory, and logs failures.
package answer

import (
	"net/http"
	"strconv"

	"piyasa/internal/value"
)

// JSON writes body as JSON. It encodes the whole body before it sends anything, so that a
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

// Encoded returns body as JSON, with HTML characters unescaped and a final line break.
func Encoded(body any) []byte {
	text, err := value.AppendJSON(nil, body)
	if err != nil {
		panic(err) // one of our types cannot be encoded: the answer is the problem internal
	}
	return append(text, '\n')
}
