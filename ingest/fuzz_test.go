package ingest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"piyasa/ingest"
)

// FuzzDecode: whatever the line, it is a record or is refused with a reason,
// never both, and never a panic.
func FuzzDecode(f *testing.F) {
	for _, line := range exampleLines(f) {
		f.Add([]byte(strings.ReplaceAll(line, "@N", "1")))
		f.Add([]byte(strings.ReplaceAll(line, `"`, `'`)))
	}
	for _, line := range []string{"", "{", "{}", "[]", "null", "\xff", `{"record":1}`, `{"record":"quote","as_of":{}}`,
		`{"record":"logo","png":""}`} {
		f.Add([]byte(line))
	}
	d := ingest.NewDecoder()
	f.Fuzz(func(t *testing.T, line []byte) {
		kind, record, fault := d.Decode(line)
		switch {
		case fault == nil && (record == nil || kind == ""):
			t.Errorf("neither a record nor a fault: kind %q", kind)
		case fault == nil && !json.Valid(line):
			t.Error("a record, and not JSON")
		case fault != nil && (record != nil || fault.Must == ""):
			t.Errorf("record %v and fault %+v", record, *fault)
		}
	})
}
