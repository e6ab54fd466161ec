package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the proxies in front of the server, whose word on whose requests they pass
// on counts.
type Proxies struct {
	networks []netip.Prefix
	sockets  bool // also peers on a Unix socket
}

// socketProxies is the name of the proxies that connect to a Unix socket.
const socketProxies = "unix"

// ParseProxies reads networks and addresses, separated by commas, and unix for peers
// to a Unix socket. The error says which one is wrong, and what is allowed.
func ParseProxies(list string) (Proxies, error) {
	var out Proxies
	for text := range strings.SplitSeq(list, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if text == socketProxies {
			out.sockets = true
			continue
		}
		network, err := netip.ParsePrefix(text)
		if address, wrong := netip.ParseAddr(text); wrong == nil && address.Zone() == "" {
			network, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		switch {
		case err != nil || network.Addr().Is4In6():
			return Proxies{}, fmt.Errorf("must be networks such as 10.0.0.0/8 or fd00::/8, addresses, or unix for those that connect to a "+
				"Unix socket, separated by commas; got %q", text)
		case network != network.Masked():
			return Proxies{}, fmt.Errorf("%q names an address inside of a network; did you mean %s or %s?",
				text, network.Masked(), network.Addr())
		case network.Bits() == 0:
			return Proxies{}, fmt.Errorf("%q is every address, so that any client could name any other; name the proxies", text)
		}
		out.networks = append(out.networks, network)
	}
	return out, nil
}

// trust reports whether an address is a proxy's.
func (p Proxies) trust(a netip.Addr) bool {
	return slices.ContainsFunc(p.networks, func(network netip.Prefix) bool { return network.Contains(a) })
}

// Client returns the address of a request's client: the peer's, unless that is a proxy.
// Then it is the rightmost address in X-Forwarded-For that is no proxy's, because each
// proxy adds the address that it saw on the right, and what is left of a stranger's
// address is that stranger's word. It ends at the last proxy known where something
// else than an address follows. Forwarded is not read: a proxy that writes only the one
// header passes on what clients say in the other. An invalid address: nothing is known.
func (p Proxies) Client(r *http.Request) netip.Addr {
	client := addressIn(r.RemoteAddr)
	if _, bySocket := r.Context().Value(http.LocalAddrContextKey).(*net.UnixAddr); bySocket && !p.sockets || !bySocket && !p.trust(client) {
		return client
	}
	for _, line := range slices.Backward(r.Header["X-Forwarded-For"]) {
		for more := true; more; {
			var last string
			if comma := strings.LastIndexByte(line, ','); comma >= 0 {
				line, last = line[:comma], line[comma+1:]
			} else {
				more, last = false, line
			}
			next := addressIn(strings.TrimSpace(last))
			if !next.IsValid() {
				return client
			}
			if client = next; !p.trust(client) {
				return client
			}
		}
	}
	return client
}

// addressIn reads an address that may have a port, and brackets if it is IPv6.
// Invalid: it is none.
func addressIn(text string) netip.Addr {
	if with, err := netip.ParseAddrPort(text); err == nil {
		return plain(with.Addr())
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); !ok || !strings.Contains(inner, ":") {
			return netip.Addr{}
		}
		text = inner
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return plain(address)
}

// plain returns an address in its only form: IPv4 as such, and no zone.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// peerOf returns the address at the other end of a connection; invalid: there is none.
func peerOf(conn net.Conn) netip.Addr {
	if tcp, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		return plain(tcp.AddrPort().Addr())
	}
	return netip.Addr{}
}
