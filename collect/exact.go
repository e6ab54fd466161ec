package collect

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// byName is how answers are read: as encoding/json does, but for names, which are those of the
// members and not in any case, and for what CheckJSON refuses.
var byName = json.JoinOptions(
	jsonv1.DefaultOptionsV1(), json.MatchCaseInsensitiveNames(false), jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(false),
)

// ReadJSON reads what an upstream says.
func ReadJSON(text []byte, into any) error { return json.Unmarshal(text, into, byName) }
