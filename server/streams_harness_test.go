package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"piyasa/access"
	"piyasa/db"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/server"
	"piyasa/stream"
	"piyasa/value"
)

// patience bounds the wait for what must happen soon.
const patience = 20 * time.Second

// The secret of a key that may not follow disclosures.
const deaf = "piyasa_live_deaf"

// broadcast is a server whose streams follow a store of its own.
type broadcast struct {
	t       testing.TB
	url     string
	store   *db.Store
	gate    *access.Gate
	sockets *stream.Sockets
	live    *market.Live
	prices  *stream.Prices
	isDown  bool // the log is not followed; to be set before anybody connects

	stored    int
	published atomic.Int64 // up to which seq
}

// newBroadcast starts a server. Its timeouts for ordinary requests are short:
// streams outlive them.
func newBroadcast(t testing.TB) *broadcast {
	t.Helper()
	noLeak(t)
	store, err := db.Open(t.Context(), "sqlite:"+t.TempDir()+"/piyasa.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	b := &broadcast{t: t, store: store}
	live := market.NewLive()
	fill(live)
	config := configOf(store, live)
	config.KAP.Store = store
	b.gate, b.sockets, b.live, b.prices = config.Gate, config.Sockets, live, config.Prices
	b.sockets.Available = func() bool { return !b.isDown }
	ctx, stop := context.WithCancel(context.Background())
	tailer := stream.NewTailer(store, map[string]stream.Apply{db.FeedDisclosures: func(ctx context.Context, after, head int64) error {
		err := config.Disclosures.Apply(ctx, after, head)
		b.published.Store(head)
		return err
	}})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tailer.Run(ctx)
	}()
	<-tailer.CaughtUp()
	s := httptest.NewUnstartedServer(server.New(config))
	s.Config.ReadTimeout, s.Config.WriteTimeout = time.Second, time.Second
	s.Start()
	b.url = s.URL
	t.Cleanup(func() {
		b.drain(patience)
		s.Close()
		stop()
		<-ended
	})
	return b
}

// configOf is a server's parts over a store of disclosures, with three keys.
func configOf(store stream.DisclosureStore, live *market.Live) server.Config {
	plans := access.ShippedPlans()
	plans["unlimited"] = access.Plan{Bucket: 1 << 30, RefillPerSec: 1 << 30}
	gate := access.NewGate(plans)
	full := key(all, access.Scopes...)
	full.Plan = "unlimited"
	gate.Replace([]*access.Key{full, key(none), key(deaf, without(access.KAP)...)})
	clock := func() value.Instant { return now }
	quotes := &market.Service{Live: live, Now: clock}
	return server.Config{
		Version: "test", BaseURL: baseURL, Gate: gate, Market: quotes,
		KAP:     &kap.Service{Signer: access.Signer{Secret: []byte("secret")}, Now: clock, Live: kap.NewLive()},
		Ready:   func() (string, error) { return "", nil },
		Sockets: &stream.Sockets{Gate: gate, Available: func() bool { return true }}, Disclosures: stream.NewDisclosures(store), Prices: stream.NewPrices(quotes),
	}
}

func (b *broadcast) drain(within time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	b.sockets.Drain(ctx)
}

// publish stores disclosures with these numbers, one batch each, and waits
// until they have been published.
func (b *broadcast) publish(numbers ...int) {
	for _, n := range numbers {
		b.publishText(n, "özet")
	}
}

func (b *broadcast) publishText(number int, summary string) {
	batch := new(db.Batch)
	batch.Put(&kap.Record{Disclosure: kap.Disclosure{
		DisclosureIndex: number, Type: kap.ODA, Class: "ODA", Symbols: []string{"DMOST"}, FilerCodes: []string{},
		PublishedAt: value.MustInstant("2026-03-18T06:00:00Z"), Summary: &kap.Localized{TR: &summary},
	}}, new(db.Outcome))
	if err := b.store.Store(context.Background(), batch); err != nil {
		b.t.Error(err) // not Fatal: writers run beside the test
		return
	}
	b.stored++
	for end := time.Now().Add(patience); b.published.Load() < int64(b.stored); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			b.t.Error("what was stored is not published")
			return
		}
	}
}

// follow is a subscription to disclosures; arguments go behind the topics.
func follow(arguments string) string {
	return `subscription { disclosureStream(topics: ["all"]` + arguments + `) { __typename
		... on DisclosureEvent { replay seq data { summary { tr } } } ... on ReplayDone { lastSeq } ... on StreamError { code } } }`
}

// short spells a response: L1 and R1 are the live and the replayed disclosure
// with the seq 1, done 1 is the end of a replay.
func short(t testing.TB, response json.RawMessage) string {
	var r struct {
		Errors []struct{ Extensions struct{ Code string } }
		Data   map[string]json.RawMessage
	}
	if err := json.Unmarshal(response, &r); err != nil {
		t.Errorf("response %q: %v", response, err)
	}
	if len(r.Errors) > 0 {
		return fmt.Sprintf("errors %s, data %v", r.Errors[0].Extensions.Code, r.Data != nil)
	}
	for field, value := range r.Data {
		var e struct {
			Typename string `json:"__typename"`
			Code     string
			Replay   bool
			Seq      int64
			LastSeq  int64
		}
		if !strings.HasSuffix(field, "Stream") {
			return string(response)
		}
		_ = json.Unmarshal(value, &e)
		switch e.Typename {
		case "DisclosureEvent":
			return fmt.Sprint(map[bool]string{true: "R", false: "L"}[e.Replay], e.Seq)
		case "ReplayDone":
			return fmt.Sprint("done ", e.LastSeq)
		case "StreamError":
			return e.Code
		}
		return e.Typename
	}
	return string(response)
}

// noLeak fails the test when connections outlive it.
func noLeak(t testing.TB) {
	t.Cleanup(func() {
		left := connections()
		for end := time.Now().Add(patience); left != "" && time.Now().Before(end); left = connections() {
			time.Sleep(5 * time.Millisecond)
		}
		if left != "" {
			t.Errorf("still running:\n%s", left)
		}
	})
}

// connections are the goroutines of sockets, streams and their operations.
func connections() (found string) {
	stacks := make([]byte, 1<<20)
	for g := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		for _, of := range []string{"server.(*socket", "server.(*event", "stream.(*Wire", "stream.pump", "stream.(*Disclosures).Stream", "stream.(*Prices).Stream"} {
			if strings.Contains(g, of) {
				found += g + "\n\n"
				break
			}
		}
	}
	return found
}
