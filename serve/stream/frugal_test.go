package stream_test

import (
	"bufio"
	"encoding/binary"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"

	"piyasa/account/access"
	"piyasa/serve/stream"
	"piyasa/test/fixture"
)

// newMemoryServer starts a server of what b stores, over real connections and in real
// time.
func newMemoryServer(t *testing.T, b *bubble) *socketFixture {
	t.Helper()
	b.gate.Replace(keysOf(map[string][]access.Scope{listener: {access.KAP}}))
	b.sockets = &stream.Sockets{Gate: b.gate, Available: func() bool { return true }}
	b.disclosures = stream.NewDisclosures(b)
	b.publish(0)
	server := httptest.NewServer(stream.Handler(b.sockets, b.disclosures.Channel()))
	t.Cleanup(server.Close)
	return &socketFixture{t: t, gate: b.gate, sockets: b.sockets, address: server.URL}
}

// An idle connection has one goroutine, which reads.
func TestIdleConnectionsHaveOneGoroutine(t *testing.T) {
	const clients = 50
	b := &bubble{t: t, gate: access.NewGate(access.ShippedPlans())}
	s := newMemoryServer(t, b)
	before := runtime.NumGoroutine()
	var all []*client
	for range clients {
		c := s.join()
		c.say(`{"action":"subscribe","ids":["all"]}`)
		c.hears("subscribed [all] []")
		all = append(all, c)
	}
	idle := func() bool { return runtime.NumGoroutine() <= before+clients }
	fixture.Eventually(t, "idle connections to have one goroutine each", idle)
	b.publish(3)
	for _, c := range all {
		c.hears("L1", "L2", "L3")
	}
	fixture.Eventually(t, "connections to be idle again", idle)
}

// Whatever the number of its followers, an event is queued without memory of their own.
func TestQueueingTakesNoMemoryPerFollower(t *testing.T) {
	hub := stream.NewHub(topicsOfEvent, sizeOfEvent)
	var all []*stream.Subscription[event]
	for range 200 {
		s := hub.Join(func(error) {})
		s.Follow([]string{"a"})
		all = append(all, s)
	}
	e := event{number: 1, topics: []string{"a"}}
	perEvent := testing.AllocsPerRun(100, func() {
		hub.Publish(1, e)
		for _, s := range all {
			if _, ok, _ := s.Next(s.Mark()); !ok {
				t.Fatal("nothing is there")
			}
		}
	})
	if perEvent > 5 {
		t.Errorf("%v allocations for an event with 200 followers", perEvent)
	}
}

// An event reaches a socket with no more than one allocation, its share of the event's
// own included.
func TestDeliveryTakesLittleMemory(t *testing.T) {
	const clients, events = 64, 200
	b := &bubble{t: t, gate: access.NewGate(access.ShippedPlans())}
	s := newMemoryServer(t, b)
	var heard sync.WaitGroup
	for range clients {
		c := s.join()
		c.say(`{"action":"subscribe","ids":["all"]}`)
		c.hears("subscribed [all] []")
		go func() {
			for in := bufio.NewReader(c.NetConn()); ; heard.Done() {
				header, err := in.Peek(4)
				if err != nil {
					return
				}
				if _, err := in.Discard(4 + int(binary.BigEndian.Uint16(header[2:]))); err != nil { // no frame is shorter or longer
					return
				}
			}
		}()
	}
	tell := func() {
		heard.Add(clients)
		b.publish(1)
		heard.Wait()
	}
	for range 20 { // until buffers and stacks are there
		tell()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range events {
		tell()
	}
	runtime.ReadMemStats(&after)
	if each := float64(after.Mallocs-before.Mallocs) / (clients * events); each > 1 {
		t.Errorf("%.2f allocations for a delivery", each)
	}
}
