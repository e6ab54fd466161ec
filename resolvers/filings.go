package resolvers

import (
	"context"

	"piyasa/domain/kap"
	"piyasa/internal/value"
)

func (q query) Filings(ctx context.Context, symbol string, basis *kap.FilingBasis, unit *kap.FilingUnit, asOf *value.Month,
	consolidation *kap.Consolidation, year, period, cursor *string, limit *int) (*kap.FilingPage, error) {
	return q.services.KAP.Filings(ctx, symbol, kap.FilingArgs{Basis: basis, Unit: unit, AsOf: asOf, Consolidation: consolidation,
		Year: year, Period: period}, cursor, limit)
}
