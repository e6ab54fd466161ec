package stream_test

import (
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/domain/kap"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// topics is a subscribe message for symbol topics from first, n of them.
func topics(first, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"symbol:S%d"`, first+i)
	}
	return `{"action":"subscribe","ids":[` + strings.Join(list, ",") + `]}`
}

// Worked vector V-118, and every other bad message: an error, the third of
// which ends it. Good messages do not reset the count.
func TestThreeStrikes(t *testing.T) {
	s := newSocketFixture(t)
	c := s.join()
	for _, exchange := range [][2]string{
		{"{broken", "error bad_message"}, {`{"action":"ping"}`, "pong"}, {`{"action":"dance"}`, "error bad_message"},
		{`{"action":"ping"}`, "pong"}, {`{"action":"subscribe","ids":["x"]}`, "subscribed [] [x]"},
		{`{"action":"subscribe","ids":"all"}`, "error bad_message"},
	} {
		c.say(exchange[0])
		c.hears(exchange[1])
	}
	c.hears("close 4400 too_many_bad_messages")
	for pair := range slices.Chunk(append(slices.Clone(badFrames), `{"action":"auth","api_key":"`+listener+`"}`), 2) {
		c := s.join()
		for _, frame := range pair {
			c.say(frame)
			c.hears("error bad_message")
		}
		c.say(`{"action":"ping"}`)
		c.hears("pong")
		_ = c.Close()
	}
}

// A binary frame is a bad message, bytes that are no UTF-8 and a frame that is
// far too long end the connection with a reason.
func TestFramesThatAreNoText(t *testing.T) {
	s := newSocketFixture(t)
	c := s.join()
	for range 3 {
		need.NoError(t, c.WriteMessage(websocket.BinaryMessage, []byte(`{"action":"ping"}`)))
		c.hears("error bad_message")
	}
	c.hears("close 4400 too_many_bad_messages")
	c = s.join()
	c.say("{\"action\":\"ping\",\"x\":\"\xff\"}")
	c.hears("close 1007 invalid_utf8")
	c = s.join()
	_ = c.WriteMessage(websocket.TextMessage, []byte(`{"action":"ping","x":"`+strings.Repeat("x", 1<<20)+`"}`))
	if got := c.hear(); !strings.HasPrefix(got, "close 1009") {
		t.Errorf("too long: %s", got)
	}
	c = s.join()
	c.say(`{"action":"ping","x":"` + strings.Repeat("x", 60<<10) + `"}`) // long, and within the limit
	c.hears("pong")
}

// Worked vector V-117 and the order of checks: form, topics, limit. A refused
// message changes nothing, and starts no replay.
func TestTopicLimits(t *testing.T) {
	s := newSocketFixture(t, filing(1, kap.ODA, "S9"))
	c := s.join()
	count := func(message string) int { // of the topics echoed; -1 for the error
		t.Helper()
		c.say(message)
		heard := c.hear()
		if heard == "error subscription_limit" {
			return -1
		}
		echoed, ok := strings.CutPrefix(heard, "subscribed [")
		if echoed, _, _ = strings.Cut(echoed, "]"); !ok {
			t.Fatalf("%.60s: %s", message, heard)
		}
		return len(strings.Fields(echoed))
	}
	for i, step := range []struct {
		message string
		echoed  int
	}{
		{topics(0, 100), 100}, {topics(100, 50), 50}, {topics(130, 60), 60} /* 190 active, 20 of these before */, {topics(300, 11), -1},
		{topics(300, 10), 10}, /* 200 */
		{topics(0, 100), 100} /* nothing new */, {topics(500, 1), -1},
		{strings.Replace(topics(500, 1), "}", `,"last_seen_index":0}`, 1), -1},
		{`{"action":"subscribe","ids":["foo","symbol:A-B"]}`, 0}, {`{"action":"subscribe","ids":["symbol:s0","symbol:S0","SYMBOL:S0"]}`, 1},
	} {
		if got := count(step.message); got != step.echoed {
			t.Fatalf("step %d: %d topics, want %d", i+1, got, step.echoed)
		}
	}
	c.say(topics(600, 101))
	c.hears("error bad_message")
	c.say(`{"action":"unsubscribe","ids":["symbol:S9","symbol:S777","foo","symbol:s9"]}`)
	c.hears("unsubscribed [symbol:S9]")
	if got := count(topics(500, 1)); got != 1 {
		t.Errorf("after a place became free: %d", got)
	}
	s.put(false, filing(2, kap.ODA, "S0"), filing(3, kap.ODA, "S9", "S600"), filing(4, kap.ODA, "S500"))
	c.hears("L2", "L4")
}

// Worked vectors V-115 and V-116; what is removed is echoed by its name, what
// was never held is not; what still matches still comes.
func TestTopicsOfAConnection(t *testing.T) {
	s := newSocketFixture(t)
	c, witness := s.join(), s.join()
	witness.say(`{"action":"subscribe","ids":["all"]}`)
	witness.hears("subscribed [all] []")
	s.put(false, filing(1, kap.ODA)) // before c follows anything
	witness.hears("L1")
	c.say(`{"action":"subscribe","ids":["all","type:FR","type:ÖDA","type:XX","symbol:bist:DMOST","symbol:DMOST","foo","type:oda"]}`)
	c.hears("subscribed [all type:FR type:ODA symbol:DMOST] [type:XX symbol:bist:DMOST foo]")
	s.put(false, filing(1503, kap.ODA, "DMOST", "DMBNK", "DMOST"))
	c.hears("L1503")
	c.say(`{"action":"unsubscribe","ids":["all","type:DG","symbol:dmost","nonsense"]}`, `{"action":"unsubscribe","ids":["all"]}`)
	c.hears("unsubscribed [all symbol:DMOST]", "unsubscribed []")
	s.put(false, filing(4, kap.DUY), filing(5, kap.ODA, "DMOST"), filing(6, kap.DG, "DMOST"), filing(7, kap.FR))
	c.hears("L5", "L7")
	c.say(`{"action":"unsubscribe","ids":["type:ÖDA","type:FR"]}`)
	c.hears("unsubscribed [type:ODA type:FR]")
	s.put(false, filing(8, kap.ODA, "DMOST"))
	s.put(true, filing(9, kap.DUY))
	c.say(`{"action":"subscribe","ids":["type:DUY"]}`)
	c.hears("subscribed [type:DUY] []")
	s.put(true, filing(10, kap.DUY)) // a back-fill is nobody's news
	s.put(false, filing(11, kap.DUY))
	c.hears("L11")
}

// Pings are answered whatever their number.
func TestManyPings(t *testing.T) {
	s := newSocketFixture(t)
	c := s.join()
	said := make(chan struct{})
	go func() {
		defer close(said)
		for range 1000 {
			_ = c.WriteMessage(websocket.TextMessage, []byte(`{"action":"ping"}`))
		}
	}()
	for range 1000 {
		c.hears("pong")
	}
	<-said
	need.NoError(t, c.WriteControl(websocket.PingMessage, []byte("x"), time.Now().Add(fixture.Patience)))
	answered := ""
	c.SetPongHandler(func(data string) error {
		answered = data
		return nil
	})
	c.say(`{"action":"ping"}`)
	if c.hears("pong"); answered != "x" {
		t.Errorf("the protocol's own ping: %q", answered)
	}
}

// Clients that go without a word, in the middle of a frame or of the upgrade,
// leave nothing behind.
func TestClientsThatVanish(t *testing.T) {
	s := newSocketFixture(t)
	host := strings.TrimPrefix(s.address, "http://")
	for _, said := range []string{"", "GET / HTTP/1.1\r\nHost: x\r\nUpgr", "\x81\x85", "\x81\xfe\x00\xff\x01\x02\x03\x04{\"act",
		"\x00\x01\x02", "\xff\xff\xff\xff\xff"} {
		c, raw := s.dial(), s.join()
		for _, conn := range []net.Conn{c.NetConn(), raw.NetConn()} {
			_, _ = io.WriteString(conn, said)
			_ = conn.(*net.TCPConn).SetLinger(0) // a reset, not an end
			_ = conn.Close()
		}
		if plain, err := net.Dial("tcp", host); err == nil {
			_, _ = io.WriteString(plain, said)
			_ = plain.Close()
		}
	}
	fixture.Eventually(t, "every connection to be gone", func() bool { return s.sockets.Open() == 0 })
	s.join()
}
