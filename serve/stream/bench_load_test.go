package stream_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// The clients of the benchmarks run in a process of their own, so that they are no
// part of what is measured: this test binary, with these variables.
const (
	loadAddress = "PIYASA_BENCH_LOAD"     // of the server; set: be the clients
	loadClients = "PIYASA_BENCH_CLIENTS"  // how many
	loadSays    = "PIYASA_BENCH_SAYS"     // what each says after auth
	loadOffers  = "PIYASA_BENCH_OFFERS"   // an extension that each offers
	loadCPU     = "PIYASA_BENCH_LOAD_CPU" // of the benchmark's caller: pins the clients with taskset
)

// sentAt is the member that carries the time of a disclosure's commit.
const sentAt = `"filer_title":"`

// crowd is the clients' process.
type crowd struct {
	measuring atomic.Bool
	delays    [100_000]atomic.Int32 // deliveries by tenths of a millisecond
	heard     []atomic.Int64        // frames by client, the two answers included
	cut       atomic.Int64
	bytes     atomic.Int64
}

// runLoad is the clients' process: it prints how many frames they have heard and how many
// were cut off, whenever that changes, and after a line of input the median and the 99th
// percentile of the delays since the line before.
func runLoad() {
	n, _ := strconv.Atoi(os.Getenv(loadClients))
	c := &crowd{heard: make([]atomic.Int64, n)}
	var joined sync.WaitGroup
	joining := make(chan struct{}, 64)
	for i := range n {
		joining <- struct{}{}
		joined.Add(1)
		go func() {
			c.listen(i, os.Getenv(loadAddress), func() { <-joining; joined.Done() })
			c.cut.Add(1)
		}()
	}
	joined.Wait()
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			c.measuring.Store(true)
			fmt.Println("delays", c.percentile(50), c.percentile(99))
			for i := range c.delays {
				c.delays[i].Store(0)
			}
		}
		os.Exit(0)
	}()
	for last := int64(-1); ; time.Sleep(time.Millisecond) {
		sum := c.cut.Load()
		for i := range c.heard {
			sum += c.heard[i].Load()
		}
		if sum != last {
			last = sum
			fmt.Println("heard", sum-c.cut.Load()-2*int64(n), c.cut.Load(), c.bytes.Load())
		}
	}
}

// percentile returns a percentile of the delays in milliseconds.
func (c *crowd) percentile(p int64) float64 {
	var all, so int64
	for i := range c.delays {
		all += int64(c.delays[i].Load())
	}
	for i := range c.delays {
		if so += int64(c.delays[i].Load()); all > 0 && so*100 >= all*p {
			return float64(i) / 10
		}
	}
	return 0
}

// listen follows everything until it is cut off; joined is called once it does.
func (c *crowd) listen(i int, address string, joined func()) {
	joined = sync.OnceFunc(joined)
	defer joined()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer conn.Close()
	_, _ = fmt.Fprint(conn,
		"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "+
			"dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Extensions: "+os.Getenv(loadOffers)+"\r\n\r\n")
	buffer, n := make([]byte, 1<<10), 0
	for !bytes.Contains(buffer[:n], []byte("\r\n\r\n")) {
		more, err := conn.Read(buffer[n:])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		n += more
	}
	n = copy(buffer, buffer[bytes.Index(buffer[:n], []byte("\r\n\r\n"))+4:n])
	_, _ = conn.Write(append(masked(`{"action":"auth","api_key":"secret"}`), masked(os.Getenv(loadSays))...))
	for {
		if c.heard[i].Load() >= 2 {
			joined()
		}
		more, err := conn.Read(buffer[n:])
		n += more
		c.bytes.Add(int64(more))
		taken := c.take(i, buffer[:n])
		full := n == len(buffer)
		n = copy(buffer, buffer[taken:n])
		if full && len(buffer) < 1<<16 {
			buffer = append(buffer, make([]byte, 3*len(buffer))...)
		}
		if err != nil {
			if err != io.EOF {
				fmt.Fprintln(os.Stderr, err)
			}
			return
		}
	}
}

