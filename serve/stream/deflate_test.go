package stream_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// counted counts what its reader receives.
type counted struct {
	net.Conn
	read *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// offering connects as a client that offers to compress; agreed says whether the server has, read
// what comes.
func (b *bubble) offering(offer bool) (c *client, agreed bool, read *atomic.Int64) {
	b.t.Helper()
	read = new(atomic.Int64)
	dialer := websocket.Dialer{EnableCompression: offer, ReadBufferSize: 256,
		NetDialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := b.pipes.Dial(ctx, network, address)
			return counted{conn, read}, err
		}}
	ws, res, err := dialer.Dial("ws://pipes/", nil)
	need.NoError(b.t, err)
	b.t.Cleanup(func() { _ = ws.Close() })
	return &client{b.t, ws}, res.Header.Get("Sec-WebSocket-Extensions") != "", read
}

// follow authenticates and follows everything.
func (c *client) follow() {
	c.t.Helper()
	c.say(`{"action":"auth","api_key":"` + listener + `"}`)
	c.hears("auth_ok pro")
	c.say(`{"action":"subscribe","ids":["all"]}`)
	c.hears("subscribed [all] []")
}

// A client that offers it gets the same messages, none in more bytes and most in fewer, live and
// replayed, also when it reads slowly; beside one that does not.
func TestCompressedMessages(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.sockets.Deflating = 1
		packed, agreed, fewer := b.offering(true)
		plain, _, more := b.offering(false)
		if !agreed {
			t.Fatal("the server has not agreed")
		}
		packed.follow()
		plain.follow()
		words := rand.New(rand.NewPCG(1, 2))
		var records []*kap.Record
		for _, length := range []int{0, 100, 1000, 10_000, 30_000, 200_000} {
			for range 5 {
				noise, text := make([]byte, length/2), strings.Repeat("Özel Durum ", length/22)
				for i := range noise {
					noise[i] = ' ' + 2 + byte(words.IntN(58)) // what no key of JSON needs to escape
				}
				r := filing(0, kap.ODA)
				r.Summary = &kap.Localized{TR: new(strings.ReplaceAll(string(noise)+text, "&", "x"))}
				records = append(records, r)
			}
		}
		hears := func() (a, b int64) {
			one, other := fewer.Load(), more.Load()
			_, text, err := packed.ReadMessage()
			_, same, err2 := plain.ReadMessage()
			if err != nil || err2 != nil || string(text) != string(same) {
				t.Fatalf("heard %.100s %v and %.100s %v", text, err, same, err2)
			}
			return fewer.Load() - one, more.Load() - other
		}
		for _, r := range records {
			b.put(r)
			synctest.Wait()
			if a, b := hears(); a >= b {
				t.Errorf("a live message takes %d bytes, uncompressed %d", a, b)
			}
		}
		for _, c := range []*client{packed, plain} {
			c.say(`{"action":"subscribe","ids":["type:ODA"],"last_seen_index":0}`)
		}
		for range len(records) + 2 {
			hears()
		}
		if a, b := fewer.Load(), more.Load(); a > b*7/10 {
			t.Errorf("all takes %d bytes, uncompressed %d", a, b)
		}
		b.publish(400)
		time.Sleep(20 * time.Second) // neither reads
		for range 400 {
			hears()
		}
	})
}

// A batch of quotes is compressed as a whole.
func TestCompressedBatches(t *testing.T) {
	withPrices(t, func(t *testing.T, s *ticker) {
		s.sockets.Deflating = 1
		s.live.PutCatalog([]*market.Instrument{{InstrumentID: "bist:DMBNK", Symbol: "DMBNK", Market: market.BIST, AssetType: market.Stock,
			Currency: "TRY"}}, nil)
		s.put("bist:DMALTF 11:46 64.12", "bist:DMBNK 11:46 12.34")
		const asked = `{"action":"subscribe","ids":["bist:DMALT","crypto:btc","bist:DMOST","bist:DMBNK"],"batch":true}`
		var bytes [2]int64
		var texts [2]string
		for i, offer := range []bool{false, true} {
			c, _, read := s.offering(offer)
			c.say(`{"action":"auth","api_key":"` + listener + `"}`)
			c.hears("auth_ok pro")
			c.say(asked)
			c.hears("subscribed [bist:DMALTF crypto:1 bist:DMOST bist:DMBNK] []")
			before := read.Load()
			_, text, err := c.ReadMessage()
			need.NoError(t, err)
			bytes[i], texts[i] = read.Load()-before, string(text)
		}
		if texts[0] != texts[1] || bytes[1] > bytes[0]/2 {
			t.Errorf("%d bytes, uncompressed %d:\n%s\n%s", bytes[1], bytes[0], texts[1], texts[0])
		}
	})
}

