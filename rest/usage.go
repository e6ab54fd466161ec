package rest

import (
	"context"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/domain/kap"
	"piyasa/graph"
	"piyasa/internal/value"
)

type usageParams struct {
	Month *value.Month `query:"month" description:"A month (YYYY-MM, UTC); default: this one."`
	tableParams
}

// usageRoutes returns the routes of the usage and the webhooks of keys.
func usageRoutes(q graph.QueryResolver) []Route {
	return []Route{
		asTable(func(r *usage.Report) []usage.OperationUsage { return r.Operations },
			get("/v1/usage", "usage", "Request units that the key has used in a month, by day and operation", anyKey,
				func(ctx context.Context, p usageParams) (*usage.Report, error) { return q.Usage(ctx, p.Month) }).free()),
		get("/v1/webhooks", "webhooks", "Webhooks that the key has registered, and how they fare", string(access.KAP),
			func(ctx context.Context, _ struct{}) (*kap.WebhookList, error) { return q.Webhooks(ctx) }).free(),
	}
}
