package usage_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// memory is a store that can fail before or after it has stored a batch.
type memory struct {
	mu      sync.Mutex
	batches map[string]int64
	rows    []usage.Row
	told    int // sums
	fail    func() (before, after error)
}

func (m *memory) AddUsage(_ context.Context, writer string, batch int64, rows []usage.Row) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var after error
	if m.fail != nil {
		var before error
		if before, after = m.fail(); before != nil {
			return before
		}
	}
	if m.batches == nil {
		m.batches = map[string]int64{}
	}
	if m.batches[writer] < batch {
		m.batches[writer] = batch
		m.rows = append(m.rows, rows...)
	}
	return after
}

func (m *memory) LastBatch(_ context.Context, writer string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.batches[writer], nil
}

func (m *memory) UsageTotals(_ context.Context, month value.Month) (map[string]int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	totals := map[string]int64{}
	for _, r := range m.rows {
		if r.Day.Month() == month {
			totals[r.KeyID] += r.Units
		}
	}
	m.told += len(totals)
	return totals, nil
}

func (m *memory) Usage(_ context.Context, keyID string, first, last value.Date) (rows []usage.Row, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.rows {
		if (keyID == "" || r.KeyID == keyID) && !r.Day.Before(first) && !last.Before(r.Day) {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// clock is a clock that tests set.
type clock struct {
	mu  sync.Mutex
	now value.Instant
}

func (c *clock) Now() value.Instant {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = value.MustInstant(text)
}

func at(text string) *clock { return &clock{now: value.MustInstant(text)} }

var alice = &access.Key{ID: "alice", Plan: "small"}

func newMeter(writer string, store usage.Store, c *clock, quota int64) *usage.Meter {
	return usage.NewMeter(writer, store, func(*access.Key) access.Plan { return access.Plan{UnitsPerMonth: quota} }, c.Now)
}

func pay(t *testing.T, m *usage.Meter, key *access.Key, operation string, units int64) error {
	t.Helper()
	if err := m.Of(key).Hold(1); err != nil {
		return err
	}
	m.Of(key).Pay(1, access.Used{Operation: operation, Units: units})
	return nil
}

func flush(t *testing.T, m *usage.Meter) {
	t.Helper()
	need.NoError(t, m.Flush(t.Context()))
}

func report(t *testing.T, m *usage.Meter, key *access.Key, month string) string {
	t.Helper()
	ctx, _ := access.WithCall(t.Context(), key)
	var of *value.Month
	if month != "" {
		of = new(value.MustMonth(month))
	}
	r, err := m.Report(ctx, of)
	need.NoError(t, err)
	text := fmt.Sprint(r.Month, " ", r.Units)
	for _, o := range r.Operations {
		text += fmt.Sprintf(" %s %s %d", o.Day, o.Operation, o.Units)
	}
	return text
}

func TestReport(t *testing.T) {
	store, now := new(memory), at("2026-03-31T23:59:00Z")
	m := newMeter("one", store, now, 0)
	_ = pay(t, m, alice, "/v1/quotes", 1)
	_ = pay(t, m, alice, "/v1/candles/{id}", 3)
	flush(t, m)
	_ = pay(t, m, alice, "/v1/quotes", 1)
	_ = pay(t, m, &access.Key{ID: "bob"}, "/v1/quotes", 7)
	_ = pay(t, m, alice, "/v1/quotes", 0)
	if got, want := report(t, m, alice, ""), "2026-03 5 2026-03-31 /v1/candles/{id} 3 2026-03-31 /v1/quotes 2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	now.set("2026-04-01T00:00:00Z")
	_ = pay(t, m, alice, "/v1/quotes", 1)
	if got, want := report(t, m, alice, ""), "2026-04 1 2026-04-01 /v1/quotes 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := report(t, m, alice, "2026-03"), "2026-03 5 2026-03-31 /v1/candles/{id} 3 2026-03-31 /v1/quotes 2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestQuota(t *testing.T) {
	store, now := new(memory), at("2026-03-31T23:59:30.5Z")
	m := newMeter("one", store, now, 3)
	a := m.Of(alice)
	for range 2 {
		need.NoError(t, pay(t, m, alice, "/v1/quotes", 1))
	}
	need.NoError(t, a.Hold(1))
	refused := a.Hold(1) // while another is at work
	e := problem.From(refused)
	if e == nil || e.Kind != problem.QuotaExceeded || e.RetryAfter != 1 {
		t.Fatal(refused)
	}
	a.Free(1) // it failed, and cost nothing
	if err := pay(t, m, alice, "/v1/valuation", 5); err != nil {
		t.Error("a request may cost more than is left:", err)
	}
	flush(t, m)
	if err := a.Hold(1); err == nil || problem.From(err).RetryAfter != 30 {
		t.Error("the quota is forgotten when it is stored:", err)
	}
	again := newMeter("two", store, now, 3)
	flush(t, again)
	if err := again.Of(alice).Hold(1); err == nil {
		t.Error("a server that starts does not know the quota")
	}
	now.set("2026-04-01T00:00:00Z")
	if err := a.Hold(1); err != nil {
		t.Error("a new month:", err)
	}
}

// Several servers on one store know of each other's units after they have stored.
func TestQuotaOfSeveralServers(t *testing.T) {
	store, now := new(memory), at("2026-03-18T12:00:00Z")
	servers := []*usage.Meter{newMeter("a", store, now, 100), newMeter("b", store, now, 100)}
	answered := 0
	for range 300 {
		for _, m := range servers {
			if pay(t, m, alice, "/v1/quotes", 1) == nil {
				answered++
			}
			flush(t, m)
		}
	}
	if answered < 100 || answered > 105 {
		t.Errorf("%d requests were answered of a quota of 100", answered)
	}
}

// Servers that know of each other keep a quota together without a look at the clock, and each
// to its share while the store cannot be asked.
func TestQuotaOfServersThatKnowEachOther(t *testing.T) {
	for _, quota := range []int64{1, 100, 2000} {
		store, now := new(memory), at("2026-03-18T12:00:00Z")
		servers := []*usage.Meter{newMeter("a", store, now, quota), newMeter("b", store, now, quota)}
		var answered atomic.Int64
		var clients sync.WaitGroup
		for _, m := range servers {
			m.Servers = func() int { return 2 }
			flush(t, m)
			for range 2 {
				clients.Go(func() {
					for range 2 * quota {
						if pay(t, m, alice, "/v1/quotes", 1) == nil {
							answered.Add(1)
						}
					}
				})
			}
		}
		clients.Wait()
		if n := answered.Load(); n < quota || n > quota+max(3, quota/20) {
			t.Errorf("%d requests were answered of a quota of %d", n, quota)
		}
	}
	store, now := new(memory), at("2026-03-18T12:00:00Z")
	cut := newMeter("a", store, now, 1000)
	cut.Servers = func() int { return 4 }
	_ = pay(t, cut, alice, "/v1/quotes", 200)
	flush(t, cut)
	store.fail = func() (before, after error) { return errors.New("it is away"), nil }
	answered := 0
	for range 1000 {
		if pay(t, cut, alice, "/v1/quotes", 1) == nil {
			answered++
		}
	}
	if answered != 200 {
		t.Errorf("%d requests were answered of a share of 200", answered)
	}
}

// Servers of very many keys do not ask for the sums of all of them each second, and keep
// quotas together all the same.
func TestQuotaAmongManyKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const keys, servers, quota = 5_000, 4, 1_000
		store, now := new(memory), at("2026-03-18T12:00:00Z")
		for i := range keys {
			store.rows = append(store.rows, usage.Row{KeyID: fmt.Sprint(i), Day: value.MustDate("2026-03-17"), Operation: "/v1/quotes",
				Units: 1})
		}
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		var meters []*usage.Meter
		for i := range servers {
			m := newMeter(fmt.Sprint(i), store, now, quota)
			m.Servers = func() int { return servers }
			flush(t, m)
			meters = append(meters, m)
			running.Go(func() { m.Run(ctx) })
		}
		store.mu.Lock()
		store.told = 0
		store.mu.Unlock()
		time.Sleep(time.Minute)
		store.mu.Lock()
		told := store.told / servers / 60
		store.mu.Unlock()
		if told < 100 || told > 1_100 {
			t.Errorf("each server reads %d sums a second", told)
		}
		answered := 0
		for range 2 * quota {
			for _, m := range meters {
				if pay(t, m, alice, "/v1/quotes", 1) == nil {
					answered++
				}
			}
			time.Sleep(20 * time.Millisecond)
		}
		if answered < quota || answered > quota+quota/20 {
			t.Errorf("%d requests were answered of a quota of %d", answered, quota)
		}
		cancel()
		running.Wait()
	})
}

// Whatever the store says of a batch, its units are stored once.
func TestBatchesAreStoredOnce(t *testing.T) {
	store, now := new(memory), at("2026-03-18T12:00:00Z")
	m := newMeter("one", store, now, 0)
	tries := 0
	store.fail = func() (before, after error) {
		switch tries++; tries % 4 {
		case 1:
			return errors.New("it is away"), nil
		case 2:
			return nil, errors.New("the answer was lost")
		}
		return nil, nil
	}
	paid := int64(0)
	for i := range 40 {
		_ = pay(t, m, alice, fmt.Sprint("/v1/", i%3), int64(i))
		paid += int64(i)
		_ = m.Flush(t.Context())
		if got, want := report(t, m, alice, ""), fmt.Sprint("2026-03 ", paid, " "); i > 0 &&
			(len(got) < len(want) || got[:len(want)] != want) {
			t.Fatalf("after %d: %s, want %s…", i, got, want)
		}
	}
	store.fail = nil
	flush(t, m)
	flush(t, m)
	if totals, _ := store.UsageTotals(t.Context(), value.MustMonth("2026-03")); totals["alice"] != paid {
		t.Errorf("%d units are stored of %d", totals["alice"], paid)
	}
}

// A batch whose answer was lost counts once against the quota, at once.
func TestLostAnswerAndQuota(t *testing.T) {
	store, now := new(memory), at("2026-03-18T12:00:00Z")
	m := newMeter("one", store, now, 3)
	store.fail = func() (before, after error) { return nil, errors.New("the answer was lost") }
	_ = pay(t, m, alice, "/v1/quotes", 2)
	flush(t, m)
	if err := pay(t, m, alice, "/v1/quotes", 1); err != nil {
		t.Error(err)
	}
	if err := m.Of(alice).Hold(1); err == nil {
		t.Error("there is no quota")
	}
}

// The last flush stores what was counted in the month before, too.
func TestRunStoresEarlierMonths(t *testing.T) {
	store, now := new(memory), at("2026-03-31T23:59:59Z")
	m := newMeter("one", store, now, 0)
	for i := range 12_000 {
		_ = pay(t, m, alice, fmt.Sprint("/v1/", i), 1)
	}
	now.set("2026-04-01T00:00:00Z")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	m.Run(ctx)
	if len(store.rows) != 12_000 {
		t.Error(len(store.rows))
	}
}

// What requests use while batches are stored is in one of them.
func TestNothingIsLostBetweenBatches(t *testing.T) {
	store, now := new(memory), at("2026-03-18T12:00:00Z")
	m := newMeter("one", store, now, 0)
	var paying sync.WaitGroup
	for i := range 4 {
		paying.Go(func() {
			key := &access.Key{ID: fmt.Sprint("key", i%2)}
			for range 1000 {
				_ = pay(t, m, key, fmt.Sprint("/v1/", i), 1)
			}
		})
	}
	done := make(chan struct{})
	go func() { paying.Wait(); close(done) }()
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		default:
		}
		flush(t, m)
	}
	flush(t, m)
	totals, _ := store.UsageTotals(t.Context(), value.MustMonth("2026-03"))
	if totals["key0"] != 2000 || totals["key1"] != 2000 {
		t.Error(totals)
	}
}

