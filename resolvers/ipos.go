package resolvers

import (
	"context"

	"piyasa/domain/ipo"
	"piyasa/internal/value"
)

func (q query) Ipos(ctx context.Context, state *ipo.State, from, to *value.Date) (*ipo.List, error) {
	return q.services.IPO.Ipos(ctx, ipo.Filter{State: state, From: from, To: to})
}

func (q query) Ipo(ctx context.Context, id string) (*ipo.Detail, error) {
	return q.services.IPO.Ipo(ctx, id)
}
