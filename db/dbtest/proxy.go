package dbtest

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"piyasa/test/fixture/need"
)

// Proxy stands between a test and its Postgres and simulates faults of networks and poolers: it
// closes connections, silences them, or loses the answer to a commit.
type Proxy struct {
	URL string // of the database, through the proxy

	tb      testing.TB
	address string
	target  string
	drops   string
	silence atomic.Bool // of new connections
	lose    atomic.Bool // the answer to the next commit
	serving sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener // nil: the proxy does not listen
	open     map[*proxied]struct{}
}

// proxied is a connection through a proxy.
type proxied struct {
	proxy          *Proxy
	client, server net.Conn
	silent         atomic.Bool
	losing         atomic.Bool // lose the next answer
}

// NewProxy returns a proxy to the database at databaseURL. If drops is not empty, the proxy removes
// that parameter from the startup message of connections.
func NewProxy(tb testing.TB, databaseURL, drops string) *Proxy {
	tb.Helper()
	u, err := url.Parse(databaseURL)
	need.NoError(tb, err)
	p := &Proxy{tb: tb, address: need.Address(tb), target: u.Host, drops: drops, open: map[*proxied]struct{}{}}
	p.Arrive()
	u.Host = p.address
	p.URL = u.String()
	tb.Cleanup(func() {
		p.Go()
		p.serving.Wait()
	})
	return p
}

// Arrive makes the proxy listen at its address again, as it does at first.
func (p *Proxy) Arrive() {
	p.tb.Helper()
	listener, err := net.Listen("tcp", p.address)
	need.NoError(p.tb, err)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listener = listener
	p.serving.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.serving.Go(func() { p.serve(client) })
		}
	})
}

// Go makes the proxy stop listening, and closes all its connections.
func (p *Proxy) Go() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.listener.Close()
	for c := range p.open {
		_ = c.client.Close()
		_ = c.server.Close()
	}
}

// SilenceOpen discards everything on the open connections, which stay open. New ones work.
func (p *Proxy) SilenceOpen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		c.silent.Store(true)
	}
}

// Silence does the same as SilenceOpen, for new connections too, until Speak.
func (p *Proxy) Silence() {
	p.silence.Store(true)
	p.SilenceOpen()
}

// Speak lets new connections work again.
func (p *Proxy) Speak() { p.silence.Store(false) }

// LoseCommit ends the connection on which the next transaction commits, after the
// server has committed it and before the client learns of it.
func (p *Proxy) LoseCommit() { p.lose.Store(true) }

func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	c := &proxied{proxy: p, client: client, server: server}
	c.silent.Store(p.silence.Load())
	p.mu.Lock()
	p.open[c] = struct{}{}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.open, c)
	}()
	if p.drops != "" {
		start, err := startup(client, p.drops)
		if err != nil {
			return
		}
		if _, err := server.Write(start); err != nil {
			return
		}
	}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		c.copy(client, server)
	}()
	c.copy(server, client)
	_ = server.Close()
	<-answered
}

// copy forwards bytes until one side closes; bytes that arrive while the connection is silent are
// lost.
func (c *proxied) copy(to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		switch {
		case from == c.client && bytes.Contains(buffer[:n], []byte("commit")) && c.proxy.lose.CompareAndSwap(true, false):
			c.losing.Store(true)
		case from == c.server && c.losing.Load():
			_ = c.client.Close()
			return
		}
		if n > 0 && !c.silent.Load() {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			if !c.silent.Load() { // a silent connection also loses its end
				_ = to.Close()
			}
			return
		}
	}
}

// startup reads the message that starts a connection and returns it without a
// parameter.
func startup(from io.Reader, without string) ([]byte, error) {
	head := make([]byte, 8) // length and version
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	rest := make([]byte, binary.BigEndian.Uint32(head)-8)
	if _, err := io.ReadFull(from, rest); err != nil {
		return nil, err
	}
	words := bytes.Split(bytes.TrimRight(rest, "\x00"), []byte{0})
	var kept []byte
	for i := 0; i+1 < len(words); i += 2 {
		if string(words[i]) != without {
			kept = append(append(append(append(kept, words[i]...), 0), words[i+1]...), 0)
		}
	}
	kept = append(kept, 0)
	binary.BigEndian.PutUint32(head, uint32(len(head)+len(kept)))
	return append(head, kept...), nil
}