// hanging is a store that does not answer before a caller's time is over.
type hanging struct{ memory }

func (*hanging) AddUsage(ctx context.Context, _ string, _ int64, _ []usage.Row) error {
	<-ctx.Done()
	return ctx.Err()
}

// Nobody waits for a store that hangs longer than for one that fails, and counting goes on.
func TestStoreHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeter("one", new(hanging), at("2026-03-18T12:00:00Z"), 3)
		_ = pay(t, m, alice, "/v1/quotes", 2)
		flushed := make(chan error, 1)
		go func() { flushed <- m.Flush(t.Context()) }()
		synctest.Wait()
		began := time.Now()
		ctx, _ := access.WithCall(t.Context(), alice)
		r, err := m.Report(ctx, nil)
		// its turn comes just when its time is over
		if e := problem.From(err); err == nil && r.Units != 2 || err != nil && e.Kind != problem.StoreUnavailable ||
			time.Since(began) > 10*time.Second {
			t.Error(err, r, time.Since(began))
		}
		if err := <-flushed; err == nil {
			t.Error("it was stored")
		}
		if err := pay(t, m, alice, "/v1/quotes", 1); err != nil {
			t.Error(err)
		}
		if err := pay(t, m, alice, "/v1/quotes", 1); err == nil {
			t.Error("the quota is forgotten while nothing can be stored")
		}
	})
}

