package command

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// tryAddresses reports whether a server could listen at addresses, before it begins anything
// slow. Each has the flag and the variable that set it. An empty address is skipped.
func tryAddresses(addresses ...address) error {
	for _, a := range addresses {
		if a.text == "" {
			continue
		}
		if _, _, err := net.SplitHostPort(a.text); err != nil {
			return usageError{fmt.Errorf("%s: must be HOST:PORT such as 127.0.0.1:9091; got %q%s", a.variable, a.text, portMeant(a.text))}
		}
		listener, err := net.Listen("tcp", a.text)
		if err != nil {
			return a.failed(err)
		}
		if err := listener.Close(); err != nil {
			return err
		}
	}
	return nil
}

// address is an address to listen at, as text, with the flag and variable that set it.
type address struct{ text, flag, variable string }

// failed explains why a server cannot listen at an address, with the remedy.
func (a address) failed(err error) error {
	way := fmt.Sprintf("choose another with %s or %s", a.flag, a.variable)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		_, port, _ := net.SplitHostPort(a.text)
		return fmt.Errorf("%s: address already in use: %s (port 0 picks a free one), or end what listens there: `ss -ltnp "+
			"sport = :%s` shows it", a.text, way, port)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("listen: %w: %s above 1023, or allow it: `setcap cap_net_bind_service=+ep` on the program, "+
			"AmbientCapabilities=CAP_NET_BIND_SERVICE in a unit of systemd", err, way)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("listen: %w: this machine does not have that address; %s", err, way)
	}
	return fmt.Errorf("listen: %w; %s", err, way)
}

// addresses returns the addresses that a server listens at, without sockets: systemd holds
// those that it passes, and a lock protects Unix sockets.
func (s settings) addresses() (out []address) {
	for _, a := range []struct {
		at  place
		how address
	}{{s.public, address{"", "--listen", "PIYASA_LISTEN"}}, {s.private, address{"", "--metrics-listen", "PIYASA_METRICS_LISTEN"}}} {
		if a.at.network == overTCP {
			a.how.text = a.at.name
			out = append(out, a.how)
		}
	}
	return out
}
