package answer

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"piyasa/internal/problem"
)

// Logged returns a handler that passes records on to h and masks API keys in texts and errors.
// A record with the context of a request begins with request_id and key_id, which is empty
// until a key is known, and trace_id if there is a trace.
func Logged(h slog.Handler) slog.Handler { return logHandler{h} }

type logHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, problem.Masked(r.Message), r.PC)
	if of := identityOf(ctx); of != nil {
		out.AddAttrs(slog.String("request_id", of.id), slog.String("key_id", KeyID(ctx)))
	}
	if of := trace.SpanContextFromContext(ctx); of.HasTraceID() {
		out.AddAttrs(slog.String("trace_id", of.TraceID().String()))
	}
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(masked(a))
		return true
	})
	return h.Handler.Handle(ctx, out)
}

// WithAttrs implements slog.Handler.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h logHandler) WithGroup(name string) slog.Handler { return logHandler{h.Handler.WithGroup(name)} }

func masked(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); {
	case v.Kind() == slog.KindString:
		return slog.String(a.Key, problem.Masked(v.String()))
	case v.Kind() == slog.KindAny:
		if err, ok := v.Any().(error); ok {
			return slog.String(a.Key, problem.Masked(err.Error()))
		}
	}
	return a
}
