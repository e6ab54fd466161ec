package db

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The first and the longest pause of Listen before it tries again.
const minListenRetry, maxListenRetry = time.Second, 8 * time.Second

// Listen turns notifications of the primary into wake-ups until ctx ends, and compares the
// primary's last numbers with those that are read (see lag). It reconnects by itself; polling
// finds what happened in the meantime. On SQLite it watches the file.
func (s *Store) Listen(ctx context.Context) {
	if !s.isPostgres() {
		s.watch(ctx, s.file.path)
		return
	}
	if s.primary.pooling == PoolTransactions {
		slog.Info("a pooler of transactions passes on no notifications; new rows are found by polling", "every", s.PollInterval().String())
	}
	wait := minListenRetry
	for failing := false; ctx.Err() == nil; {
		err := s.listen(ctx, func() {
			if failing {
				slog.Info("the primary can be reached again")
			}
			failing, wait = false, minListenRetry
		})
		if ctx.Err() != nil {
			return
		}
		if !failing {
			failing = true
			slog.Warn("the primary cannot be reached; new rows are found by polling", "every", s.PollInterval().String(), "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
			wait = min(2*wait, maxListenRetry)
		}
	}
}

// errNoPrimary ends a connection to a host that no longer accepts writes.
var errNoPrimary = errors.New("the host does not accept writes any more")

// listen does the work of Listen on one connection, and calls connected once it works.
func (s *Store) listen(ctx context.Context, connected func()) error {
	config := s.primary.Copy()
	if err := s.primary.order(ctx, config); err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if s.primary.pooling != PoolTransactions {
		if err := s.subscribe(ctx, conn); err != nil {
			return err
		}
	}
	s.poke() // for numbers from before the connection listened
	for {
		if err := s.probe(ctx, conn); err != nil {
			return err
		}
		connected()
		for next := time.Now().Add(probeInterval); time.Now().Before(next); {
			bounded, cancel := context.WithDeadline(ctx, next)
			_, err := conn.WaitForNotification(bounded)
			cancel()
			switch {
			case err == nil:
				s.poke()
			case ctx.Err() != nil || conn.IsClosed() || !pgconn.Timeout(err):
				return err
			}
		}
	}
}

func (s *Store) subscribe(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	_, err := conn.Exec(ctx, "LISTEN "+channel)
	return err
}

// probe reads the last numbers of the primary.
func (s *Store) probe(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	at := time.Now()
	results, err := conn.PgConn().Exec(ctx, "SELECT "+identity+", current_setting('transaction_read_only'), feed, seq FROM heads").ReadAll()
	if err != nil {
		return err
	}
	numbers := map[string]int64{}
	var server string
	for _, row := range results[0].Rows {
		server = string(row[0])
		if string(row[1]) == "on" {
			return errNoPrimary
		}
		if numbers[string(row[2])], err = strconv.ParseInt(string(row[3]), 10, 64); err != nil {
			return err
		}
	}
	s.lag.probe(at, server, numbers)
	return nil
}
