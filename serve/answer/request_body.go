package answer

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// ErrEncoding reports that a body has an unsupported content encoding; Accept-Encoding names the
// supported ones.
var ErrEncoding = errors.New("the content encoding must be gzip or none")

// RequestBody reads a body of at most most bytes, compressed with gzip or not. An error is
// ErrEncoding, an *http.MaxBytesError, or says that the body could not be read.
func RequestBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	var body io.Reader = http.MaxBytesReader(w, r.Body, most)
	switch coding := r.Header.Get("Content-Encoding"); {
	case coding == "", strings.EqualFold(coding, "identity"):
	case strings.EqualFold(coding, "gzip"):
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			return nil, err
		}
		body = unpacked
	default:
		w.Header().Set("Accept-Encoding", "gzip, identity")
		return nil, ErrEncoding
	}
	text, err := io.ReadAll(io.LimitReader(body, most+1))
	if int64(len(text)) > most {
		return nil, &http.MaxBytesError{Limit: most}
	}
	return text, err
}
