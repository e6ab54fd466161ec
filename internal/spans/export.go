package spans

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Traces records spans until it is closed. A nil one records none.
type Traces struct {
	provider *sdk.TracerProvider
	to       *collector
	incoming propagation.TextMapPropagator
}

// DefaultService is the name of the service if the environment states none.
const DefaultService = "piyasa"

// closeTime is how long Close waits for a collector.
const closeTime = 3 * time.Second

// Start returns what records spans, or nil if the settings say that nobody does. Spans wait in
// a queue: when a collector does not take them, they are dropped, and nobody waits.
func Start(s Settings, version string) *Traces {
	if !s.on {
		return nil
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { slog.Warn("OpenTelemetry", "error", err) }))
	ours := resource.WithAttributes(attribute.String("service.name", DefaultService), attribute.String("service.version", version))
	of, err := resource.New(context.Background(), ours, resource.WithTelemetrySDK(), resource.WithFromEnv()) // whose word counts more
	if err != nil {
		slog.Warn("OpenTelemetry", "error", err)
	}
	to := newCollector(s)
	exporter := otlptrace.NewUnstarted(to)
	_ = exporter.Start(context.Background()) // does nothing
	t := &Traces{sdk.NewTracerProvider(sdk.WithSpanProcessor(counting{sdk.NewBatchSpanProcessor(exporter), to}), sdk.WithResource(of)), to,
		propagation.NewCompositeTextMapPropagator()}
	if s.incoming {
		t.incoming = propagation.TraceContext{}
	}
	return t
}

// Provider returns what makes spans; nil: nothing does.
func (t *Traces) Provider() trace.TracerProvider {
	if t == nil {
		return nil
	}
	return t.provider
}

// Incoming reads the trace of a request from its header; nil: nothing does.
func (t *Traces) Incoming() propagation.TextMapPropagator {
	if t == nil {
		return nil
	}
	return t.incoming
}

// Close sends what waits, if the collector takes it soon, and records nothing more.
func (t *Traces) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil && !t.to.away.Load() {
		slog.Warn("the last spans could not be sent to the collector", "error", err)
	}
}
