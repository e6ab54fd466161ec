package world

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"piyasa/test/torture/history"
)

// Writer is an adapter: it prints disclosures to `piyasa ingest --acks -`, starts it
// again when it ends, and sends again what was not acknowledged.
type Writer struct {
	w        *World
	database string
	log      said
	done     chan struct{}

	mu      sync.Mutex
	changed sync.Cond // lines, acked or stopped
	lines   []line    // everything that was ever to be sent
	acked   int       // of lines
	number  int       // the last one used
	stopped bool
	paused  bool
	gaveUp  int // how often ingest ended by itself
	process *process
	env     []string
}

// line is a disclosure as ingest reads it.
type line struct {
	number int
	text   string
}

// NewWriter starts a writer into a database, with extra environment NAME=VALUE.
func (w *World) NewWriter(database string, env ...string) *Writer {
	w.T.Helper()
	writer := &Writer{w: w, database: database, env: env, done: make(chan struct{})}
	writer.changed.L = &writer.mu
	w.writer = writer
	writer.log.onLine = w.notices("ingest")
	showAtFailure(w.T, "ingest", &writer.log)
	program := piyasa(w.T)
	go func() {
		defer close(writer.done)
		for writer.awaitStart() {
			if err := writer.run(program); err != nil {
				fmt.Fprintln(&writer.log, "the writer:", err)
				time.Sleep(100 * time.Millisecond) // before it tries again
			}
		}
	}()
	w.T.Cleanup(func() {
		writer.Stop()
	})
	return writer
}

// awaitStart waits while the writer is paused, and reports whether ingest is to run.
func (w *Writer) awaitStart() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.paused && !w.stopped {
		w.changed.Wait()
	}
	return !w.stopped
}

// run feeds one process of ingest until it ends.
func (w *Writer) run(program string) error {
	cmd := exec.Command(program, "ingest", "--acks", "-")
	w.mu.Lock()
	cmd.Env = append(environment(w.w, w.database), w.env...)
	w.mu.Unlock()
	cmd.Stderr = &w.log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	acks, out := io.Pipe()
	cmd.Stdout = out
	w.mu.Lock()
	base := w.acked
	w.process, err = startProcess(cmd, syscall.SIGKILL)
	process := w.process
	w.mu.Unlock()
	if err != nil {
		return err
	}
	var reading sync.WaitGroup
	reading.Go(func() { w.read(acks, base) })
	next, over := base, false
	var ending sync.WaitGroup
	ending.Go(func() {
		<-process.ended
		_ = out.Close()
		w.mu.Lock()
		defer w.mu.Unlock()
		over = true
		w.changed.Broadcast()
	})
	for {
		w.mu.Lock()
		for next >= len(w.lines) && !w.stopped && !over { // more than there are once some are forgotten
			w.changed.Wait()
		}
		ends := over || w.stopped && next >= len(w.lines)
		pending := w.lines[min(next, len(w.lines)):]
		next = len(w.lines)
		w.mu.Unlock()
		for _, l := range pending {
			if _, err := io.WriteString(stdin, l.text+"\n"); err != nil {
				ends = true
				break
			}
		}
		if ends {
			break
		}
	}
	_ = stdin.Close() // ingest stores what it has read and ends
	ending.Wait()
	reading.Wait()
	state := cmd.ProcessState
	if state.Success() {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !state.Sys().(syscall.WaitStatus).Signaled() && !w.paused && !w.stopped {
		w.gaveUp++
	}
	return fmt.Errorf("ingest ended: %s", state)
}

// read takes acknowledgements of the lines from base on.
func (w *Writer) read(acks io.Reader, base int) {
	for lines := bufio.NewScanner(acks); lines.Scan(); {
		var ack struct{ Lines int }
		if err := json.Unmarshal(lines.Bytes(), &ack); err != nil {
			fmt.Fprintf(&w.log, "the writer: %q: %v\n", lines.Bytes(), err)
			continue
		}
		w.mu.Lock()
		var numbers []int
		for ; w.acked < base+ack.Lines; w.acked++ {
			numbers = append(numbers, w.lines[w.acked].number)
		}
		w.w.Recorder.Record(history.Entry{Kind: history.Acknowledged, Actor: "writer", Numbers: numbers})
		w.changed.Broadcast()
		w.mu.Unlock()
	}
}

// lastKind is the kind of the last row, which every client follows.
const lastKind = "CA"

// Send gives the writer n more rows and does not wait for them.
func (w *Writer) Send(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for range n {
		w.add(kindOf(w.number+1), symbolsOf(w.number+1))
	}
}

// SendLine gives the writer a line of any kind and does not wait for it.
func (w *Writer) SendLine(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, line{text: text})
	w.changed.Broadcast()
}

