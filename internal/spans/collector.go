package spans

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector sends spans by OTLP over HTTP. OpenTelemetry's own exporter does that and more, but
// depends on gRPC.
type collector struct {
	Settings
	client *http.Client
	away   atomic.Bool // whether the last batch could not be sent

	ended, sent, lost atomic.Int64 // spans
}

// Pauses before a batch is sent again.
const (
	firstPause = 250 * time.Millisecond
	maxPause   = 5 * time.Second
	maxAnswer  = 64 << 10 // most bytes read of an answer
)

func newCollector(s Settings) *collector {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = s.tls
	return &collector{Settings: s, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // another host would see the headers
	}}
}

// Start implements otlptrace.Client.
func (*collector) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client. It logs itself that spans could not be sent, once until
// sending works again.
func (c *collector) UploadTraces(ctx context.Context, spans []*traces.ResourceSpans) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	err := c.upload(ctx, spans)
	to := &c.sent
	if err != nil {
		to = &c.lost
	}
	for _, of := range spans {
		for _, scope := range of.ScopeSpans {
			to.Add(int64(len(scope.Spans)))
		}
	}
	switch {
	case err != nil && !c.away.Swap(true):
		slog.Warn("spans cannot be sent to the collector, and are lost until they can", "error", err)
	case err == nil && c.away.Swap(false):
		slog.Info("spans are sent to the collector again")
	}
	return nil
}

// upload sends spans, and retries while the collector cannot take them, until ctx ends.
func (c *collector) upload(ctx context.Context, spans []*traces.ResourceSpans) error {
	body, err := proto.Marshal(&traces.TracesData{ResourceSpans: spans}) // the same bytes as an ExportTraceServiceRequest
	if err != nil {
		return err
	}
	if c.gzip {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(body) // into memory
		_ = w.Close()
		body = packed.Bytes()
	}
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		wait, err := c.send(ctx, body)
		if wait < 0 || err == nil {
			return err
		}
		select {
		case <-time.After(max(pause, wait)):
		case <-ctx.Done():
			return err
		}
	}
}

// send sends a body once. After an error, again is the least time to wait before a retry, or
// negative if the body must not be sent again.
func (c *collector) send(ctx context.Context, body []byte) (again time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	for name, values := range c.header {
		r.Header[name] = values
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	if c.gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	res, err := c.client.Do(r)
	if err != nil {
		if of, ok := errors.AsType[*url.Error](err); ok {
			err = of.Err // without the address, which may contain a password
		}
		return 0, err
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer)) // so that the connection can be reused
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return time.Duration(max(0, seconds)) * time.Second, fmt.Errorf("the collector answers %s", res.Status)
	}
	if res.StatusCode/100 != 2 {
		return -1, fmt.Errorf("the collector answers %s", res.Status)
	}
	return 0, nil
}
