package value

// Node is an object with an id of its own, which is unique among all objects and stays the
// same.
type Node interface {
	// IsNode marks it.
	IsNode()
}
