package coverage_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/account/access"
	"piyasa/domain/coverage"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/internal/epoch"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// memory is a store of daily bars, which counts how often it is counted.
type memory struct {
	ids     []string
	began   atomic.Int32
	takes   time.Duration // each count
	failing error
	panics  bool
}

func (m *memory) CountWhole(ctx context.Context) ([]coverage.Count, error) {
	m.began.Add(1)
	if m.panics {
		panic("out of order")
	}
	select {
	case <-time.After(m.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return []coverage.Count{{Kind: "company", Records: int(m.began.Load())}}, m.failing
}

func (*memory) CountedBySubject() []string { return []string{"bar"} }

func (m *memory) Subjects(_ context.Context, _, after string, limit int) ([]string, error) {
	i, there := slices.BinarySearch(m.ids, after)
	if there {
		i++
	}
	return m.ids[i:min(i+limit, len(m.ids))], nil
}

func (*memory) CountSubjects(_ context.Context, _ string, ids []string) (all []coverage.Count, _ error) {
	at := value.MustInstant("2026-03-16T21:00:00Z")
	for _, id := range ids {
		all = append(all, coverage.Count{Kind: "bar", Subject: id, Series: "1d", Records: 1, FirstAt: at, LastAt: at})
	}
	return all, nil
}

func (*memory) PriceJumps(context.Context, []market.ID) ([]market.PriceJump, error) { return nil, nil }

func (*memory) Jumps(context.Context, string, []string, bool) ([]coverage.Jump, error) {
	return nil, nil
}

func (*memory) DisclosureNumbers(context.Context, int, int) (coverage.Numbers, error) {
	return coverage.Numbers{}, nil
}

func (*memory) CancelledNumbers(context.Context, int, int, int) ([]int, error) { return nil, nil }
func (*memory) InflationPoints(context.Context) ([]*macro.Point, error)        { return nil, nil }

func service(m *memory) *coverage.Service {
	live := market.NewLive()
	live.SetCatalog([]*market.Instrument{{InstrumentID: "bist:AAA", Symbol: "AAA", Name: "A", Market: market.BIST, AssetType: market.Stock,
		Currency: "TRY"}}, nil)
	return &coverage.Service{Store: m, Live: live, Now: func() value.Instant {
		return value.MustInstant("2026-03-18T12:00:00Z")
	}, Signer: access.Signer{Secret: []byte("secret")}}
}

func companies(r *coverage.Report) int {
	for _, row := range r.Rows {
		if row.Kind == "company" {
			return row.Records
		}
	}
	return -1
}

// However many ask, one count is under way, and what it has found is kept for a while: for
// longer where it took longer. Meanwhile the older one is given.
func TestOneCountForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{takes: 2 * time.Second}
		s := service(m)
		ask := func() int {
			r, err := s.Of(calls.Anyone(), coverage.Args{})
			if err != nil {
				t.Error(err)
				return 0
			}
			return companies(r)
		}
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if got := ask(); got != 1 {
					t.Errorf("count %d", got)
				}
			})
		}
		all.Wait()
		time.Sleep(39 * time.Second) // 20 times 2 s
		if got := ask(); got != 1 {
			t.Errorf("a count was kept too short: %d", got)
		}
		time.Sleep(2 * time.Second)
		began := time.Now()
		if got := ask(); got != 1 || time.Since(began) != time.Second {
			t.Errorf("while it is counted again: count %d after %s", got, time.Since(began))
		}
		time.Sleep(2 * time.Second)
		if got := ask(); got != 2 || m.began.Load() != 2 {
			t.Errorf("count %d of %d", got, m.began.Load())
		}
		time.Sleep(200 * time.Second)
		m.failing = errors.New("away")
		if got := ask(); got != 2 {
			t.Errorf("count %d", got)
		}
		time.Sleep(5 * time.Second)
	})
}

// Nothing that was counted before the store went back is reported afterwards, also not by a
// count that was under way.
func TestCountsOfAStoreThatWentBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{takes: 5 * time.Second}
		s := service(m)
		s.Epochs = new(epoch.View)
		s.Epochs.Set(epoch.Lineage{{ID: "a"}})
		ask := func(want int) {
			if r, err := s.Of(calls.Anyone(), coverage.Args{}); err != nil || companies(r) != want {
				t.Errorf("want count %d: %v, %v", want, r, err)
			}
		}
		ask(1)
		s.Epochs.Set(epoch.Lineage{{ID: "a"}, {ID: "b"}})
		ask(2)
		time.Sleep(101 * time.Second)
		var all sync.WaitGroup
		all.Go(func() { ask(2) }) // waits a second for the third count
		all.Go(func() {
			time.Sleep(2 * time.Second)
			s.Epochs.Set(epoch.Lineage{{ID: "a"}, {ID: "b"}, {ID: "c"}})
			for range 5 {
				all.Go(func() { ask(4) })
			}
		})
		all.Wait()
		s.Epochs.Set(epoch.Lineage{{ID: "d"}})
		all.Go(func() { ask(6) }) // the fifth is given up
		time.Sleep(time.Second)
		s.Epochs.Set(epoch.Lineage{{ID: "e"}})
		ask(6)
		all.Wait()
	})
}

