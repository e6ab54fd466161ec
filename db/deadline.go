package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"piyasa/problem"
)

// Option changes how a database is used.
type Option func(*settings)

type settings struct {
	timeout     time.Duration
	connections int
}

// The defaults of Timeout and Connections.
const (
	DefaultTimeout     = 5 * time.Second
	DefaultConnections = 16
)

// Timeout sets how long a read may take, with the wait for a connection. Reads of
// followers may take slowFactor times as long, and transactions that write
// writeFactor times.
func Timeout(d time.Duration) Option { return func(s *settings) { s.timeout = d } }

// Connections sets how many connections to Postgres answer requests. Followers and
// writers have a few separate ones.
func Connections(n int) Option { return func(s *settings) { s.connections = n } }

const (
	slowFactor  = 4
	writeFactor = 12
)

// limits holds the deadlines of statements, and how many reads of one feed run at once.
type limits struct {
	timeout, slowTimeout, writeTimeout time.Duration
	places                             map[string]chan struct{} // of reads of a feed's rows at once
}

// newLimits returns limits under which reads of one feed's rows use share
// connections at most, so that one locked table does not block all requests.
func newLimits(timeout time.Duration, share int) limits {
	l := limits{timeout, slowFactor * timeout, writeFactor * timeout, map[string]chan struct{}{}}
	for _, feed := range Feeds {
		l.places[feed] = make(chan struct{}, share)
	}
	return l
}

// within limits ctx. Defer done with the error of what ran: it releases the limit and
// tells a caller that went away (context.Canceled) from a database that did not
// answer.
func within(ctx context.Context, limit time.Duration) (bounded context.Context, done func(*error)) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	return bounded, func(err *error) {
		switch {
		case *err == nil:
		case errors.Is(ctx.Err(), context.Canceled):
			*err = context.Canceled
		case bounded.Err() != nil:
			*err = fmt.Errorf("the database did not answer within %s: %w", limit, *err)
		}
		cancel()
	}
}

// reading begins a read of a feed's rows for a request. Defer done with its error,
// which it turns into the problem store-unavailable unless the caller has gone.
func (s *Store) reading(ctx context.Context, feed string) (bounded context.Context, done func(*error)) {
	bounded, end := within(ctx, s.timeout)
	place, entered := s.places[feed], false
	select {
	case place <- struct{}{}:
		entered = true
	case <-bounded.Done(): // the read will fail
	}
	return bounded, func(err *error) {
		if entered {
			<-place
		}
		end(err)
		unavailable(err)
	}
}

// following is like reading, for what servers read for themselves, through separate
// connections.
func (s *Store) following(ctx context.Context) (bounded context.Context, done func(*error)) {
	return s.followingFor(ctx, s.timeout)
}

// followingMuch is like following, with more time, for reads of many rows.
func (s *Store) followingMuch(ctx context.Context) (bounded context.Context, done func(*error)) {
	return s.followingFor(ctx, s.slowTimeout)
}

func (s *Store) followingFor(ctx context.Context, limit time.Duration) (context.Context, func(*error)) {
	bounded, end := within(ctx, limit)
	return bounded, func(err *error) {
		end(err)
		unavailable(err)
	}
}

// unavailable turns the failure of a read into the problem for clients.
func unavailable(err *error) {
	if *err != nil && !errors.Is(*err, context.Canceled) {
		*err = problem.StoreFailed(*err)
	}
}

// writing begins a transaction; defer done with its error.
func (s *Store) writing(ctx context.Context) (bounded context.Context, done func(*error)) {
	return within(ctx, s.writeTimeout)
}
