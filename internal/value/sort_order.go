package value

// SortOrder is the direction of a list.
type SortOrder string

// The directions.
const (
	Desc SortOrder = "desc"
	Asc  SortOrder = "asc"
)

// UnmarshalText implements encoding.TextUnmarshaler; only the exact names pass.
func (o *SortOrder) UnmarshalText(text []byte) error {
	return OneOf(o, text, Desc, Asc)
}
