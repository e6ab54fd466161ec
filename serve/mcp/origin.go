package mcp

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// allowed reports whether the page that sends r, if one does, may ask. The server's own pages count
// as such only under an IP address, localhost, or the name in the base URL: an attacker can rebind
// any other name to this machine.
func (h *Handler) allowed(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	if !h.config.Origin(r) {
		return false
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	if !strings.EqualFold(u.Host, r.Host) {
		return true // Origin has allowed it by its name
	}
	base, err := url.Parse(h.config.BaseURL)
	if err == nil && strings.EqualFold(u.Host, base.Host) {
		return true
	}
	_, notAddress := netip.ParseAddr(strings.Trim(hostOf(u.Host), "[]"))
	return notAddress == nil || strings.EqualFold(hostOf(u.Host), "localhost")
}

// hostOf returns a host without its port.
func hostOf(hostPort string) string {
	if host, _, err := net.SplitHostPort(hostPort); err == nil {
		return host
	}
	return hostPort
}
