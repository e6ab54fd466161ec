package resolvers

import (
	"context"

	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/value"
	"piyasa/services"
)

func (q query) CorporateActionHistory(ctx context.Context, id string) (*market.ActionHistory, error) {
	return q.services.Market.ActionHistory(ctx, id)
}

func (q query) CorporateActions(ctx context.Context, m *market.Market, from, to *value.Date, kind *market.ActionKind, symbols []string,
	cursor *string, limit *int) (*market.ActionPage, error) {
	return q.services.Market.CorporateActions(ctx, market.ActionFilter{Market: m, From: from, To: to, Kind: kind, Symbols: symbols}, cursor,
		limit)
}

func (i instrument) CorporateActions(ctx context.Context, of []*market.Instrument, first *int) ([][]*market.ShownAction, []error) {
	return i.services.Market.CorporateActionsOf(ctx, of, first)
}

// corporateAction answers the relations of an action.
type corporateAction struct {
	naming[market.ShownAction]
	services *services.Services
}

// CorporateAction answers the relations of a corporate action.
func (r *Root) CorporateAction() graph.CorporateActionRelations {
	return corporateAction{naming[market.ShownAction]{r.services.Market, func(a *market.ShownAction) market.ID {
		return orNone(a.InstrumentID)
	}}, r.services}
}

func (c corporateAction) Disclosure(ctx context.Context, of []*market.ShownAction) ([]*kap.Disclosure, []error) {
	return c.services.KAP.AnnouncementsOf(ctx, of)
}

// CorporateActionHistory answers the relations of a history of corporate actions.
func (r *Root) CorporateActionHistory() graph.CorporateActionHistoryResolver {
	return naming[market.ActionHistory]{r.services.Market, func(h *market.ActionHistory) market.ID { return h.InstrumentID }}
}
