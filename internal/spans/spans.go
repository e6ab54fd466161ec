// Package spans makes OpenTelemetry spans in traces that are recorded; in others it does nothing,
// at no cost.
package spans

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"piyasa/internal/problem"
)

// Scope names piyasa as the maker of its spans.
const Scope = "piyasa"

// Begin begins a span below that of ctx, which may have ended. If the trace is not recorded,
// it returns ctx and a span that does nothing.
func Begin(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.SpanContext().IsSampled() {
		return ctx, nothing
	}
	return parent.TracerProvider().Tracer(Scope).Start(ctx, name, options...)
}

// Root begins a span below that of ctx, or else the first span of a new trace of provider; without
// a provider there is none.
func Root(ctx context.Context, provider trace.TracerProvider, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	if provider == nil || trace.SpanContextFromContext(ctx).IsValid() {
		return Begin(ctx, name, options...)
	}
	return provider.Tracer(Scope).Start(ctx, name, options...)
}

// End ends a span, and marks it as failed if err is not nil. It leaves out the text of err, which
// may contain values.
func End(span trace.Span, err error) {
	if err != nil && span.IsRecording() {
		kind := "error"
		if errors.Is(err, context.DeadlineExceeded) {
			kind = "timeout"
		}
		span.SetAttributes(attribute.String("error.type", kind))
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

var nothing = trace.SpanFromContext(context.Background())

// Recorded returns the span of ctx if it is recorded and has not ended, or else nil.
func Recorded(ctx context.Context) trace.Span {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		return span
	}
	return nil
}

// Ended returns a context that still names the trace of ctx, but in which no spans begin: for work
// that continues for long after its beginning has been recorded.
func Ended(ctx context.Context) context.Context {
	of := trace.SpanContextFromContext(ctx)
	if !of.IsSampled() {
		return ctx
	}
	return trace.ContextWithSpanContext(ctx, of.WithTraceFlags(of.TraceFlags()&^trace.FlagsSampled))
}

// maxText is the most bytes of a client's text in a span.
const maxText = 100

// Text returns an attribute with a client's text, shortened and with API keys masked.
func Text(name, text string) attribute.KeyValue {
	if text = problem.Masked(text); len(text) > maxText {
		text = text[:maxText]
	}
	return attribute.String(name, text)
}
