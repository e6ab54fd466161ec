package resolvers

import (
	"context"

	"piyasa/account/usage"
	"piyasa/internal/value"
)

func (q query) Usage(ctx context.Context, month *value.Month) (*usage.Report, error) {
	return q.services.Meter.Report(ctx, month)
}
