package stream_test

import (
	"context"
	"net/netip"
	"sync/atomic"
	"testing"

	"piyasa/test/fixture"
)

// A socket without a key gives its place to the next client when there is no other one: the oldest
// first, and in one address only to its own. With a key it keeps it.
func TestSocketsWithoutAKeyGiveWay(t *testing.T) {
	s := newSocketFixture(t)
	s.sockets.Client = func(context.Context) netip.Prefix { return netip.Prefix{} }
	s.sockets.Max = 2
	first := s.dial()
	fixture.Eventually(t, "the first to be in", func() bool { return s.sockets.Open() == 1 })
	second := s.dial()
	fixture.Eventually(t, "both to be in", func() bool { return s.sockets.Open() == 2 })
	third := s.join()
	first.hears("close 1013 too_many_connections")
	second.say(`{"action":"auth","api_key":"` + listener + `"}`)
	second.hears("auth_ok pro")
	s.dial().hears("close 1013 too_many_connections")
	_ = third.Close()
	fixture.Eventually(t, "a free place", func() bool { return s.sockets.Open() == 1 })

	var whose atomic.Pointer[netip.Prefix]
	s.sockets.Client = func(context.Context) netip.Prefix { return *whose.Load() }
	s.sockets.Max, s.sockets.PerAddress = 3, 1
	whose.Store(new(netip.MustParsePrefix("198.51.100.1/32")))
	silent := s.dial()
	fixture.Eventually(t, "it to be in", func() bool { return s.sockets.Open() == 2 })
	whose.Store(new(netip.MustParsePrefix("198.51.100.2/32")))
	s.join()
	s.dial().hears("close 1013 too_many_connections_of_address") // and no other address gives way for it
	whose.Store(new(netip.MustParsePrefix("198.51.100.1/32")))
	s.join()
	silent.hears("close 1013 too_many_connections_of_address")
}

// One client may have so many connections, and those that it is refused take no place
// from others.
func TestConnectionsOfOneClient(t *testing.T) {
	s := newSocketFixture(t)
	var whose atomic.Pointer[netip.Prefix]
	from := func(client string) { whose.Store(new(netip.MustParsePrefix(client))) }
	var entered atomic.Int64
	s.sockets.Client = func(context.Context) netip.Prefix {
		defer entered.Add(1)
		return *whose.Load()
	}
	s.sockets.Max, s.sockets.PerAddress = 4, 2
	from("198.51.100.1/32")
	first := s.join()
	s.join()
	for range 5 {
		s.dial() // never reads why it must go
	}
	fixture.Eventually(t, "all to come from this address", func() bool { return entered.Load() == 7 })
	s.dial().hears("close 1013 too_many_connections_of_address")
	from("198.51.100.2/32")
	s.join()
	s.join()
	from("198.51.100.3/32")
	s.dial().hears("close 1013 too_many_connections")
	from("198.51.100.1/32")
	_ = first.Close()
	fixture.Eventually(t, "a free place", func() bool {
		c := s.dial()
		c.say(`{"action":"auth","api_key":"` + listener + `"}`)
		return c.hear() == "auth_ok pro"
	})
	whose.Store(new(netip.Prefix)) // nobody's are not counted together
	fixture.Eventually(t, "those who were refused to go", func() bool { return s.sockets.Open() == 4 })
	s.sockets.Max = 0
	for range 3 {
		s.join()
	}
}
