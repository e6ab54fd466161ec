package command

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// group runs the parts of a process, each in its own goroutine. Parts start in order and stop
// in the opposite order, one after the other, so that a part may use every part started before
// it for as long as it runs.
type group struct {
	ctx    context.Context
	parts  []*part
	failed chan struct{} // closed when a part has failed
	fail   func()
}

type part struct {
	name string
	stop context.CancelFunc
	done chan struct{} // closed when err is set
	err  error
}

// newGroup returns a group whose wait ends when ctx ends.
func newGroup(ctx context.Context) *group {
	g := &group{ctx: ctx, failed: make(chan struct{})}
	g.fail = sync.OnceFunc(func() { close(g.failed) })
	return g
}

// start runs work until its context ends. An error stops the whole group; a
// part that returns nil early has done its work.
func (g *group) start(name string, work func(context.Context) error) {
	ctx, stop := context.WithCancel(context.WithoutCancel(g.ctx))
	p := &part{name: name, stop: stop, done: make(chan struct{})}
	g.parts = append(g.parts, p)
	go func() {
		defer close(p.done)
		if err := work(ctx); err != nil && !(ctx.Err() != nil && errors.Is(err, context.Canceled)) {
			p.err = fmt.Errorf("%s: %w", p.name, err)
			g.fail()
		}
	}()
}

// wait blocks until the group's context ends or a part fails. It then stops
// every part and returns all of their errors.
func (g *group) wait() error {
	select {
	case <-g.ctx.Done():
	case <-g.failed:
	}
	return g.stop()
}

// stop stops the parts, the last one started first, waits for each, and
// returns all of their errors. Calling it again does nothing.
func (g *group) stop() error {
	var errs []error
	for i := len(g.parts) - 1; i >= 0; i-- {
		p := g.parts[i]
		p.stop()
		<-p.done
		errs = append(errs, p.err)
	}
	g.parts = nil
	return errors.Join(errs...)
}
