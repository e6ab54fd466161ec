package deliver

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"
)

// Refused makes the error with which a sink says how to go on.
func Refused(why error, after time.Duration, progressed bool) error {
	return &refusal{error: why, after: after, progressed: progressed}
}

// Client returns the client of a webhook.
func Client(s Sink) *http.Client { return s.(*webhook).client }

// Dials returns the error with which a webhook does not dial an address.
func Dials(s Sink, address string) error { return s.(*webhook).dialer.Control("tcp6", address, nil) }

// AskedToWait returns for how long an error of a sink asks to wait.
func AskedToWait(err error) time.Duration {
	r := new(refusal)
	errors.As(err, &r)
	return r.after
}

// DialsFor lets webhooks of keys connect as dial does, to servers whose certificates nobody has signed.
func DialsFor(h *Webhooks, dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	h.client = publicClient()
	transport := h.client.Transport.(*http.Transport)
	transport.DialContext, transport.TLSClientConfig = dial, &tls.Config{InsecureSkipVerify: true}
}
