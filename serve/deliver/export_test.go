package deliver

import (
	"errors"
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
