package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the proxies in front of the server, which are trusted to state the addresses of
// their clients.
type Proxies struct {
	networks []netip.Prefix
	sockets  bool // also peers on a Unix socket
}

// socketProxies is the name of the proxies that connect to a Unix socket.
const socketProxies = "unix"

// ParseProxies reads networks and addresses, separated by commas, and "unix" for peers on a
// Unix socket. The error says which item is wrong, and what is allowed.
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

// trust reports whether an address is that of a proxy.
func (p Proxies) trust(a netip.Addr) bool {
	return slices.ContainsFunc(p.networks, func(network netip.Prefix) bool { return network.Contains(a) })
}

// Client returns the address of a request's client: the peer's, unless that is a proxy.
// Then it is the rightmost address in X-Forwarded-For that is not a proxy's: each proxy adds
// the address that it saw on the right, and anything to the left of a client's address was
// written by that client. If something other than an address follows, it is the last proxy
// known. Forwarded is not read: a proxy that writes only one of the headers passes on what
// clients send in the other. The address is invalid if nothing is known.
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

// addressIn reads an address that may have a port, and brackets if it is IPv6. It returns an
// invalid address if text is not one.
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

// plain returns an address in canonical form: IPv4 not mapped to IPv6, and no zone.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// peerOf returns the address of a connection's peer; invalid if there is none.
func peerOf(conn net.Conn) netip.Addr {
	if tcp, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		return plain(tcp.AddrPort().Addr())
	}
	return netip.Addr{}
}
