package resolvers

import (
	"context"

	"piyasa/domain/kap"
	"piyasa/internal/value"
	"piyasa/services"
)

func (q query) Filings(ctx context.Context, symbol string, basis *kap.FilingBasis, unit *kap.FilingUnit, asOf *value.Month,
	consolidation *kap.Consolidation, year, period, cursor *string, limit *int, knownAt *value.Instant) (*kap.FilingPage, error) {
	args := kap.FilingArgs{Basis: basis, Unit: unit, AsOf: asOf, Consolidation: consolidation, Year: year, Period: period}
	return then(ctx, q.services, knownAt, func(s *services.Services) (*kap.FilingPage, error) {
		return s.KAP.Filings(ctx, symbol, args, cursor, limit)
	})
}
