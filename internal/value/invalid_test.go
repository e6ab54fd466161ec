package value_test

import (
	"testing"

	"piyasa/internal/value"
)

func TestInvalidText(t *testing.T) {
	for want, err := range map[string]error{
		"close: must be above 0; got -1": value.Invalidf("close", "must be above 0; got %s", "-1"),
		"is not one valid JSON object":   value.Invalidf("", "is not one valid JSON object"),
	} {
		if err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	}
}
