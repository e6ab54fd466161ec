package resolvers

import (
	"context"

	"piyasa/graph"
	"piyasa/stream"
)

type subscription struct{ *Root }

// Subscription answers the streams.
func (r *Root) Subscription() graph.SubscriptionResolver { return subscription{r} }

func (s subscription) DisclosureStream(ctx context.Context, topics []string, lastSeenIndex *int, afterSeq *int64) (<-chan stream.DisclosureStreamEvent, error) {
	return s.Disclosures.Stream(ctx, s.Alive, topics, lastSeenIndex, afterSeq)
}

func (s subscription) QuoteStream(ctx context.Context, ids []string) (<-chan stream.QuoteStreamEvent, error) {
	return s.Prices.Stream(ctx, s.Alive, ids)
}
