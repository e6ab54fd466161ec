package server_test

import (
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"piyasa/serve/server"
	"piyasa/test/fixture/need"
)

// A client's address is its peer's, unless a trusted peer names another.
func TestClientAddress(t *testing.T) {
	for name, c := range map[string]struct {
		proxies, peer string
		forwarded     []string // header lines
		want          string
	}{
		"no proxies":                           {"", "203.0.113.9:40000", nil, "203.0.113.9"},
		"no proxies, a header all the same":    {"", "203.0.113.9:40000", []string{"198.51.100.1"}, "203.0.113.9"},
		"an untrusted peer":                    {"10.0.0.0/8", "203.0.113.9:40000", []string{"198.51.100.1"}, "203.0.113.9"},
		"an untrusted peer that names a proxy": {"10.0.0.0/8", "203.0.113.9:40000", []string{"10.0.0.1"}, "203.0.113.9"},
		"a proxy that says nothing":            {"10.0.0.0/8", "10.0.0.1:40000", nil, "10.0.0.1"},
		"an empty header":                      {"10.0.0.0/8", "10.0.0.1:40000", []string{""}, "10.0.0.1"},
		"a proxy":                              {"10.0.0.0/8", "10.0.0.1:40000", []string{"198.51.100.1"}, "198.51.100.1"},
		"a single address":                     {"192.0.2.7", "192.0.2.7:1", []string{"198.51.100.1"}, "198.51.100.1"},
		"its neighbour":                        {"192.0.2.7", "192.0.2.8:1", []string{"198.51.100.1"}, "192.0.2.8"},
		"a client that forges":                 {"10.0.0.0/8", "10.0.0.1:40000", []string{"8.8.8.8, 198.51.100.1"}, "198.51.100.1"},
		"a client that forges a proxy": {"10.0.0.0/8", "10.0.0.1:40000", []string{"8.8.8.8, 10.0.0.9, 198.51.100.1"},
			"198.51.100.1"},
		"a chain of proxies": {"10.0.0.0/8,192.0.2.0/24", "10.0.0.1:40000",
			[]string{"8.8.8.8, 198.51.100.1, 192.0.2.5,10.2.3.4"}, "198.51.100.1"},
		"a client that forges a line": {"10.0.0.0/8", "10.0.0.1:40000", []string{"8.8.8.8", "198.51.100.1"}, "198.51.100.1"},
		"a chain over lines": {"10.0.0.0/8", "10.0.0.1:40000", []string{"8.8.8.8, 198.51.100.1", "10.0.0.2", "10.0.0.3"},
			"198.51.100.1"},
		"everybody is a proxy":                  {"10.0.0.0/8", "10.0.0.1:40000", []string{"10.0.0.4, 10.0.0.3"}, "10.0.0.4"},
		"nothing that can be read":              {"10.0.0.0/8", "10.0.0.1:40000", []string{"8.8.8.8, unknown"}, "10.0.0.1"},
		"nothing that can be read, before that": {"10.0.0.0/8", "10.0.0.1:40000", []string{"8.8.8.8, _hidden, 10.0.0.2"}, "10.0.0.2"},
		"an empty place":                        {"10.0.0.0/8", "10.0.0.1:40000", []string{"8.8.8.8,"}, "10.0.0.1"},
		"a port":                                {"10.0.0.0/8", "10.0.0.1:40000", []string{"198.51.100.1:50123"}, "198.51.100.1"},
		"IPv6":                                  {"fd00::/8", "[fd00::1]:40000", []string{"2001:db8::7"}, "2001:db8::7"},
		"IPv6 in brackets":                      {"fd00::/8", "[fd00::1]:40000", []string{"[2001:db8::7]"}, "2001:db8::7"},
		"IPv6 with a port":                      {"fd00::/8", "[fd00::1]:40000", []string{"8.8.8.8, [2001:db8::7]:443"}, "2001:db8::7"},
		"IPv6 with a zone":                      {"fe80::/10", "[fe80::1%eth0]:40000", []string{"2001:db8::7"}, "2001:db8::7"},
		"IPv4 as IPv6":                          {"10.0.0.0/8", "[::ffff:10.0.0.1]:40000", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		"half a bracket":                        {"10.0.0.0/8", "10.0.0.1:40000", []string{"[2001:db8::7"}, "10.0.0.1"},
		"IPv4 in brackets":                      {"10.0.0.0/8", "10.0.0.1:40000", []string{"[198.51.100.1]"}, "10.0.0.1"},
		"quotes":                                {"10.0.0.0/8", "10.0.0.1:40000", []string{`"198.51.100.1"`}, "10.0.0.1"},
		"a name":                                {"10.0.0.0/8", "10.0.0.1:40000", []string{"client.example"}, "10.0.0.1"},
		"no address at all":                     {"10.0.0.0/8", "@", []string{"198.51.100.1"}, "invalid IP"},
	} {
		proxies, err := server.ParseProxies(c.proxies)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.peer
		r.Header["X-Forwarded-For"] = c.forwarded
		r.Header.Set("Forwarded", "for=8.8.4.4")
		if got := proxies.Client(r).String(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// A list that says something else than networks is reported.
func TestNoProxies(t *testing.T) {
	for list, mention := range map[string]string{
		"proxy.example": "10.0.0.0/8", "10.0.0.0/33": "10.0.0.0/8", "10.0.0/8": "10.0.0.0/8", "10.0.0.1:80": "10.0.0.0/8",
		"fe80::1%eth0": "10.0.0.0/8", "10.0.0.0/8 fd00::/8": "10.0.0.0/8",
		"::ffff:10.0.0.0/104": "10.0.0.0/8", "::ffff:10.0.0.1": "10.0.0.0/8", "10.0.0.0/8,*": `"*"`, "10.0.0.1/8": "10.0.0.0/8",
		"fd00::1/8": "fd00::/8", "0.0.0.0/0": "every address", "::/0": "every address",
	} {
		if p, err := server.ParseProxies(list); err == nil || !strings.Contains(err.Error(), mention) {
			t.Errorf("%q: %v, %v", list, p, err)
		}
	}
	for _, list := range []string{"", " , ", " 10.0.0.0/8 ,\tfd00::/8,", "127.0.0.1,::1"} {
		if _, err := server.ParseProxies(list); err != nil {
			t.Errorf("%q: %v", list, err)
		}
	}
}

// Whatever a header says, an untrusted peer is its own client, and behind a proxy a
// client is what the proxies saw.
func FuzzClientAddress(f *testing.F) {
	for _, header := range []string{"", "198.51.100.1", "8.8.8.8, 10.0.0.2", "[::1]:443,", "unknown", "::ffff:1.2.3.4", "fe80::1%a,b",
		",,,", "[", "1.2.3.4:99999", "10.0.0.1\n10.0.0.2"} {
		f.Add(header)
	}
	proxies, err := server.ParseProxies("10.0.0.0/8, fd00::/8")
	need.NoError(f, err)
	trusted := netip.MustParsePrefix("10.0.0.0/8")
	f.Fuzz(func(t *testing.T, header string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header["X-Forwarded-For"] = strings.Split(header, "\n")
		r.RemoteAddr = "203.0.113.9:1"
		if got := proxies.Client(r); got != netip.MustParseAddr("203.0.113.9") {
			t.Fatalf("an untrusted peer is %s", got)
		}
		r.RemoteAddr = "10.0.0.1:1"
		alone := proxies.Client(r)
		if !alone.IsValid() || alone.Zone() != "" || alone.Is4In6() {
			t.Fatalf("%q: %s", header, alone)
		}
		r.Header.Add("X-Forwarded-For", "198.51.100.1") // as the proxy does
		if got := proxies.Client(r); got != netip.MustParseAddr("198.51.100.1") {
			t.Fatalf("%q: %s", header, got)
		}
		r.Header["X-Forwarded-For"] = append(strings.Split(header, "\n"), "10.0.0.2") // another proxy changes nothing in it
		if got := proxies.Client(r); trusted.Contains(alone) != trusted.Contains(got) || !trusted.Contains(alone) && got != alone {
			t.Fatalf("%q: %s, before %s", header, got, alone)
		}
	})
}
