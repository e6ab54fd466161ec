package queryplan_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"piyasa/serve/queryplan"
)

// checkString compares how a text is written with what gqlgen writes.
func checkString(t *testing.T, text string) {
	t.Helper()
	var want bytes.Buffer
	graphql.MarshalString(text).MarshalGQL(&want)
	if got := queryplan.AppendString([]byte("before"), text); string(got) != "before"+want.String() {
		t.Errorf("%q is written as %s instead of %s", text, got, want.Bytes())
	}
}

// Every byte at every place among eight, with and without others that need an escape.
func TestAppendString(t *testing.T) {
	for length := range 20 {
		for at := range length {
			for c := range 256 {
				for _, others := range []string{"a", "\x7f", "\"", "é"} {
					text := []byte(strings.Repeat(others, length))[:length]
					text[at] = byte(c)
					checkString(t, string(text))
				}
			}
		}
	}
}

func FuzzAppendString(f *testing.F) {
	f.Add("Özel Durum Açıklaması \"A\\B\"\n\x00")
	f.Fuzz(checkString)
}
