package server

import (
	"bufio"
	"net"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"piyasa/internal/spans"
	"piyasa/serve/answer"
)

// Traces configures the tracing of requests.
type Traces struct {
	Provider trace.TracerProvider          // makes the spans of requests and below; nil: nothing is traced
	Incoming propagation.TextMapPropagator // reads the client's trace; nil: each request begins a new one
}

// traced makes a span for each request, if configured. Of the client's text it has only the
// method and the pattern of the route, as the access log does. The span of a socket ends with
// its handshake.
func (s *Server) traced(next http.Handler) http.Handler {
	if s.config.Traces.Provider == nil {
		return next
	}
	tracer := s.config.Traces.Provider.Tracer(spans.Scope)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, method := r.Context(), loggedMethod(r.Method)
		if s.config.Traces.Incoming != nil {
			ctx = s.config.Traces.Incoming.Extract(ctx, propagation.HeaderCarrier(r.Header))
		}
		ctx, span := tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer))
		r = r.WithContext(ctx)
		seen, returned := &tracedWriter{statusWriter{w, http.StatusOK}}, false
		defer func() {
			if span.IsRecording() {
				route := s.routeOf(r)
				if route != "" {
					span.SetName(method + " " + route)
				}
				span.SetAttributes(
					attribute.String("http.request.method", method), attribute.String("http.route", route),
					attribute.Int("http.response.status_code", seen.status),
					attribute.String("piyasa.request_id", answer.RequestID(ctx)), attribute.String("piyasa.key_id", answer.KeyID(ctx)),
				)
				if !returned || seen.status >= http.StatusInternalServerError {
					span.SetStatus(codes.Error, "")
				}
			}
			span.End()
		}()
		next.ServeHTTP(seen, r)
		returned = true
	})
}

// tracedWriter records the status of an answer, including that of a socket.
type tracedWriter struct{ statusWriter }

// Hijack implements http.Hijacker.
func (w *tracedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil {
		w.status = http.StatusSwitchingProtocols
	}
	return conn, buffers, err
}
