package graphqlhttp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"piyasa/account/access"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// G-80: a subscription costs a unit, and one for each disclosure that it delivers, on
// every transport; a query on one costs what it costs over HTTP.
func TestUsageOfSubscriptions(t *testing.T) {
	b := fixture.NewBroadcast(t)
	b.Publish(1, 2)
	l := b.Listen(fixture.Follow(", lastSeenIndex: 0"))
	l.Hears("retry 2000", "Subscribed", "R1", "R2", "done 2 #2")
	b.Publish(3)
	l.Hears("L3 #3")
	b.Listen(question).Hears("retry 2000", `{"data":{"marketStatus":{"state":"open"}},"extensions":{"usage_units":1}}`, "complete", "end")
	ctx, _ := access.WithCall(t.Context(), &access.Key{ID: fixture.All})
	want := "/graphql:disclosureStream 1, /graphql:disclosureStream:events 3, /graphql:marketStatus 1, "
	fixture.Eventually(t, "the units "+want, func() bool {
		r, err := b.Services.Meter.Report(ctx, nil)
		need.NoError(t, err)
		got := ""
		for _, o := range r.Operations {
			got += fmt.Sprintf("%s %d, ", o.Operation, o.Units)
		}
		return got == want
	})
	if metrics := b.Metrics(); !strings.Contains(metrics, "\npiyasa_disclosures_delivered_total{transport=\"sse\"} 3\n") ||
		!strings.Contains(metrics, "\npiyasa_replays_total{transport=\"sse\"} 1\n") {
		t.Error(metrics)
	}
}

// held is an answer that holds back what is written of one event until it is released.
type held struct {
	http.ResponseWriter
	writes, let chan struct{}
}

// Write implements http.ResponseWriter.
func (h *held) Write(text []byte) (int, error) {
	if strings.Contains(string(text), `"DisclosureEvent"`) {
		close(h.writes)
		<-h.let
	}
	return h.ResponseWriter.Write(text)
}

// Unwrap lets http.ResponseController flush.
func (h *held) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// What reaches a client that goes just then is counted all the same.
func TestEventOfAClientThatGoes(t *testing.T) {
	fixture.InBubble(t, func(t *testing.T, b *fixture.Bubble) {
		ctx, goes := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, "GET", "/graphql?query="+url.QueryEscape(fixture.Follow("")), nil)
		r.Header.Set("X-API-Key", fixture.All)
		r.Header.Set("Accept", fixture.EventStream)
		written := httptest.NewRecorder()
		w := &held{written, make(chan struct{}), make(chan struct{})}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			b.Server().ServeHTTP(w, r)
		}()
		synctest.Wait()
		b.Publish(1)
		select {
		case <-w.writes:
		case <-ended:
			t.Fatal(written.Code, written.Body)
		}
		goes()
		synctest.Wait()
		close(w.let)
		<-ended
		synctest.Wait()
		metrics := httptest.NewRecorder()
		b.Server().Metrics().ServeHTTP(metrics, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
		if sent := strings.Count(written.Body.String(), `"DisclosureEvent"`); sent != 1 ||
			!strings.Contains(metrics.Body.String(), "\npiyasa_disclosures_delivered_total{transport=\"sse\"} 1\n") {
			t.Errorf("%d events were written, and another number is counted", sent)
		}
	})
}
