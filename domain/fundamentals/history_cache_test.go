package fundamentals_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
)

// cacheFixture is a store of statements that records what it is asked for. It can
// be made to wait in the middle of an answer, and to fail.
type cacheFixture struct {
	shelf atomic.Pointer[statementStore]
	asked []string
	head  int64
	fail  error
	pause func() // in the middle of the next answer
}

// Statements implements fundamentals.StatementStore.
func (s *cacheFixture) Statements(ctx context.Context, keys []fundamentals.HistoryKey) (map[fundamentals.HistoryKey][]*fundamentals.Filed,
	int64, error) {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Company.Symbol() + " " + k.Currency
	}
	slices.Sort(names)
	s.asked = append(s.asked, strings.Join(names, ", "))
	found, head := *s.shelf.Load(), s.head
	if pause := s.pause; pause != nil {
		s.pause = nil
		pause()
	}
	if s.fail != nil {
		return nil, 0, s.fail
	}
	filings, _, err := found.Statements(ctx, keys)
	return filings, head, err
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

// always says that the feed is followed.
func always() bool { return true }

// follow returns a cache over a store whose feed is followed.
func follow(s fundamentals.StatementStore) *fundamentals.HistoryCache {
	b := fundamentals.NewHistoryCache(s, 1<<20, always)
	b.Forget(0)
	return b
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

// Histories are read together, kept, and read again once they have changed.
func TestHistoriesAreCached(t *testing.T) {
	s := new(cacheFixture)
	s.holds(filed("bist:A 2025 12", "rev 1"), filed("bist:B 2025 12", "rev 1"))
	b := follow(s)
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
	b.Changed(0, []fundamentals.HistoryKey{key("A", "TRY"), key("C", "TRY")})
	of(t, b, key("A", "TRY"), key("B", "TRY"), key("A", "USD"))
	expect("one has changed", "A TRY")
	b.Forget(0)
	of(t, b, key("A", "TRY"), key("B", "TRY"))
	expect("all may have", "A TRY, B TRY")
	of(t, b)
	expect("none")
}

// Nothing is kept without memory for it, before the feed is followed, or while it is not.
func TestHistoriesThatAreNotCached(t *testing.T) {
	never := func() bool { return false }
	for name, b := range map[string]func(s *cacheFixture) *fundamentals.HistoryCache{
		"no memory": func(s *cacheFixture) *fundamentals.HistoryCache {
			b := fundamentals.NewHistoryCache(s, 0, always)
			b.Changed(0, []fundamentals.HistoryKey{key("A", "TRY")})
			return b
		},
		"not yet followed": func(s *cacheFixture) *fundamentals.HistoryCache {
			return fundamentals.NewHistoryCache(s, 1<<20, always)
		},
		"not followed": func(s *cacheFixture) *fundamentals.HistoryCache {
			b := fundamentals.NewHistoryCache(s, 1<<20, never)
			b.Forget(0)
			return b
		},
	} {
		s := new(cacheFixture)
		s.holds()
		cache := b(s)
		of(t, cache, key("A", "TRY"))
		of(t, cache, key("A", "TRY"))
		if got := s.since(); len(got) != 2 {
			t.Errorf("%s: asked for %q", name, got)
		}
	}
}

// What could not be read is not kept.
func TestHistoriesThatCannotBeRead(t *testing.T) {
	for _, most := range []int{0, 1 << 20} {
		s := &cacheFixture{fail: errors.New("no")}
		s.holds()
		b := fundamentals.NewHistoryCache(s, most, always)
		b.Forget(0)
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
	a.Histories = follow(s)
	s.pause = func() { // the answer is on its way
		s.holds(filed("bist:DMOST 2025 12", "rev 2"))
		a.Histories.Changed(0, []fundamentals.HistoryKey{key("DMOST", "TRY")})
	}
	a.series(t, "bist:DMOST", asked(fundamentals.Annual))
	if got := periods(a.series(t, "bist:DMOST", asked(fundamentals.Annual))); !slices.Equal(got, []string{"FY 2025: rev=2 | - |  | -"}) {
		t.Errorf("%q", got)
	}
}

// What a database answers that has less than was applied already is not kept.
func TestHistoryOfAnotherHostThatIsBehind(t *testing.T) {
	s := &cacheFixture{head: 6}
	s.holds(filed("bist:A 2025 12", "rev 1"))
	b := follow(s)
	b.Changed(7, []fundamentals.HistoryKey{key("A", "TRY")})
	behind := of(t, b, key("A", "TRY"))
	s.holds(filed("bist:A 2025 12", "rev 2"))
	s.head = 7
	caughtUp := of(t, b, key("A", "TRY"))
	if behind[0] == caughtUp[0] {
		t.Error("the older history is kept")
	}
	if again := of(t, b, key("A", "TRY")); again[0] != caughtUp[0] {
		t.Error("the newer one is not")
	}
}

// One who goes away takes nobody along.
func TestHistoriesAfterAnEndedRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(cacheFixture)
		s.holds()
		b := follow(s)
		ctx, end := context.WithCancel(t.Context())
		goOn := make(chan struct{})
		s.pause = func() { <-goOn }
		first, second := make(chan error, 1), make(chan error, 1)
		ask := func(ctx context.Context, answer chan<- error) {
			_, err := b.Of(ctx, []fundamentals.HistoryKey{key("A", "TRY")})
			answer <- err
		}
		go ask(ctx, first)
		synctest.Wait() // its read is under way
		go ask(t.Context(), second)
		synctest.Wait() // both wait for it
		end()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("the first: %v", err)
		}
		close(goOn)
		if err := <-second; err != nil {
			t.Errorf("the second: %v", err)
		}
		if got := s.since(); len(got) != 1 {
			t.Errorf("asked for %q", got)
		}
	})
}
