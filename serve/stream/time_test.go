package stream_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/serve/stream"
	"piyasa/test/fixture"
)

// Ten seconds of silence, or of half a frame, are the end; what comes just in
// time is not, and after it silence is no end.
func TestTimeToAuthenticate(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		began := time.Now()
		c := b.dial()
		c.hears("close 4401 auth_timeout")
		lasted(t, "silence", began, 10*time.Second, 10*time.Second)

		began = time.Now()
		c = b.dial()
		_, _ = c.NetConn().Write([]byte{0x81, 0xfe, 0, 200, 1, 2, 3, 4, 5})
		c.hears("close 4401 auth_timeout")
		lasted(t, "half a frame", began, 10*time.Second, 10*time.Second)

		began = time.Now()
		c = b.dial()
		go func() {
			for range 3 { // the protocol's own pings are no first frame
				time.Sleep(3 * time.Second)
				_ = c.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
			}
		}()
		c.hears("close 4401 auth_timeout")
		lasted(t, "pings", began, 10*time.Second, 10*time.Second)

		c = b.dial()
		time.Sleep(10*time.Second - time.Millisecond)
		c.say(`{"action":"auth","api_key":"` + listener + `"}`)
		c.hears("auth_ok pro")
		time.Sleep(24 * time.Hour)
		c.say(`{"action":"ping"}`)
		c.hears("pong")
	})
}

// A revoked key ends its connections within a minute, busy ones too; others
// stay.
func TestRevokedKey(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		const other = "piyasa_live_other"
		b.gate.Replace(keysOf(map[string][]access.Scope{listener: {access.KAP}, other: {access.KAP}}))
		quiet, busy, stays := b.join(), b.join(), b.dial()
		stays.say(`{"action":"auth","api_key":"` + other + `"}`)
		stays.hears("auth_ok pro")
		began := time.Now()
		b.gate.Replace(keysOf(map[string][]access.Scope{other: {access.KAP}}))
		done := make(chan struct{})
		go func() {
			defer close(done)
			for heard := ""; heard != "close 4401 invalid_key"; heard = busy.hear() {
				if time.Since(began) > time.Minute {
					t.Error("a busy connection outlives its key")
					return
				}
			}
		}()
		for range 50 {
			b.publish(1)
			time.Sleep(time.Second / 5)
		}
		for heard := ""; heard != "close 4401 invalid_key"; heard = quiet.hear() {
			if time.Since(began) > time.Minute {
				t.Fatal("a connection outlives its key")
			}
		}
		<-done
		stays.say(`{"action":"ping"}`)
		stays.hears("pong")
	})
}

// A revoked key ends a long replay to a slow reader and a flood to a fast one
// within a minute, with a word.
func TestRevokedKeyOfABusyConnection(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.publish(1000)
		for name, pause := range map[string]time.Duration{"slow": 10 * time.Second, "slower": 20 * time.Second, "fast": time.Millisecond} {
			b.gate.Replace(keysOf(map[string][]access.Scope{listener: {access.KAP}}))
			c := b.join()
			c.say(`{"action":"subscribe","ids":["type:ODA"],"last_seen_index":0}`)
			c.hears("subscribed [type:ODA] []", "R1")
			began := time.Now()
			b.gate.Replace(nil)
			n := 2
			for heard := c.hear(); heard != "close 4401 invalid_key"; heard = c.hear() {
				if heard != fmt.Sprintf("R%d", n) && heard != fmt.Sprintf("L%d", n) && heard != "replay_done 1000 false" {
					t.Fatalf("%s: heard %s", name, heard)
				}
				if heard[0] != 'r' {
					n++
				}
				if name == "fast" && n >= 1000 {
					b.publish(1)
				}
				time.Sleep(pause)
			}
			lasted(t, name, began, 0, time.Minute)
		}
	})
}

// The close frame is kept for who stopped reading, behind the message that was
// on its way, and not for ever.
func TestCloseFrameWaitsForTheClient(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		for _, pause := range []time.Duration{0, 4 * time.Second, 44 * time.Second} {
			first := len(b.stored) + 1
			c := b.join()
			b.publish(1)
			synctest.Wait() // it is on its way
			b.flood()
			time.Sleep(pause)
			c.hears(fmt.Sprintf("L%d", first), "close 4429 slow_consumer")
		}
		late := b.join()
		b.flood()
		time.Sleep(46 * time.Second)
		if got := late.hear(); strings.Contains(got, "4429") || got[0] == 'L' {
			t.Errorf("after the limit: %s", got)
		}
		c := b.join() // nothing fails here but the reading
		first := len(b.stored) + 1
		b.publish(2)
		time.Sleep(60 * time.Second)
		c.hears(fmt.Sprintf("L%d", first), "close 4429 slow_consumer")
	})
}

// A burst that is longer than a queue reaches every client that reads, whole and in order,
// and so does what is published after it.
func TestBurstEndsNobodyWhoReads(t *testing.T) {
	inBubble(t, func(_ *testing.T, b *bubble) {
		fast, slow := b.join(), b.join()
		long := filing(0, kap.ODA)
		long.Summary = &kap.Localized{TR: new(strings.Repeat("x", 512<<10))}
		b.put(slices.Repeat([]*kap.Record{long}, 24)...) // 12 MiB
		for n := range 24 {
			fast.hears(fmt.Sprintf("L%d", n+1))
		}
		b.publish(1)
		fast.hears("L25")
		for n := range 25 {
			time.Sleep(time.Second)
			slow.hears(fmt.Sprintf("L%d", n+1))
		}
		b.publish(1)
		fast.hears("L26")
		slow.hears("L26")
	})
}

