package server

import (
	"net/http"

	"github.com/99designs/gqlgen/graphql"

	"piyasa/graph"
)

// Patterns are what a server answers besides the routes of its table.
func Patterns(h http.Handler) []string { return h.(*Server).patterns }

// NewByGqlgen is New with gqlgen's executor for all operations.
func NewByGqlgen(c Config) *Server {
	return assembled(c, func(_ *Server, _ graph.Relations, config graph.Config) graphql.ExecutableSchema {
		return graph.NewExecutableSchema(config)
	})
}
