package access_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/account/access"
)

// shared is what servers share, in memory.
type shared struct {
	mu       sync.Mutex
	servers  map[string]*seen
	buckets  map[access.Bucket]*held
	down     error         // what everything fails with
	readOnly bool          // whether only reading works
	slow     time.Duration // for one thing to be done
	asked    int           // how often tokens were leased
	told     int           // of how many servers
}

type seen struct {
	access.Server
	at time.Time
}

type held struct {
	tokens float64
	at     time.Time
}

func newShared() *shared {
	return &shared{servers: map[string]*seen{}, buckets: map[access.Bucket]*held{}, slow: 2 * time.Millisecond}
}

// fail lets everything fail from now on; nil: nothing.
func (s *shared) fail(err error) { s.set(func() { s.down = err }) }

// set changes how the store behaves.
func (s *shared) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

var errReadOnly = errors.New("read-only")

func (s *shared) do(ctx context.Context, writes bool, what func()) error {
	s.mu.Lock()
	slow := s.slow
	s.mu.Unlock()
	select {
	case <-time.After(slow):
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.down != nil:
		return s.down
	case writes && s.readOnly:
		return errReadOnly
	}
	what()
	return nil
}

func (s *shared) JoinServers(ctx context.Context, self access.Server) (others []access.Server, err error) {
	err = s.do(ctx, true, func() {
		if others = s.others(self.ID); len(others) == 0 {
			clear(s.buckets)
		}
		self.Shares = len(others) > 0
		s.servers[self.ID] = &seen{self, time.Now()}
	})
	return others, err
}

func (s *shared) OtherServers(ctx context.Context, id string) (others []access.Server, err error) {
	err = s.do(ctx, false, func() { others = s.others(id); s.told += len(others) })
	return others, err
}

func (s *shared) others(id string) (others []access.Server) {
	for _, g := range s.servers {
		if g.ID != id && time.Since(g.at) < access.ServerGone {
			others = append(others, g.Server)
		}
	}
	return others
}

func (s *shared) SeeServer(ctx context.Context, self access.Server) error {
	return s.do(ctx, true, func() { s.servers[self.ID] = &seen{self, time.Now()} })
}

func (s *shared) ShareBuckets(ctx context.Context, id string, asks []access.Ask) error {
	return s.do(ctx, true, func() {
		s.lease(asks)
		s.servers[id].Shares = true
	})
}

func (s *shared) PartFromBuckets(ctx context.Context, id string, asks []access.Ask) (grants []access.Grant, alone bool, err error) {
	err = s.do(ctx, true, func() {
		grants = s.lease(asks)
		if alone = len(s.others(id)) == 0; alone {
			clear(s.buckets)
			s.servers[id].Shares = false
		}
	})
	return grants, alone, err
}

func (s *shared) LeaseTokens(ctx context.Context, asks []access.Ask) (grants []access.Grant, err error) {
	err = s.do(ctx, true, func() {
		s.asked++
		grants = s.lease(asks)
	})
	return grants, err
}

func (s *shared) lease(asks []access.Ask) []access.Grant {
	grants := make([]access.Grant, len(asks))
	for i, a := range asks {
		b := s.buckets[a.Bucket]
		if b == nil {
			b = &held{a.Size, time.Now()}
			s.buckets[a.Bucket] = b
		}
		b.tokens = min(a.Size, min(a.Size, b.tokens+time.Since(b.at).Seconds()*a.PerSec)-a.Owed)
		b.at = time.Now()
		if b.tokens >= a.Need {
			grants[i].Tokens = max(0, min(a.Want, b.tokens))
			b.tokens -= grants[i].Tokens
		}
		grants[i].Left = b.tokens
	}
	return grants
}

func (s *shared) LeaveServers(ctx context.Context, id string) error {
	return s.do(ctx, true, func() { delete(s.servers, id) })
}

// company are servers on one store; each is there until its stop is called.
type company struct {
	*shared
	plan access.Plan
	key  *access.Key
}

func newCompany(plan access.Plan) company {
	return company{newShared(), plan, key("k", "x", "p")}
}

type server struct {
	*access.Gate
	stop func()
}

func (c company) start(t *testing.T, id string) server {
	gate := access.NewGate(access.Plans{"p": c.plan})
	sharing := access.NewSharing(gate, c.shared, id)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	sharing.Join(ctx)
	running.Go(func() { sharing.Run(ctx) })
	return server{gate, func() { cancel(); running.Wait() }}
}

