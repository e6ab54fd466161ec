package resolvers

import (
	"context"

	"piyasa/domain/market"
)

func (q query) Logo(ctx context.Context, id string) (*market.Logo, error) {
	return q.services.Market.Logo(ctx, id)
}

func (i instrument) Logo(ctx context.Context, in *market.Instrument) (*market.Logo, error) {
	if err := onlyNow(ctx, "logo"); err != nil {
		return nil, err
	}
	return i.services.Market.LogoOf(ctx, in)
}
