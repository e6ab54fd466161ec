// Package resolvers answers the GraphQL schema, and also REST, whose routes call the same methods.
// Each method is one call of a service; the services check scopes and charge. A relation that reads
// the store takes all its parents at once; the executor gathers them.
package resolvers

import (
	"piyasa/graph"
	"piyasa/services"
)

// Root implements graph.Relations over the services.
type Root struct{ services *services.Services }

// New returns a Root over the services.
func New(s *services.Services) *Root { return &Root{services: s} }

var _ graph.Relations = (*Root)(nil)

// query answers the root fields, which REST routes call as well. Each is one call of a service.
type query struct{ services *services.Services }

// Query answers the root fields.
func (r *Root) Query() graph.QueryResolver { return query{r.services} }