// More than fits into a batch is stored by the next ones, and the last when the server stops.
func TestManyRows(t *testing.T) {
	store, now := new(memory), at("2026-03-18T12:00:00Z")
	m := newMeter("one", store, now, 12_000)
	for i := range 12_000 {
		_ = pay(t, m, alice, fmt.Sprint("/v1/", i), 1)
	}
	flush(t, m)
	if err := m.Of(alice).Hold(1); err == nil || len(store.rows) != 5_000 {
		t.Error(err, len(store.rows))
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	m.Run(ctx)
	if got := usage.SumBy(store.rows, func(r usage.Row) usage.Row { return usage.Row{KeyID: r.KeyID, Units: r.Units} }); len(got) != 1 ||
		got[0].Units != 12_000 {
		t.Error(got)
	}
}

// A key whose plan has changed has the quota of its new plan.
func TestQuotaOfAnotherPlan(t *testing.T) {
	m := usage.NewMeter("one", new(memory), func(k *access.Key) access.Plan {
		return access.Plan{UnitsPerMonth: int64(len(k.Plan))}
	}, at("2026-03-18T12:00:00Z").Now)
	old := &access.Key{ID: "k", Plan: "1"}
	_ = pay(t, m, old, "/v1/quotes", 1)
	if err := m.Of(old).Hold(1); err == nil {
		t.Error("its first quota is not kept")
	}
	if err := m.Of(&access.Key{ID: "k", Plan: "22"}).Hold(1); err != nil {
		t.Error(err)
	}
}

func TestRunStoresTheRest(t *testing.T) {
	store, now := new(memory), at("2026-03-18T12:00:00Z")
	m := newMeter("one", store, now, 0)
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan struct{})
	go func() { m.Run(ctx); close(ran) }()
	_ = pay(t, m, alice, "/v1/quotes", 1)
	stop()
	<-ran
	if got := usage.SumBy(store.rows, func(r usage.Row) usage.Row { return r }); len(got) != 1 || got[0].Units != 1 {
		t.Error(got)
	}
}

