// Package ingest stores records from newline-delimited JSON: one object per line, whose member
// record names its kind.
//
// One goroutine reads and checks lines, another stores them in batches, in the order of the
// input. A bad line is rejected by itself, with its place, its member and the allowed values;
// the lines beside it are stored. A batch is one transaction, so a process killed at any moment
// leaves whole batches, and running it again completes the work.
package ingest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"piyasa/db"
	"piyasa/internal/spans"
	"piyasa/internal/value"
)

// Options say what to ingest and where to report.
type Options struct {
	Paths    []string  // files, folders, or Stdin
	Stdin    io.Reader // read for the path Stdin
	Messages io.Writer // receives a line for every rejected or stale record
	// receives rejected lines as JSON objects before their batch is acknowledged, and is then
	// synced if possible; may be nil
	Rejects  io.Writer
	Before   func([]Reject) error        // gets the rejected lines before each commit, which its error undoes; may be nil
	Acks     io.Writer                   // receives an acknowledgement after each commit; may be nil
	Progress func(read int, file string) // called from time to time with the current file; may be nil
	BackFill bool                        // disclosures are stored and not published to streams
	HoldGaps time.Duration               // how long a disclosure waits for its predecessor
	Together bool                        // lines become visible only when all have arrived, or a batch is full
	RetryFor time.Duration               // how long to retry what the database cannot do now; 0: not at all
	Metrics  *Metrics                    // count the work; may be nil
	Traces   trace.TracerProvider        // makes a span of each batch; nil: none, or those of the caller's trace
	Now      value.Clock                 // later times cannot have been observed; nil: the machine's clock
}

// A batch is stored when it has maxBatch lines or maxBatchBytes, when no line has arrived for
// about quiet, or maxDelay after its first line: lines of standard input must become visible
// soon, and many lines share a transaction. Where writers do not queue, the pause between
// batches is as long as the last one took to store, up to maxRest, so that other writers get a
// turn.
const (
	maxBatch      = 8000
	maxBatchBytes = 8 << 20
	quiet         = time.Millisecond
	maxDelay      = 20 * time.Millisecond
	maxRest       = 50 * time.Millisecond
	lastWait      = 50 * time.Millisecond // for lines that are being decoded when the run ends
	readAhead     = 256                   // decoded lines waiting for the writer
)

// Reject is a rejected line in the form that Rejects receives.
type Reject struct {
	File   string  `json:"file"`
	Line   int     `json:"line"`
	Member *string `json:"field"` // null if the line as a whole is wrong
	Reason string  `json:"reason"`
	Input  string  `json:"input"`
}

// line is one line of input on its way to the store.
type line struct {
	file      string
	number    int
	order     int // among all lines
	input     []byte
	kind      *kind
	record    any
	withdrawn bool // the line withdraws the record
	fault     *value.Invalid
	outcome   db.Outcome
}

// Run ingests the paths into the store. Its error says what stopped it (a missing file, a lost
// database, the end of ctx); rejected lines are no error. The summary counts what was
// committed, even if there is an error. When ctx ends, lines that were already read are still
// stored, if the database accepts them soon.
func Run(ctx context.Context, store *db.Store, o Options) (*Summary, error) {
	return run(ctx, ctx.Done(), store, o)
}

// run does the work of Run. Once ending is closed, it no longer waits for a database that is
// away.
func run(ctx context.Context, ending <-chan struct{}, store *db.Store, o Options) (*Summary, error) {
	began := time.Now()
	files, err := expand(o.Paths, o.Messages)
	if err != nil {
		return newSummary(), err
	}
	if o.Now == nil {
		o.Now = value.SystemClock
	}
	gone, leave := context.WithCancel(context.WithoutCancel(ctx)) // the writer has stopped
	defer leave()
	decoded := make(chan *line, readAhead)
	var readErr error      // set before decoded is closed
	var taken atomic.Int64 // lines read
	go func() {
		defer close(decoded)
		readErr = readAll(ctx, gone, files, o, &taken, decoded)
	}()
	w := &writer{store: store, options: o, ending: ending, summary: newSummary(),
		acks: acknowledgements{out: o.Acks, several: len(files) > 1}}
	if !o.BackFill { // back-fills are not ordered
		w.gaps.wait = o.HoldGaps
	}
	if err = w.run(ctx, decoded); err == nil {
		err = readErr
	}
	if lost := int(taken.Load()) - w.summary.Read; err != nil && lost > 0 {
		err = fmt.Errorf("%w; lines read and not stored: %d, after %s", err, lost, w.acks.place())
	}
	w.summary.Seconds = time.Since(began).Seconds()
	return w.summary, err
}

// readAll decodes every line of files into out.
func readAll(ctx, gone context.Context, files []string, o Options, taken *atomic.Int64, out chan<- *line) error {
	decoder := newDecoder(o.Now)
	for _, file := range files {
		if err := readFile(ctx, gone, file, o.Stdin, decoder, taken, out); err != nil {
			return err
		}
	}
	return nil
}

