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

// Timeout is how long a read may take, with the wait for a connection. What
// follows the log may take slowFactor times as long, and a transaction that
// writes writeFactor times.
func Timeout(d time.Duration) Option { return func(s *settings) { s.timeout = d } }

// Connections is how many connections to Postgres answer requests. What
// follows the log and what writes have a few of their own.
func Connections(n int) Option { return func(s *settings) { s.connections = n } }

const (
	slowFactor  = 4
	writeFactor = 12
)

// limits are the bounds of what is asked of a database.
type limits struct {
	timeout, slowTimeout, writeTimeout time.Duration
	places                             map[string]chan struct{} // of reads of a feed's rows at once
}

// newLimits returns limits under which reads of the rows of one feed have share
// connections at most: one table that somebody locked does not take them all.
func newLimits(timeout time.Duration, share int) limits {
	l := limits{timeout, slowFactor * timeout, writeFactor * timeout, map[string]chan struct{}{}}
	for _, feed := range Feeds {
		l.places[feed] = make(chan struct{}, share)
	}
	return l
}

// within bounds what ctx allows by limit. done is to be deferred with the error
// of what ran: it lets go of the bound, and tells whether the caller went away
// or the database did.
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

// reading begins a read for a request, of rows of a feed. done is to be
// deferred with its error, which it makes the problem store-unavailable unless
// the caller has gone.
func (s *Store) reading(ctx context.Context, feed string) (bounded context.Context, done func(*error)) {
	bounded, end := within(ctx, s.timeout)
	place, entered := s.places[feed], false
	select {
	case place <- struct{}{}:
		entered = true
	case <-bounded.Done(): // which the read will notice
	}
	return bounded, func(err *error) {
		if entered {
			<-place
		}
		end(err)
		unavailable(err)
	}
}

// following is reading for what is read on behalf of all, through connections
// of its own.
func (s *Store) following(ctx context.Context) (bounded context.Context, done func(*error)) {
	return s.followingFor(ctx, s.timeout)
}

// followingMuch is following for reads of all rows that are new, or all that
// there are.
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

// unavailable makes the failure of a read the problem that clients are told.
func unavailable(err *error) {
	if *err != nil && !errors.Is(*err, context.Canceled) {
		*err = problem.StoreFailed(*err)
	}
}

// writing begins a transaction; done is to be deferred with its error.
func (s *Store) writing(ctx context.Context) (bounded context.Context, done func(*error)) {
	return within(ctx, s.writeTimeout)
}
