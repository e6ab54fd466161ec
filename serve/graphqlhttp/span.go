package graphqlhttp

import (
	"context"

	"go.opentelemetry.io/otel/attribute"

	"piyasa/internal/spans"
)

// described states an operation in the span of ctx, if that is recorded: kind is query or
// subscription, name is the client's name of the operation, or empty.
func described(ctx context.Context, kind, name string) {
	span := spans.Recorded(ctx)
	if span == nil {
		return
	}
	span.SetAttributes(attribute.String("graphql.operation.type", kind))
	if name != "" {
		span.SetAttributes(spans.Text("graphql.operation.name", name))
	}
}

// described states the operation in the span of ctx.
func (o operation) described(ctx context.Context) {
	described(ctx, string(o.request.Operation.Operation), o.request.Operation.Name)
}
