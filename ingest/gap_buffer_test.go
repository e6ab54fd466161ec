package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/ingest"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// disclosed returns the line of a disclosure.
func disclosed(number int) string {
	return fmt.Sprintf(`{"record":"disclosure","disclosure_index":%d,"type":"ODA","class":"ODA","symbols":[],"filer_codes":[]}`+
		"\n", number)
}

// storedOrder returns the numbers of the disclosures in the order of storing.
func storedOrder(t testing.TB, s *db.Store) (numbers []int) {
	t.Helper()
	found, err := s.Replay(context.Background(), kap.Replay{Of: kap.Selection{All: true}, BySeq: true, UpToSeq: 1 << 40, Limit: 1000})
	need.NoError(t, err)
	for _, d := range found {
		numbers = append(numbers, d.DisclosureIndex)
	}
	return numbers
}

// holding is a run that holds gaps, fed line by line.
type holding struct {
	t       testing.TB
	store   *db.Store
	input   *io.PipeWriter
	cancel  context.CancelFunc
	summary *ingest.Summary
	err     error
	ended   chan struct{}
}

func holdGaps(t testing.TB, s *db.Store, o ingest.Options) *holding {
	t.Helper()
	input, feed := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	h := &holding{t: t, store: s, input: feed, cancel: cancel, ended: make(chan struct{})}
	o.Paths, o.Stdin, o.Messages, o.Now = []string{ingest.Stdin}, input, io.Discard, ingest.LateClock
	go func() {
		defer close(h.ended)
		h.summary, h.err = ingest.Run(ctx, s, o)
	}()
	t.Cleanup(func() {
		cancel()
		_ = feed.Close()
		<-h.ended
	})
	return h
}

func (h *holding) say(numbers ...int) {
	h.t.Helper()
	for _, n := range numbers {
		if _, err := io.WriteString(h.input, disclosed(n)); err != nil {
			h.t.Fatal(err)
		}
	}
}

// stored waits until exactly these are stored, in this order.
func (h *holding) stored(want ...int) {
	h.t.Helper()
	fixture.Eventually(h.t, fmt.Sprint(want), func() bool { return slices.Equal(storedOrder(h.t, h.store), want) })
}

// still checks that nothing more is stored for a moment.
func (h *holding) still(want ...int) {
	h.t.Helper()
	time.Sleep(300 * time.Millisecond)
	if got := storedOrder(h.t, h.store); !slices.Equal(got, want) {
		h.t.Fatalf("stored %v, want still %v", got, want)
	}
}

// end waits for the end of the run.
func (h *holding) end() *ingest.Summary {
	h.t.Helper()
	select {
	case <-h.ended:
	case <-time.After(patience):
		h.t.Fatal("the run goes on")
	}
	return h.summary
}

// Worked vector V-110: a number waits for its predecessor, and then both are
// stored, the lower first; other records do not wait.
func TestGapsAreWaitedFor(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		run(t, s, bytes.NewBufferString(disclosed(1508))).counts(t, ingest.Counts{Read: 1, Stored: 1})
		h := holdGaps(t, s, ingest.Options{HoldGaps: time.Hour})
		h.say(1510, 1512)
		if _, err := io.WriteString(h.input, quote("DMOST", t1, "5")); err != nil {
			t.Fatal(err)
		}
		fixture.Eventually(t, "the quote", func() bool { return lasts(t, s)["DMOST"] == "5" })
		h.still(1508)
		h.say(1508, 1510) // stored already; and again
		h.say(1509)
		h.stored(1508, 1509, 1510)
		run(t, s, bytes.NewBufferString(disclosed(1511))) // by another process
		h.stored(1508, 1509, 1510, 1511, 1512)
		h.say(1400, 1515) // neither has its predecessor here
		h.still(1508, 1509, 1510, 1511, 1512)
		h.say(1513) // which goes out, and no lower one stays behind
		h.stored(1508, 1509, 1510, 1511, 1512, 1400, 1513)
		_ = h.input.Close()
		h.still(1508, 1509, 1510, 1511, 1512, 1400, 1513)
		h.cancel() // hurry
		got := h.end().Counts
		h.stored(1508, 1509, 1510, 1511, 1512, 1400, 1513, 1515)
		if got != (ingest.Counts{Read: 9, Stored: 7, Unchanged: 2}) {
			t.Errorf("counts %+v", got)
		}
	})
}

// What waits for nobody is stored when its time has come, lower numbers first;
// the end of the input waits for it.
func TestWaitEndsInTime(t *testing.T) {
	s := openFile(t)
	h := holdGaps(t, s, ingest.Options{HoldGaps: 500 * time.Millisecond})
	began := time.Now()
	h.say(9, 7, 5, 6)
	_ = h.input.Close()
	if got := h.end(); h.err != nil || got.Stored != 4 || time.Since(began) < 500*time.Millisecond {
		t.Errorf("%+v, %v after %s", got, h.err, time.Since(began))
	}
	h.stored(5, 6, 7, 9)
}

