package stream_test

import (
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/test/fixture/need"
)

// Frames that make no message are read, but no faster than any use of a stream needs.
func TestFloodsAreReadSlowly(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		c := b.join()
		pong := make([]byte, 125)
		flood := func(frames int) time.Duration {
			began := time.Now()
			for range frames {
				need.NoError(t, c.WriteControl(websocket.PongMessage, pong, time.Now().Add(time.Hour)))
			}
			return time.Since(began)
		}
		const mib = (1 << 20) / (125 + 6) // frames, with their headers
		if took := flood(mib * 9 / 10); took != 0 {
			t.Errorf("a burst of less than 1 MiB took %v", took)
		}
		if took := flood(2 * mib); took < 7*time.Second || took > 9*time.Second {
			t.Errorf("2 MiB more took %v, want about 8 s", took)
		}
		c.say(`{"action":"subscribe","ids":["all"]}`)
		c.hears("subscribed [all] []")
		time.Sleep(10 * time.Second)
		if took := flood(mib / 2); took != 0 {
			t.Errorf("a burst after a pause took %v", took)
		}
	})
}