func readFile(ctx, gone context.Context, file string, stdin io.Reader, decoder *decoder, taken *atomic.Int64, out chan<- *line) error {
	last := 0
	send := func(l *line) bool {
		taken.Add(1)
		select {
		case out <- l:
			return ctx.Err() == nil
		case <-gone.Done():
			return false
		}
	}
	err := read(file, stdin, func(number int, input []byte, err error) bool {
		last = number
		return send(decoder.line(file, number, input, err))
	})
	if _, missing := errors.AsType[*fs.PathError](err); missing {
		return err // deleted since the listing
	}
	if err != nil { // report the broken archive
		send(&line{file: file, number: last + 1, fault: value.Invalidf("", "cannot be read: %v; the rest of the file is skipped", err)})
	}
	return ctx.Err()
}

// Refused returns the lines of an input that would be rejected by any store.
func Refused(input []byte, now value.Clock) (all []Reject, err error) {
	decoder := newDecoder(now)
	err = lines(bytes.NewReader(input), func(number int, text []byte, err error) bool {
		if l := decoder.line(Stdin, number, text, err); l.fault != nil {
			all = append(all, l.reject(l.fault))
		}
		return true
	})
	return all, err
}

// line decodes a line of a file; err says that it could not be read.
func (d *decoder) line(file string, number int, input []byte, err error) *line {
	l := &line{file: file, number: number, input: input}
	if err != nil {
		l.fault = &value.Invalid{Must: err.Error()}
	} else {
		l.kind, l.record, l.withdrawn, l.fault = d.decode(input)
	}
	return l
}

// read calls yield for every line of a file.
func read(file string, stdin io.Reader, yield func(int, []byte, error) bool) error {
	r, err := open(file, stdin)
	if err != nil {
		return err
	}
	defer r.Close()
	return lines(r, yield)
}

// writer stores lines in batches and reports the results. A batch ends when it is full or old,
// or where the next line changes the meaning of those before; only then are its lines
// acknowledged and its rejects written.
type writer struct {
	store   *db.Store
	options Options
	ending  <-chan struct{} // closed when the run must stop
	summary *Summary
	pending []*line
	bytes   int      // of the pending lines
	file    string   // of the newest line
	rejects []byte   // of the last stored batch
	divided division // of the pending lines
	gaps    gapBuffer
	acks    acknowledgements
	resume  time.Time // until when other writers have a turn, unless the batch is full
}

// take adds a line to the pending ones.
func (w *writer) take(l *line) {
	w.pending = append(w.pending, l)
	w.file = l.file
	w.bytes += len(l.input)
	w.acks.take(l)
}

func (w *writer) run(ctx context.Context, read <-chan *line) error {
	timer := time.NewTimer(maxDelay)
	defer timer.Stop()
	var full time.Time // when the batch must be stored
	arrived := 0       // lines of the batch when the timer was set
	wait := func(until time.Time) {
		arrived = len(w.pending)
		timer.Reset(max(quiet, time.Until(until)))
	}
	var poll <-chan time.Time // for predecessors
	if w.gaps.wait > 0 {
		ticker := time.NewTicker(gapPoll)
		defer ticker.Stop()
		poll = ticker.C
	}
	for {
		select {
		case l, more := <-read:
			if !more {
				return w.finish(ctx)
			}
			if w.divided.before(l, w.pending) {
				if err := w.flush(context.WithoutCancel(ctx), false); err != nil {
					return err
				}
			}
			if w.take(l); len(w.pending) == 1 {
				full = time.Now().Add(maxDelay)
				wait(w.resume)
			}
			if len(w.pending) < maxBatch && w.bytes < maxBatchBytes {
				continue
			}
		case <-timer.C:
			if w.options.Together {
				continue // until the input ends
			}
			if len(w.pending) > arrived && time.Now().Before(full) { // more may come
				wait(time.Time{})
				continue
			}
		case <-poll:
		case <-ctx.Done():
			if err := w.drain(context.WithoutCancel(ctx), read); err != nil {
				return err // a further flush would acknowledge what it has not stored
			}
			return cmp.Or(w.flush(context.WithoutCancel(ctx), true), ctx.Err())
		}
		if err := w.flush(context.WithoutCancel(ctx), false); err != nil {
			return err
		}
	}
}

// finish stores the remaining lines at the end of the input, and waits for the gaps.
func (w *writer) finish(ctx context.Context) error {
	for {
		if err := w.flush(context.WithoutCancel(ctx), ctx.Err() != nil); err != nil || len(w.gaps.waiting) == 0 {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(gapPoll):
		}
	}
}

// drain adds the lines read before ctx ended to the pending ones. The reader stops by itself,
// unless it waits for standard input.
func (w *writer) drain(ctx context.Context, read <-chan *line) error {
	for {
		select {
		case l, more := <-read:
			if !more {
				return nil
			}
			if w.divided.before(l, w.pending) {
				if err := w.flush(ctx, true); err != nil {
					return err
				}
			}
			w.take(l)
		case <-time.After(lastWait):
			return nil
		}
	}
}

