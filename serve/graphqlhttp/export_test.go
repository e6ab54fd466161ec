package graphqlhttp

// Wrong says why a message of a socket is none; empty: it is one.
func Wrong(frame string) string {
	_, wrong := readClientMessage([]byte(frame))
	return wrong
}
