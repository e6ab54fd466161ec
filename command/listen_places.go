package command

import (
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"unicode"
)

// listening is the places where a server listens, as text from flags and environment.
type listening struct {
	Listen     string `help:"Where to listen: HOST:PORT (port 0 picks one), unix:PATH, or systemd for a socket named public." env:"PIYASA_LISTEN" default:"127.0.0.1:8080" placeholder:"PLACE"`
	ListenMode string `help:"Permissions of a Unix socket." env:"PIYASA_LISTEN_MODE" default:"0660" placeholder:"OCTAL"`
	Metrics    string `name:"metrics-listen" help:"Where a private listener for metrics, health and profiles listens; systemd is a socket named private. Default: none." env:"PIYASA_METRICS_LISTEN" placeholder:"PLACE"`
	privateNames
}

// privateNames are the names of a private listener, as text from flags and environment.
type privateNames struct {
	MetricsHosts string `help:"Other names of the private listener, separated by commas." env:"PIYASA_METRICS_HOSTS" placeholder:"NAME"`
}

// check returns the names, with that of the listener's address.
func (n privateNames) check(address string) ([]string, error) {
	names := words(strings.ToLower(n.MetricsHosts))
	for _, name := range names {
		if strings.ContainsFunc(name, func(r rune) bool {
			return r != '-' && r != '.' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			return nil, fmt.Errorf("must be names such as metrics.example.com without a port, separated by commas; got %q", name)
		}
	}
	if host, _, err := net.SplitHostPort(address); err == nil {
		names = append(names, strings.ToLower(host))
	}
	return names, nil
}

// place is where a listener listens: an address, the path of a Unix socket, or the name of a
// socket passed by systemd.
type place struct {
	network, name string // network is tcp, unix or systemd; without a name: nowhere
	mode          fs.FileMode
}

const (
	overTCP  = "tcp"
	overUnix = "unix"
	passed   = "systemd"
)

// The default names of sockets that systemd passes.
const (
	publicSocket  = "public"
	privateSocket = "private"
)

// check reads both places, which must differ.
func (l listening) check(mistake func(name string, err error)) (public, private place) {
	mode, err := strconv.ParseUint(l.ListenMode, 8, 32)
	if err != nil || mode > 0o777 {
		mistake("PIYASA_LISTEN_MODE", fmt.Errorf("must be permissions in octal such as 0660; got %q", l.ListenMode))
	}
	public, err = parsePlace(l.Listen, publicSocket, fs.FileMode(mode))
	mistake("PIYASA_LISTEN", err)
	if l.Metrics != "" {
		private, err = parsePlace(l.Metrics, privateSocket, fs.FileMode(mode))
		mistake("PIYASA_METRICS_LISTEN", err)
	}
	if public != (place{}) && public.name == private.name && public.network == private.network &&
		(public.network != overTCP || !strings.HasSuffix(public.name, ":0")) {
		mistake("PIYASA_METRICS_LISTEN",
			fmt.Errorf("must be another place than PIYASA_LISTEN, or anybody could read it; got %q twice", l.Metrics))
	}
	return public, private
}

func parsePlace(text, socket string, mode fs.FileMode) (place, error) {
	if path, is := strings.CutPrefix(text, "unix:"); is {
		if path == "" || len(path) > maxSocketPath {
			return place{}, fmt.Errorf("must be unix: and a path of at most %d bytes; got %q", maxSocketPath, text)
		}
		return place{overUnix, path, mode}, nil
	}
	if name, named := strings.CutPrefix(text, passed+":"); named || text == passed {
		if named && name == "" {
			return place{}, fmt.Errorf("must name the socket that systemd passes, such as systemd:%s; got %q", socket, text)
		}
		if named {
			socket = name
		}
		return place{passed, socket, mode}, nil
	}
	if _, _, err := net.SplitHostPort(text); err != nil {
		return place{}, fmt.Errorf("must be HOST:PORT such as 127.0.0.1:8080, unix:PATH, or systemd; got %q%s", text, portMeant(text))
	}
	return place{overTCP, text, mode}, nil
}

// portMeant suggests the addresses that a port alone can mean; empty for other text.
func portMeant(text string) string {
	if _, err := strconv.ParseUint(text, 10, 16); err != nil {
		return ""
	}
	return fmt.Sprintf("; did you mean 127.0.0.1:%s, for this machine, or 0.0.0.0:%[1]s, for all?", text)
}

// listeners are the listeners of a server; private may be nil.
type listeners struct{ public, private net.Listener }

// open listens at both places. It rejects a socket from systemd that is not used, because its
// clients would wait for ever.
func (s settings) open() (out listeners, err error) {
	defer func() {
		if err != nil {
			out.close()
		}
	}()
	sockets, err := socketsPassed()
	if err != nil {
		return out, err
	}
	defer func() {
		for _, rest := range sockets {
			_ = rest.Close()
		}
	}()
	if out.public, err = s.public.listen(sockets, "--listen", "PIYASA_LISTEN"); err != nil {
		return out, err
	}
	if s.private.name != "" {
		if out.private, err = s.private.listen(sockets, "--metrics-listen", "PIYASA_METRICS_LISTEN"); err != nil {
			return out, err
		}
	}
	if len(sockets) > 0 {
		return out, fmt.Errorf("systemd passes sockets that nothing here listens on: %s; PIYASA_LISTEN=systemd takes the one named %s, "+
			"PIYASA_METRICS_LISTEN=systemd the one named %s (FileDescriptorName=)", sockets, publicSocket, privateSocket)
	}
	return out, nil
}

func (l listeners) close() {
	for _, each := range []net.Listener{l.public, l.private} {
		if each != nil {
			_ = each.Close()
		}
	}
}

// listen listens at a place that flag and variable set. It removes the socket that it uses from
// sockets.
func (p place) listen(sockets passedSockets, flag, variable string) (net.Listener, error) {
	var l net.Listener
	var err error
	switch p.network {
	case overUnix:
		l, err = listenUnix(p.name, p.mode)
	case passed:
		l, err = sockets.take(p.name)
	default:
		if l, err = net.Listen(p.network, p.name); err != nil {
			return nil, address{p.name, flag, variable}.failed(err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return l, nil
}

// addressOf returns the address of the public listener, and the start of the addresses that it
// serves.
func (s settings) addressOf(l net.Listener) (address, base string) {
	scheme, port := "http", 80
	if s.tls != nil {
		scheme, port = "https", 443
	}
	tcp, is := l.Addr().(*net.TCPAddr)
	if !is {
		return "unix:" + l.Addr().String(), scheme + "://localhost" // PIYASA_BASE_URL can give a better one
	}
	address = scheme + "://" + reachable(tcp)
	if s.tls == nil || s.tls.acme == nil {
		return address, address
	}
	base = scheme + "://" + s.tls.acme.names[0]
	if tcp.Port != port {
		base = fmt.Sprintf("%s:%d", base, tcp.Port)
	}
	return address, base
}

// reachable returns an address that a client on this machine can use.
func reachable(a *net.TCPAddr) string {
	if a.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", a.Port)
	}
	return a.String()
}

// passedSockets are the sockets that systemd passes, by name.
type passedSockets map[string]net.Listener

// String lists the names.
func (s passedSockets) String() string {
	names := make([]string, 0, len(s))
	for name := range s {
		names = append(names, strconv.Quote(name))
	}
	return strings.Join(names, ", ")
}

func (s passedSockets) take(name string) (net.Listener, error) {
	l := s[name]
	if l == nil && len(s) == 0 {
		return nil, fmt.Errorf("systemd passes no socket, and so none named %q: is the server started by a socket unit?", name)
	}
	if l == nil {
		return nil, fmt.Errorf("systemd passes no socket named %q (FileDescriptorName=); it passes %s", name, s)
	}
	delete(s, name)
	return l, nil
}
