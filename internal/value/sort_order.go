package value

// SortOrder is the direction in which a list is sorted.
type SortOrder string

// The directions.
const (
	Desc SortOrder = "desc"
	Asc  SortOrder = "asc"
)

var _ = Enum(Desc, Asc)
