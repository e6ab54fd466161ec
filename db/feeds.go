package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// The feeds: each is one sequence of numbers. Servers follow most of them.
const (
	FeedBars        = "bars"        // changes of bars and index bars
	FeedCalendar    = "calendar"    // events of the economic calendar and their occurrences
	FeedCatalog     = "catalog"     // instruments, sectors, indices, trading days, corporate actions
	FeedCompanies   = "companies"   // companies that file disclosures
	FeedDisclosures = "disclosures" // disclosures in the order of storing
	FeedDividends   = "dividends"   // dividends
	FeedFilings     = "filings"     // statements of disclosures
	FeedFunds       = "funds"       // funds, their flows and holdings
	FeedIPOs        = "ipos"        // IPOs
	FeedInflation   = "inflation"   // price indices and the links between their bases
	FeedKeys        = "keys"        // API keys
	FeedLogos       = "logos"       // logos
	FeedMetrics     = "metrics"     // market metrics
	FeedNews        = "news"        // the news product
	FeedQuotes      = "quotes"      // newest observations
	FeedSources     = "sources"     // whether sources are up
	FeedStatements  = "statements"  // financial statements
)

// Feeds lists all feeds.
var Feeds = []string{
	FeedBars, FeedCalendar, FeedCatalog, FeedCompanies, FeedDisclosures, FeedDividends, FeedFilings, FeedFunds, FeedIPOs,
	FeedInflation, FeedKeys,
	FeedLogos, FeedMetrics, FeedNews, FeedQuotes, FeedSources, FeedStatements,
}

// channel is notified on Postgres when a feed has new numbers. A notification only wakes
// followers; the numbers are authoritative.
const channel = "piyasa"

// numbered is a transaction that has locked some feeds and gives rows their numbers. Until it
// commits, no other transaction can number rows of these feeds, so numbers have no gaps and
// become visible in order.
type numbered struct {
	bun.Tx
	next  map[string]int64
	at    value.Instant                // of the commit; set where dated feeds are numbered
	leads map[market.ID]*market.Rename // as leadsOn returns them; nil: not read yet
}

// number returns the next number of feed.
func (n *numbered) number(feed string) int64 {
	n.next[feed]++
	return n.next[feed]
}

// inFeeds runs work in one transaction that locks feeds, in name order so that two writers
// cannot block each other, and wakes the followers if rows were numbered.
func (s *Store) inFeeds(ctx context.Context, feeds []string, work func(context.Context, *numbered) error) (err error) {
	ctx, done := s.writing(ctx)
	defer done(&err)
	if err := s.harden(ctx); err != nil {
		return err
	}
	slices.Sort(feeds)
	for range epochTries {
		if err = s.numberIn(ctx, feeds, work); !errors.Is(err, errWentBack) {
			return err
		}
		if err := s.ensureEpoch(ctx); err != nil {
			return fmt.Errorf("begin a new epoch: %w", err)
		}
	}
	return err
}

// epochTries is how often a transaction begins a new epoch before it gives up.
const epochTries = 3

// errWentBack reports a transaction before which a new epoch must begin.
var errWentBack = errors.New("the store may have gone back")

