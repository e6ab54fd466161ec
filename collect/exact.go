package collect

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// byName reads answers like encoding/json, except that names must match in letter case and
// faults that CheckJSON rejects are errors.
var byName = json.JoinOptions(
	jsonv1.DefaultOptionsV1(), json.MatchCaseInsensitiveNames(false), jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(false),
)

// ReadJSON reads JSON from an upstream.
func ReadJSON(text []byte, into any) error { return json.Unmarshal(text, into, byName) }
