package resolvers

import (
	"context"

	"piyasa/graph"
	"piyasa/serve/stream"
	"piyasa/services"
)

type subscription struct{ services *services.Services }

// Subscription answers the subscriptions.
func (r *Root) Subscription() graph.SubscriptionResolver { return subscription{r.services} }

func (s subscription) DisclosureStream(ctx context.Context, topics []string, lastSeenIndex *int, afterSeq *int64,
	after *string) (<-chan stream.DisclosureStreamEvent, error) {
	return s.services.Disclosures.Stream(ctx, s.services.Gate.Alive, topics,
		stream.Resume{LastSeenIndex: lastSeenIndex, AfterSeq: afterSeq, After: after})
}

func (s subscription) QuoteStream(ctx context.Context, ids []string) (<-chan stream.QuoteStreamEvent, error) {
	return s.services.Prices.Stream(ctx, s.services.Gate.Alive, ids)
}
