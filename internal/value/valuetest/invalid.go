package valuetest

import (
	"errors"
	"testing"

	"piyasa/internal/value"
)

// InvalidMember returns the member that an error of Validate names; "" if err is nil. It fails the
// test if the error is not a value.Invalid with a text.
func InvalidMember(t testing.TB, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	wrong, ok := errors.AsType[*value.Invalid](err)
	if !ok || wrong.Member == "" || wrong.Must == "" {
		t.Errorf("%v (%T) names no member", err, err)
		return "no member"
	}
	return wrong.Member
}
