package graphqlhttp

// NewByGqlgen is New with gqlgen's executor for all operations.
func NewByGqlgen(c Config) *Handler { return newHandler(c, executable(c), nil) }

// Wrong says why a message of a socket is none; empty: it is one.
func Wrong(frame string) string {
	_, wrong := readClientMessage([]byte(frame))
	return wrong
}
