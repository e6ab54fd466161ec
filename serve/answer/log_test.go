package answer_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/serve/answer"
)

// Lines of a request have its ids, first; and no line has a key, wherever it was written.
func TestLogged(t *testing.T) {
	const secret = "piyasa_live_0123456789"
	log := logged(t)
	slog.Info("outside "+secret, "path", "/v1/"+secret, "error", errors.New("no "+secret), "n", 1)
	if text := log.String(); !strings.HasSuffix(text, `msg="outside [key]" path=/v1/[key] error="no [key]" n=1`+"\n") {
		t.Error(text)
	}
	nobody := func(*http.Request) netip.Addr { return netip.Addr{} }
	var inside context.Context
	answer.Identified(nobody)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { inside = r.Context() })).
		ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
	for _, key := range []string{"", "key_1"} {
		want := `key_id=""`
		if key != "" {
			answer.NoteKey(inside, &access.Key{ID: key})
			want = "key_id=" + key
		}
		log.Reset()
		slog.ErrorContext(inside, "m", "a", 1)
		if text := log.String(); !strings.HasSuffix(text, "msg=m request_id="+answer.RequestID(inside)+" "+want+" a=1\n") {
			t.Error(text)
		}
	}
}
