package stream_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/internal/epoch"
	"piyasa/serve/stream"
	"piyasa/test/fixture/need"
)

// bubble returns a fixture in a bubble, with nothing stored.
type bubble struct {
	t           *testing.T
	gate        *access.Gate
	sockets     *stream.Sockets
	disclosures *stream.Disclosures
	pipes       *need.Pipes
	held        chan struct{} // replays wait for its end; may be nil
	looked      func()        // what happens after the next look at the store; may be nil

	mu               sync.Mutex
	epochs, followed epoch.Lineage // of the store, and as of the last Apply
	base             int64         // how far numbers have jumped
	began            []began       // of the epochs after the first
	stored           []*kap.Stored // the first numbers, and those above base, without gaps
}

// head returns the last number; b.mu is locked.
func (b *bubble) head() int64 { return b.base + int64(len(b.stored)) }

// DisclosuresAfter implements stream.DisclosureStore.
func (b *bubble) DisclosuresAfter(_ context.Context, seq, head int64, limit int) ([]*kap.Stored, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []*kap.Stored
	for _, d := range b.stored {
		if d.Seq > seq && d.Seq <= head && len(found) < limit {
			found = append(found, d)
		}
	}
	return found, nil
}

// Replay implements stream.DisclosureStore.
func (b *bubble) Replay(_ context.Context, r kap.Replay) ([]*kap.Stored, error) {
	if b.held != nil {
		<-b.held
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []*kap.Stored
	for _, d := range b.stored {
		if d.Seq > r.After && d.Seq <= r.UpToSeq && len(found) < r.Limit &&
			(r.Of.All || slices.Contains(r.Of.Types, d.Type) ||
				slices.ContainsFunc(d.Symbols, func(c string) bool { return slices.Contains(r.Of.Codes, c) })) {
			found = append(found, d)
		}
	}
	return found, nil
}

// KnownDisclosures implements stream.DisclosureStore.
func (b *bubble) KnownDisclosures(_ context.Context, numbers []int) (map[int]bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := map[int]bool{}
	for _, d := range b.stored {
		known[d.DisclosureIndex] = slices.Contains(numbers, d.DisclosureIndex)
	}
	return known, nil
}

// Look implements stream.DisclosureStore.
func (b *bubble) Look(context.Context) (epoch.Moment, error) {
	b.mu.Lock()
	m, after := epoch.Moment{Heads: map[string]int64{"disclosures": b.head()}, AsOf: time.Now(), Epochs: b.epochs}, b.looked
	b.looked = nil
	b.mu.Unlock()
	if after != nil {
		after()
	}
	return m, nil
}

// inBubble runs a test in a bubble, which also fails when a goroutine of the
// server outlives it.
func inBubble(t *testing.T, run func(t *testing.T, b *bubble)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{t: t, gate: access.NewGate(access.ShippedPlans()), pipes: need.NewPipes()}
		b.gate.Replace(keysOf(map[string][]access.Scope{listener: {access.KAP}}))
		b.sockets = &stream.Sockets{Gate: b.gate, Available: func() bool { return true }}
		b.disclosures = stream.NewDisclosures(b)
		b.publish(0)
		server := &http.Server{Handler: stream.Handler(b.sockets, b.disclosures.Channel())}
		go func() { _ = server.Serve(b.pipes) }()
		defer server.Close()
		run(t, b)
	})
}

// publish stores n disclosures and tells the stream.
func (b *bubble) publish(n int) {
	records := make([]*kap.Record, n)
	for i := range records {
		records[i] = filing(0, kap.ODA)
	}
	b.put(records...)
}

// flood stores more than what may wait for one client, and tells the stream.
func (b *bubble) flood(symbols ...string) {
	long := filing(0, kap.ODA, symbols...)
	long.Summary = &kap.Localized{TR: new(strings.Repeat("x", 512<<10))}
	b.put(slices.Repeat([]*kap.Record{long}, 70)...) // 35 MiB
}

// put stores disclosures, under numbers without gaps, and tells the stream.
func (b *bubble) put(records ...*kap.Record) {
	b.mu.Lock()
	after := b.head()
	for _, r := range records {
		d := r.Disclosure
		d.DisclosureIndex = len(b.stored) + 1
		b.stored = append(b.stored, &kap.Stored{Disclosure: d, Seq: b.head() + 1, Live: true})
	}
	rows := stream.Rows{After: after, Head: b.head(), Epochs: b.epochs}
	if last := b.followed; last != nil && last.Current() != b.epochs.Current() {
		rows.After, rows.Rebuild, rows.Shared = 0, true, last.Shared(b.epochs, "disclosures")
	}
	b.followed = b.epochs
	b.mu.Unlock()
	if err := b.disclosures.Apply(b.t.Context(), rows); err != nil {
		b.t.Error(err)
	}
}

func (b *bubble) dial() *client {
	b.t.Helper()
	dialer := websocket.Dialer{NetDialContext: b.pipes.Dial, ReadBufferSize: 256} // less than a frame: who does not read takes nothing
	ws, _, err := dialer.Dial("ws://pipes/", nil)
	need.NoError(b.t, err)
	b.t.Cleanup(func() { _ = ws.Close() })
	return &client{b.t, ws}
}

// join connects, authenticates, and follows everything.
func (b *bubble) join() *client {
	b.t.Helper()
	c := b.dial()
	c.say(`{"action":"auth","api_key":"` + listener + `"}`)
	c.hears("auth_ok pro")
	c.say(`{"action":"subscribe","ids":["all"]}`)
	c.hears("subscribed [all] []")
	return c
}

// lasted checks how long something took.
func lasted(t testing.TB, what string, since time.Time, atLeast, atMost time.Duration) {
	t.Helper()
	if took := time.Since(since); took < atLeast || took > atMost {
		t.Errorf("%s took %s, want %s to %s", what, took, atLeast, atMost)
	}
}
