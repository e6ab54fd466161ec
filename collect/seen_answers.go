package collect

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
)

// seen is what is kept of the last answer to a repeated request, so that the same answer need
// not be sent or read twice.
type seen struct {
	Question string `json:"question"`
	ETag     string `json:"etag,omitempty"`
	Modified string `json:"modified,omitempty"` // as the upstream wrote it
	Sum      string `json:"sum"`                // of the body
	By       string `json:"by,omitempty"`       // identifies the version and the settings that read it
}

// see returns what to keep of an answer that a reader has read; nil if every answer counts.
func see(request *Request, got *Answer, by string) *seen {
	if !request.Settled || got.Status != http.StatusOK {
		return nil
	}
	return &seen{question(request), got.header.Get("ETag"), got.header.Get("Last-Modified"), sum(got.Body), by}
}

// of returns the kept state of the answer to the same request, if the same reader read it; nil:
// none. Another reader may read something else in the same bytes.
func (s *seen) of(request *Request, by string) *seen {
	if s == nil || !request.Settled || s.Question != question(request) || s.By != by {
		return nil
	}
	return s
}

// conditions returns the headers that ask only for a changed answer.
func (s *seen) conditions() http.Header {
	if s == nil {
		return nil
	}
	h := http.Header{}
	if s.ETag != "" {
		h.Set("If-None-Match", s.ETag)
	}
	if s.Modified != "" {
		h.Set("If-Modified-Since", s.Modified)
	}
	return h
}

// unchanged reports whether an answer is the one that was seen.
func (s *seen) unchanged(got *Answer) bool {
	return s != nil && got != nil && (got.Status == http.StatusNotModified || got.Status == http.StatusOK && sum(got.Body) == s.Sum)
}

// question identifies a request.
func question(r *Request) string {
	return sum([]byte(r.Method + " " + r.Path + "?" + r.Query.Encode() + "\n" + string(r.Body)))
}

// sum returns a digest of bytes.
func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:16])
}
