package command

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// errTerminated is the cause of a context that SIGTERM ended. An operator who stops a server
// that way may have other servers for its clients; with Ctrl-C a person is waiting.
var errTerminated = errors.New("terminated")

// untilSignal returns a context that ends with the first SIGINT or SIGTERM.
func untilSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			if s == syscall.SIGTERM {
				cancel(errTerminated)
			}
			cancel(nil)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// lameDuck waits until load balancers that follow /readyz have seen that the server is leaving:
// for as long as wait says, or until another signal arrives or the server fails.
func lameDuck(wait time.Duration, failed <-chan error) error {
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(again)
	select {
	case <-time.After(wait):
		return nil
	case <-again:
		return nil
	case err := <-failed:
		return err
	}
}