// kindOf and symbolsOf are what the row with a number is about, unless it is the last.
func kindOf(number int) string { return []string{"ODA", "DG", "DUY", "FON"}[number%4] }

func symbolsOf(number int) []string {
	return [][]string{{"AAA"}, {"BBB", "AAA"}, {}, {"CCC"}, {"DDD"}, {"BBB"}, {"EEE"}}[number%7]
}

// Concerns reports whether the row with a number that Send gives concerns a follower of topics.
func Concerns(number int, topics []string) bool {
	return slices.ContainsFunc(topics, func(topic string) bool {
		what, of, _ := strings.Cut(topic, ":")
		return what == "all" || what == "type" && of == kindOf(number) || what == "symbol" && slices.Contains(symbolsOf(number), of)
	})
}

// add must be called with the lock.
func (w *Writer) add(kind string, symbols []string) {
	w.number++
	codes, _ := json.Marshal(symbols) // strings always work
	w.lines = append(w.lines, line{w.number, fmt.Sprintf(
		`{"record":"disclosure","disclosure_index":%d,"type":"%s","class":"%[2]s","symbols":%s,"filer_codes":[],"published_at":"2026-03-18T11:45:00Z"}`,
		w.number, kind, codes)})
	w.changed.Broadcast()
}

// Write stores n more rows: it waits until they are acknowledged.
func (w *Writer) Write(n int) {
	w.w.T.Helper()
	w.Send(n)
	w.Settle()
}

// WriteLast stores a row that every client asked for and returns its number.
func (w *Writer) WriteLast() int {
	w.w.T.Helper()
	w.mu.Lock()
	w.add(lastKind, []string{})
	number := w.number
	w.mu.Unlock()
	w.Settle()
	return number
}

// Settle waits until everything is acknowledged.
func (w *Writer) Settle() {
	w.w.T.Helper()
	late := time.AfterFunc(2*deadline, w.changed.Broadcast)
	defer late.Stop()
	end := time.Now().Add(2 * deadline)
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.acked < len(w.lines) {
		if time.Now().After(end) {
			w.w.T.Fatalf("after %s, %d of %d lines are acknowledged", 2*deadline, w.acked, len(w.lines))
		}
		w.changed.Wait()
	}
}

// Forget pauses the writer and lets it never send again what was not acknowledged.
func (w *Writer) Forget() {
	w.w.T.Helper()
	w.Pause()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = w.lines[:w.acked]
}

// Acknowledged returns how many rows were acknowledged.
func (w *Writer) Acknowledged() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.acked
}

// Restart ends ingest in order and starts another one, with extra environment
// NAME=VALUE.
func (w *Writer) Restart(env ...string) {
	w.w.T.Helper()
	w.Pause()
	w.mu.Lock()
	w.env = env
	w.mu.Unlock()
	w.Resume()
}

// Pause ends ingest in order and starts none until Resume.
func (w *Writer) Pause() {
	w.w.T.Helper()
	w.mu.Lock()
	w.paused = true
	process := w.process
	w.mu.Unlock()
	if process == nil {
		return
	}
	process.signal(w.w.T, syscall.SIGTERM)
	select {
	case <-process.ended:
	case <-time.After(deadline):
		w.w.T.Fatalf("ingest does not end within %s", deadline)
	}
}

// Resume lets ingest run again.
func (w *Writer) Resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused = false
	w.changed.Broadcast()
}

// GaveUp returns how often ingest ended, though nobody had asked it to.
func (w *Writer) GaveUp() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gaveUp
}

// Kill kills ingest; the writer starts another one.
func (w *Writer) Kill() {
	w.mu.Lock()
	process := w.process
	w.mu.Unlock()
	if process != nil {
		process.signal(w.w.T, syscall.SIGKILL)
	}
}

// Stop ends the writer and its ingest.
func (w *Writer) Stop() {
	w.mu.Lock()
	w.stopped = true
	w.changed.Broadcast()
	w.mu.Unlock()
	select {
	case <-w.done:
	case <-time.After(deadline):
		w.Kill()
		<-w.done
	}
}
