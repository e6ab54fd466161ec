package resolvers

import (
	"context"

	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/value"
	"piyasa/services"
)

func (q query) CorporateActionHistory(ctx context.Context, id string, knownAt *value.Instant) (*market.ActionHistory, error) {
	return then(ctx, q.services, knownAt, func(s *services.Services) (*market.ActionHistory, error) {
		return s.Market.ActionHistory(ctx, id)
	})
}

func (q query) CorporateActions(ctx context.Context, m *market.Market, from, to *value.Date, kind *market.ActionKind, symbols []string,
	cursor *string, limit *int, knownAt *value.Instant) (*market.ActionPage, error) {
	filter := market.ActionFilter{Market: m, From: from, To: to, Kind: kind, Symbols: symbols}
	return then(ctx, q.services, knownAt, func(s *services.Services) (*market.ActionPage, error) {
		return s.Market.CorporateActions(ctx, filter, cursor, limit)
	})
}

func (i instrument) CorporateActions(ctx context.Context, of []*market.Instrument, first *int,
	knownAt *value.Instant) ([][]*market.ShownAction, []error) {
	return thenEach(ctx, i.services, knownAt, of, func(s *services.Services) ([][]*market.ShownAction, []error) {
		return s.Market.CorporateActionsOf(ctx, of, first)
	})
}

// corporateAction answers the relations of an action.
type corporateAction struct {
	naming[market.ShownAction]
	services *services.Services
}

// CorporateAction answers the relations of a corporate action.
func (r *Root) CorporateAction() graph.CorporateActionRelations {
	return corporateAction{naming[market.ShownAction]{r.services, func(a *market.ShownAction) market.ID {
		return value.Or(a.InstrumentID, "")
	}}, r.services}
}

func (c corporateAction) Disclosure(ctx context.Context, of []*market.ShownAction) ([]*kap.Disclosure, []error) {
	return c.services.KAP.AnnouncementsOf(ctx, of)
}

// CorporateActionHistory answers the relations of a history of corporate actions.
func (r *Root) CorporateActionHistory() graph.CorporateActionHistoryResolver {
	return naming[market.ActionHistory]{r.services, func(h *market.ActionHistory) market.ID { return h.InstrumentID }}
}
