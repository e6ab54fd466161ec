package value

// Node is an object with a permanent id that is unique among all objects.
type Node interface {
	// IsNode marks the type as a Node.
	IsNode()
}
