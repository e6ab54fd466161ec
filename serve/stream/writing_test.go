package stream_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/test/fixture"
)

// frameReader reads a server's frames byte by byte, as they are on the wire.
type frameReader struct{ from io.Reader }

// next returns the kind and the text of the next frame.
func (r frameReader) next() (kind byte, text []byte, err error) {
	header := make([]byte, 2, 10)
	if _, err := io.ReadFull(r.from, header); err != nil {
		return 0, nil, err
	}
	if header[0]&0xf0 != 0x80 || header[1]&0x80 != 0 {
		return 0, nil, fmt.Errorf("a frame begins with %x", header)
	}
	n := uint64(header[1])
	switch n {
	case 126:
		header = header[:4]
		_, err = io.ReadFull(r.from, header[2:])
		n = uint64(binary.BigEndian.Uint16(header[2:]))
	case 127:
		header = header[:10]
		_, err = io.ReadFull(r.from, header[2:])
		n = binary.BigEndian.Uint64(header[2:])
	}
	if err != nil {
		return 0, nil, err
	}
	text = make([]byte, n)
	_, err = io.ReadFull(r.from, text)
	return header[0] & 0xf, text, err
}

// Messages of every length arrive whole and in order, whether they leave alone or
// together, live and replayed.
func TestMessagesOfEveryLength(t *testing.T) {
	inBubble(t, func(_ *testing.T, b *bubble) {
		var records []*kap.Record
		for _, length := range []int{0, 1, 40, 100, 200, 1000, 15_000, 15_500, 16_000, 16_100, 16_384, 17_000, 65_000, 65_200, 65_535,
			65_536, 200_000, 3, 2, 1} {
			for range 7 {
				r := filing(0, kap.ODA)
				r.Summary = &kap.Localized{TR: new(strings.Repeat("ş", length/2) + strings.Repeat("x", length%2))}
				records = append(records, r)
			}
		}
		c := b.join()
		b.put(records...)
		for n := range records {
			c.hears(fmt.Sprintf("L%d", n+1))
		}
		for n, r := range records { // one by one
			b.put(r)
			c.hears(fmt.Sprintf("L%d", len(records)+n+1))
		}
		c.say(`{"action":"subscribe","ids":["type:ODA"],"last_seen_index":0}`)
		c.hears("subscribed [type:ODA] []")
		for n := range 2 * len(records) {
			c.hears(fmt.Sprintf("R%d", n+1))
		}
		c.hears(fmt.Sprintf("replay_done %d false", 2*len(records)))
	})
}

// Answers to pings and the close frame never land inside another frame, and nothing
// follows the close frame, whichever side closes.
func TestControlFramesKeepToTheirPlace(t *testing.T) {
	for name, end := range map[string]func(s *socketFixture, c *client){
		"revoked and drained": func(s *socketFixture, _ *client) {
			go s.sockets.Drain(s.t.Context())
			s.gate.Replace(nil)
		},
		"bad messages":   func(_ *socketFixture, c *client) { c.say("{", "{", "{", "{") },
		"too long":       func(_ *socketFixture, c *client) { _ = c.WriteMessage(1, make([]byte, 100<<10)) },
		"no text":        func(_ *socketFixture, c *client) { c.say("\xff") },
		"a broken frame": func(_ *socketFixture, c *client) { _, _ = c.NetConn().Write([]byte{0xf1, 0x80, 0, 0, 0, 0}) },
		"a broken frame before others": func(_ *socketFixture, c *client) {
			for broken := []byte{0xf1, 0x80, 0, 0, 0, 0}; ; broken = make([]byte, 50<<10) {
				if _, err := c.NetConn().Write(broken); err != nil {
					return
				}
			}
		},
		"the client closes": func(_ *socketFixture, c *client) {
			_ = c.WriteControl(8, websocket.FormatCloseMessage(1000, ""), time.Now().Add(time.Second))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSocketFixture(t)
			c := s.join()
			c.say(`{"action":"subscribe","ids":["all"]}`)
			c.hears("subscribed [all] []")
			var writing sync.WaitGroup
			stop := make(chan struct{})
			writing.Go(func() {
				for n := 0; ; n += 50 {
					var records []*kap.Record
					for i := range 50 {
						records = append(records, filing(n+i+1, kap.ODA))
					}
					s.put(false, records...)
					select {
					case <-stop:
						return
					case <-time.After(time.Millisecond):
					}
				}
			})
			go func() {
				for range 300 {
					if c.WriteMessage(1, []byte(`{"action":"ping"}`)) != nil ||
						c.WriteControl(websocket.PingMessage, []byte("x"), time.Now().Add(time.Second)) != nil {
						return
					}
				}
				end(s, c)
			}()
			last, pongs, closed := 0, 0, false
			for in := (frameReader{c.NetConn()}); ; {
				kind, text, err := in.next()
				if err != nil {
					if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) && !strings.Contains(err.Error(), "reset") {
						t.Error(err)
					}
					break
				}
				switch {
				case closed:
					t.Fatalf("a frame of kind %d follows the close frame", kind)
				case kind == websocket.CloseMessage:
					closed = true
					_ = c.WriteControl(8, text, time.Now().Add(time.Second))
				case kind == websocket.PongMessage:
					pongs++
				default:
					if said := short(t, text); said[0] == 'L' {
						if last++; said != fmt.Sprintf("L%d", last) {
							t.Fatalf("%s, want L%d", said, last)
						}
					}
				}
			}
			close(stop)
			writing.Wait()
			if !closed || pongs != 300 && name != "revoked and drained" {
				t.Errorf("closed: %v, after %d pongs", closed, pongs)
			}
		})
	}
}

