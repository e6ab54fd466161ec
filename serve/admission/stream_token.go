package admission

import (
	"net/http"
	"strings"
	"time"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/serve/answer"
)

// StreamTokenPath is where stream tokens are issued.
const StreamTokenPath = "/v1/stream-token"

const (
	streamTokenPurpose = "stream-token"
	streamTokenLife    = time.Minute
	streamTokenPrefix  = "st_" // tokens of reserved streams never begin with it
)

// StreamTokens issues and reads short-lived tokens that stand for a key when a stream
// opens. So a page needs no key: a browser's EventSource and WebSocket send no custom
// headers.
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

// Authenticate returns the live key of what a client shows when it opens a stream: the key's
// secret, or a stream token.
func (s StreamTokens) Authenticate(secret string) (*access.Key, error) {
	if IsStreamToken(secret) {
		return s.Key(secret)
	}
	return s.Gate.Authenticate(secret)
}

// InAddress returns the stream token in the address of a request; "" if there is none.
func InAddress(r *http.Request) string {
	if token := r.URL.Query().Get("token"); IsStreamToken(token) {
		return token
	}
	return ""
}

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
	return nil, problem.New(problem.Unauthenticated, "The stream token is invalid or has expired; get a new one from %s%s.",
		s.BaseURL, StreamTokenPath)
}