// within calls do in time that passes at once, and stops the servers afterwards.
func within(t *testing.T, plan access.Plan, do func(t *testing.T, c company, start func(id string) server)) {
	synctest.Test(t, func(t *testing.T) {
		c := newCompany(plan)
		var all []server
		defer func() {
			c.fail(nil)
			for _, g := range all {
				g.stop()
			}
		}()
		do(t, c, func(id string) server {
			g := c.start(t, id)
			all = append(all, g)
			return g
		})
	})
}

// burn asks each server from several clients for as much as it gives, and returns how many
// requests passed.
func burn(key *access.Key, during time.Duration, gates ...server) (passed int) {
	var mu sync.Mutex
	var clients sync.WaitGroup
	end := time.Now().Add(during)
	for _, g := range gates {
		for range 4 {
			clients.Go(func() {
				for time.Now().Before(end) {
					if g.Take(context.Background(), key, time.Now()).Allowed {
						mu.Lock()
						passed++
						mu.Unlock()
					}
					time.Sleep(time.Millisecond)
				}
			})
		}
	}
	clients.Wait()
	return passed
}

// expect reports a number that is not within 5 %, or one.
func expect(t *testing.T, what string, got int, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > max(1, want/20) {
		t.Errorf("%s: %d, want %.0f", what, got, want)
	}
}

func TestServersShareBuckets(t *testing.T) {
	for _, plan := range []access.Plan{
		{Bucket: 30, RefillPerSec: 1}, {Bucket: 240, RefillPerSec: 8}, {Bucket: 2000, RefillPerSec: 0.1}, {Bucket: 40, RefillPerSec: 100},
		{Bucket: 1_000_000, RefillPerSec: 1_000_000, Work: 300 * 500, WorkPerSec: 300 * 10},
	} {
		size, refill := float64(plan.Bucket), plan.RefillPerSec
		if plan.Work > 0 {
			size, refill = float64(plan.Work)/access.BaseCost, plan.WorkPerSec/access.BaseCost
		}
		for servers := 1; servers <= 3; servers++ {
			t.Run(fmt.Sprintf("%.0f and %.1f/s on %d", size, refill, servers), func(t *testing.T) {
				within(t, plan, func(t *testing.T, c company, start func(string) server) {
					var gates []server
					for i := range servers {
						gates = append(gates, start(fmt.Sprint(i)))
					}
					expect(t, "at once and in 10 s", burn(c.key, 10*time.Second, gates...), size+10*refill)
					time.Sleep(5 * time.Second)
					expect(t, "after 5 s on one", burn(c.key, 5*time.Second, gates[0]), min(size, 5*refill)+5*refill)
					if servers == 1 && c.asked > 0 {
						t.Errorf("one alone asked %d times", c.asked)
					}
				})
			})
		}
	}
}

// A server that joins gets what the others have left; one that stays keeps the rest.
func TestServersComeAndGo(t *testing.T) {
	within(t, access.Plan{Bucket: 1000, RefillPerSec: 1}, func(t *testing.T, c company, start func(string) server) {
		first := start("first")
		for range 600 {
			first.Take(t.Context(), c.key, time.Now())
		}
		second := start("second")
		if n, cut := second.Shared(); n != 2 || cut {
			t.Fatal(n, cut)
		}
		for range 200 {
			if !second.Take(t.Context(), c.key, time.Now()).Allowed {
				t.Fatal("refused what is left")
			}
		}
		if a := second.Take(t.Context(), c.key, time.Now()); a.Remaining < 195 || a.Remaining > 205 || a.Limit != 1000 || a.Reset < 790 {
			t.Errorf("%+v", a)
		}
		second.stop()
		time.Sleep(time.Second)
		if n, _ := first.Shared(); n != 1 {
			t.Fatal(n)
		}
		asked := c.asked
		expect(t, "left", burn(c.key, time.Second, first), 200)
		if c.asked != asked {
			t.Error("it asks though it is alone again")
		}
	})
}

