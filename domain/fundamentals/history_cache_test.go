package fundamentals_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
)

// cacheFixture is a store of statements that records what it is asked for. It can
// be made to wait in the middle of an answer, and to fail.
type cacheFixture struct {
	shelf atomic.Pointer[statementStore]
	asked []string
	fail  error
	pause func() error // in the middle of the next answer
}

// Statements implements fundamentals.StatementStore.
func (s *cacheFixture) Statements(ctx context.Context, keys []fundamentals.HistoryKey) (map[fundamentals.HistoryKey][]*fundamentals.Filed, error) {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Company.Symbol() + " " + k.Currency
	}
	slices.Sort(names)
	s.asked = append(s.asked, strings.Join(names, ", "))
	found := *s.shelf.Load()
	if pause := s.pause; pause != nil {
		s.pause = nil
		if err := pause(); err != nil {
			return nil, err
		}
	}
	if s.fail != nil {
		return nil, s.fail
	}
	return found.Statements(ctx, keys)
}

// holds puts statements into the store.
func (s *cacheFixture) holds(statements ...*fundamentals.Statement) {
	s.shelf.Store(new(shelve(statements...)))
}

// since is what the store was asked for since the last time.
func (s *cacheFixture) since() []string {
	asked := s.asked
	s.asked = nil
	return asked
}

func key(symbol, currency string) fundamentals.HistoryKey {
	return fundamentals.HistoryKey{Company: market.ID("bist:" + symbol), Currency: currency}
}

// of returns the histories of keys, which the test knows to be readable.
func of(t *testing.T, b *fundamentals.HistoryCache, keys ...fundamentals.HistoryKey) []*fundamentals.FilingHistory {
	t.Helper()
	histories, err := b.Of(t.Context(), keys)
	if err != nil || len(histories) != len(keys) || slices.Contains(histories, nil) {
		t.Fatalf("%v, %v", histories, err)
	}
	return histories
}

// Histories are read together, kept for their time, and invalidated one by one.
func TestHistoriesAreCached(t *testing.T) {
	s := new(cacheFixture)
	s.holds(filed("bist:A 2025 12", "rev 1"), filed("bist:B 2025 12", "rev 1"))
	b := fundamentals.NewHistoryCache(s, time.Hour)
	expect := func(what string, want ...string) {
		t.Helper()
		if got := s.since(); !slices.Equal(got, want) {
			t.Errorf("%s: asked for %q, want %q", what, got, want)
		}
	}
	first := of(t, b, key("A", "TRY"), key("B", "TRY"), key("A", "TRY"), key("NONE", "USD"))
	expect("the first time", "A TRY, B TRY, NONE USD")
	if first[0] != first[2] || first[0] == first[1] {
		t.Error("the histories are not those asked for")
	}
	if again := of(t, b, key("B", "TRY"), key("A", "TRY"), key("NONE", "USD")); again[0] != first[1] || again[1] != first[0] {
		t.Error("other histories")
	}
	expect("again")
	of(t, b, key("A", "USD"), key("A", "TRY"))
	expect("another currency", "A USD")
	b.Invalidate([]fundamentals.HistoryKey{key("A", "TRY"), key("C", "TRY")})
	of(t, b, key("A", "TRY"), key("B", "TRY"), key("A", "USD"))
	expect("one is forgotten", "A TRY")
	of(t, b)
	expect("none")
}

// When their time is over, histories are read again.
func TestHistoriesExpire(t *testing.T) {
	s := new(cacheFixture)
	s.holds()
	b := fundamentals.NewHistoryCache(s, 50*time.Millisecond)
	asked := 0
	for end := time.Now().Add(patience); asked < 2; asked += len(s.since()) {
		of(t, b, key("A", "TRY"))
		if time.Now().After(end) {
			t.Fatalf("asked the store %d times", asked)
		}
	}
}

// patience is how long a test waits for what must come.
const patience = 10 * time.Second

// Without a time nothing is kept.
func TestCachingIsDisabled(t *testing.T) {
	s := new(cacheFixture)
	s.holds()
	b := fundamentals.NewHistoryCache(s, 0)
	b.Invalidate([]fundamentals.HistoryKey{key("A", "TRY")})
	of(t, b, key("A", "TRY"))
	of(t, b, key("A", "TRY"))
	if got := s.since(); len(got) != 2 {
		t.Errorf("asked for %q", got)
	}
}

// What could not be read is not kept.
func TestHistoriesThatCannotBeRead(t *testing.T) {
	for _, keep := range []time.Duration{0, time.Hour} {
		s := &cacheFixture{fail: errors.New("no")}
		s.holds()
		b := fundamentals.NewHistoryCache(s, keep)
		if _, err := b.Of(t.Context(), []fundamentals.HistoryKey{key("A", "TRY")}); !errors.Is(err, s.fail) {
			t.Errorf("%v", err)
		}
		s.fail = nil
		of(t, b, key("A", "TRY"))
	}
}

// A history that changes while it is being read is read again.
func TestHistoryThatChangesMeanwhile(t *testing.T) {
	a := newFixture(t)
	s := new(cacheFixture)
	s.holds(filed("bist:DMOST 2025 12", "rev 1"))
	a.Histories = fundamentals.NewHistoryCache(s, time.Hour)
	s.pause = func() error { // the answer is on its way
		s.holds(filed("bist:DMOST 2025 12", "rev 2"))
		a.Histories.Invalidate([]fundamentals.HistoryKey{key("DMOST", "TRY")})
		return nil
	}
	a.series(t, "bist:DMOST", asked(fundamentals.Annual))
	if got := periods(a.series(t, "bist:DMOST", asked(fundamentals.Annual))); !slices.Equal(got, []string{"FY 2025: rev=2 | - |  | -"}) {
		t.Errorf("%q", got)
	}
}

// One who goes away takes nobody along.
func TestHistoriesAfterAnEndedRequest(t *testing.T) {
	s := new(cacheFixture)
	s.holds()
	b := fundamentals.NewHistoryCache(s, time.Hour)
	ctx, end := context.WithCancel(t.Context())
	asked := make(chan struct{})
	s.pause = func() error { // the first question; its store gives up when it ends
		close(asked)
		<-ctx.Done()
		return ctx.Err()
	}
	first, second := make(chan error, 1), make(chan error, 1)
	ask := func(ctx context.Context, answer chan<- error) {
		_, err := b.Of(ctx, []fundamentals.HistoryKey{key("A", "TRY")})
		answer <- err
	}
	go ask(ctx, first)
	<-asked
	go ask(t.Context(), second)
	time.Sleep(20 * time.Millisecond) // most likely it waits for the first's answer now; if not, the test proves less
	end()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the first: %v", err)
	}
	if err := <-second; err != nil {
		t.Errorf("the second: %v", err)
	}
}