// flush stores the pending lines that need not wait for a gap, and reports the results. hurry
// ends every wait.
func (w *writer) flush(ctx context.Context, hurry bool) (err error) {
	if len(w.pending)+len(w.gaps.waiting) == 0 {
		return nil
	}
	ctx, span := spans.Root(ctx, w.options.Traces, "ingest", trace.WithAttributes(attribute.Int("piyasa.lines", len(w.pending))))
	defer func() { spans.End(span, err) }()
	began, lines := time.Now(), w.gaps.hold(w.pending)
	if err := w.repeat(ctx, func(ctx context.Context) error {
		released, err := w.gaps.release(ctx, w.store, hurry)
		lines = append(lines, released...)
		return err
	}); err != nil {
		return fmt.Errorf("look for disclosures: %w", err)
	}
	if err := w.repeat(ctx, func(ctx context.Context) error { return w.store.Store(ctx, w.batch(lines)) }); err != nil {
		return fmt.Errorf("store records: %w", err)
	}
	w.options.Metrics.stored(lines, began)
	for _, l := range lines {
		if err := w.report(l); err != nil {
			return err
		}
	}
	if err := w.keepRejects(); err != nil {
		return err
	}
	if !w.store.WritersQueue() {
		w.resume = time.Now().Add(min(time.Since(began), maxRest))
	}
	clear(w.pending)
	w.pending, w.bytes = w.pending[:0], 0
	w.divided.forget()
	if err := w.acks.acknowledge(w.gaps.first()); err != nil {
		return err
	}
	if w.options.Progress != nil {
		w.options.Progress(w.summary.Read, w.file)
	}
	return nil
}

// batch returns lines as a batch.
func (w *writer) batch(lines []*line) *db.Batch {
	batch := &db.Batch{BackFill: w.options.BackFill, Horizon: horizonOf(w.options.Now), Recorded: w.options.Now()}
	for _, l := range lines {
		switch {
		case l.fault != nil:
		case l.withdrawn:
			l.kind.withdraw(batch, l.record, &l.outcome)
		default:
			l.kind.put(batch, l.record, &l.outcome)
		}
	}
	if w.options.Before != nil {
		batch.Before = func() error {
			var all []Reject
			for _, l := range lines {
				if why := l.refused(); why != nil {
					all = append(all, l.reject(why))
				}
			}
			return w.options.Before(all)
		}
	}
	return batch
}

// refused returns why a line is not stored; nil: it is not rejected.
func (l *line) refused() *value.Invalid {
	if l.fault == nil && l.outcome.Result == db.Refused {
		return l.outcome.Why
	}
	return l.fault
}

// contradicts reports whether figures of the record are impossible and not shown.
func (l *line) contradicts() bool {
	r, ok := l.record.(interface{ Contradicts() bool })
	return ok && r.Contradicts()
}

// reject returns a rejected line in the form of Rejects.
func (l *line) reject(why *value.Invalid) Reject {
	r := Reject{File: l.file, Line: l.number, Reason: why.Must, Input: string(l.input)}
	if why.Member != "" {
		r.Member = &why.Member
	}
	return r
}

// report counts a line and, if it was not stored, reports why.
func (w *writer) report(l *line) error {
	if l.fault == nil && l.refused() != nil {
		l.fault = l.refused()
		w.gaps.refuse(l, time.Now())
	}
	w.summary.add(l)
	if l.fault == nil && l.outcome.Result == db.Stale {
		w.message(l, l.outcome.Why.Member, "stale: "+l.outcome.Why.Must)
	}
	if l.fault == nil {
		return nil
	}
	w.message(l, l.fault.Member, l.fault.Must)
	if w.options.Rejects == nil {
		return nil
	}
	text, err := value.AppendJSON(nil, l.reject(l.fault))
	if err != nil {
		return fmt.Errorf("write rejects: %w", err)
	}
	w.rejects = append(append(w.rejects, text...), '\n')
	return nil
}

// keepRejects writes the rejected lines of a batch and makes them durable, so that acknowledged
// rejects are not lost.
func (w *writer) keepRejects() error {
	if len(w.rejects) == 0 {
		return nil
	}
	_, err := w.options.Rejects.Write(w.rejects)
	w.rejects = w.rejects[:0]
	if file, ok := w.options.Rejects.(interface{ Sync() error }); ok && err == nil {
		err = file.Sync()
	}
	if err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) { // errors of a pipe or a terminal
		return fmt.Errorf("write rejects: %w", err)
	}
	return nil
}

// message writes a message about a line.
func (w *writer) message(l *line, field, reason string) {
	if field != "" {
		field += ": "
	}
	fmt.Fprintf(w.options.Messages, "%s:%d: %s%s\n", printable(l.file), l.number, field, printable(reason))
}

// printable escapes every character of text that could move a terminal's cursor or begin
// another line.
func printable(text string) string {
	if !strings.ContainsFunc(text, hides) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if hides(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hides reports whether a character is invisible: a control, or one that changes the direction
// of text.
func hides(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
