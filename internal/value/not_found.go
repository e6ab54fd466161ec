package value

// NotFound is an id without an answer, as written in the request, with the reason.
type NotFound struct {
	ID     string
	Reason string
}
