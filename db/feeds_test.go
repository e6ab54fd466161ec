package db_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

const writers = 4

// writing runs four writers, on two Stores of one database in turn, and tells
// when all have ended. Writers that wait for each other fail.
func writing(t *testing.T, url string, write func(ctx context.Context, s *db.Store, writer int) error) <-chan error {
	t.Helper()
	stores := [...]*db.Store{open(t, url), open(t, url)}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	ended := make(chan error, 1)
	go func() {
		defer cancel()
		var all sync.WaitGroup
		errs := make([]error, writers)
		for w := range writers {
			all.Go(func() { errs[w] = write(ctx, stores[w%len(stores)], w) })
		}
		all.Wait()
		ended <- errors.Join(errs...)
	}()
	return ended
}

// while calls look again and again until the writers have ended, and then once
// more.
func while(t *testing.T, writing <-chan error, look func()) {
	t.Helper()
	for {
		select {
		case err := <-writing:
			need.NoError(t, err)
			look()
			return
		default:
			look()
		}
	}
}

// Four writers of two processes: the numbers of the rows have no gap, and at
// every moment the visible ones are all up to the highest.
func TestNumbersHaveNoGaps(t *testing.T) {
	const batches, rows = 12, 3
	dbtest.Each(t, func(t *testing.T, url string) {
		s, raw := open(t, url), dbtest.Raw(t, url)
		ended := writing(t, url, func(ctx context.Context, s *db.Store, writer int) error {
			for i := range batches {
				b := new(db.Batch)
				for row := range rows {
					db.Put(b, price(market.ID(fmt.Sprintf("bist:W%d.%d.%d", writer, i, row)), t1, "1"), new(db.Outcome))
				}
				if err := s.Store(ctx, b); err != nil {
					return err
				}
			}
			return nil
		})
		var count, distinct, highest int64
		while(t, ended, func() {
			if err := raw.QueryRow("SELECT count(*), count(DISTINCT seq), coalesce(max(seq), 0) FROM quotes").Scan(&count, &distinct,
				&highest); err != nil {
				t.Fatal(err)
			}
			if count != highest || distinct != highest {
				t.Fatalf("%d rows are visible, with %d numbers up to %d", count, distinct, highest)
			}
		})
		if head := heads(t, s)[db.FeedQuotes]; count != writers*batches*rows || head != count {
			t.Errorf("%d rows and the head %d, want %d", count, head, writers*batches*rows)
		}
	})
}

// A follower of the numbers sees, while four write, every instrument's last
// price, and never an older one after a newer.
func TestFollowersMissNothing(t *testing.T) {
	const rounds, instruments = 12, 5
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		ended := writing(t, url, func(ctx context.Context, s *db.Store, writer int) error {
			for i := range rounds {
				b := new(db.Batch)
				for k := range instruments {
					o := price(market.ID(fmt.Sprintf("bist:S%d", (k+writer)%instruments)), t1, fmt.Sprintf("%d.%d", writer, i))
					o.AsOf = value.At(o.AsOf.Time().AddDate(0, 0, i))
					db.Put(b, o, new(db.Outcome))
				}
				if err := s.Store(ctx, b); err != nil {
					return err
				}
			}
			return nil
		})
		seen, stored, last := map[market.ID]*market.Observation{}, map[market.ID]*market.Observation{}, int64(0)
		while(t, ended, func() {
			head := heads(t, s)[db.FeedQuotes]
			for _, o := range quotesAfter(t, s, last) {
				if old := seen[o.InstrumentID]; old != nil && o.AsOf.Before(old.AsOf) {
					t.Errorf("%s after %s", encoded(o), encoded(old))
				}
				seen[o.InstrumentID] = o
			}
			last = head
		})
		for _, o := range quotesAfter(t, s, 0) {
			stored[o.InstrumentID] = o
		}
		same(t, "followed", seen, stored)
		if len(stored) != instruments {
			t.Errorf("%d quotes, want %d", len(stored), instruments)
		}
	})
}

// Batches that touch the feeds in different orders do not lock each other out.
func TestWritersOfSeveralFeeds(t *testing.T) {
	const rounds = 10
	dbtest.Each(t, func(t *testing.T, url string) {
		ended := writing(t, url, func(ctx context.Context, s *db.Store, writer int) error {
			for i := range rounds {
				symbol, out := fmt.Sprintf("S%d", i), new(db.Outcome) // the same rows in every writer
				putQuote := func(b *db.Batch) {
					db.Put(b, price(market.ID("bist:"+symbol), t1, fmt.Sprintf("%d", writer)), out)
				}
				putStock := func(b *db.Batch) { db.Put(b, stock(symbol), out) }
				putDay := func(b *db.Batch) {
					db.Put(b, &market.TradingDay{Market: market.BIST, Date: value.MustDate("2026-01-01").AddDays(i)}, out)
				}
				b := new(db.Batch)
				for _, put := range [writers][]func(*db.Batch){{putQuote, putStock}, {putStock, putQuote, putDay}, {putDay, putQuote},
					{putQuote}}[writer] {
					put(b)
				}
				if err := s.Store(ctx, b); err != nil {
					return err
				}
				if writer == 3 {
					if err := s.CreateKey(ctx, &access.Key{ID: symbol, Hash: symbol, Scopes: []access.Scope{}}); err != nil {
						return err
					}
				}
			}
			return nil
		})
		need.NoError(t, <-ended)
		same(t, "head of the keys", heads(t, open(t, url))[db.FeedKeys], rounds)
	})
}