// What servers ask of each other grows with their number, not with its square; and all still
// learn who comes and goes.
func TestManyServersLookLessOften(t *testing.T) {
	within(t, access.Plan{Bucket: 1000, RefillPerSec: 1}, func(t *testing.T, c company, start func(string) server) {
		const many = 40
		var all []server
		for i := range many {
			all = append(all, start(fmt.Sprint(i)))
		}
		time.Sleep(5 * time.Second)
		c.set(func() { c.told = 0 })
		time.Sleep(30 * time.Second)
		c.mu.Lock()
		told := float64(c.told) / many / 30
		c.mu.Unlock()
		if told < 1 || told > 20 {
			t.Errorf("each of %d servers read %.0f others a second", many, told)
		}
		for _, g := range all[1:] {
			g.stop()
		}
		time.Sleep(5 * time.Second)
		if n, cut := all[0].Shared(); n != 1 || cut {
			t.Error(n, cut)
		}
	})
}

// Debts of what cannot be refused count for all servers, and what was not needed is given
// back to all.
func TestServersShareDebts(t *testing.T) {
	within(t, access.Plan{Bucket: 100, RefillPerSec: 1, Work: 10_000, WorkPerSec: 100},
		func(t *testing.T, c company, start func(string) server) {
			a, b := start("a"), start("b")
			now := time.Now
			if w := a.Spend(t.Context(), c.key, 6_000, now()); !w.Allowed {
				t.Fatalf("%+v", w)
			}
			if w := b.Spend(t.Context(), c.key, 6_000, now()); w.Allowed || w.RetryAfter < 20 || w.RetryAfter > 22 || w.Left > 4_000 {
				t.Fatalf("%+v", w)
			}
			a.Debit(c.key, -3_000, now())
			time.Sleep(2 * time.Second)
			if w := b.Spend(t.Context(), c.key, 7_000, now()); !w.Allowed {
				t.Fatalf("%+v", w)
			}
			a.Debit(c.key, 5_000, now()) // before it knows what b took
			time.Sleep(2 * time.Second)
			if w := a.Debit(c.key, 0, now()); w.Debt < 40*time.Second || w.Debt > 50*time.Second {
				t.Errorf("%+v", w)
			}
			if w := b.Spend(t.Context(), c.key, 1, now()); w.Allowed || w.Debt < 40*time.Second {
				t.Errorf("%+v", w)
			}
		})
}

// A server that loses the store goes on with its share, without waiting, and tells what it
// took when the store is back.
func TestServersWithoutTheStore(t *testing.T) {
	within(t, access.Plan{Bucket: 1000, RefillPerSec: 10}, func(t *testing.T, c company, start func(string) server) {
		a, b := start("a"), start("b")
		expect(t, "at first", burn(c.key, 2*time.Second, a, b), 1020)
		time.Sleep(50 * time.Second) // half of it comes back
		c.fail(errors.New("gone"))
		a.Take(t.Context(), c.key, time.Now())
		time.Sleep(time.Second)
		if n, cut := a.Shared(); n != 2 || !cut {
			t.Fatal(n, cut)
		}
		expect(t, "the share of a", burn(c.key, 4*time.Second, a), 255+5*4)
		expect(t, "the share of b", burn(c.key, 4*time.Second, b), 255+5*8)
		c.fail(nil)
		time.Sleep(time.Second)
		if n, cut := a.Shared(); n != 2 || cut {
			t.Fatal(n, cut)
		}
		expect(t, "afterwards", burn(c.key, 10*time.Second, a, b), 5*4+10+100)
	})
}

// After a time of shares, a bucket that nobody asks for is a whole one again.
func TestSharesEndForUnusedBuckets(t *testing.T) {
	within(t, access.Plan{Bucket: 1000, RefillPerSec: 0.001}, func(t *testing.T, c company, start func(string) server) {
		a, b := start("a"), start("b")
		time.Sleep(time.Second)
		c.fail(errors.New("gone"))
		time.Sleep(time.Second)
		for range 10 {
			a.Take(t.Context(), c.key, time.Now())
		}
		c.fail(nil)
		time.Sleep(3 * time.Second)
		if got := b.Take(t.Context(), c.key, time.Now()); got.Remaining < 985 || got.Remaining > 990 {
			t.Errorf("%+v", got)
		}
	})
}

