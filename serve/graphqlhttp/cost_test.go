package graphqlhttp_test

import (
	"fmt"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/services"
	"piyasa/test/fixture"
)

// put puts the key of a broadcast on a plan.
func put(s *services.Services, plan access.Plan) {
	s.Gate.SetPlans(access.Plans{"unlimited": plan})
}

// A key runs as many subscriptions as its plan allows, whatever connections they are on.
func TestSubscriptionsOfAKey(t *testing.T) {
	b := fixture.NewBroadcast(t)
	put(b.Services, access.Plan{Bucket: 100, RefillPerSec: 1, Streams: 2})
	b.Listen(fixture.Follow("")).Hears("retry 2000", "Subscribed")
	c := b.Join(fixture.All)
	c.Ask("1", fixture.Follow(""))
	c.Hears("next 1 Subscribed")
	c.Ask("2", fixture.Follow(""))
	c.Hears("error 2 errors TOO_MANY_VALUES, data false")
	c.Say(`{"type":"complete","id":"1"}`)
	fixture.Eventually(t, "the place of the first to be free", func() bool {
		c.Ask("3", fixture.Follow(""))
		return c.Hear() == "next 3 Subscribed"
	})
}

// A key has as many connections open as its plan allows, whatever their protocols.
func TestConnectionsOfAKey(t *testing.T) {
	b := fixture.NewBroadcast(t)
	put(b.Services, access.Plan{Bucket: 100, RefillPerSec: 1, Connections: 1})
	first := b.Join(fixture.All)
	other := b.Dial(nil, "graphql-transport-ws")
	other.Say(initAll)
	other.Hears("close 1013 connection_limit")
	if l := b.Listen(fixture.Follow("")); l.StatusCode != 429 {
		t.Errorf("%d %s", l.StatusCode, l.Text())
	}
	_ = first.Close()
	fixture.Eventually(t, "the place of the first to be free", func() bool {
		l := b.Listen(fixture.Follow(""))
		return l.StatusCode == 200
	})
}

// Events are charged as they are sent: a key in debt gets the next ones later, all of them
// and in order.
func TestEventsAreCharged(t *testing.T) {
	b := fixture.NewBroadcast(t)
	put(b.Services, access.Plan{Bucket: 100, RefillPerSec: 100, Work: 700, WorkPerSec: 200})
	l := b.Listen(fixture.Follow(""))
	l.Hears("retry 2000", "Subscribed")
	began := time.Now()
	for n := range 40 {
		b.Publish(n + 1)
	}
	for n := range 40 {
		l.Hears(fmt.Sprintf("L%d #%[1]d", n+1))
	}
	if took := time.Since(began); took < 500*time.Millisecond { // of which 100 were left
		t.Errorf("forty events took %s", took)
	}
}

// A query on a socket that does not fit into the bucket of work is refused there.
func TestWorkOfSockets(t *testing.T) {
	b := fixture.NewBroadcast(t)
	put(b.Services, access.Plan{Bucket: 100, RefillPerSec: 100, Work: 1000, WorkPerSec: 0.001})
	c := b.Join(fixture.All)
	c.Ask("1", question)
	c.Hears(`next 1 {"data":{"marketStatus":{"state":"open"}},"extensions":{"usage_units":1}}`, "complete 1")
	c.Ask("2", question)
	c.Hears("error 2 errors RATE_LIMITED, data false")
}
