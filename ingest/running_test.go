package ingest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/ingest"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// running is an ingest of a pipe that is still open.
type running struct {
	*io.PipeWriter
	cancel  context.CancelFunc
	ended   chan struct{}
	summary *ingest.Summary // once it has ended
	err     error
}

// start starts to ingest what will be written to it.
func start(t *testing.T, s *db.Store) *running {
	t.Helper()
	return startWith(t, s, ingest.Options{})
}

// startWith does what start does, with options.
func startWith(t *testing.T, s *db.Store, o ingest.Options) *running {
	t.Helper()
	o.Now, o.Paths, o.Messages = ingest.LateClock, []string{ingest.Stdin}, io.Discard
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	o.Stdin = in
	r := &running{PipeWriter: out, cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		r.summary, r.err = ingest.Run(ctx, s, o)
		_ = in.Close() // the writer gets an error
	}()
	t.Cleanup(func() {
		cancel()
		_ = out.Close()
		<-r.ended
	})
	return r
}

func (r *running) say(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(r, text); err != nil {
		t.Fatal(err)
	}
}

func (r *running) wait(t *testing.T) {
	t.Helper()
	select {
	case <-r.ended:
	case <-time.After(patience):
		t.Fatalf("still running after %s", patience)
	}
}

// A line from standard input is committed at most 200 ms after it arrived,
// while the pipe stays open. One of several tries may be late on a busy machine.
func TestPipedLineIsStoredSoon(t *testing.T) {
	const limit = 200 * time.Millisecond
	dbtest.Each(t, func(t *testing.T, url string) {
		s, reader := open(t, url), open(t, url)
		r := start(t, s)
		var took []time.Duration
		for i := range 5 {
			symbol := fmt.Sprintf("S%d", i)
			began := time.Now()
			r.say(t, quote(symbol, t1, "1"))
			fixture.Eventually(t, symbol, func() bool { return lasts(t, reader)[symbol] == "1" })
			took = append(took, time.Since(began))
		}
		if slices.Min(took) > limit {
			t.Errorf("committed after %v, want at most %s", took, limit)
		}
		// Half a line waits for its other half.
		whole := quote("HALF", t1, "1")
		r.say(t, whole[:20])
		r.say(t, whole[20:])
		fixture.Eventually(t, "the other half", func() bool { return lasts(t, reader)["HALF"] == "1" })
		_ = r.Close()
		if r.wait(t); r.err != nil || r.summary.Stored != 6 {
			t.Errorf("%+v, %v", r.summary, r.err)
		}
	})
}

// A steady stream does not put off the commit: lines that keep coming do not
// restart the wait.
func TestSteadyStreamIsStored(t *testing.T) {
	s := openFile(t)
	r := start(t, s)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		pace := time.NewTicker(10 * time.Millisecond) // a batch would take longer than patience
		defer pace.Stop()
		for i := 0; ; i++ {
			if _, err := io.WriteString(r, quote(fmt.Sprintf("S%d", i), t1, "1")); err != nil {
				return
			}
			<-pace.C
		}
	}()
	began := time.Now()
	fixture.Eventually(t, "the first line", func() bool { return lasts(t, s)["S0"] == "1" })
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("committed after %s", took)
	}
	_ = r.Close()
	<-stopped
	if r.wait(t); r.err != nil {
		t.Error(r.err)
	}
}

// More lines than a batch holds, bad ones among them: all are stored in order,
// and progress is reported on the way.
func TestManyBatches(t *testing.T) {
	const n = 30_001 // several times what a batch holds
	var input strings.Builder
	for i := range n {
		if i%1000 == 999 {
			input.WriteString("bad\n")
		}
		input.WriteString(quote(fmt.Sprintf("S%d", i%3), t1, fmt.Sprint(i+1)))
	}
	var progress []int
	var messages bytes.Buffer
	s := openFile(t)
	summary, err := ingest.Run(t.Context(), s, ingest.Options{
		Now: ingest.LateClock, Paths: []string{ingest.Stdin}, Stdin: strings.NewReader(input.String()), Messages: &messages,
		Progress: func(read int, _ string) { progress = append(progress, read) },
	})
	if err != nil || summary.Counts != (ingest.Counts{Read: n + 30, Stored: n, Rejected: 30}) {
		t.Errorf("%+v, %v", summary.Counts, err)
	}
	for i, line := range lines(messages.String()) {
		if want := fmt.Sprintf("-:%d: ", i*1001+1000); !strings.HasPrefix(line, want) {
			t.Errorf("refused %q, want %s", line, want)
		}
	}
	if got, want := lasts(t, s), map[string]string{"S0": "30001", "S1": "29999", "S2": "30000"}; !reflect.DeepEqual(got, want) {
		t.Errorf("stored %v, want %v", got, want)
	}
	if len(progress) < 3 || !slices.IsSorted(progress) || progress[len(progress)-1] != n+30 {
		t.Errorf("progress %v", progress)
	}
}

