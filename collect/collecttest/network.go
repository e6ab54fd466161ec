// Package collecttest has what tests of connectors share: a network and a store in memory,
// and checks that every connector must pass.
package collecttest

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"testing"

	"piyasa/test/fixture/need"
)

// Network is a network in memory. Its connections are real HTTP, and its waits are those of
// the clock of testing/synctest.
type Network struct {
	http.RoundTripper

	mu    sync.Mutex
	hosts map[string]*need.Pipes
	lost  []string // hosts that were asked and do not exist
}

// NewNetwork returns a network of hosts such as "upstream.example", until the test ends.
func NewNetwork(t testing.TB, hosts map[string]http.Handler) *Network {
	t.Helper()
	n := &Network{hosts: map[string]*need.Pipes{}}
	for host, handler := range hosts {
		l := need.NewPipes()
		n.hosts[host] = l
		server := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = server.Serve(l)
		}()
		t.Cleanup(func() {
			_ = server.Close()
			<-served
		})
	}
	transport := &http.Transport{DialContext: n.dial, DialTLSContext: n.dial}
	t.Cleanup(transport.CloseIdleConnections)
	n.RoundTripper = transport
	return n
}

// Lost returns the hosts that were asked and do not exist.
func (n *Network) Lost() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lost
}

func (n *Network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, _, _ := net.SplitHostPort(address)
	n.mu.Lock()
	l, ok := n.hosts[host]
	if !ok {
		n.lost = append(n.lost, host)
	}
	n.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("no such host: %s", host)
	}
	return l.Dial(ctx, "", "")
}
