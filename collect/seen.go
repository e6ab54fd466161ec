package collect

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
)

// seen is what is kept of the last answer to a question that is asked again and again, so
// that the same answer need not come, or be read, twice.
type seen struct {
	Question string `json:"question"`
	ETag     string `json:"etag,omitempty"`
	Modified string `json:"modified,omitempty"` // as the upstream wrote it
	Sum      string `json:"sum"`                // of the body
}

// see returns what to keep of an answer; nil where every answer counts.
func see(asked *Request, got *Answer) *seen {
	if !asked.Settled || got.Status != http.StatusOK {
		return nil
	}
	return &seen{question(asked), got.header.Get("ETag"), got.header.Get("Last-Modified"), sum(got.Body)}
}

// conditions returns the headers with which a request asks for what is new only.
func (s *seen) conditions(asked *Request) http.Header {
	if s == nil || !asked.Settled || s.Question != question(asked) {
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
func (s *seen) unchanged(asked *Request, got *Answer) bool {
	if s == nil || !asked.Settled || s.Question != question(asked) {
		return false
	}
	return got.Status == http.StatusNotModified || got.Status == http.StatusOK && sum(got.Body) == s.Sum
}

// question tells requests apart.
func question(r *Request) string {
	return sum([]byte(r.Method + " " + r.Path + "?" + r.Query.Encode() + "\n" + string(r.Body)))
}

// sum tells bytes apart.
func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:16])
}