func TestServerMeetsAStoreThatHangs(t *testing.T) {
	within(t, access.Plan{Bucket: 1000, RefillPerSec: 10}, func(t *testing.T, c company, start func(string) server) {
		a, _ := start("a"), start("b")
		time.Sleep(time.Second)
		c.set(func() { c.slow = time.Hour })
		began, passed := time.Now(), 0
		for range 600 {
			if a.Take(t.Context(), c.key, time.Now()).Allowed {
				passed++
			}
		}
		if waited := time.Since(began); waited > time.Second {
			t.Errorf("waited %s", waited)
		}
		expect(t, "passed", passed, 500)
		c.set(func() { c.slow = time.Millisecond })
	})
}

// A client that goes away does not wait for the store.
func TestTakeEndsWithItsClient(t *testing.T) {
	within(t, access.Plan{Bucket: 10, RefillPerSec: 10}, func(t *testing.T, c company, start func(string) server) {
		a, _ := start("a"), start("b")
		time.Sleep(time.Second)
		c.set(func() { c.slow = 400 * time.Millisecond })
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		began := time.Now()
		if got := a.Take(ctx, c.key, began); got.Allowed || time.Since(began) != 100*time.Millisecond {
			t.Errorf("%+v after %s", got, time.Since(began))
		}
		c.set(func() { c.slow = time.Millisecond })
		time.Sleep(time.Second)
	})
}

// One that may not write reads who else is there, and keeps to its share.
func TestServerMayNotWrite(t *testing.T) {
	within(t, access.Plan{Bucket: 100, RefillPerSec: 1}, func(t *testing.T, c company, start func(string) server) {
		start("a")
		c.set(func() { c.readOnly = true })
		b := start("b")
		time.Sleep(time.Second)
		if n, cut := b.Shared(); n != 2 || !cut {
			t.Fatal(n, cut)
		}
		expect(t, "its share", burn(c.key, time.Second, b), 50)
		c.set(func() { c.readOnly = false })
		time.Sleep(10 * time.Second)
		if n, cut := b.Shared(); n != 2 || cut {
			t.Fatal(n, cut)
		}
	})
}

// A server that was killed is gone after a while, or at once where its process is known to
// be gone.
func TestServersThatWereKilled(t *testing.T) {
	within(t, access.Plan{Bucket: 100, RefillPerSec: 1}, func(t *testing.T, c company, start func(string) server) {
		a := start("a")
		c.mu.Lock()
		self := c.servers["a"].Server
		other := self
		other.ID, other.Machine = "elsewhere", "another"
		c.servers[other.ID] = &seen{other, time.Now()}
		if self.Machine != "" {
			gone := self
			gone.ID, gone.PID = "gone", math.MaxInt32
			c.servers[gone.ID] = &seen{gone, time.Now()}
		}
		c.mu.Unlock()
		time.Sleep(time.Second)
		if n, _ := a.Shared(); n != 2 {
			t.Errorf("%d servers", n)
		}
		time.Sleep(access.ServerGone)
		if n, _ := a.Shared(); n != 1 {
			t.Errorf("%d servers", n)
		}
	})
}

// Whatever servers come, go, lose the store and burn, no bucket gives much more than it has.
func TestServersNeverGiveMuchMore(t *testing.T) {
	within(t, access.Plan{Bucket: 500, RefillPerSec: 20}, func(t *testing.T, c company, start func(string) server) {
		began := time.Now()
		a, b := start("a"), start("b")
		passed := burn(c.key, 5*time.Second, a, b)
		d := start("d")
		passed += burn(c.key, 5*time.Second, a, b, d)
		b.stop()
		passed += burn(c.key, 5*time.Second, a, d)
		d.stop()
		passed += burn(c.key, 5*time.Second, a)
		e := start("e")
		passed += burn(c.key, 5*time.Second, a, e)
		expect(t, "in all", passed, 500+20*time.Since(began).Seconds())
	})
}

func TestFullBucketsAreForgotten(t *testing.T) {
	within(t, access.Plan{Bucket: 100, RefillPerSec: 1}, func(t *testing.T, c company, start func(string) server) {
		a := start("a")
		for i := range 1000 {
			a.Take(t.Context(), key(fmt.Sprint(i), "x", "p"), time.Now())
		}
		a.Take(t.Context(), c.key, time.Now())
		if n := access.Buckets(a.Gate); n != 1001 {
			t.Fatal(n)
		}
		time.Sleep(2 * time.Minute)
		if n := access.Buckets(a.Gate); n != 0 {
			t.Errorf("%d buckets", n)
		}
	})
}
