package value

// SortOrder is the direction of a list.
type SortOrder string

// The directions.
const (
	Desc SortOrder = "desc"
	Asc  SortOrder = "asc"
)

var _ = Enum(Desc, Asc)
