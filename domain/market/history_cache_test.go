package market_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// shelf is a store of daily bars whose reads a test can hold up.
type shelf struct {
	mu        sync.Mutex
	bars      map[market.ID]map[value.Instant]string // closes
	settled   map[market.ID]value.Instant
	corrected map[market.ID]int64
	reads     []string      // "instrument, first day read"
	hold      chan struct{} // what has been read waits here; nil: it does not
	failure   error
}

func newShelf() *shelf {
	return &shelf{bars: map[market.ID]map[value.Instant]string{}, settled: map[market.ID]value.Instant{}, corrected: map[market.ID]int64{}}
}

// put stores bars, each "DATE CLOSE", and returns the change.
func (s *shelf) put(id market.ID, bars ...string) market.BarChange {
	s.mu.Lock()
	defer s.mu.Unlock()
	change := market.BarChange{Subject: string(id), Resolution: market.Day, Corrected: s.bars[id] == nil}
	if s.bars[id] == nil {
		s.bars[id] = map[value.Instant]string{}
	}
	before := s.settled[id]
	for _, b := range bars {
		t := value.MustInstant(b[:10] + "T00:00:00Z")
		s.bars[id][t] = b[11:]
		change.Corrected = change.Corrected || t.Before(before)
		if s.settled[id].Before(t) {
			s.settled[id] = t
		}
	}
	if change.Corrected {
		s.corrected[id]++
	}
	return change
}

// Bars implements market.History.
func (s *shelf) Bars(_ context.Context, r market.Resolution, spans []market.Span) ([]market.StoredBars, error) {
	s.mu.Lock()
	all := make([]market.StoredBars, len(spans))
	for i, span := range spans {
		s.reads = append(s.reads, fmt.Sprintf("%s %s", span.ID, span.First.String()[:10]))
		all[i].Settled, all[i].Corrected = s.settled[span.ID], s.corrected[span.ID]
		for t, closing := range s.bars[span.ID] {
			if r == market.Day && !t.Before(span.First) && !t.After(span.Last) {
				all[i].Bars = append(all[i].Bars, &market.Bar{InstrumentID: span.ID, Resolution: r, T: t,
					Close: value.MustDecimal(closing)})
			}
		}
		slices.SortFunc(all[i].Bars, func(a, b *market.Bar) int { return a.T.Compare(b.T) })
	}
	hold, err := s.hold, s.failure
	s.mu.Unlock()
	if hold != nil {
		<-hold
	}
	return all, err
}

// FirstBars implements market.History.
func (s *shelf) FirstBars(context.Context, market.Resolution, []market.ID, value.Instant) (map[market.ID]value.Instant, error) {
	return nil, nil
}

// setHold holds up reads from now on, or lets them through.
func (s *shelf) setHold(hold chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold = hold
}

// took returns what was read since the last time.
func (s *shelf) took() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	reads := s.reads
	s.reads = nil
	return reads
}

// closes returns what a service answers of an instrument from a day on: each
// "day of the month:close".
func closes(ctx context.Context, s *market.Service, id market.ID, from string) string {
	series, err := s.Candles(ctx, string(id), market.SeriesArgs{From: date(from)})
	if err != nil {
		return err.Error()
	}
	text := ""
	for _, b := range series.Bars() {
		text += fmt.Sprintf(" %s:%s", b.T.String()[8:10], b.Close)
	}
	return text
}

// remembering is a service that keeps bars of a store.
func remembering(store market.History) *market.Service {
	s, _ := charts(store)
	s.History = market.NewHistoryCache(store, 1<<20, func() bool { return true })
	return s
}

