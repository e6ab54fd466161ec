package powercut_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// instruments is how many the feed prices; its first lines are theirs.
const instruments = 5

// line returns a line of the feed: every third is a price of an instrument, with the
// number of the line as its volume, the others are disclosures, with the number of
// the line as theirs.
func line(n int) string {
	at := time.Date(2026, 3, 18, 7, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Second).Format(time.RFC3339)
	switch {
	case n < instruments:
		return fmt.Sprintf(`{"record":"instrument","instrument_id":"bist:S%d","symbol":"S%[1]d","name":"Şirket %[1]d","market":"bist","asset_type":"STOCK","currency":"TRY"}`+"\n", n)
	case n%3 == 0:
		return fmt.Sprintf(`{"record":"quote","instrument_id":"bist:S%d","as_of":"%s","last":"%d.25","volume":"%d","currency":"TRY"}`+"\n",
			n%instruments, at, 100+n%50, n)
	}
	return fmt.Sprintf(`{"record":"disclosure","disclosure_index":%d,"type":"ODA","class":"ODA","symbols":["DMOST"],"filer_codes":["DMOST"],"published_at":"%s","summary":{"tr":"%s"}}`+"\n",
		n, at, strings.Repeat("Önemli bir açıklama. ", n%9))
}

// writer feeds lines to ingesters, one after another, and knows what they have
// acknowledged.
type writer struct {
	random *rand.Rand
	acked  int // the lines before it
	tried  int // the lines before it were ever written
}

// ingester is a running process that stores lines from the first on.
type ingester struct {
	command *exec.Cmd
	in      io.WriteCloser
	first   int      // of its lines
	next    int      // to write
	acks    chan int // lines acknowledged; closed when the process has closed its output
	said    *need.Said
}

// start starts an ingester, which repeats what was not acknowledged and some of what
// was.
func (w *writer) start(t *testing.T, url string) *ingester {
	t.Helper()
	i := &ingester{command: exec.Command(os.Args[0]), first: max(0, w.acked-w.random.IntN(20)), acks: make(chan int), said: new(need.Said)}
	i.next = i.first
	i.command.Env = append(os.Environ(), childVariable+"="+url)
	i.command.Stderr = i.said
	in, err := i.command.StdinPipe()
	need.NoError(t, err)
	i.in = in
	out, err := i.command.StdoutPipe()
	need.NoError(t, err)
	need.NoError(t, i.command.Start())
	go func() {
		defer close(i.acks)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			var ack struct{ Lines int }
			if err := json.Unmarshal(scanner.Bytes(), &ack); err != nil {
				return // the line of a process that was killed
			}
			i.acks <- i.first + ack.Lines
		}
	}()
	return i
}

// ackTime is how long a batch may take.
const ackTime = time.Minute

// write has an ingester store batches up to a line, or until stop. It reports whether
// the ingester has done so; otherwise its process has ended, or must be ended.
func (w *writer) write(t *testing.T, i *ingester, until int, stop <-chan struct{}) bool {
	t.Helper()
	for i.next < until {
		end := min(until, i.next+1+w.random.IntN(400))
		var batch strings.Builder
		for ; i.next < end; i.next++ {
			batch.WriteString(line(i.next))
		}
		w.tried = max(w.tried, end)
		written := make(chan error, 1)
		go func() {
			_, err := io.WriteString(i.in, batch.String())
			written <- err
		}()
		late := time.After(ackTime)
		for stored := 0; stored < end; {
			select {
			case lines, more := <-i.acks:
				if !more {
					<-written
					return false
				}
				stored = lines
				w.acked = max(w.acked, stored)
			case <-stop:
				return false
			case <-late:
				t.Fatalf("no acknowledgement within %s; the ingester said: %s", ackTime, i.said)
			}
		}
		<-written
	}
	return true
}

// aim has the power of a disk cut in the midst of what comes, after at most so many
// changes, or returns the line up to which to write before the cut.
func (w *writer) aim(disk *mounted, changes float64) (until int) {
	if w.random.IntN(3) == 0 { // right after an acknowledgement
		return w.tried + 1 + w.random.IntN(100)
	}
	// Even in its logarithm, so that many cuts hit the start, which changes the schema and recovers.
	disk.CutAfter(int(math.Exp(w.random.Float64() * math.Log(changes))))
	return math.MaxInt
}

// kill kills an ingester and reads what it still had acknowledged.
func (w *writer) kill(i *ingester) {
	_ = i.command.Process.Kill()
	for lines := range i.acks {
		w.acked = max(w.acked, lines)
	}
	_ = i.command.Wait()
}

// store has an ingester store so many more lines, and end.
func (w *writer) store(t *testing.T, url string, lines int) {
	t.Helper()
	i := w.start(t, url)
	if !w.write(t, i, w.tried+lines, nil) {
		t.Fatalf("the ingester ended and said: %s", i.said)
	}
	_ = i.in.Close()
	for lines := range i.acks {
		w.acked = max(w.acked, lines)
	}
	err := i.command.Wait()
	for said := range strings.Lines(i.said.String()) {
		if err != nil || !strings.Contains(said, "a new epoch begins") { // as it may after every fault
			t.Errorf("the ingester ended with %v and said: %s", err, said)
		}
	}
}
