package admission

import (
	"net/http"
	"strings"
	"time"

	"piyasa/access"
	"piyasa/answer"
	"piyasa/problem"
	"piyasa/value"
)

// StreamTokenPath is where stream tokens are issued.
const StreamTokenPath = "/v1/stream-token"

const (
	streamTokenPurpose = "stream-token"
	streamTokenLife    = time.Minute
	streamTokenPrefix  = "st_" // no token of a reserved stream begins so
)

// StreamTokens issues and reads short-lived tokens that stand for a key in the
// address of a stream: a browser's EventSource sends no header of ours.
type StreamTokens struct {
	Gate    *access.Gate
	Signer  access.Signer
	Clock   value.Clock
	BaseURL string
}

// ServeHTTP issues a token for the key of the call.
func (s StreamTokens) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	expires := s.Clock().Add(streamTokenLife).WholeSecond()
	w.Header().Set("X-Usage-Units", "0")
	answer.JSON(w, http.StatusOK, struct {
		Token     string        `json:"token"`
		ExpiresAt value.Instant `json:"expires_at"`
	}{s.encode(access.CallOf(r.Context()).Key.ID, expires), expires})
}

// IsStreamToken reports whether text has the form of a stream token.
func IsStreamToken(text string) bool { return strings.HasPrefix(text, streamTokenPrefix) }

// encode signs the moment at which a token expires and the id of its key.
func (s StreamTokens) encode(keyID string, expires value.Instant) string {
	return streamTokenPrefix + s.Signer.Cursor(expires.String()+" "+keyID, streamTokenPurpose, "")
}

// Key returns the live key that a stream token stands for.
func (s StreamTokens) Key(token string) (*access.Key, error) {
	text, err := s.Signer.Key(strings.TrimPrefix(token, streamTokenPrefix), streamTokenPurpose, "")
	moment, keyID, _ := strings.Cut(text, " ")
	if err == nil {
		if expires, err := value.ParseInstant(moment); err == nil && s.Clock().Before(expires) {
			return s.Gate.ByID(keyID)
		}
	}
	return nil, problem.New(problem.Unauthenticated, "The stream token is invalid or has expired; get a new one from %s%s.", s.BaseURL, StreamTokenPath)
}