// What has waited long enough takes every lower number with it, though those
// came later; and what comes after its successor went out does not wait.
func TestReleaseOfLowerOnes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		run(t, s, bytes.NewBufferString(disclosed(1698)))
		const hold = time.Second
		h := holdGaps(t, s, ingest.Options{HoldGaps: hold})
		begun := time.Now()
		for _, n := range []int{1704, 1702, 1701} {
			h.say(n)
			time.Sleep(300 * time.Millisecond)
			if now := storedOrder(t, s); time.Since(begun) < hold && !slices.Equal(now, []int{1698}) { // later it has waited
				t.Errorf("stored %v at once", now)
			}
		}
		h.stored(1698, 1701, 1702, 1704)
		h.say(1706)
		h.say(1703) // late
		h.stored(1698, 1701, 1702, 1704, 1703)
		h.say(1699)
		h.stored(1698, 1701, 1702, 1704, 1703, 1699)
		h.stored(1698, 1701, 1702, 1704, 1703, 1699, 1706)
	})
}

// Nobody waits for a number that has just been refused, whatever was wrong with
// its line, but for the number before it.
func TestRefusedPredecessors(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		run(t, s, bytes.NewBufferString(disclosed(1)))
		h := holdGaps(t, s, ingest.Options{HoldGaps: time.Hour})
		refused := func(line string) {
			t.Helper()
			if _, err := io.WriteString(h.input, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		refused(`{"record":"disclosure","disclosure_index":2,"type":"NONE"}`)
		refused(`{"record":"disclosure","class":"ODA","disclosure_index":3}`)
		h.say(4)
		h.stored(1, 4)
		h.say(9, 7) // 8 and 6 are refused, 5 is missing
		refused(`{"record":"disclosure","disclosure_index":6,"x":1}`)
		refused(`{"record":"disclosure","disclosure_index":8,"x":1}`)
		refused(`{"record":"company","disclosure_index":5}`) // another kind
		refused(`{"record":"disclosure","disclosure_index":"5"}`)
		refused(`{"record":"disclosure","disclosure_index":5.5}`)
		refused(`{broken`)
		h.still(1, 4)
		h.say(5)
		h.stored(1, 4, 5, 7, 9)
	})
}

// Ctrl-C stores what waits, in order, also while more could come.
func TestHurryEndsWaits(t *testing.T) {
	s := openFile(t)
	h := holdGaps(t, s, ingest.Options{HoldGaps: time.Hour})
	h.say(30, 10, 20)
	h.still()
	h.cancel()
	h.end()
	h.stored(10, 20, 30)
	if h.summary.Stored != 3 {
		t.Errorf("%+v", h.summary)
	}
}

// A back-fill holds nothing back, and no duration holds nothing back.
func TestNothingWaits(t *testing.T) {
	for name, o := range map[string]ingest.Options{"back-fill": {HoldGaps: time.Hour, BackFill: true}, "no gaps held": {}} {
		t.Run(name, func(t *testing.T) {
			s := openFile(t)
			h := holdGaps(t, s, o)
			h.say(30, 10, 20)
			h.stored(30, 10, 20)
			live, err := s.DisclosuresAfter(t.Context(), 0, 100, 100)
			if err != nil || (len(live) == 3) == o.BackFill {
				t.Errorf("%d live, %v", len(live), err)
			}
		})
	}
}

// Any order of numbers without a gap is stored in their order when enough time
// is given, repeated lines are unchanged, and the same again changes nothing.
func TestReleaseInOrder(t *testing.T) {
	s := openFile(t)
	run(t, s, bytes.NewBufferString(disclosed(1)))
	first := 2
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(rt, "lines")
		numbers := make([]int, n)
		for i := range numbers {
			numbers[i] = first + i
		}
		order := rapid.Permutation(numbers).Draw(rt, "order")
		order = append(order, rapid.SliceOfN(rapid.SampledFrom(numbers), 0, 5).Draw(rt, "again")...)
		var input bytes.Buffer
		for _, number := range order {
			input.WriteString(disclosed(number))
		}
		summary, err := ingest.Run(t.Context(), s, ingest.Options{Now: ingest.LateClock, Paths: []string{ingest.Stdin}, Stdin: &input,
			Messages: io.Discard, HoldGaps: time.Hour})
		if err != nil || summary.Stored != n || summary.Unchanged != len(order)-n {
			rt.Fatalf("%+v, %v", summary, err)
		}
		if first += n; !slices.IsSorted(storedOrder(t, s)) {
			rt.Fatalf("stored %v", storedOrder(t, s))
		}
	})
}
