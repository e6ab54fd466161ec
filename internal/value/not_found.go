package value

// NotFound is an id without an answer, as written in the request, and why.
type NotFound struct {
	ID     string
	Reason string
}
