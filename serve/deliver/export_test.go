package deliver

import (
	"errors"
	"time"
)

// Refused makes the error with which a sink says how to go on.
func Refused(why error, after time.Duration, progressed bool) error {
	return &refusal{error: why, after: after, progressed: progressed}
}

// AskedToWait returns for how long an error of a sink asks to wait.
func AskedToWait(err error) time.Duration {
	r := new(refusal)
	errors.As(err, &r)
	return r.after
}