// A series is read once, then its recent part after a newer price, and all of it
// after a correction only.
func TestWhatIsReadAgain(t *testing.T) {
	store := newShelf()
	s, ctx := remembering(store), calls.Caller(access.History)
	store.put("us:DMAP", "2026-03-10 1", "2026-03-11 2", "2026-03-12 3")
	for _, step := range []struct {
		name      string
		put, from string
		want      string
		reads     []string
	}{
		{"at first", "", "2026-03-10", " 10:1 11:2 12:3", []string{"us:DMAP 2025-03-11"}},
		{"again", "", "2026-03-10", " 10:1 11:2 12:3", nil},
		{"a part of it", "", "2026-03-11", " 11:2 12:3", nil},
		{"somewhat more", "", "2025-04-11", " 10:1 11:2 12:3", nil},
		{"a price of the day", "2026-03-12 4", "2026-03-11", " 11:2 12:4", []string{"us:DMAP 2026-03-12"}},
		{"a new day", "2026-03-13 5", "2026-03-10", " 10:1 11:2 12:4 13:5", []string{"us:DMAP 2026-03-12"}},
		{"nothing new", "", "2026-03-13", " 13:5", nil},
		{"a correction", "2026-03-10 9", "2026-03-10", " 10:9 11:2 12:4 13:5", []string{"us:DMAP 2025-03-11"}},
		{"more than is kept", "", "2024-12-31", " 10:9 11:2 12:4 13:5", []string{"us:DMAP 2024-03-10"}},
		{"less again", "", "2026-03-12", " 12:4 13:5", nil},
		{"another correction", "2026-03-11 8", "2026-03-11", " 11:8 12:4 13:5", []string{"us:DMAP 2025-03-11"}},
	} {
		if step.put != "" {
			s.History.Changed([]market.BarChange{store.put("us:DMAP", step.put)})
		}
		if got := closes(ctx, s, "us:DMAP", step.from); got != step.want {
			t.Errorf("%s: %s, want %s", step.name, got, step.want)
		}
		if got := store.took(); !slices.Equal(got, step.reads) {
			t.Errorf("%s: read %v, want %v", step.name, got, step.reads)
		}
	}
	if s.History.AllChanged(); s.History.Size() != 0 {
		t.Errorf("%d bytes are left", s.History.Size())
	}
	// What ends before the newest price needs no read because of it.
	closes(ctx, s, "us:DMAP", "2026-03-10")
	store.took()
	s.History.Changed([]market.BarChange{store.put("us:DMAP", "2026-03-13 6")})
	if _, err := s.Candles(ctx, "us:DMAP", market.SeriesArgs{From: date("2026-03-10"), To: date("2026-03-12")}); err != nil ||
		store.took() != nil {
		t.Errorf("settled days were read again, %v", err)
	}
}

// What is read beyond what was asked for is little beside it.
func TestRoomBeforeARange(t *testing.T) {
	for resolution, want := range map[market.Resolution]string{market.FiveMinutes: "bist:DMOST 2026-03-13",
		market.TwoHours: "crypto:2 2026-03-09"} {
		id, _, _ := strings.Cut(want, " ")
		store := newShelf()
		s := remembering(store)
		for _, from := range []string{"2026-03-14", "2026-03-15"} {
			if _, err := s.Candles(calls.Caller(access.History), id,
				market.SeriesArgs{From: date(from), Resolution: &resolution}); err != nil {
				t.Fatal(err)
			}
		}
		if got := store.took(); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: read %v, want %s", resolution, got, want)
		}
	}
}

// Settled bars that have come since join the past; so what a newer price costs
// stays small.
func TestRecentBarsBecomePast(t *testing.T) {
	store := newShelf()
	s, ctx := remembering(store), calls.Caller(access.History)
	day := value.MustDate("2025-09-01")
	longest := 0
	for ; day.Before(value.MustDate("2026-03-18")); day = day.AddDays(1) {
		s.History.Changed([]market.BarChange{store.put("fund:DMF", day.String()+" 1")})
		want, _ := s.Candles(ctx, "fund:DMF", market.SeriesArgs{From: date("2025-09-01")})
		if days := 1 + value.MustDate("2025-09-01").DaysUntil(day); want.Count != days {
			t.Fatalf("%s: %d bars, want %d", day, want.Count, days)
		}
		for _, read := range store.took() {
			longest = max(longest, value.MustDate(read[len(read)-10:]).DaysUntil(day))
		}
	}
	if longest > 300 || longest < 60 {
		t.Errorf("up to %d days were read at once", longest)
	}
	s.History.Changed([]market.BarChange{store.put("fund:DMF", day.String()+" 1")})
	closes(ctx, s, "fund:DMF", "2025-09-01")
	if read := store.took(); len(read) != 1 || value.MustDate(read[0][len(read[0])-10:]).DaysUntil(day) > 70 {
		t.Errorf("at last %v was read", read)
	}
}

