package stream_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/domain/kap"
	"piyasa/serve/stream"
	"piyasa/test/fixture"
)

// At the end every one of many connections hears 1001, who is not through the
// door yet too, and nobody new comes in.
func TestDrainOfManyConnections(t *testing.T) {
	const each = 100
	s := newSocketFixture(t)
	var silent, idle, following []*client
	for range each {
		silent, idle, following = append(silent, s.dial()), append(idle, s.join()), append(following, s.join())
	}
	for _, c := range following {
		c.say(`{"action":"subscribe","ids":["all"]}`)
		c.hears("subscribed [all] []")
	}
	s.put(false, filing(1, kap.ODA), filing(2, kap.ODA))
	following[0].hears("L1", "L2") // published, so that everybody hears it before the end
	var all sync.WaitGroup
	ends := func(c *client, want ...string) {
		all.Go(func() {
			for i, w := range want {
				if got := c.hear(); got != w {
					c.t.Errorf("frame %d is %q, want %q", i+1, got, w)
					return
				}
			}
		})
	}
	for i := range each {
		ends(silent[i], "close 1001 going_away")
		ends(idle[i], "close 1001 going_away")
		if i > 0 {
			ends(following[i], "L1", "L2", "close 1001 going_away")
		}
	}
	ends(following[0], "close 1001 going_away")
	ctx, cancel := context.WithTimeout(t.Context(), fixture.Patience)
	defer cancel()
	s.sockets.Drain(ctx)
	if ctx.Err() != nil {
		t.Error("clients that answer did not end in time")
	}
	all.Wait()
	late := s.dial()
	late.hears("close 1001 going_away")
	fixture.Eventually(t, "the late one to go", func() bool { return s.sockets.Open() == 0 })
}

// Connections that come and go while the end begins all hear it or were never
// let in, and the end comes.
func TestDrainWhileOthersConnect(t *testing.T) {
	s := newSocketFixture(t)
	var all sync.WaitGroup
	begun := make(chan struct{})
	for i := range 20 {
		all.Go(func() {
			for n := range 5 {
				if i == 10 && n == 1 {
					close(begun)
				}
				c := s.dial()
				_ = c.WriteMessage(1, []byte(`{"action":"auth","api_key":"`+listener+`"}`))
				_ = c.WriteMessage(1, []byte(`{"action":"subscribe","ids":["all"]}`))
				if n%2 == 0 {
					_ = c.Close()
					continue
				}
				var heard []string
				for len(heard) == 0 || heard[len(heard)-1][0] != 'c' {
					heard = append(heard, c.hear())
				}
				if end := heard[len(heard)-1]; end != "close 1001 going_away" {
					t.Errorf("heard %v", heard)
				}
			}
		})
	}
	<-begun
	ctx, cancel := context.WithTimeout(t.Context(), fixture.Patience)
	defer cancel()
	s.sockets.Drain(ctx)
	all.Wait()
	if ctx.Err() != nil {
		t.Error("clients that answer did not end in time")
	}
}

// Each of several drains returns when the last connection has left.
func TestDrainTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sockets, m := new(stream.Sockets), new(member)
		sockets.Enter(t.Context(), m, stream.TransportEvents)
		var drains sync.WaitGroup
		for range 2 {
			drains.Go(func() { sockets.Drain(t.Context()) })
		}
		synctest.Wait()
		sockets.Leave(m)
		drains.Wait()
	})
}

// member is a connection that takes its time.
type member struct{ _ int }

func (*member) Drain()               {}
func (*member) Close(stream.Closing) {}

// Clients that do not read, do not answer or sit in a replay hold the end up
// for seconds only.
func TestDrainDoesNotWaitForEver(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.publish(200)
		_ = b.dial() // silent
		stuck, replaying := b.join(), b.join()
		b.publish(100) // which nobody reads
		replaying.hears("L201")
		replaying.say(`{"action":"subscribe","ids":["type:ODA"],"last_seen_index":0}`)
		half := b.dial()
		_, _ = half.NetConn().Write([]byte{0x81, 0xfe, 0})
		_ = stuck
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		b.sockets.Drain(ctx)
		lasted(t, "the end", began, 0, 15*time.Second)
	})
}

// What waits for a reader still goes out before the end.
func TestDrainSendsWhatWaits(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		c := b.join()
		b.publish(512)
		drained := make(chan struct{})
		go func() {
			defer close(drained)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			b.sockets.Drain(ctx)
		}()
		time.Sleep(time.Second)
		b.publish(3) // too late
		var got, want []string
		for n := range 512 {
			want = append(want, fmt.Sprintf("L%d", n+1))
		}
		want = append(want, "close 1001 going_away")
		for range want {
			got = append(got, c.hear())
		}
		if !slices.Equal(got, want) {
			t.Errorf("heard %v", got)
		}
		<-drained
	})
}
