package graphqlhttp

// NewByGqlgen is New with gqlgen's executor for all operations.
func NewByGqlgen(c Config) *Handler { return newHandler(c, executable(c), nil) }