func TestReservation(t *testing.T) {
	store, now := new(memory), at("2026-03-18T12:00:00Z")
	m := newMeter("one", store, now, 2)
	ctx, first, err := m.Of(alice).Reserve(t.Context())
	need.NoError(t, err)
	ctx, own := usage.TakeOver(ctx)
	first.Settle(access.Used{Operation: "/v1/quotes", Units: 9}) // another has it now
	own.Settle(access.Used{Operation: "/graphql", Units: 1})
	own.Settle(access.Used{Operation: "/graphql", Units: 1})
	if got, want := report(t, m, alice, ""), "2026-03 1 2026-03-18 /graphql 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := m.Of(alice).Hold(1); err != nil {
		t.Error("a reservation that was settled is still held:", err)
	}
	if err := usage.Raise(ctx, 5); err != nil { // it is settled
		t.Error(err)
	}
	_, nothing := usage.TakeOver(t.Context())
	nothing.Settle()
	var none *usage.Meter
	if _, r, err := none.Of(alice).Reserve(t.Context()); err != nil {
		t.Error(err)
	} else {
		r.Settle(access.Used{Units: 1})
	}
}

func TestHotPathAllocatesNothing(t *testing.T) {
	m := newMeter("one", new(memory), at("2026-03-18T12:00:00Z"), 1<<40)
	used := []access.Used{{Operation: "/v1/quotes", Units: 1}}
	if n := testing.AllocsPerRun(1000, func() {
		a := m.Of(alice)
		if a.Hold(1) == nil {
			a.Pay(1, used...)
		}
	}); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkPay(b *testing.B) {
	m := newMeter("one", new(memory), at("2026-03-18T12:00:00Z"), 1<<40)
	used := []access.Used{{Operation: "/v1/quotes", Units: 1}}
	for b.Loop() {
		a := m.Of(alice)
		if a.Hold(1) == nil {
			a.Pay(1, used...)
		}
	}
}

func TestSumBy(t *testing.T) {
	day := value.MustDate("2026-03-18")
	rows := []usage.Row{{"b", day, "x", 1}, {"a", day, "y", 2}, {"a", day, "x", 3}, {"b", day.AddDays(1), "x", 4}}
	got := usage.SumBy(rows, func(r usage.Row) usage.Row { return usage.Row{KeyID: r.KeyID, Units: r.Units} })
	if want := []usage.Row{{KeyID: "a", Units: 5}, {KeyID: "b", Units: 5}}; !slices.Equal(got, want) {
		t.Error(got)
	}
}

// What it costs each request of a key to be in its rate.
func BenchmarkAsked(b *testing.B) {
	account := usage.NewMeter("one", nil, nil, value.SystemClock).Of(&access.Key{ID: "key"})
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			account.Asked(true)
		}
	})
	b.Run("beside others", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				account.Asked(true)
			}
		})
	})
}
