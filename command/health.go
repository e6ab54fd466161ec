package command

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// healthCommand asks a server on this machine for its health, for containers and scripts.
type healthCommand struct {
	Listen  string        `help:"Where the server listens." env:"PIYASA_LISTEN" default:"127.0.0.1:8080" placeholder:"PLACE"`
	Metrics string        `name:"metrics-listen" help:"Where its private listener listens, which is asked instead if there is one." env:"PIYASA_METRICS_LISTEN" placeholder:"PLACE"`
	TLS     bool          `name:"tls" help:"Speak TLS to the public listener; default: as PIYASA_TLS_CERT and PIYASA_ACME_DOMAINS say."`
	Cert    string        `name:"tls-cert" hidden:"" env:"PIYASA_TLS_CERT"`
	ACME    string        `name:"acme-domains" hidden:"" env:"PIYASA_ACME_DOMAINS"`
	Ready   bool          `help:"Ask whether it is ready (/readyz) instead of whether it is alive (/healthz)."`
	Timeout time.Duration `help:"How long to wait for the answer." default:"3s" placeholder:"DURATION"`
}

// Run prints the server's answer. Its status is 0 only if the server is healthy.
func (c *healthCommand) Run(ctx context.Context, s streams) error {
	text, scheme := c.Listen, "http"
	switch {
	case c.Metrics != "":
		text = c.Metrics
	case c.TLS || c.Cert != "" || c.ACME != "":
		scheme = "https"
	}
	at, err := parsePlace(text, publicSocket, 0)
	if err != nil {
		return usageError{err}
	}
	if at.network == passed {
		return usageError{errors.New("where the server listens is only known to systemd: name it with --listen")}
	}
	path := "/healthz"
	if c.Ready {
		path = "/readyz"
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://localhost"+path, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, at.network, at.dialled())
		},
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // this machine itself is asked, under another name
	}}
	defer client.CloseIdleConnections()
	res, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("nothing answers at %s: %w", text, err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, strings.TrimSpace(string(answer)))
	if res.StatusCode != http.StatusOK {
		return exit(exitFailed)
	}
	return nil
}

// dialled returns the address for a client on this machine.
func (p place) dialled() string {
	host, port, err := net.SplitHostPort(p.name)
	if p.network != overTCP || err != nil {
		return p.name
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return p.name
}