// overtaken asks twice: once so that the read is held up while something
// happens, and once afterwards, when the read has come back.
func overtaken(s *market.Service, store *shelf, happens func()) (first, next string) {
	ctx, hold := calls.Caller(access.History), make(chan struct{})
	store.setHold(hold)
	go func() { first = closes(ctx, s, "us:DMAP", "2026-03-10") }()
	synctest.Wait()
	store.setHold(nil)
	happens()
	close(hold)
	synctest.Wait()
	return first, closes(ctx, s, "us:DMAP", "2026-03-10")
}

// A read that a change overtakes is not kept as if it had begun afterwards.
func TestOvertakenReads(t *testing.T) {
	for name, c := range map[string]struct {
		known bool // whether the past is kept already
		put   string
		next  string
		reads []string
	}{
		"a price overtakes the first read":         {false, "2026-03-12 7", " 10:1 11:2 12:7", []string{"us:DMAP 2026-03-12"}},
		"a correction overtakes the first read":    {false, "2026-03-11 7", " 10:1 11:7 12:3", []string{"us:DMAP 2025-03-11"}},
		"a price overtakes the read of the recent": {true, "2026-03-12 7", " 10:1 11:2 12:7", []string{"us:DMAP 2026-03-12"}},
		"a correction overtakes it":                {true, "2026-03-11 7", " 10:1 11:7 12:3", []string{"us:DMAP 2025-03-11"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newShelf()
				s := remembering(store)
				store.put("us:DMAP", "2026-03-10 1", "2026-03-11 2", "2026-03-12 3")
				if c.known {
					closes(calls.Caller(access.History), s, "us:DMAP", "2026-03-10")
					s.History.Changed([]market.BarChange{store.put("us:DMAP", "2026-03-12 3")})
				}
				store.took()
				_, next := overtaken(s, store, func() {
					store.took()
					s.History.Changed([]market.BarChange{store.put("us:DMAP", c.put)})
				})
				if got := store.took(); next != c.next || !slices.Equal(got, c.reads) {
					t.Errorf("%s after %v, want %s after %v", next, got, c.next, c.reads)
				}
			})
		})
	}
	t.Run("everything changes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newShelf()
			s := remembering(store)
			store.put("us:DMAP", "2026-03-10 1")
			_, next := overtaken(s, store, func() {
				store.put("us:DMAP", "2026-03-10 2")
				s.History.AllChanged()
			})
			if next != " 10:2" {
				t.Errorf("%s is kept", next)
			}
		})
	})
}

// Who asks while a series is read waits for it; who asks after a change does not
// get what was read before.
func TestReadsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newShelf()
		s := remembering(store)
		store.put("us:DMAP", "2026-03-10 1")
		hold := make(chan struct{})
		store.setHold(hold)
		answers := make([]string, 6)
		ask := func(ctx context.Context, i int) {
			go func() { answers[i] = closes(ctx, s, "us:DMAP", "2026-03-10") }()
			synctest.Wait()
		}
		gone, leave := context.WithCancel(calls.Caller(access.History))
		ask(gone, 0) // its request reads for the others
		for i := 1; i < 3; i++ {
			ask(calls.Caller(access.History), i)
		}
		impatient, over := context.WithTimeout(calls.Caller(access.History), time.Second)
		defer over()
		ask(impatient, 3)
		leave()
		time.Sleep(2 * time.Second)
		if reads := store.took(); len(reads) != 1 {
			t.Errorf("read %v", reads)
		}
		s.History.Changed([]market.BarChange{store.put("us:DMAP", "2026-03-10 2")})
		store.setHold(nil)
		ask(calls.Caller(access.History), 4)
		close(hold)
		synctest.Wait()
		ask(calls.Caller(access.History), 5)
		for i, want := range []string{"", " 10:1", " 10:1", "", " 10:2", " 10:2"} {
			if want != "" && answers[i] != want {
				t.Errorf("%d got %s, want %s", i, answers[i], want)
			}
		}
		if answers[3] == "" || answers[3][0] == ' ' {
			t.Errorf("who waited too long got %q", answers[3])
		}
	})
}

