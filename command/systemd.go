package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

// socketsPassed returns the sockets that systemd passes to this process.
func socketsPassed() (passedSockets, error) {
	out := passedSockets{}
	for _, file := range activation.Files(true) {
		l, err := net.FileListener(file)
		_ = file.Close()
		if err == nil && out[file.Name()] != nil {
			_ = l.Close()
			err = errors.New("another one has the same name")
		}
		if err != nil {
			for _, other := range out {
				_ = other.Close()
			}
			return nil, fmt.Errorf("the socket %q that systemd passes: %w", file.Name(), err)
		}
		if unix, is := l.(*net.UnixListener); is {
			unix.SetUnlinkOnClose(false) // it belongs to systemd
		}
		out[file.Name()] = l
	}
	return out, nil
}

// tell reports the state of the server to systemd, if systemd has started it.
func tell(states ...string) {
	if _, err := daemon.SdNotify(false, strings.Join(states, "\n")); err != nil {
		slog.Warn("systemd cannot be told how the server is", "state", states[0], "error", err)
	}
}

// watchdogProbe is the request whose answer shows that the server is alive.
const watchdogProbe = "/healthz"

// watchdog reports to systemd that the server is alive, as long as it answers in time, until
// ctx ends. If WatchdogSec is set, systemd restarts a server that hangs.
func watchdog(ctx context.Context, server http.Handler) {
	within, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		slog.Warn("the watchdog of systemd cannot be served", "error", err)
	}
	if err != nil || within == 0 {
		<-ctx.Done()
		return
	}
	tick := time.NewTicker(within / 3)
	defer tick.Stop()
	for {
		if answersItself(ctx, server, within/3) {
			tell(daemon.SdNotifyWatchdog)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// answersItself reports whether a server answers within a timeout.
func answersItself(ctx context.Context, server http.Handler, within time.Duration) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, watchdogProbe, nil)
	if err != nil {
		panic(err) // it is constant
	}
	answered := make(chan int, 1)
	go func() {
		w := &statusOnly{http.Header{}, http.StatusOK}
		server.ServeHTTP(w, request)
		answered <- w.status
	}()
	select {
	case status := <-answered:
		return status == http.StatusOK
	case <-time.After(within):
		slog.Warn("the server does not answer itself; systemd is not told that it is alive", "within", within.String())
		return false
	case <-ctx.Done():
		return true
	}
}

// statusOnly is an http.ResponseWriter that keeps only the status.
type statusOnly struct {
	header http.Header
	status int
}

// Header implements http.ResponseWriter.
func (w *statusOnly) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *statusOnly) WriteHeader(status int) { w.status = status }

// Write implements http.ResponseWriter.
func (w *statusOnly) Write(p []byte) (int, error) { return len(p), nil }
