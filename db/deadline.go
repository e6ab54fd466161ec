package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"piyasa/internal/problem"
)

const (
	slowFactor  = 4
	writeFactor = 12
)

// limits holds the deadlines of statements, and the limit of concurrent reads of one feed.
type limits struct {
	timeout, slowTimeout, writeTimeout time.Duration
	places                             map[string]chan struct{} // for concurrent reads of a feed's rows
}

// newLimits returns limits by which reads of one feed's rows use at most share connections, so
// that one locked table does not block all requests.
func newLimits(timeout time.Duration, share int) limits {
	l := limits{timeout, slowFactor * timeout, writeFactor * timeout, map[string]chan struct{}{}}
	for _, feed := range Feeds {
		l.places[feed] = make(chan struct{}, share)
	}
	return l
}

// within limits ctx. Defer done with the error of the operation: it releases the limit, and
// tells a caller that went away (context.Canceled) from a database that did not answer.
func within(ctx context.Context, limit time.Duration) (bounded context.Context, done func(*error)) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	return bounded, func(err *error) {
		switch {
		case *err == nil:
		case errors.Is(ctx.Err(), context.Canceled):
			*err = context.Canceled
		case bounded.Err() != nil:
			*err = &late{limit, *err}
		}
		cancel()
	}
}

// late is the error of an operation that took longer than its limit.
type late struct {
	limit time.Duration
	err   error // with which it ended
}

// Error implements error.
func (l *late) Error() string {
	return fmt.Sprintf("the database did not answer within %s: %v", l.limit, l.err)
}

// Unwrap lets errors.Is find both.
func (l *late) Unwrap() []error { return []error{context.DeadlineExceeded, l.err} }

// reading begins a read of a feed's rows for a request. Defer done with its error, which it
// turns into the problem store-unavailable unless the caller has gone.
func (s *Store) reading(ctx context.Context, feed string) (bounded context.Context, done func(*error)) {
	bounded, end := s.staying(ctx, s.timeout)
	place, entered := s.places[feed], false
	select {
	case place <- struct{}{}:
		entered = true
	case <-bounded.Done(): // the read will fail
	}
	return &feedContext{bounded, feed}, func(err *error) {
		if entered {
			<-place
		}
		end(err)
		unavailable(err)
	}
}

// following is like reading, for reads of servers themselves on separate connections.
func (s *Store) following(ctx context.Context) (bounded context.Context, done func(*error)) {
	return s.followingFor(ctx, s.timeout)
}

// followingMuch is like following, with more time, for reads of many rows.
func (s *Store) followingMuch(ctx context.Context) (bounded context.Context, done func(*error)) {
	return s.followingFor(ctx, s.slowTimeout)
}

func (s *Store) followingFor(ctx context.Context, limit time.Duration) (context.Context, func(*error)) {
	bounded, end := s.staying(ctx, limit)
	return bounded, func(err *error) {
		end(err)
		unavailable(err)
	}
}

// staying is like within, for reads. A read fails if the host changed during it.
func (s *Store) staying(ctx context.Context, limit time.Duration) (bounded context.Context, done func(*error)) {
	moves := s.hosts.state()
	bounded, end := within(ctx, limit)
	return bounded, func(err *error) {
		if *err == nil {
			*err = s.hosts.stayed(moves)
		}
		end(err)
	}
}

// unavailable turns the failure of a read into the problem for clients.
func unavailable(err *error) {
	if _, said := errors.AsType[*problem.Error](*err); *err != nil && !said && !errors.Is(*err, context.Canceled) {
		*err = problem.StoreFailed(*err)
	}
}

// writing begins a transaction; defer done with its error. It stops writing to a host that
// turns out to be read-only.
func (s *Store) writing(ctx context.Context) (bounded context.Context, done func(*error)) {
	bounded, end := within(ctx, s.writeTimeout)
	return bounded, func(err *error) {
		end(err)
		*err = s.file.explained(*err)
		if refusal, ok := errors.AsType[*pgconn.PgError](*err); ok && refusal.Code == codeReadOnly {
			s.hosts.suspectAll()
		}
	}
}