func (s *Store) numberIn(ctx context.Context, feeds []string, work func(context.Context, *numbered) error) error {
	moved := false
	err := s.write.RunInTx(ctx, &sql.TxOptions{}, func(ctx context.Context, tx bun.Tx) error {
		n := &numbered{Tx: tx, next: map[string]int64{}}
		before := map[string]int64{}
		for _, feed := range feeds {
			seq, err := lockHead(ctx, tx, feed)
			if err != nil {
				return err
			}
			n.next[feed], before[feed] = seq, seq
		}
		current, err := s.currentEpoch(ctx, tx)
		if err != nil {
			return err
		}
		if err := work(ctx, n); err != nil {
			return err
		}
		var moves []string
		var args []any
		for _, feed := range feeds {
			if n.next[feed] == before[feed] {
				continue
			}
			moves, args = append(moves, "UPDATE heads SET seq = ? WHERE feed = ?"), append(args, n.next[feed], feed)
			if datedFeeds[feed] {
				dated, of := dateCommit(feed, n.at, before[feed]+1, n.next[feed])
				moves, args = append(moves, dated), append(args, of...)
			}
		}
		if moved = moves != nil; !moved {
			return nil
		}
		if s.isPostgres() {
			moves, args = append(moves, "SELECT pg_notify(?, '')"), append(args, channel)
		}
		if _, err := tx.NewRaw(strings.Join(moves, "; "), args...).Exec(ctx); err != nil { // one round trip
			return err
		}
		if !s.isPostgres() {
			return s.testify(ctx, tx, current)
		}
		return nil
	})
	switch {
	case err != nil:
		s.doubted.Store(true) // perhaps only the answer was lost
		s.retract(moved)
		return err
	case moved:
		s.poke()
	}
	return s.confirm(ctx)
}

// confirm makes one more commit if the wait of an earlier commit for the synchronous standbys
// was cut short: once the standbys have this one, they have both. Postgres only warns about a
// cancelled wait; the commit counts.
func (s *Store) confirm(ctx context.Context) error {
	if !s.isPostgres() || !s.doubted.Swap(false) {
		return nil
	}
	_, err := s.write.ExecContext(ctx, "UPDATE heads SET seq = seq WHERE feed = ?", FeedKeys)
	if err == nil && s.doubted.Load() {
		err = errUnconfirmed
	}
	if err != nil {
		s.doubted.Store(true)
		return fmt.Errorf("the synchronous standbys have not confirmed what was stored: %w", err)
	}
	return nil
}

// errUnconfirmed reports that the wait for the synchronous standbys was cancelled.
var errUnconfirmed = errors.New("the wait for them was cancelled")

// lockHead locks a feed until the transaction ends and returns its last number.
func lockHead(ctx context.Context, tx bun.Tx, feed string) (seq int64, err error) {
	err = tx.NewRaw("UPDATE heads SET seq = seq WHERE feed = ? RETURNING seq", feed).Scan(ctx, &seq)
	return seq, err
}

// currentEpoch returns the epoch of the numbers that a transaction with locked feeds gives;
// errWentBack: a new one must begin first.
func (s *Store) currentEpoch(ctx context.Context, tx bun.Tx) (string, error) {
	var n newestEpoch
	if err := tx.NewRaw(s.selectNewest()).Scan(ctx, &n); err != nil {
		return "", err
	}
	if n.moved() {
		return "", errWentBack
	}
	if err := s.epochs.check(*n.ID, *n.Place); err != nil {
		return "", err
	}
	if s.file != nil {
		var all int64
		if err := tx.NewRaw("SELECT SUM(seq) FROM heads").Scan(ctx, &all); err != nil {
			return "", err
		}
		if s.file.witness.contradicts(*n.ID, all) != "" {
			return "", errWentBack
		}
	}
	return *n.ID, nil
}

// WritersQueue reports whether writers take turns in the order in which they ask. On SQLite, a
// writer that asks again at once can keep others waiting.
func (s *Store) WritersQueue() bool { return s.isPostgres() }

func (s *Store) poke() {
	select {
	case s.wake <- struct{}{}:
	default: // a wake-up is pending
	}
}

// Wake returns the channel that receives when a feed may have new numbers: after a commit of
// this Store and, while Listen runs, after one of any process on the same database.
func (s *Store) Wake() <-chan struct{} { return s.wake }

// PollInterval returns how often a follower should look without a wake-up, since Listen may
// miss some.
func (s *Store) PollInterval() time.Duration {
	if s.isPostgres() {
		return 500 * time.Millisecond
	}
	return 100 * time.Millisecond
}