// Memory bounds how many may compress; who goes makes room. An offer that cannot be met is
// none, and takes none.
func TestPlacesForCompression(t *testing.T) {
	s := newSocketFixture(t)
	s.sockets.Deflating = 1
	open := func(n int) {
		t.Helper()
		fixture.Eventually(t, fmt.Sprint(n, " open"), func() bool { return s.sockets.Open() == n })
	}
	agreed := func(offer string, others int) (bool, func()) {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, s.address, nil)
		need.NoError(t, err)
		r.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
			"Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}, "Sec-Websocket-Extensions": {offer}}
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
			t.Fatal(res, err)
		}
		open(others + 1)
		return strings.HasPrefix(res.Header.Get("Sec-Websocket-Extensions"), "permessage-deflate"), func() {
			_ = res.Body.Close()
			open(others)
		}
	}
	for _, offer := range []string{"x-webkit-deflate-frame", "x-permessage-deflate", "permessage-deflate-2",
		"permessage-deflate; server_max_window_bits=8", `permessage-deflate; server_max_window_bits="11"`} {
		if is, leave := agreed(offer, 0); is {
			t.Errorf("%s is agreed to", offer)
		} else {
			leave()
		}
	}
	for _, offer := range []string{"permessage-deflate", "permessage-deflate; client_max_window_bits",
		"permessage-deflate; server_max_window_bits=12; client_max_window_bits=12", "a, permessage-deflate; server_max_window_bits=15"} {
		is, leave := agreed(offer, 0)
		another, gone := agreed(offer, 1)
		if n := s.sockets.Compressed(); !is || another || n != 1 {
			t.Errorf("%s: agreed %v, and %v beyond the bound; %d are counted", offer, is, another, n)
		}
		gone()
		leave()
		fixture.Eventually(t, "its place is free", func() bool { return s.sockets.Compressed() == 0 })
	}
}

// What a compressed message becomes has the bound of any message.
func TestCompressedMessagesOfClients(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.sockets.Deflating = 10
		enter := func() *client {
			c, agreed, _ := b.offering(true)
			if !agreed {
				t.Fatal("the server has not agreed")
			}
			c.follow()
			return c
		}
		c := enter()
		long := `{"action":"ping","x":"` + strings.Repeat("x", 60<<10) + `"}`
		c.say(long)
		c.hears("pong")
		bomb := enter()
		go func() { _ = bomb.WriteMessage(websocket.TextMessage, make([]byte, 10<<20)) }()
		if got := bomb.hear(); !strings.HasPrefix(got, "close 1009") {
			t.Errorf("a bomb: %s", got)
		}
		_ = bomb.Close()
		for _, broken := range []string{"\xff", "\x2a", "\x62\xff\xff"} {
			d := enter()
			go func() {
				_, _ = d.NetConn().Write(append([]byte{0xc1, 0x80 | byte(len(broken)), 0, 0, 0, 0}, broken...))
			}()
			if got := d.hear(); got != "close 1007 invalid_deflate" {
				t.Errorf("%q: %s", broken, got)
			}
		}
		began := time.Now()
		for range 52 { // 3 MiB, of which 1 MiB is there at once; 3 KiB as they are sent
			c.say(long)
			c.hears("pong")
		}
		lasted(t, "a flood that is compressed", began, 7*time.Second, 9*time.Second)
	})
}
