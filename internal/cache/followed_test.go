package cache_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"piyasa/internal/cache"
	"piyasa/test/fixture/need"
)

// source is a store of versions by key, whose reads can be held up in the middle.
type source struct {
	mu       sync.Mutex
	versions map[string]int
	head     int64
	reads    []string
	err      error
	behind   int64  // by how much reads are behind
	held     func() // called after a read has seen its state
}

func (s *source) change(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.head++
	s.versions[key]++
}

// Read is Options.Read.
func (s *source) Read(_ context.Context, keys []string) ([]int, int64, error) {
	s.mu.Lock()
	values := make([]int, len(keys))
	for i, k := range keys {
		values[i] = s.versions[k]
	}
	head, held, err := s.head-s.behind, s.held, s.err
	s.reads = append(s.reads, strings.Join(keys, " "))
	s.mu.Unlock()
	if held != nil {
		held()
	}
	return values, head, err
}

func newSource() *source { return &source{versions: map[string]int{}} }

func follow(s *source, current func() bool) *cache.Followed[string, int] {
	return cache.New(cache.Options[string, int]{Read: s.Read, Bytes: func(string, int) int { return 1 }, MaxBytes: 1000, Current: current})
}

func always() bool { return true }

func of(t testing.TB, f *cache.Followed[string, int], keys ...string) string {
	t.Helper()
	values, err := f.Of(t.Context(), keys)
	need.NoError(t, err)
	return fmt.Sprint(values)
}

func (s *source) want(t testing.TB, reads ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if got, want := fmt.Sprintf("%q", s.reads), fmt.Sprintf("%q", reads); got != want {
		t.Errorf("read %s, want %s", got, want)
	}
	s.reads = nil
}

func equal(t testing.TB, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Before the first Apply, and while the feed is not followed, everything is read.
func TestUnfollowed(t *testing.T) {
	s, followed := newSource(), true
	f := follow(s, func() bool { return followed })
	of(t, f, "a", "b")
	of(t, f, "a")
	s.want(t, "a b", "a")
	f.Apply(0, nil, nil)
	of(t, f, "a", "b")
	of(t, f, "b", "a")
	s.want(t, "a b")
	followed = false
	of(t, f, "a")
	s.want(t, "a")
}

// What has changed is read again, or brought up to date; the rest stays.
func TestChanges(t *testing.T) {
	s := newSource()
	f := follow(s, always)
	f.Apply(0, nil, nil)
	equal(t, of(t, f, "a", "b", "a"), "[0 0 0]")
	s.change("a")
	equal(t, of(t, f, "a", "b"), "[0 0]")
	f.Apply(1, []string{"a", "never asked for"}, nil)
	equal(t, of(t, f, "a", "b"), "[1 0]")
	s.want(t, "a b", "a")
	s.change("b")
	f.Apply(2, []string{"b", "never asked for"}, func(_ string, old int) int { return old + 1 })
	equal(t, of(t, f, "a", "b"), "[1 1]")
	s.want(t)
	s.change("b")
	f.Forget(3)
	equal(t, of(t, f, "a", "b"), "[1 2]")
	s.want(t, "a b")
}

// A value that is not as new as what was applied is not kept.
func TestReadBehind(t *testing.T) {
	s := newSource()
	f := follow(s, always)
	s.change("a")
	f.Apply(1, []string{"a"}, nil)
	s.behind = 1
	of(t, f, "a")
	s.behind = 0
	of(t, f, "a")
	of(t, f, "a")
	s.want(t, "a", "a")
}

// A change, and a new beginning, while a value is read: who asks afterwards reads again.
func TestChangeMeanwhile(t *testing.T) {
	for name, happens := range map[string]func(f *cache.Followed[string, int]){
		"a change": func(f *cache.Followed[string, int]) { f.Apply(1, []string{"a"}, nil) },
		"an update": func(f *cache.Followed[string, int]) {
			f.Apply(1, []string{"a"}, func(_ string, v int) int { return v + 1 })
		},
		"a new beginning": func(f *cache.Followed[string, int]) { f.Forget(1) },
		"something else":  func(f *cache.Followed[string, int]) { f.Drop([]string{"a"}) },
		"anything":        func(f *cache.Followed[string, int]) { f.DropAll() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSource()
				f := follow(s, always)
				f.Apply(0, nil, nil)
				hold := make(chan struct{})
				s.held = func() { <-hold }
				first := make(chan string, 1)
				go func() { first <- of(t, f, "a", "b") }()
				synctest.Wait()
				s.change("a")
				happens(f)
				second := make(chan string, 1)
				go func() { second <- of(t, f, "a") }()
				synctest.Wait()
				close(hold)
				equal(t, <-first, "[0 0]")
				equal(t, <-second, "[1]")
				equal(t, of(t, f, "a"), "[1]")
			})
		})
	}
}

