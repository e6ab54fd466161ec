package server

import (
	"net/http"
	"strings"
	"time"

	"piyasa/access"
	"piyasa/problem"
	"piyasa/value"
)

const (
	streamTokenPath    = "/v1/stream-token"
	streamTokenPurpose = "stream-token"
	streamTokenLife    = time.Minute
	streamTokenPrefix  = "st_" // no token of a reserved stream begins so
)

// streamToken hands out what stands for the key of the request in the address
// of a stream: a browser's EventSource sends no header of ours.
func (s *Server) streamToken(w http.ResponseWriter, r *http.Request) {
	expires := s.Services.Clock().Add(streamTokenLife).WholeSecond()
	w.Header().Set("X-Usage-Units", "0")
	writeJSON(w, http.StatusOK, struct {
		Token     string        `json:"token"`
		ExpiresAt value.Instant `json:"expires_at"`
	}{s.spellToken(access.CallOf(r.Context()).Key.ID, expires), expires})
}

func isStreamToken(text string) bool { return strings.HasPrefix(text, streamTokenPrefix) }

// spellToken signs the moment at which a token runs out and the id of its key.
func (s *Server) spellToken(keyID string, expires value.Instant) string {
	return streamTokenPrefix + s.Services.Signer.Cursor(expires.String()+" "+keyID, streamTokenPurpose, "")
}

// tokenKey is the live key that a stream token stands for.
func (s *Server) tokenKey(token string) (*access.Key, error) {
	text, err := s.Services.Signer.Key(strings.TrimPrefix(token, streamTokenPrefix), streamTokenPurpose, "")
	moment, keyID, _ := strings.Cut(text, " ")
	if err == nil {
		if expires, err := value.ParseInstant(moment); err == nil && s.Services.Clock().Before(expires) {
			return s.Services.Gate.ByID(keyID)
		}
	}
	return nil, problem.New(problem.Unauthenticated, "The stream token is invalid or has expired; get a new one from %s%s.", s.Services.BaseURL, streamTokenPath)
}
