package admission

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/test/fixture/need"
)

// as returns a context with a call of a key.
func as(ctx context.Context, key string) context.Context {
	ctx, _ = access.WithCall(ctx, &access.Key{ID: key})
	return ctx
}

// narrow are turns of one request at a time in each lane, and three that wait.
func narrow() *Turns {
	one := func() lane { return lane{most: 1, waiting: 3, patience: time.Second} }
	return &Turns{light: one(), heavy: one()}
}

func isOverloaded(err error) bool {
	return err != nil && problem.From(err).Kind == problem.Overloaded && problem.From(err).RetryAfter > 0
}

// However much one key asks for, another one waits for one of its requests at most.
func TestKeysTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := narrow()
		turns.heavy.waiting, turns.heavy.patience = 100, time.Hour
		var mu sync.Mutex
		var order []string
		ask := func(key string, cost int) {
			done, err := turns.Enter(as(t.Context(), key), cost)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			order = append(order, key)
			mu.Unlock()
			time.Sleep(time.Second)
			done()
		}
		for range 6 {
			go ask("greedy", 40_000)
			synctest.Wait()
		}
		for range 4 {
			go ask("modest", 20_000)
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := []string{"greedy", "modest", "modest", "greedy", "modest", "modest", "greedy", "greedy", "greedy",
			"greedy"}; !slices.Equal(order, want) {
			t.Errorf("in the order %v", order)
		}
	})
}

// A request that is refused, gives way or gives up leaves its key where it was: the next one
// goes before those of a key that has asked for as little and came later.
func TestRefusalsCostNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := narrow()
		leave, err := turns.Enter(as(t.Context(), "other"), heavyCost)
		need.NoError(t, err)
		for range 3 { // a full queue, which gives up after a second
			go func() { _, _ = turns.Enter(as(t.Context(), "obedient"), heavyCost) }()
		}
		synctest.Wait()
		for range 30 {
			if _, err := turns.Enter(as(t.Context(), "obedient"), heavyCost); !isOverloaded(err) {
				t.Fatal(err)
			}
		}
		for range 2 { // for which two of them give way
			go func() { _, _ = turns.Enter(as(t.Context(), "late"), heavyCost) }()
			synctest.Wait()
		}
		time.Sleep(2 * time.Second)
		turns.heavy.waiting, turns.heavy.patience = 100, time.Hour
		var order []string
		var mu sync.Mutex
		for _, key := range append([]string{"obedient"}, slices.Repeat([]string{"modest"}, 20)...) {
			go func() {
				done, err := turns.Enter(as(t.Context(), key), heavyCost)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, key)
				mu.Unlock()
				done()
			}()
			synctest.Wait()
		}
		leave()
		synctest.Wait()
		if len(order) != 21 || order[0] != "obedient" {
			t.Errorf("in the order %v", order)
		}
	})
}

func TestLightRequestsPassHeavyOnes(t *testing.T) {
	turns := narrow()
	if _, err := turns.Enter(as(t.Context(), "a"), heavyCost); err != nil {
		t.Fatal(err)
	}
	done, err := turns.Enter(as(t.Context(), "a"), heavyCost-1)
	need.NoError(t, err)
	done()
	if light, heavy := turns.Load(); light.Running != 0 || heavy.Running != 1 {
		t.Errorf("%+v, %+v", light, heavy)
	}
}

// A full queue refuses at once; but a key with less on its account takes the place of the
// last one of another.
func TestFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := narrow()
		turns.heavy.patience = time.Hour
		first, err := turns.Enter(as(t.Context(), "greedy"), 50_000)
		need.NoError(t, err)
		outcomes := make(chan string, 10)
		ask := func(key string) {
			done, err := turns.Enter(as(t.Context(), key), 50_000)
			if err != nil {
				outcomes <- fmt.Sprint(key, " refused ", isOverloaded(err))
				return
			}
			outcomes <- key + " ran"
			done()
		}
		for range 3 {
			go ask("greedy")
			synctest.Wait()
		}
		ask("greedy") // finds no place
		go ask("modest")
		synctest.Wait() // takes that of the third
		if _, heavy := turns.Load(); heavy != (Load{Running: 1, Waiting: 3, Refused: 2}) {
			t.Errorf("%+v", heavy)
		}
		first()
		synctest.Wait()
		var got []string
		for range 5 {
			got = append(got, <-outcomes)
		}
		if want := []string{"greedy refused true", "greedy refused true", "modest ran", "greedy ran",
			"greedy ran"}; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		if _, heavy := turns.Load(); heavy.Running != 0 || heavy.Waiting != 0 {
			t.Errorf("%+v", heavy)
		}
	})
}