// Who asks for what is being read waits for that, as long as they want to; one who leaves
// takes nobody along.
func TestOneRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSource()
		f := follow(s, always)
		f.Apply(0, nil, nil)
		hold := make(chan struct{})
		s.held = func() { <-hold }
		leaving, leave := context.WithCancel(t.Context())
		left, stayed := make(chan error, 1), make(chan string, 3)
		go func() {
			_, err := f.Of(leaving, []string{"a"})
			left <- err
		}()
		synctest.Wait()
		for range 3 {
			go func() { stayed <- of(t, f, "b", "a") }()
		}
		synctest.Wait()
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		close(hold)
		for range 3 {
			equal(t, <-stayed, "[0 0]")
		}
		s.want(t, "a", "b")
	})
}

// What could not be read is not kept, and a panic is an error.
func TestReadFails(t *testing.T) {
	s := newSource()
	f := follow(s, always)
	f.Apply(0, nil, nil)
	s.err = errors.New("no")
	if _, err := f.Of(t.Context(), []string{"a"}); !errors.Is(err, s.err) {
		t.Error(err)
	}
	s.err, s.held = nil, func() { panic("oh") }
	if _, err := f.Of(t.Context(), []string{"a"}); err == nil || !strings.Contains(err.Error(), "oh") {
		t.Error(err)
	}
	s.held = nil
	equal(t, of(t, f, "a"), "[0]")
	s.want(t, "a", "a", "a")
}

// The values together stay within the bound.
func TestBound(t *testing.T) {
	s := newSource()
	f := cache.New(cache.Options[string, int]{Read: s.Read, Bytes: func(string, int) int { return 10 }, MaxBytes: 100, Current: always})
	f.Apply(0, nil, nil)
	for i := range 1000 {
		of(t, f, fmt.Sprint(i))
	}
	count := func() (kept int) {
		for i := range 1000 {
			if _, ok := f.Kept(fmt.Sprint(i)); ok {
				kept++
			}
		}
		return kept
	}
	for range 1000 {
		if count() <= 10 {
			return
		}
		of(t, f, "again")
	}
	t.Errorf("%d values of 10 bytes are kept in 100", count())
}

// However reads, changes and their application interleave: who asks gets every change
// that was applied before, and never something that was not stored.
func TestInterleavings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSource()
		f := follow(s, always)
		f.Apply(0, nil, nil)
		var readers sync.WaitGroup
		var mu sync.Mutex
		applied := map[string]int{}
		keys := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 30).Draw(t, "changes")
		over := make(chan struct{})
		for range 2 {
			readers.Go(func() {
				for {
					select {
					case <-over:
						return
					default:
					}
					mu.Lock()
					before := maps.Clone(applied)
					mu.Unlock()
					values, err := f.Of(context.Background(), []string{"a", "b", "c"})
					if err != nil {
						t.Error(err)
						return
					}
					s.mu.Lock()
					for i, k := range []string{"a", "b", "c"} {
						if values[i] < before[k] || values[i] > s.versions[k] {
							t.Errorf("%s is %d; %d was applied, %d is stored", k, values[i], before[k], s.versions[k])
						}
					}
					s.mu.Unlock()
				}
			})
		}
		for i, k := range keys {
			s.change(k)
			if i%7 == 6 {
				f.Forget(int64(i + 1))
			} else {
				f.Apply(int64(i+1), []string{k}, nil)
			}
			mu.Lock()
			applied[k]++
			mu.Unlock()
		}
		close(over)
		readers.Wait()
	})
}