// Cancelling stops soon, also while standard input says nothing, and leaves
// whole batches: the lines up to some point, all of them counted.
func TestCancel(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		t.Run("idle", func(t *testing.T) {
			s := open(t, url)
			r := start(t, s)
			r.say(t, quote("IDLE", t1, "1"))
			fixture.Eventually(t, "the line", func() bool { return lasts(t, s)["IDLE"] == "1" })
			r.cancel()
			if r.wait(t); !errors.Is(r.err, context.Canceled) || r.summary.Stored != 1 {
				t.Errorf("%+v, %v", r.summary, r.err)
			}
		})
		t.Run("busy", func(t *testing.T) {
			s := open(t, url)
			r := start(t, s)
			go func() {
				for i := 0; ; i++ {
					if _, err := io.WriteString(r, quote(fmt.Sprintf("S%d", i), t1, "1")); err != nil {
						return
					}
				}
			}()
			fixture.Eventually(t, "a batch", func() bool { return lasts(t, s)["S0"] == "1" })
			r.cancel()
			if r.wait(t); !errors.Is(r.err, context.Canceled) {
				t.Errorf("error %v", r.err)
			}
			stored := lasts(t, s)
			delete(stored, "IDLE")
			if len(stored) < r.summary.Stored {
				t.Errorf("%d are stored, %d were counted", len(stored), r.summary.Stored)
			}
			for i := range len(stored) {
				if stored[fmt.Sprintf("S%d", i)] != "1" {
					t.Fatalf("%d are stored, and S%d is not", len(stored), i)
				}
			}
		})
	})
}

// What does not pass by itself ends the run with an error, though it repeats what
// does; the summary counts what was committed before.
func TestLostTable(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		r := startWith(t, s, ingest.Options{RetryFor: time.Hour})
		r.say(t, quote("A", t1, "1")+"bad\n"+quote("B", t1, "2"))
		fixture.Eventually(t, "the lines", func() bool { return lasts(t, s)["B"] == "2" })
		if _, err := dbtest.Raw(t, url).Exec("DROP TABLE observations"); err != nil {
			t.Fatal(err)
		}
		r.say(t, quote("C", t1, "3"))
		r.wait(t)
		if r.err == nil || !strings.HasPrefix(r.err.Error(), "store records: ") {
			t.Errorf("error %v", r.err)
		}
		if want := (ingest.Counts{Read: 3, Stored: 2, Rejected: 1}); r.summary.Counts != want {
			t.Errorf("counts %+v, want %+v", r.summary.Counts, want)
		}
		if got, want := lasts(t, s), map[string]string{"A": "1", "B": "2"}; !reflect.DeepEqual(got, want) {
			t.Errorf("stored %v", got)
		}
	})
}

// A server that goes away ends a run that does not repeat, and its password is not told.
func TestLostServer(t *testing.T) {
	url, stop, err := dbtest.StartPostgres()
	need.NoError(t, err)
	defer stop()
	s := open(t, strings.Replace(url, "postgres@", "postgres:hunter2@", 1))
	r := start(t, s)
	r.say(t, quote("A", t1, "1"))
	fixture.Eventually(t, "the line", func() bool { return lasts(t, s)["A"] == "1" })
	stop()
	r.say(t, quote("B", t1, "1"))
	if r.wait(t); r.err == nil || strings.Contains(r.err.Error(), "hunter2") || r.summary.Counts != (ingest.Counts{Read: 1, Stored: 1}) {
		t.Errorf("%+v, %v", r.summary.Counts, r.err)
	}
}

// a cancelled run can end without an error and with lines left out.
func TestCancelledRunIsAnError(t *testing.T) {
	s := openFile(t)
	for i := range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		in, out := io.Pipe()
		said := make(chan struct{})
		go func() {
			defer close(said)
			_, _ = io.WriteString(out, quote("FIRST", t1, fmt.Sprint(i)))
			<-ctx.Done()
			_, _ = io.WriteString(out, quote("SECOND", t1, fmt.Sprint(i)))
			_ = out.Close()
		}()
		summary, err := ingest.Run(ctx, s, ingest.Options{Now: ingest.LateClock, Paths: []string{ingest.Stdin}, Stdin: in,
			Messages: io.Discard, Progress: func(int, string) {
				cancel() // and while the writer is busy here, the reader gives up the second line
				<-said
			}})
		if err == nil && summary.Read < 2 {
			t.Fatalf("run %d ended without an error after %d of 2 lines", i, summary.Read)
		} else if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

// when the run is cancelled, what was read by then is stored.
func TestCancelStoresWhatWasRead(t *testing.T) {
	s := openFile(t)
	for round := range 50 {
		r := start(t, s)
		for i := range 20 {
			r.say(t, quote(fmt.Sprintf("R%d.%d", round, i), t1, "1")) // returns when it was read
		}
		r.cancel()
		_ = r.Close()
		r.wait(t)
		stored := 0
		for symbol := range lasts(t, s) {
			if strings.HasPrefix(symbol, fmt.Sprintf("R%d.", round)) {
				stored++
			}
		}
		if stored != 20 || r.summary.Stored != 20 || !errors.Is(r.err, context.Canceled) {
			t.Fatalf("round %d: %d of 20 lines are stored, %d were counted, %v", round, stored, r.summary.Stored, r.err)
		}
	}
}