// Who has waited for too long, or whose client has gone, leaves the queue.
func TestQueueIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := narrow()
		done, err := turns.Enter(as(t.Context(), "a"), 2000)
		need.NoError(t, err)
		began := time.Now()
		if _, err := turns.Enter(as(t.Context(), "b"), 2000); !isOverloaded(err) || time.Since(began) != time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := turns.Enter(as(ctx, "b"), 2000); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		if _, err := turns.Enter(as(ctx, "b"), 2000); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("one whose client has gone before: %v", err)
		}
		free, err := turns.Enter(as(t.Context(), "b"), access.AskingCost-1)
		if err != nil {
			t.Errorf("what memory answers: %v", err)
		}
		free()
		if light, _ := turns.Load(); light != (Load{Running: 1, Refused: 1}) {
			t.Errorf("%+v", light)
		}
		done()
		if done, err = turns.Enter(as(t.Context(), "b"), 2000); err != nil {
			t.Fatal(err)
		}
		done()
	})
}

// Where memory is short, what takes much of it is refused.
func TestTurnsOfFullMemory(t *testing.T) {
	turns := narrow()
	turns.limit = func() float64 { return 0.95 }
	if _, err := turns.Enter(as(t.Context(), "a"), heavyCost); !isOverloaded(err) {
		t.Errorf("%v", err)
	}
	if _, err := turns.Enter(as(t.Context(), "a"), 1); err != nil {
		t.Errorf("a light one: %v", err)
	}
}

// Many at once: never more than may run, and all of them come to an end.
func TestTurnsAtOnce(t *testing.T) {
	turns := NewTurns()
	turns.heavy.patience, turns.heavy.stay = time.Minute, 0 // a slow machine is no store that hangs
	var running, most, ran, refused int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 400 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(as(t.Context(), fmt.Sprint(i%7)))
			defer cancel()
			if i%10 == 0 {
				go cancel()
			}
			done, err := turns.Enter(ctx, 20_000+i)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				refused++
				return
			}
			running, ran = running+1, ran+1
			most = max(most, running)
			mu.Unlock()
			runtime.Gosched()
			mu.Lock()
			running--
			done()
		})
	}
	wg.Wait()
	_, heavy := turns.Load()
	if most > turns.heavy.most || ran == 0 || ran+refused != 400 || heavy.Running != 0 || heavy.Waiting != 0 {
		t.Errorf("at most %d ran at once, %d ran, %d did not; %+v", most, ran, refused, heavy)
	}
}

// A turn that stays for long gives its place to the next one, up to a bound; one that ends in
// that moment does so once.
func TestTurnsThatStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := narrow()
		turns.heavy.stay, turns.heavy.patience = 100*time.Millisecond, time.Minute
		began := time.Now()
		var ends []func()
		for i := range mostStayed {
			done, err := turns.Enter(as(t.Context(), "k"), heavyCost)
			if at := time.Duration(i) * 100 * time.Millisecond; err != nil || time.Since(began) != at {
				t.Fatalf("turn %d: %v after %s", i, err, time.Since(began))
			}
			ends = append(ends, done)
		}
		ctx, cancel := context.WithTimeout(as(t.Context(), "k"), time.Second)
		defer cancel()
		if _, err := turns.Enter(ctx, heavyCost); err == nil {
			t.Error("more than the bound run")
		}
		if _, heavy := turns.Load(); heavy.Running != mostStayed || heavy.Waiting != 0 {
			t.Errorf("%+v", heavy)
		}
		for _, end := range ends {
			end()
		}
		if _, heavy := turns.Load(); heavy.Running != 0 || turns.heavy.running != 0 || turns.heavy.stayed != 0 {
			t.Errorf("%+v is left", heavy)
		}
	})
}

// Whatever turns end when, also just as their time is over, none is counted twice or
// forgotten.
func TestTurnsAreCounted(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 0))
		synctest.Test(t, func(t *testing.T) {
			turns := &Turns{heavy: lane{most: 2, waiting: 100, patience: time.Minute, stay: 30 * time.Millisecond}}
			var all sync.WaitGroup
			for range 60 {
				stays := time.Duration(random.IntN(7)) * 10 * time.Millisecond // 30 ms among them
				all.Go(func() {
					done, err := turns.Enter(as(t.Context(), "k"), heavyCost)
					if err != nil {
						t.Error(err)
						return
					}
					if _, heavy := turns.Load(); heavy.Running > 2*mostStayed {
						t.Errorf("%d run", heavy.Running)
					}
					time.Sleep(stays)
					done()
				})
			}
			all.Wait()
			if l := &turns.heavy; l.running != 0 || l.stayed != 0 || len(l.queue) != 0 {
				t.Errorf("seed %d: %d run, %d stayed, %d wait", seed, l.running, l.stayed, len(l.queue))
			}
		})
	}
}