// take counts the whole frames in a buffer and returns their length.
func (c *crowd) take(i int, buffer []byte) (taken int) {
	now, frames := time.Now().UnixNano(), int64(0)
	for {
		rest := buffer[taken:]
		if len(rest) < 4 {
			break
		}
		size := 2 + int(rest[1])
		if rest[1] == 126 {
			size = 4 + int(binary.BigEndian.Uint16(rest[2:]))
		}
		if len(rest) < size {
			break
		}
		if rest[0]&0xf == 8 {
			fmt.Fprintf(os.Stderr, "closed: %q\n", rest[2:size])
		}
		if c.measuring.Load() {
			if _, after, ok := bytes.Cut(rest[:size], []byte(sentAt)); ok {
				text, _, _ := bytes.Cut(after, []byte(`"`))
				sent, _ := strconv.ParseInt(string(text), 10, 64)
				c.delays[min(max(0, (now-sent)/100_000), int64(len(c.delays)-1))].Add(1)
			}
		}
		taken += size
		frames++
	}
	c.heard[i].Add(frames)
	return taken
}

// masked returns a client's text frame; its mask is zero.
func masked(text string) []byte {
	if len(text) < 126 {
		return append([]byte{0x81, 0x80 | byte(len(text)), 0, 0, 0, 0}, text...)
	}
	return append([]byte{0x81, 0xfe, byte(len(text) >> 8), byte(len(text)), 0, 0, 0, 0}, text...)
}

// load is the clients' process as the benchmark sees it.
type load struct {
	heard, cut atomic.Int64
	bytes      atomic.Int64
	news       chan struct{} // receives when heard grows
	delays     chan [2]float64
	ask        io.Writer
}

// startLoad starts clients and waits until all follow everything.
func startLoad(b *testing.B, address string, clients int, says, offers string) *load {
	b.Helper()
	cmd := benchCommand(os.Args[0])
	cmd.Env = append(os.Environ(), loadAddress+"="+address, fmt.Sprintf("%s=%d", loadClients, clients),
		loadSays+"="+says, loadOffers+"="+offers)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	need.NoError(b, err)
	in, err := cmd.StdinPipe()
	need.NoError(b, err)
	need.NoError(b, cmd.Start())
	l := &load{news: make(chan struct{}, 1), delays: make(chan [2]float64), ask: in}
	ended := make(chan struct{})
	joined := make(chan struct{})
	go func() {
		defer close(ended)
		for lines, first := bufio.NewScanner(out), true; lines.Scan(); {
			switch words := strings.Fields(lines.Text()); words[0] {
			case "heard":
				heard, _ := strconv.ParseInt(words[1], 10, 64)
				cut, _ := strconv.ParseInt(words[2], 10, 64)
				bytes, _ := strconv.ParseInt(words[3], 10, 64)
				l.bytes.Store(bytes)
				l.heard.Store(heard)
				l.cut.Store(cut)
				select {
				case l.news <- struct{}{}:
				default:
				}
				if first {
					first = false
					close(joined)
				}
			case "delays":
				median, _ := strconv.ParseFloat(words[1], 64)
				slow, _ := strconv.ParseFloat(words[2], 64)
				l.delays <- [2]float64{median, slow}
			}
		}
	}()
	b.Cleanup(func() {
		_ = in.Close()
		<-ended
		_ = cmd.Wait()
	})
	select {
	case <-joined:
	case <-ended:
		b.Fatal("the clients have ended")
	}
	return l
}

// await waits until the clients have heard so many frames together, or one is cut.
func (l *load) await(b *testing.B, frames int64) {
	b.Helper()
	for l.heard.Load() < frames && l.cut.Load() == 0 {
		select {
		case <-l.news:
		case <-time.After(time.Minute):
			b.Fatalf("the clients have heard %d of %d", l.heard.Load(), frames)
		}
	}
	if l.cut.Load() > 0 {
		b.Fatalf("%d clients were cut off", l.cut.Load())
	}
}

// since returns the median and the 99th percentile of the delays since the last call.
func (l *load) since(b *testing.B) (median, slow float64) {
	b.Helper()
	if _, err := io.WriteString(l.ask, "\n"); err != nil {
		b.Fatal(err)
	}
	d := <-l.delays
	return d[0], d[1]
}
