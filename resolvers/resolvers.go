// Package resolvers answers the GraphQL schema, and with it REST, whose routes
// call these same methods. Each method is one call: policy lives in the
// services, batching in the loaders. Only edges may use the loaders, since
// REST reaches the root fields without a GraphQL request around them.
package resolvers

import (
	"piyasa/access"
	"piyasa/domain/analytics"
	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/ipo"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/graph"
	"piyasa/stream"
)

// Root implements graph.ResolverRoot over the services.
type Root struct {
	Market       *market.Service
	Fundamentals *fundamentals.Service
	Analytics    *analytics.Service
	Macro        *macro.Service
	Funds        *funds.Service
	IPO          *ipo.Service
	KAP          *kap.Service
	News         *news.Service

	Disclosures *stream.Disclosures
	Prices      *stream.Prices
	Alive       func(*access.Key) bool // whether a key has not been revoked
}

var _ graph.ResolverRoot = (*Root)(nil)

type query struct{ *Root }

// Query answers the root fields.
func (r *Root) Query() graph.QueryResolver { return query{r} }
