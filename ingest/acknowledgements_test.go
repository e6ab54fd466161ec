package ingest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"piyasa/db/dbtest"
	"piyasa/ingest"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// heard returns the acknowledgements that come from a pipe.
func heard(t *testing.T) (to *io.PipeWriter, next func() (lines int)) {
	t.Helper()
	from, to := io.Pipe()
	t.Cleanup(func() { _ = from.Close() })
	said := make(chan int, 1000)
	go func() {
		defer close(said)
		for in := bufio.NewScanner(from); in.Scan(); {
			var a struct{ Lines int }
			if err := json.Unmarshal(in.Bytes(), &a); err != nil || !strings.HasPrefix(in.Text(), `{"lines":`) {
				t.Errorf("acknowledged %s, %v", in.Text(), err)
			}
			said <- a.Lines
		}
	}()
	return to, func() int {
		t.Helper()
		select {
		case n := <-said:
			return n
		case <-time.After(patience):
			t.Fatal("nothing is acknowledged")
			return 0
		}
	}
}

// What is acknowledged is committed, and everything is acknowledged while the pipe
// stays open.
func TestAcknowledgedIsStored(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, reader := open(t, url), open(t, url)
		acks, next := heard(t)
		in, feed := io.Pipe()
		ended := make(chan error)
		go func() {
			_, err := ingest.Run(t.Context(), s, ingest.Options{Now: ingest.LateClock, Paths: []string{ingest.Stdin}, Stdin: in,
				Messages: io.Discard, Acks: acks})
			ended <- err
		}()
		const n = 60
		go func() {
			for i := range n {
				text := quote(fmt.Sprintf("S%d", i), t1, "1")
				switch i % 10 {
				case 3:
					text = "bad\n"
				case 4:
					text = "\n"
				}
				_, _ = io.WriteString(feed, text)
			}
		}()
		for done := 0; done < n; {
			more := next()
			if more <= done || more > n {
				t.Fatalf("acknowledged %d lines after %d", more, done)
			}
			stored := lasts(t, reader)
			for i := done; i < more; i++ {
				if m := i % 10; m != 3 && m != 4 && stored[fmt.Sprintf("S%d", i)] != "1" {
					t.Fatalf("%d lines are acknowledged, and S%d is not stored", more, i)
				}
			}
			done = more
		}
		_ = feed.Close()
		need.NoError(t, <-ended)
	})
}

// A line that waits for its predecessor is not acknowledged, nor any line after it,
// though those may be stored.
func TestWaitingIsNotAcknowledged(t *testing.T) {
	s := openFile(t)
	run(t, s, strings.NewReader(disclosed(1)))
	acks, next := heard(t)
	h := holdGaps(t, s, ingest.Options{HoldGaps: time.Hour, Acks: acks})
	expect := func(lines int) {
		t.Helper()
		for n := 0; n < lines; {
			if n = next(); n > lines {
				t.Fatalf("%d lines are acknowledged, want %d", n, lines)
			}
		}
	}
	h.say(2)
	expect(1)
	for _, number := range []int{4, 6, 3} {
		h.say(number)
		if _, err := io.WriteString(h.input, quote(fmt.Sprintf("AFTER%d", number), t1, "1")); err != nil {
			t.Fatal(err)
		}
		fixture.Eventually(t, "what follows", func() bool { return lasts(t, s)[fmt.Sprintf("AFTER%d", number)] == "1" })
	}
	expect(3) // 2, 4 and the quote: 6 waits
	h.say(5)
	expect(8)
}

// Of several files each is named, and done up to its last line.
func TestFilesAreAcknowledged(t *testing.T) {
	folder := t.TempDir()
	a := write(t, folder, "a.ndjson", quote("A", t1, "1")+"\nbad\n")
	empty := write(t, folder, "b.ndjson", "")
	c := write(t, folder, "c.ndjson", disclosed(5)+quote("C", t1, "1"))
	d := write(t, folder, "d.ndjson", quote("D", t1, "1"))
	acks := new(bytes.Buffer)
	if _, err := ingest.Run(t.Context(), openFile(t), ingest.Options{
		Now: ingest.LateClock, Paths: []string{a, empty, c, d, a}, Messages: io.Discard, Acks: acks, HoldGaps: 300 * time.Millisecond,
	}); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	var order []string
	for d := json.NewDecoder(acks); d.More(); {
		var one struct {
			File  string
			Lines int
		}
		need.NoError(t, d.Decode(&one))
		if len(order) == 0 || order[len(order)-1] != one.File {
			order = append(order, one.File)
		}
		got[one.File] = one.Lines
	}
	if want := map[string]int{a: 3, c: 2, d: 1}; !reflect.DeepEqual(got, want) || !reflect.DeepEqual(order, []string{a, c, d, a}) {
		t.Errorf("acknowledged %v, want %v; in the order %v", got, want, order)
	}
}

// Lines that belong together become visible together, however slowly they come.
func TestTogether(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		in, feed := io.Pipe()
		go func() {
			for i := range 4 {
				fmt.Fprint(feed, quote("A", fmt.Sprintf("2026-03-18T11:45:%02dZ", i), "1"))
				time.Sleep(40 * time.Millisecond) // longer than a batch waits otherwise
			}
			feed.Close()
		}()
		var acks bytes.Buffer
		_, err := ingest.Run(t.Context(), open(t, url),
			ingest.Options{Now: ingest.LateClock, Paths: []string{ingest.Stdin}, Stdin: in, Messages: io.Discard, Acks: &acks,
				Together: true})
		if err != nil || strings.Count(acks.String(), "\n") != 1 || !strings.HasPrefix(acks.String(), `{"lines":4`) {
			t.Errorf("%v, acknowledged %s", err, &acks)
		}
	})
}
