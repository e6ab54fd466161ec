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

// Traces records spans and sends them to a collector until Close. A nil one records none.
type Traces struct {
	provider *sdk.TracerProvider
	to       *collector
	incoming propagation.TextMapPropagator
}

// DefaultService is the name of the service if the environment states none.
const DefaultService = "piyasa"

// closeTime is how long Close waits for a collector.
const closeTime = 3 * time.Second

// Start returns a Traces, or nil if the settings are off. Spans wait in a queue: if the collector
// does not take them, they are dropped, and no caller waits.
func Start(s Settings, version string) *Traces {
	if !s.on {
		return nil
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { slog.Warn("OpenTelemetry", "error", err) }))
	ours := resource.WithAttributes(attribute.String("service.name", DefaultService), attribute.String("service.version", version))
	of, err := resource.New(context.Background(), ours, resource.WithTelemetrySDK(), resource.WithFromEnv()) // the environment wins
	if err != nil {
		slog.Warn("OpenTelemetry", "error", err)
	}
	to := newCollector(s)
	exporter := otlptrace.NewUnstarted(to)
	_ = exporter.Start(context.Background()) // Start does nothing
	t := &Traces{sdk.NewTracerProvider(sdk.WithSpanProcessor(counting{sdk.NewBatchSpanProcessor(exporter), to}), sdk.WithResource(of)), to,
		propagation.NewCompositeTextMapPropagator()}
	if s.incoming {
		t.incoming = propagation.TraceContext{}
	}
	return t
}

// Provider returns the provider of spans, or nil.
func (t *Traces) Provider() trace.TracerProvider {
	if t == nil {
		return nil
	}
	return t.provider
}

// Incoming returns the propagator that reads the trace of a request from its headers, or nil.
func (t *Traces) Incoming() propagation.TextMapPropagator {
	if t == nil {
		return nil
	}
	return t.incoming
}

// Close ends recording and sends the queued spans, for at most closeTime.
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