// The first count of a large store, one that fails and one that panics are reported; the next
// who asks has it counted again.
func TestCountsThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{takes: time.Minute}
		s := service(m)
		_, err := s.Of(calls.Anyone(), coverage.Args{})
		if e := calls.WantProblem(t, err, problem.StoreUnavailable); e.RetryAfter != 60 ||
			!strings.Contains(e.Detail, "for the first time") {
			t.Errorf("%+v", e)
		}
		ctx, cancel := context.WithTimeout(calls.Anyone(), time.Second)
		defer cancel()
		if _, err := s.Of(ctx, coverage.Args{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("who goes away: %v", err)
		}
		time.Sleep(time.Minute)
		if r, err := s.Of(calls.Anyone(), coverage.Args{}); err != nil || companies(r) != 1 || m.began.Load() != 1 {
			t.Errorf("%v, %d counts", err, m.began.Load())
		}
		for _, bad := range []*memory{{failing: errors.New("away")}, {panics: true}} {
			s := service(bad)
			if _, err := s.Of(calls.Anyone(), coverage.Args{}); err == nil {
				t.Error("no error")
			}
			bad.failing, bad.panics = nil, false
			if r, err := s.Of(calls.Anyone(), coverage.Args{}); err != nil || companies(r) != 2 {
				t.Errorf("after a failure: %v", err)
			}
		}
		hangs := &memory{takes: 24 * time.Hour}
		s = service(hangs)
		s.Patience = 2 * time.Hour
		if _, err := s.Of(calls.Anyone(), coverage.Args{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a store that hangs: %v", err)
		}
	})
}

// Pages have each row once, and what is wrong is refused.
func TestPages(t *testing.T) {
	m := new(memory)
	for i := range 1500 {
		m.ids = append(m.ids, fmt.Sprintf("bist:S%04d", i))
	}
	s := service(m)
	seen, total := map[string]bool{}, 0
	var cursor *string
	for pages := 0; pages == 0 || cursor != nil; pages++ {
		r, err := s.Of(calls.Anyone(), coverage.Args{Market: new(market.BIST), Cursor: cursor, Limit: new(400)})
		if err != nil || pages > 4 || r.Count != len(r.Rows) {
			t.Fatal(err, pages)
		}
		for _, row := range r.Rows {
			if row.InstrumentID != nil {
				seen[string(*row.InstrumentID)] = true
			}
			total++
		}
		if cursor = r.NextCursor; cursor == nil && total != r.Total {
			t.Errorf("%d rows of %d", total, r.Total)
		}
	}
	if len(seen) != 1501 { // one is in the list and has no bar
		t.Errorf("%d instruments", len(seen))
	}
	if r, err := s.Of(calls.Anyone(), coverage.Args{Instrument: new("bist:S0007")}); err != nil || r.Total != 1 { // the list lacks it
		t.Errorf("%v, %v", r, err)
	}
	first, err := s.Of(calls.Anyone(), coverage.Args{Market: new(market.BIST), Limit: new(1)})
	need.NoError(t, err)
	for _, c := range []struct {
		args coverage.Args
		kind problem.Kind
	}{
		{coverage.Args{Limit: new(0)}, problem.InvalidParameter},
		{coverage.Args{Limit: new(501)}, problem.InvalidParameter},
		{coverage.Args{Market: new(market.BIST), Instrument: new("bist:AAA")}, problem.ConflictingParameters},
		{coverage.Args{Instrument: new("bist:NOPE")}, problem.NotFound},
		{coverage.Args{Instrument: new("nyse:AAA\x00")}, problem.NotFound},
		{coverage.Args{Instrument: new("")}, problem.NotFound},
		{coverage.Args{Cursor: new("x")}, problem.InvalidCursor},
		{coverage.Args{Market: new(market.US), Cursor: first.NextCursor}, problem.InvalidCursor},
		{coverage.Args{Market: new(market.BIST), Gaps: new(true), Cursor: first.NextCursor}, problem.InvalidCursor},
	} {
		_, err := s.Of(calls.Anyone(), c.args)
		calls.WantProblem(t, err, c.kind)
	}
	if m.began.Load() != 1 {
		t.Errorf("%d counts", m.began.Load())
	}
}