// Requests that share a read get all that each asked for, though one that asks for little
// began it and the past that is kept grows with it.
func TestSharedReadsKeepWhatEachAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newShelf()
		s := remembering(store)
		day := value.MustDate("2024-12-20")
		put := func(n int) market.BarChange {
			lines := make([]string, n)
			for i := range lines {
				lines[i], day = day.String()+" 1", day.AddDays(1)
			}
			return store.put("fund:DMF", lines...)
		}
		long := func(from string) int {
			return strings.Count(closes(calls.Caller(access.History), s, "fund:DMF", from), ":")
		}
		put(330)
		if n := long("2024-12-31"); n != 319 {
			t.Fatalf("%d bars", n)
		}
		s.History.Changed([]market.BarChange{put(99)}) // settles more than is read again and again
		hold := make(chan struct{})
		store.setHold(hold)
		var few, many int
		go func() { few = long("2026-02-01") }()
		synctest.Wait()
		go func() { many = long("2024-12-31") }()
		synctest.Wait()
		store.setHold(nil)
		close(hold)
		synctest.Wait()
		if again := long("2024-12-31"); few != 21 || many != 418 || again != 418 {
			t.Errorf("%d and %d bars, and %d of those again", few, many, again)
		}
	})
}

// A failure is answered to all who wait, and not kept.
func TestFailedReadsAreNotKept(t *testing.T) {
	store := newShelf()
	s, ctx := remembering(store), calls.Caller(access.History)
	store.put("us:DMAP", "2026-03-10 1")
	store.failure = errors.New("down")
	if got := closes(ctx, s, "us:DMAP", "2026-03-10"); got != "down" {
		t.Errorf("got %s", got)
	}
	store.failure = nil
	if got := closes(ctx, s, "us:DMAP", "2026-03-10"); got != " 10:1" {
		t.Errorf("then %s", got)
	}
}

// What services read of everything is used from memory, and does not fill it.
func TestWholeReadsAreNotKept(t *testing.T) {
	store := newShelf()
	s, ctx := remembering(store), calls.Caller(access.History)
	store.put("us:DMAP", "2026-03-10 1")
	in := []*market.Instrument{s.ByID("us:DMAP")}
	for range 2 {
		all, err := s.HistoryOf(ctx, in, market.SeriesArgs{})
		if err != nil || all[0].Count != 1 || s.History.Size() != 0 {
			t.Fatalf("%+v, %v: %d bytes are kept", all, err, s.History.Size())
		}
	}
	closes(ctx, s, "us:DMAP", "2025-03-20")
	store.took()
	if _, err := s.HistoryOf(ctx, in, market.SeriesArgs{}); err != nil || store.took() != nil {
		t.Errorf("what is kept was read again, %v", err)
	}
}