// A client that reads nothing is let go after a while, or when too much waits for it, and
// nobody waits for it meanwhile. One whose own messages wait behind a replay that it does
// not read is let go, too.
func TestClientsThatDoNotRead(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		stuck, reads := b.join(), b.join()
		_ = stuck
		began := time.Now()
		for n := range 600 {
			b.publish(1)
			reads.hears(fmt.Sprintf("L%d", n+1))
		}
		lasted(t, "600 events for who reads", began, 0, 0)
		b.gone(t, "who does not, and for whom 512 wait", began, 48*time.Second, 51*time.Second)
		forgetful := b.join()
		_ = forgetful
		began = time.Now()
		for n := range 400 {
			b.publish(1)
			reads.hears(fmt.Sprintf("L%d", n+601))
		}
		b.gone(t, "who does not, and for whom fewer wait", began, 75*time.Second, 80*time.Second)
		reads.say(`{"action":"ping"}`)
		reads.hears("pong")

		flooded := b.dial()
		flooded.say(`{"action":"auth","api_key":"` + listener + `"}`)
		flooded.hears("auth_ok pro")
		flooded.say(`{"action":"subscribe","ids":["symbol:FLOOD"]}`)
		flooded.hears("subscribed [symbol:FLOOD] []")
		reads.say(`{"action":"unsubscribe","ids":["all"]}`)
		reads.hears("unsubscribed [all]")
		began = time.Now()
		b.flood("FLOOD")
		b.gone(t, "one for whom 35 MiB wait", began, 45*time.Second, 50*time.Second)

		replaying := b.join()
		began = time.Now()
		replaying.say(`{"action":"subscribe","ids":["type:ODA"],"last_seen_index":0}`)
		b.gone(t, "one who does not read a replay", began, 75*time.Second, 80*time.Second)
	})
}

// gone waits until one connection is left.
func (b *bubble) gone(t *testing.T, who string, began time.Time, atLeast, atMost time.Duration) {
	t.Helper()
	for b.sockets.Open() > 1 {
		time.Sleep(time.Second)
	}
	lasted(t, "letting go of "+who, began, atLeast, atMost)
}

// Nobody who reads is cut, however slowly and however much waits: one message in two
// seconds is enough, while others read as fast as they can.
func TestFairToWhoReads(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		const events = 1500
		pauses := []time.Duration{0, time.Millisecond, 300 * time.Millisecond, 2 * time.Second}
		var readers sync.WaitGroup
		for _, pause := range pauses {
			c := b.join()
			readers.Go(func() {
				for n := range events {
					time.Sleep(pause)
					if got := c.hear(); got != fmt.Sprintf("L%d", n+1) {
						t.Errorf("with pauses of %s: frame %d is %q", pause, n+1, got)
						return
					}
				}
			})
		}
		for range events / 100 {
			b.publish(100)
			time.Sleep(time.Duration(rand.IntN(10)) * time.Second)
		}
		readers.Wait()
		if b.sockets.Open() != len(pauses) {
			t.Errorf("%d connections are left, want %d", b.sockets.Open(), len(pauses))
		}
	})
}

// A client that talks without reading the answers is listened to for a while only.
func TestClientThatOnlyTalks(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		c, began := b.join(), time.Now()
		for said := 0; time.Since(began) < stream.WriteWait; said++ {
			if c.WriteMessage(websocket.TextMessage, []byte(`{"action":"unsubscribe","ids":["symbol:DMOST"]}`)) != nil {
				break // it has waited until the end
			}
			if said > 2000 {
				t.Fatal("there is no end to what is listened to")
			}
		}
		for b.sockets.Open() > 0 {
			time.Sleep(time.Second)
		}
		lasted(t, "letting it go", began, stream.WriteWait, stream.WriteWait+stream.CloseWait+5*time.Second)
	})
}

// A slow and steady reader of a long replay is not let go.
func TestSlowReaderOfAReplay(t *testing.T) {
	inBubble(t, func(_ *testing.T, b *bubble) {
		b.publish(1000)
		c := b.join()
		c.say(`{"action":"subscribe","ids":["type:ODA"],"last_seen_index":0}`)
		c.hears("subscribed [type:ODA] []")
		for n := range 1000 {
			time.Sleep(time.Second)
			if n == 500 {
				b.publish(512)
			}
			c.hears(fmt.Sprintf("R%d", n+1))
		}
		c.hears("replay_done 1000 false")
		for n := range 512 {
			c.hears(fmt.Sprintf("L%d", 1001+n))
		}
	})
}

// A connection that has come to its end is gone with all that belongs to it,
// also when its client has said more than was listened to.
func TestEndOfATalkativeClient(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.publish(1)
		b.held = make(chan struct{})
		c := b.join()
		c.say(`{"action":"subscribe","ids":["type:ODA"],"last_seen_index":0}`)
		c.hears("subscribed [type:ODA] []")
		go func() {
			for c.WriteMessage(websocket.TextMessage, []byte("{broken")) == nil {
			}
		}()
		synctest.Wait() // nobody listens to any more of it
		_ = c.Close()
		close(b.held)
		time.Sleep(5 * time.Second)
		if left := fixture.Connections(); b.sockets.Open() > 0 || left != "" {
			t.Errorf("still running:\n%s", left)
			time.Sleep(stream.WriteWait)
		}
	})
}
