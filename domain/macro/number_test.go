package macro_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"piyasa/domain/macro"
)

// CAL-20, G-56: digit for digit in JSON, in GraphQL and through a store.
func TestNumber(t *testing.T) {
	for _, text := range []string{"0", "2.50", "1e3", "1E+3", "-0.0", "-7.12", "12345678901234567890.123456789",
		"0.1000000000000000055511151231257827", "1e999", ""} {
		n, want := macro.Number(text), text
		if text == "" {
			want = "null"
		}
		if got, err := json.Marshal(struct{ N macro.Number }{n}); err != nil || string(got) != `{"N":`+want+`}` {
			t.Errorf("%q in JSON: %s, %v", text, got, err)
		}
		var over bytes.Buffer
		if n.MarshalGQL(&over); over.String() != want {
			t.Errorf("%q in GraphQL: %s", text, over.String())
		}
		stored, err := n.Value()
		if err != nil || (stored == nil) != (text == "") {
			t.Errorf("%q is stored as %v, %v", text, stored, err)
		}
		for _, src := range []any{stored, []byte(text)} {
			back := macro.Number("9")
			if err := back.Scan(src); err != nil || back != n {
				t.Errorf("%q came back as %q, %v", text, back, err)
			}
		}
	}
	for _, src := range []any{2.5, int64(2), true} {
		if n := new(macro.Number); n.Scan(src) == nil {
			t.Errorf("%T became %q", src, *n)
		}
	}
	if n := new(macro.Number); n.UnmarshalGQL("2.50") == nil {
		t.Errorf("taken as input: %q", *n)
	}
}
