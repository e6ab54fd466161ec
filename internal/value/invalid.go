package value

import "fmt"

// Invalid states which member of a record is not valid. The Validate methods of records return an
// Invalid as their error.
type Invalid struct {
	Member string // its path, such as country.code; empty: the record as a whole
	Must   string // what is allowed instead, such as "must be above 0; got -1"
}

// Invalidf returns the Invalid of a member; format and args make the text of Must.
func Invalidf(member, format string, args ...any) *Invalid {
	return &Invalid{member, fmt.Sprintf(format, args...)}
}

// Error implements error.
func (i *Invalid) Error() string {
	if i.Member == "" {
		return i.Must
	}
	return i.Member + ": " + i.Must
}