// However much is asked for, no more is kept than was allowed, and a bar takes
// about what it is said to take.
func TestMemoryForBars(t *testing.T) {
	const most, each, bars = 4 << 20, 250, 1000
	store := newShelf()
	live := market.NewLive()
	var all []*market.Instrument
	var splits []*market.StoredAction
	var unadjusted []*market.HistoryAdjustment
	for i := range each {
		id := market.ID(fmt.Sprintf("us:S%03d", i))
		all = append(all, &market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Market: market.US, Currency: "USD"})
		splits = append(splits, &market.StoredAction{CorporateAction: market.CorporateAction{InstrumentID: market.Subject(id),
			Kind: market.Split, ExDate: value.MustDate("2026-02-02"), New: value.MustDecimal("3"), Old: value.MustDecimal("1")}})
		unadjusted = append(unadjusted, &market.HistoryAdjustment{InstrumentID: id, Adjustment: market.Unadjusted})
		lines := make([]string, bars)
		for d := range lines {
			lines[d] = value.MustDate("2026-03-17").AddDays(-d).String() + fmt.Sprintf(" %d.%d", 1000+d, i)
		}
		store.put(id, lines...)
	}
	live.PutCatalog(all, nil)
	live.PutAdjustments(unadjusted)
	live.PutActions(splits)
	s := &market.Service{Live: live, History: market.NewHistoryCache(store, most, func() bool { return true }), Now: func() value.Instant {
		return value.MustInstant("2026-03-18T12:00:00Z")
	}}
	ctx := calls.Caller(access.History)
	before := heap()
	for _, adjust := range []market.Adjust{market.AdjustNone, market.AdjustSplits, market.AdjustNone} {
		for some := range slices.Chunk(all, 50) {
			if _, errs := s.CandlesOf(ctx, some, market.SeriesArgs{From: date("2023-01-01"), Adjust: &adjust}); errs[0] != nil {
				t.Fatal(errs[0])
			}
		}
	}
	store.took()
	size, takes := s.History.Size(), int(heap()-before)
	if size > most || size < most/2 {
		t.Errorf("%d bytes are kept, of at most %d", size, most)
	}
	if takes > size*5/4 {
		t.Errorf("%d bytes are said to be kept, and %d are", size, takes)
	}
	few, columns := s.History.Size(), []value.Decimal{}
	for _, in := range all[each-5:] { // these are kept
		series, err := s.Candles(ctx, string(in.InstrumentID), market.SeriesArgs{From: date("2023-01-01")})
		need.NoError(t, err)
		columns = append(columns, series.Columns().Close()[0].Clone())
	}
	s.History.AllChanged()
	if left := int(heap() - before); left > few/20 {
		t.Errorf("%d bytes stay for %d figures that were copied", left, len(columns))
	}
	runtime.KeepAlive(s)
	runtime.KeepAlive(columns)
}

// To take bars out of memory one after the other costs no room for each, whether they have a
// trade count or not.
func TestBarsInTurnTakeOnePlace(t *testing.T) {
	counted := 7
	for name, count := range map[string]*int{"counted": &counted, "not counted": nil} {
		var stored memory
		for i := range 300 {
			stored = append(stored, market.Bar{InstrumentID: "fund:DMF", Resolution: market.Day,
				T: value.MustInstant("2025-04-01T00:00:00Z").Add(time.Duration(i) * 24 * time.Hour), Close: value.MustDecimal("1.50"),
				TradeCount: count})
		}
		s, ctx := charts(stored)
		s.History = market.NewHistoryCache(stored, 1<<20, func() bool { return true })
		series, err := s.Candles(ctx, "fund:DMF", market.SeriesArgs{})
		if err != nil || series.Count != 300 {
			t.Fatalf("%+v, %v", series, err)
		}
		allocated := testing.AllocsPerRun(10, func() {
			bars := series.BarsInTurn()
			for i := range bars.Len() {
				if b := bars.At(i); (b.TradeCount == nil) != (count == nil) {
					t.Fatalf("%s: bar %d has %v", name, i, b.TradeCount)
				}
			}
		})
		if allocated > 2 {
			t.Errorf("%s: %v allocations for %d bars", name, allocated, series.Count)
		}
	}
}

// heap returns how much memory is in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// While nobody tells of changes, nothing is taken from memory.
func TestUnfollowedHistoryIsRead(t *testing.T) {
	store, followed := newShelf(), true
	s, ctx := remembering(store), calls.Caller(access.History)
	s.History = market.NewHistoryCache(store, 1<<20, func() bool { return followed })
	store.put("us:DMAP", "2026-03-10 1")
	closes(ctx, s, "us:DMAP", "2026-03-10")
	change := store.put("us:DMAP", "2026-03-10 2")
	followed = false
	if got := closes(ctx, s, "us:DMAP", "2026-03-10"); got != " 10:2" {
		t.Errorf("not followed: %s", got)
	}
	s.History.Changed([]market.BarChange{change})
	followed = true
	store.took()
	if got := closes(ctx, s, "us:DMAP", "2026-03-10"); got != " 10:2" || len(store.took()) != 1 {
		t.Errorf("followed again: %s", got)
	}
}
