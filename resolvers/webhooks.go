package resolvers

import (
	"context"

	"piyasa/domain/kap"
	"piyasa/graph"
	"piyasa/services"
)

func (q query) Webhooks(ctx context.Context) (*kap.WebhookList, error) {
	return q.services.Webhooks.List(ctx)
}

// mutation answers the mutations, which REST routes call as well.
type mutation struct{ services *services.Services }

// Mutation answers the mutations.
func (r *Root) Mutation() graph.MutationResolver { return mutation{r.services} }

func (m mutation) RegisterWebhook(ctx context.Context, url string, topics []string, from *string) (*kap.Registered, error) {
	return m.services.Webhooks.Register(ctx, url, topics, from)
}

func (m mutation) DeleteWebhook(ctx context.Context, id string) (*string, error) {
	id, err := m.services.Webhooks.Delete(ctx, id)
	if err != nil {
		return nil, err
	}
	return &id, nil
}