// Who takes a byte now and then reads; who takes none any more is let go after 30 s,
// with the rest of the frame that had begun and the close frame behind it.
func TestEveryByteIsProgress(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		c := b.join()
		b.publish(200)
		raw, one := c.NetConn(), make([]byte, 1)
		var got []byte
		for range 40 {
			time.Sleep(28 * time.Second)
			if _, err := raw.Read(one); err != nil {
				t.Fatal(err)
			}
			got = append(got, one...)
		}
		time.Sleep(40 * time.Second) // it is slow by now, and the close frame waits
		in := frameReader{io.MultiReader(strings.NewReader(string(got)), raw)}
		if kind, text, err := in.next(); err != nil || kind != websocket.TextMessage || short(t, text) != "L1" {
			t.Fatalf("%d %s %v, want L1", kind, text, err)
		}
		if kind, text, err := in.next(); err != nil || kind != websocket.CloseMessage || string(text[2:]) != "slow_consumer" {
			t.Errorf("%d %q %v, want the close frame", kind, text, err)
		}
	})
}

// Pongs come while a long replay waits for its reader.
func TestPongsBetweenPiecesOfAReplay(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.publish(900)
		c := b.join()
		c.say(`{"action":"subscribe","ids":["type:ODA"],"last_seen_index":0}`)
		c.hears("subscribed [type:ODA] []", "R1")
		go func() { _ = c.WriteMessage(1, []byte(`{"action":"ping"}`)) }()
		synctest.Wait()
		n := 1
		for said := c.hear(); said != "pong"; said = c.hear() {
			if n++; said != fmt.Sprintf("R%d", n) || n > 200 {
				t.Fatalf("heard %s, want R%d or a pong soon", said, n)
			}
		}
		for ; n < 900; n++ {
			c.hears(fmt.Sprintf("R%d", n+1))
		}
		c.hears("replay_done 900 false")
	})
}

// Single events, each published once everybody has heard the one before, while messages
// come and are answered: no wake-up is lost.
func TestNoWakeUpIsLost(t *testing.T) {
	const clients, events = 20, 400
	b := &bubble{t: t, gate: access.NewGate(access.ShippedPlans())}
	s := newMemoryServer(t, b)
	var all []*client
	for range clients {
		c := s.join()
		c.say(`{"action":"subscribe","ids":["all"]}`)
		c.hears("subscribed [all] []")
		all = append(all, c)
	}
	var heard sync.WaitGroup
	turn := make([]chan int, clients)
	for i, c := range all {
		turn[i] = make(chan int)
		go func() {
			for n := range turn[i] {
				answers := 0
				if n%3 == i%3 {
					answers = 1
					c.say(`{"action":"unsubscribe","ids":["type:FR"]}`)
				}
				for event := false; !event || answers > 0; {
					switch said := c.hear(); said {
					case fmt.Sprintf("L%d", n):
						event = true
					case "unsubscribed []":
						answers--
					default:
						t.Errorf("heard %s, want L%d", said, n)
						event, answers = true, 0
					}
				}
				heard.Done()
			}
		}()
	}
	for n := range events {
		heard.Add(clients)
		for _, to := range turn {
			to <- n + 1
		}
		b.publish(1)
		heard.Wait()
		if t.Failed() {
			break
		}
	}
	for _, to := range turn {
		close(to)
	}
}

// A server that fails unexpectedly while it answers says so, and goes on for others.
func TestPanicEndsOneConnection(t *testing.T) {
	s := newSocketFixture(t, filing(1, kap.ODA))
	c, other := s.join(), s.join()
	s.replayed = func() { panic("on purpose") }
	c.say(`{"action":"subscribe","ids":["all"],"last_seen_index":0}`)
	c.hears("subscribed [all] []", "close 1011 server_error")
	other.say(`{"action":"ping"}`)
	other.hears("pong")
	fixture.Eventually(t, "the connection to leave", func() bool { return s.sockets.Open() == 1 })
}
