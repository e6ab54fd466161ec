package world

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"piyasa/test/fixture/need"
)

// Proxy is an address that stays the same, in front of a server that moves, and a
// network that fails.
type Proxy struct {
	Address string

	t     testing.TB
	proxy *toxiproxy.Proxy
}

var toxiproxyServer = sync.OnceValue(func() *toxiproxy.ApiServer {
	zerolog.SetGlobalLevel(zerolog.Disabled) // its toxics log elsewhere too
	return toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
})

// NewProxy returns a proxy to an upstream address.
func NewProxy(t testing.TB, upstream string) *Proxy {
	t.Helper()
	p := &Proxy{t: t, proxy: toxiproxy.NewProxy(toxiproxyServer(), t.Name(), need.Address(t), upstream)}
	need.NoError(t, p.proxy.Start())
	p.Address = p.proxy.Listen
	t.Cleanup(func() { p.proxy.Stop() })
	return p
}

// Switch cuts all connections; new ones lead to another upstream.
func (p *Proxy) Switch(upstream string) {
	p.t.Helper()
	p.Down()
	p.up(upstream)
}

// Down cuts all connections and refuses new ones.
func (p *Proxy) Down() { p.proxy.Stop() }

// Up accepts connections again.
func (p *Proxy) Up() {
	p.t.Helper()
	p.up(p.proxy.Upstream)
}

func (p *Proxy) up(upstream string) {
	p.t.Helper()
	need.NoError(p.t, p.proxy.Update(&toxiproxy.Proxy{Listen: p.Address, Upstream: upstream, Enabled: true}))
}

// The directions of a toxic.
const (
	toServer = "upstream"
	toClient = "downstream"
)

// poison adds a toxic to all connections, open and new.
func (p *Proxy) poison(kind, direction string, attributes map[string]any) {
	p.t.Helper()
	toxic, err := json.Marshal(map[string]any{"type": kind, "stream": direction, "attributes": attributes})
	need.NoError(p.t, err)
	if _, err := p.proxy.Toxics.AddToxicJson(strings.NewReader(string(toxic))); err != nil {
		p.t.Fatal(err)
	}
}

// BlackHole swallows everything, in both directions, and closes nothing.
func (p *Proxy) BlackHole() {
	p.poison("timeout", toServer, map[string]any{"timeout": 0})
	p.poison("timeout", toClient, map[string]any{"timeout": 0})
}

// Deafen swallows what the server says: for the client the connection is open and
// silent, for the server it works.
func (p *Proxy) Deafen() { p.poison("timeout", toClient, map[string]any{"timeout": 0}) }

// HideClose keeps a connection open for the client that the server has closed.
func (p *Proxy) HideClose() {
	p.poison("slow_close", toClient, map[string]any{"delay": deadline.Milliseconds()})
}

// Slow delays and narrows the way to the client, and cuts it into small pieces.
func (p *Proxy) Slow() {
	p.poison("latency", toClient, map[string]any{"latency": 50, "jitter": 40})
	p.poison("bandwidth", toClient, map[string]any{"rate": 20})
	p.poison("slicer", toClient, map[string]any{"average_size": 64, "size_variation": 60, "delay": 100})
}

// CutAfter ends each connection in the middle of what the server says.
func (p *Proxy) CutAfter(bytes int) { p.poison("limit_data", toClient, map[string]any{"bytes": bytes}) }

// Reset answers new connections with a reset after they have said something.
func (p *Proxy) Reset() { p.poison("reset_peer", toServer, map[string]any{"timeout": 20}) }

// healing is how long removing toxics may take: each may wait five seconds for a client.
const healing = 5 * time.Second

// Heal removes all toxics. Connections that lost bytes are closed. Toxiproxy waits for ever
// for a connection that ended while it was being cut into pieces: another proxy then takes
// its place, and connections to the first hear nothing more.
func (p *Proxy) Heal() {
	p.t.Helper()
	sick, healed := p.proxy, make(chan struct{})
	go func() {
		defer close(healed)
		sick.Toxics.ResetToxics(context.Background())
	}()
	select {
	case <-healed:
		return
	case <-time.After(healing):
	}
	go sick.Stop() // it ends listening, and then waits as well
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for end := time.Now().Add(deadline); ; <-retry.C {
		p.proxy = toxiproxy.NewProxy(toxiproxyServer(), p.t.Name(), p.Address, sick.Upstream)
		switch err := p.proxy.Start(); {
		case err == nil:
			return
		case time.Now().After(end):
			p.t.Fatal(err)
		}
	}
}
