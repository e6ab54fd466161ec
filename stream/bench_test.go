package stream_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/stream"
	"piyasa/value"
)

// audience is many clients of one server, each reading what comes.
type audience struct {
	store *db.Store
	next  int // number of the next disclosure
	heard sync.WaitGroup
	times chan time.Duration // from commit to a client; nil: nobody asks
	since atomic.Int64
}

// gather connects n clients that follow everything.
func gather(b *testing.B, url string, n int) *audience {
	b.Helper()
	store, err := db.Open(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	gate := access.NewGate(access.ShippedPlans())
	gate.Replace([]*access.Key{{ID: "k", Hash: access.Secret("secret").Hash(), Plan: "pro", Scopes: []access.Scope{access.KAP}}})
	disclosures := stream.NewDisclosures(store)
	tailer := stream.NewTailer(store, map[string]stream.Apply{db.FeedDisclosures: disclosures.Apply})
	ctx, stop := context.WithCancel(b.Context())
	b.Cleanup(stop)
	go store.Listen(ctx)
	go tailer.Run(ctx)
	<-tailer.CaughtUp()
	sockets := &stream.Sockets{Gate: gate, Available: func() bool { return true }, Origin: func(*http.Request) bool { return true }}
	server := httptest.NewServer(stream.Handler(sockets, disclosures.Channel()))
	b.Cleanup(server.Close)
	heads, err := store.Look(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	a := &audience{store: store, next: int(heads.Heads[db.FeedDisclosures]) + 1} // the database is there from the round before
	for range n {
		ws, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = ws.Close() })
		for _, say := range []string{`{"action":"auth","api_key":"secret"}`, `{"action":"subscribe","ids":["all"]}`} {
			if err := ws.WriteMessage(websocket.TextMessage, []byte(say)); err != nil {
				b.Fatal(err)
			}
			if _, _, err := ws.ReadMessage(); err != nil {
				b.Fatal(err)
			}
		}
		go func() {
			for {
				if _, _, err := ws.NextReader(); err != nil {
					return
				}
				if a.times != nil {
					a.times <- time.Duration(time.Now().UnixNano() - a.since.Load())
				}
				a.heard.Done()
			}
		}()
	}
	return a
}

// tell stores n disclosures and waits until every client has them all.
func (a *audience) tell(b *testing.B, n, clients int) {
	a.heard.Add(n * clients)
	batch := &db.Batch{}
	for range n {
		db.Put(batch, &kap.Record{Disclosure: kap.Disclosure{
			DisclosureIndex: a.next, Type: kap.ODA, Class: "ODA", Symbols: []string{"DMOST"}, FilerCodes: []string{"DMOST"},
			PublishedAt: value.MustInstant("2026-03-18T11:45:00Z"), Subject: &kap.Localized{TR: new("Özel Durum Açıklaması"), EN: new("Material Event Disclosure")},
		}}, new(db.Outcome))
		a.next++
	}
	if err := a.store.Store(b.Context(), batch); err != nil {
		b.Fatal(err)
	}
	a.since.Store(time.Now().UnixNano())
	a.heard.Wait()
}

// BenchmarkPublish stores disclosures that every client follows: one at a
// time, for the way from commit to client, and a hundred at once, for the
// throughput. Clients and server share the machine.
func BenchmarkPublish(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, url string) {
		for _, clients := range []int{1000, 5000} {
			b.Run(fmt.Sprint(clients), func(b *testing.B) {
				before := memory()
				a := gather(b, url, clients)
				perConnection := (memory() - before) / float64(clients)
				a.tell(b, 1, clients)
				a.times = make(chan time.Duration, clients)
				var took []time.Duration
				for b.Loop() {
					a.tell(b, 1, clients)
					for range clients {
						took = append(took, <-a.times)
					}
				}
				a.times = nil
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
				b.ReportMetric(perConnection, "B/connection")
				began := time.Now()
				const rounds, each = 5, 100
				for range rounds {
					a.tell(b, each, clients)
				}
				b.ReportMetric(rounds*each*float64(clients)/time.Since(began).Seconds(), "frames/s")
			})
		}
	})
}

// memory returns what the process holds, the clients' half included.
func memory() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapInuse + m.StackInuse)
}
