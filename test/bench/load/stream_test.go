package load

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// broker delivers to everybody what is published, in the protocol of NATS.
type broker struct {
	at      netip.AddrPort
	mu      sync.Mutex
	clients []net.Conn
}

func newBroker(t *testing.T) *broker {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	need.NoError(t, err)
	b := &broker{at: listener.Addr().(*net.TCPAddr).AddrPort()}
	t.Cleanup(func() {
		listener.Close()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, c := range b.clients {
			c.Close()
		}
	})
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			lines := bufio.NewReader(c)
			for line := ""; line != "PING\r\n" && err == nil; {
				line, err = lines.ReadString('\n')
			}
			b.mu.Lock()
			b.clients = append(b.clients, c)
			b.mu.Unlock()
			io.WriteString(c, "INFO {}\r\nPONG\r\n")
		}
	}()
	return b
}

// deliver sends a number to every client but those to be skipped.
func (b *broker) deliver(number, skip int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	body := fmt.Sprintf(`{"disclosure_index":%d}`, number)
	for _, c := range b.clients[skip:] {
		if _, err := fmt.Fprintf(c, "MSG x 1 %d\r\n%s\r\n", len(body), body); err != nil {
			return err
		}
	}
	return nil
}

func (b *broker) hangUp() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.clients[0].Close()
}

func TestEveryClientReceivesEverything(t *testing.T) {
	b := newBroker(t)
	s, err := Follow([]netip.AddrPort{b.at}, NATS("x"), 5, 100)
	need.NoError(t, err)
	defer s.Close()
	publish := func(place int) error { return b.deliver(100+place, 0) }
	need.NoError(t, s.Send(10, 3, publish))
	if s.whole != 10 {
		t.Errorf("%d of 10 are with everybody", s.whole)
	}
	began := false
	d, err := s.Saturate(4, 10*time.Millisecond, 50*time.Millisecond, publish, func() error {
		began = true
		return nil
	})
	need.NoError(t, err)
	if !began || d.Count == 0 || d.PerSecond() != float64(d.Count)*20 {
		t.Errorf("began %t, %d deliveries, %g a second", began, d.Count, d.PerSecond())
	}
	before := s.whole
	d, err = s.Pace(200, 20*time.Millisecond, 100*time.Millisecond, publish, nil)
	need.NoError(t, err)
	if sent := s.whole - before; sent < 20 || sent > 26 {
		t.Errorf("%d events in 120 ms at 200 a second", sent)
	}
	if len(d.Latencies) == 0 || len(d.Latencies)%5 != 0 || d.Quantile(0.99) <= 0 {
		t.Errorf("%d latencies of 5 clients, p99 %s", len(d.Latencies), d.Quantile(0.99))
	}
}

func TestWhatIsLostOrWrongFails(t *testing.T) {
	for name, deliver := range map[string]func(b *broker, place int) error{
		"a number that is skipped": func(b *broker, place int) error { return b.deliver(101+place, 0) },
		"a number that comes twice": func(b *broker, place int) error {
			b.deliver(100+place, 0)
			return b.deliver(100+place, 0)
		},
		"a client that misses one": func(b *broker, place int) error {
			if place == 1 {
				return b.deliver(101, 1)
			}
			return b.deliver(100+place, 0)
		},
		"a server that hangs up": func(b *broker, _ int) error { return b.hangUp() },
	} {
		b := newBroker(t)
		s, err := Follow([]netip.AddrPort{b.at}, NATS("x"), 2, 100)
		need.NoError(t, err)
		if err := s.Send(5, 3, func(place int) error { return deliver(b, place) }); err == nil {
			t.Errorf("%s is no error", name)
		}
		s.Close()
	}
}

func TestReplayCountsItsRows(t *testing.T) {
	for rows, fails := range map[string]bool{"7 8 9": false, "7 8": true, "7 9": true, "8 9 10": true, "7 8 9 10": true} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		need.NoError(t, err)
		go func() {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			bufio.NewReader(c).ReadString('\n')
			for _, n := range strings.Fields(rows) {
				fmt.Fprintf(c, "{\"disclosure_index\":%s}\r\n", n)
			}
			io.WriteString(c, "done\r\n")
			io.Copy(io.Discard, c)
		}()
		_, err = Replay(listener.Addr().(*net.TCPAddr).AddrPort(),
			Dialect{next: nextMessage, Greeting: []Exchange{{[]byte("again\n"), "done"}}}, 7, 3)
		if (err != nil) != fails {
			t.Errorf("rows %s of 7 8 9: %v", rows, err)
		}
		listener.Close()
	}
}
