package access

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"piyasa/internal/problem"
)

// Signer signs what clients must return unchanged: cursors, links and stream tokens. All
// servers on one database have the same secret.
type Signer struct{ Secret []byte }

// Sign returns the signature of parts for a purpose.
func (s Signer) Sign(purpose string, parts ...any) []byte {
	mac := hmac.New(sha256.New, s.Secret)
	fmt.Fprintf(mac, "%q", purpose)
	for _, p := range parts {
		fmt.Fprintf(mac, " %q", fmt.Sprint(p))
	}
	return mac.Sum(nil)[:signatureSize]
}

const signatureSize = 16

// Cursor encodes where a page of a list ended: the key of its last row, signed
// together with the list and with query, the text of everything that decides
// which rows the list holds and how they are ordered.
func (s Signer) Cursor(key, list, query string) string {
	return base64.RawURLEncoding.EncodeToString(append(s.Sign(list, key, query), key...))
}

// Key returns the key in a cursor. Problem: invalid-cursor, if the cursor is damaged, or
// belongs to another list or query.
func (s Signer) Key(cursor, list, query string) (string, error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil && len(raw) > signatureSize {
		key := string(raw[signatureSize:])
		// compares text, because base64 has several encodings of the same bytes
		if hmac.Equal([]byte(cursor), []byte(s.Cursor(key, list, query))) {
			return key, nil
		}
	}
	e := problem.New(problem.InvalidCursor, "cursor must be the next_cursor of a page with the same filters and order.")
	return "", e.About("cursor", cursor)
}
