// Package resolvers answers the GraphQL schema, and with it REST, whose routes
// call these same methods. Each method is one call: policy lives in the
// services. A relation that reads the store takes all its parents at once;
// whoever runs the operation gathers them.
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

// Root implements graph.Relations over the services.
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

var _ graph.Relations = (*Root)(nil)

type query struct{ *Root }

// Query answers the root fields.
func (r *Root) Query() graph.QueryResolver { return query{r} }
