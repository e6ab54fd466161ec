package collect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"piyasa/internal/spans"
)

// runner runs one source: it waits until the source is due, asks it, passes its lines to
// ingest, and stores its progress with the last of them, so that an interrupted run continues
// from there. A failed run is repeated after a growing pause, or the pause that the upstream
// states. Only one process runs a source at a time: the one that holds its claim.
type runner struct {
	*Collector
	Named
	fetcher *fetcher
	claim   Claim
	by      string    // identifies this reader: its version and its settings
	failed  int       // runs in a row
	done    time.Time // a completed time of the schedule that the stored state does not have yet
	doneOf  string    // the stored state at that time
	told    time.Time // when it was last stored that the source is up; zero: it is not up
	warned  string    // the last message to the log
	heeds   time.Time // until when it waits by itself, as its upstream has asked
	rests   time.Time // until when no extras are asked for
	drifts  drifts
}

func (c *Collector) newRunner(source Named) *runner {
	agent := c.Agent
	if c.Config.Contact != "" {
		agent += " (" + c.Config.Contact + ")"
	}
	if s, ok := source.Source.(Rehearsal); ok && c.DryRun {
		s.Rehearse()
	}
	r := &runner{Collector: c, Named: source, fetcher: newFetcher(source, agent, c.Transport, c.Now),
		by: sum([]byte(c.Agent + " " + source.settings))}
	r.claim = Claim{
		What: "source " + r.Name,
		Ask: func(ctx context.Context, lease time.Duration) (json.RawMessage, bool, error) {
			return c.Store.ClaimSource(ctx, r.Name, c.Holder, lease)
		},
		Release: func(ctx context.Context) error { return c.Store.ReleaseSource(ctx, r.Name, c.Holder) },
	}
	return r
}

// follow runs the source repeatedly.
func (r *runner) follow(ctx context.Context) {
	for ctx.Err() == nil {
		o := r.run(ctx)
		pause := r.Own.Schedule.Next(r.Now()).Sub(r.Now())
		switch {
		case ctx.Err() != nil:
			return
		case o.Held:
			pause = lookInterval
		case o.Err != nil:
			pause = r.pauseAfter(&o)
			slog.Error("a source could not be collected", "source", r.Name, "error", o.Err, "again_in", pause.Round(time.Second))
		case r.failed > 0:
			r.failed = 0
			slog.Info("a source is collected again", "source", r.Name)
		}
		r.warn(o.Warning)
		if o.Records > 0 {
			slog.Info("collected", "source", r.Name, "answers", o.Answers, "records", o.Records, "refused", o.Refused)
		}
		if o.Unkept != nil {
			slog.Error("raw answers could not be kept", "source", r.Name, "error", o.Unkept)
		}
		_ = Wait(ctx, pause)
	}
}

// pauseAfter returns the pause after a failed run: longer after each one without progress.
func (r *runner) pauseAfter(o *Outcome) time.Duration {
	if o.Answers > 0 {
		r.failed = 0 // it made progress, so it is not the same failure again
	}
	r.failed++
	asked := r.asked(o.Err)
	return Backoff(r.failed, min(firstRetry, cmp.Or(asked, firstRetry)), asked)
}

// asked returns the pause that the upstream or the configuration states for an error; 0:
// neither does.
func (r *runner) asked(err error) time.Duration {
	t, ok := errors.AsType[*Trouble](err)
	if wait := r.Own.Retry[anyTrouble]; ok && (t.Wait > 0 || wait > 0) {
		return max(cmp.Or(t.Wait, wait), leastRetry)
	}
	return 0
}

// warn logs a fault once.
func (r *runner) warn(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != r.warned {
		slog.Warn("something is wrong with a source, which goes on", "source", r.Name, "warning", text)
	}
	r.warned = text
}

// once runs until nothing is due. It waits if the upstream or the configuration asks for a
// short pause, and for the claim of a killed collector.
func (r *runner) once(ctx context.Context) Outcome {
	var all Outcome
	begun := time.Now()
	for {
		o := r.runWithin(ctx, r.Patience)
		all.add(&o)
		if r.asked(o.Err) == 0 {
			return all
		}
		pause := r.pauseAfter(&o)
		if time.Since(begun)+pause > r.Patience {
			return all
		}
		slog.Warn("a source could not be collected", "source", r.Name, "error", o.Err, "again_in", pause.Round(time.Second))
		if Wait(ctx, pause) != nil {
			return all
		}
	}
}

// run asks for everything that is due.
func (r *runner) run(ctx context.Context) Outcome { return r.runWithin(ctx, 0) }

// runWithin is run with a wait of at most patience for the claim of another collector.
func (r *runner) runWithin(ctx context.Context, patience time.Duration) (o Outcome) {
	o.Source = r.Name
	defer func() {
		o.told()
		hide := r.fetcher.hidden.of
		o.Err, o.Warning, o.Unkept = hide(o.Err), hide(o.Warning), hide(o.Unkept)
	}()
	text, claimed, err := r.claim.Await(ctx, patience)
	if err != nil || !claimed {
		o.Err, o.Held = err, err == nil
		return o
	}
	ctx, release := r.claim.Hold(ctx)
	defer func() { o.Err = errors.Join(o.Err, release()) }()
	s, err := readState(text)
	if err != nil {
		o.Err = err
		return o
	}
	if r.done.After(s.Done) && r.doneOf == string(text) { // otherwise the store went back
		s.Done = r.done
	}
	s.correct(r.Now())
	due := r.Own.Schedule.Last(r.Now())
	if o.Idle = !due.After(s.Done); o.Idle {
		if r.failed > 0 { // what failed came after everything was collected
			o.Err = r.tell(ctx, s.statusOf(r.Named, nil, r.Now()), s.recordOf(r.Name, r.Now()))
		}
		return o
	}
	if wait := s.Rest.left(r.by, r.Now()); wait > 0 && !s.Rest.Until.Equal(r.heeds) {
		o.Err = &Trouble{What: "the upstream has asked to be left alone until " + s.Rest.Until.UTC().Format(time.RFC3339), Wait: wait}
		return o
	}
	s.Rest = nil
	o.Err = r.steps(ctx, &s, due, &o, string(text))
	if o.Err != nil {
		o.Err = cmp.Or(taken(ctx), o.Err)
	}
	if o.Err != nil && o.Warning != nil && strings.Contains(o.Err.Error(), o.Warning.Error()) {
		o.Warning = nil // the error already says it
	}
	if o.Err != nil && ctx.Err() == nil {
		r.told = time.Time{}
		records := []Record{s.statusOf(r.Named, r.fetcher.hidden.of(errors.Join(o.Err, o.Warning)), r.Now())}
		if trouble, ok := errors.AsType[*Trouble](o.Err); ok && trouble.Asked > 0 {
			r.heeds = r.Now().Add(trouble.Asked).Truncate(time.Millisecond)
			s.Rest = &rest{r.heeds, r.by}
			records = append(records, s.recordOf(r.Name, r.Now()))
		}
		o.Err = errors.Join(o.Err, r.tell(ctx, records...))
	}
	if r.keeps() {
		o.Unkept = errors.Join(o.Unkept, pruneRaw(r.folder(), r.Now().AddDate(0, 0, -r.Config.Keep.Days)))
	}
	return o
}

// keeps reports whether raw answers are kept.
func (r *runner) keeps() bool { return r.Config.Keep.Folder != "" && !r.unkept }

// folder returns the folder of the source's raw answers.
func (r *runner) folder() string { return filepath.Join(r.Config.Keep.Folder, r.Name) }

// steps asks and stores until there is nothing more to ask for, which completes the scheduled
// time that was due. text is the stored state.
func (r *runner) steps(ctx context.Context, s *state, due time.Time, o *Outcome, text string) error {
	for range mostSteps {
		request, err := r.Ask(s.Kept, r.Now())
		if err != nil {
			return err
		}
		var result *Result
		if request != nil {
			if result, err = r.step(ctx, s, request, o); err != nil {
				return err
			}
		}
		if result == nil {
			if err := r.end(ctx, s, due, text, o); err != nil {
				return err
			}
			return r.extras(ctx, s, o)
		}
		if !result.More {
			return r.extras(ctx, s, o)
		}
		more, claimed, err := r.claim.Take(ctx)
		if err != nil {
			return err
		}
		if !claimed {
			return ErrTaken
		}
		text = string(more)
	}
	return fmt.Errorf("the source asks for more than %d answers at once", mostSteps)
}

// end completes a scheduled time without further news. If such times follow each other closely,
// not each of them is stored.
func (r *runner) end(ctx context.Context, s *state, due time.Time, text string, o *Outcome) error {
	s.complete(due, r.Now())
	r.done, r.doneOf = due, text
	if since := r.Now().Sub(r.told); since >= 0 && since < tellEvery && r.Own.Schedule.Every > 0 {
		return nil
	}
	return r.tell(ctx, s.statusOf(r.Named, r.fetcher.hidden.of(o.Warning), r.Now()), s.recordOf(r.Name, r.Now()))
}

// step fetches one answer, and stores its records if there are any new ones.
func (r *runner) step(ctx context.Context, s *state, request *Request, o *Outcome) (_ *Result, err error) {
	ctx, span := spans.Root(ctx, r.Traces, "collect "+r.Name)
	defer func() { spans.End(span, err) }()
	answer, result, err := r.exchange(ctx, s.Kept, request, s.Seen.of(request, r.by), o)
	if err != nil || result == nil {
		return nil, err
	}
	due := r.Own.Schedule.Last(answer.At)
	next := *s
	next.Kept, next.Seen, next.Newest = result.Keep, nil, newest(s.Newest, result.Records, r.Now())
	records := result.Records
	if !result.More {
		next.complete(due, r.Now())
		records = append(records, next.statusOf(r.Named, r.fetcher.hidden.of(o.Warning), r.Now()))
	}
	finisher, finishes := r.Source.(Finisher)
	finishes = finishes && !r.DryRun
	var before func([]Refusal) error
	if finishes {
		before = func(refused []Refusal) error { return finisher.Refused(request, answer, refused) }
	}
	refused, err := r.emit(ctx, append(records, next.recordOf(r.Name, r.Now())), before)
	if err != nil {
		return nil, err
	}
	*s = next
	if !result.More {
		r.told = r.Now()
	}
	if o.Warning != nil {
		r.told = time.Time{} // so that recovery is recorded
	}
	o.Answers++
	o.Records += len(result.Records)
	o.Refused += len(refused)
	r.logRefused(refused)
	if seen := see(request, answer, r.by); seen != nil && len(refused) == 0 { // rejected answers are read again
		s.Seen = seen
		if err := r.tell(ctx, s.recordOf(r.Name, r.Now())); err != nil {
			return nil, err
		}
	}
	if result.Failed != nil {
		return nil, result.Failed
	}
	if finishes {
		return result, finisher.Finish(request, answer)
	}
	if _, ok := r.Source.(Finisher); len(refused) > 0 && !ok {
		o.warn(refusedError(refused))
		if !result.More {
			return result, r.tell(ctx, s.statusOf(r.Named, r.fetcher.hidden.of(o.Warning), r.Now()))
		}
	}
	return result, nil
}

// exchange sends a request and returns the answer and its meaning; nil: nothing new. With an
// error, it returns the answer that caused it.
func (r *runner) exchange(ctx context.Context, kept []byte, request *Request, known *seen, o *Outcome) (*Answer, *Result, error) {
	answer, err := r.fetch(ctx, request, known)
	if err == nil && known.unchanged(answer) {
		return nil, nil, nil
	}
	answer, err = r.fetcher.spared(request, answer, err)
	if answer != nil { // a wrong answer, too: somebody will want to see it
		if failed := r.keep(request, answer); failed != nil {
			o.Unkept = failed
		}
	}
	if err != nil {
		return nil, nil, err
	}
	result, err := r.parse(kept, request, answer)
	if err != nil {
		return answer, nil, err
	}
	if !r.DryRun {
		if err := writeFiles(result.Files); err != nil {
			return nil, nil, err
		}
	}
	r.drifts.note(r.Name, result.Drift, answer.At, r.fetcher.hidden)
	if result.Warning != "" {
		o.warn(errors.New(result.Warning))
	}
	return answer, result, nil
}

// drifts counts changes in the form of a source's answers, and logs them at most once a day.
type drifts struct {
	day   string
	count int
}

func (d *drifts) note(source string, drift []string, at time.Time, hide hidden) {
	if len(drift) == 0 {
		return
	}
	d.count += len(drift)
	if day := at.UTC().Format(time.DateOnly); day != d.day {
		d.day = day
		slog.Warn("the answers of a source are other than before, and can be read still", "source", source, "members", d.count,
			"now", hide.in(strings.Join(drift, "; ")))
	}
}

// fetch returns the answer to a request.
func (r *runner) fetch(ctx context.Context, request *Request, known *seen) (_ *Answer, err error) {
	ctx, span := spans.Begin(ctx, "fetch", trace.WithSpanKind(trace.SpanKindClient))
	defer func() { spans.End(span, err) }()
	return r.fetcher.fetch(ctx, request, known)
}

// mostLogged is how many rejected records of an answer are logged.
const mostLogged = 20

// logRefused logs why records are rejected.
func (r *runner) logRefused(all []Refusal) {
	for _, one := range all[:min(len(all), mostLogged)] {
		slog.Warn("a record is refused", "source", r.Name, "record", one.Record+1, "member", one.Member,
			"reason", r.fetcher.hidden.in(one.Reason))
	}
}

// refusedError returns an error about the rejected records of an answer.
func refusedError(all []Refusal) error {
	why := strings.TrimSpace(all[0].Member + " " + all[0].Reason)
	if len(all) == 1 {
		return fmt.Errorf("a record of an answer was refused, because %s", why)
	}
	return fmt.Errorf("%d records of an answer were refused, the first because %s", len(all), why)
}

// parse returns the meaning of an answer.
func (r *runner) parse(kept []byte, request *Request, answer *Answer) (*Result, error) {
	result, err := r.Parse(kept, request, answer)
	if err != nil {
		if blind := r.fetcher.blind(answer); blind != nil { // the message may have half a credential
			if _, err = r.Parse(kept, request, blind); err == nil {
				err = errRepeats
			}
		}
	} else if r.fetcher.hidden.holds(string(result.Keep)) {
		err = errors.New("what is to be kept of it has a credential")
	}
	if _, explained := errors.AsType[*Trouble](err); err != nil && !explained {
		return nil, &Trouble{What: "the answer is not what this upstream is known to give; nothing of it is stored", Err: err}
	}
	return result, err
}

// tell stores whether the source is up.
func (r *runner) tell(ctx context.Context, records ...Record) error {
	_, err := r.emit(ctx, records, nil)
	if err == nil {
		r.told = r.Now()
	}
	return err
}

// emit stores records.
func (r *runner) emit(ctx context.Context, records []Record, before func([]Refusal) error) ([]Refusal, error) {
	text, err := lines(records)
	if err != nil {
		return nil, err
	}
	if before == nil {
		before = func([]Refusal) error { return nil }
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), emitTime) // fetched answers are not thrown away
	defer cancel()
	return r.Emit(bounded, text, before)
}

// check asks for the first answer.
func (r *runner) check(ctx context.Context) (o Outcome) {
	o.Source = r.Name
	defer func() { o.Err = r.fetcher.hidden.of(o.Err) }()
	request, err := r.Ask(nil, r.Now())
	if err != nil || request == nil {
		o.Err, o.Idle = err, request == nil
		return o
	}
	answer, err := r.fetcher.fetch(ctx, request, nil)
	if err != nil {
		o.Err = err
		return o
	}
	result, err := r.parse(nil, request, answer)
	if err != nil {
		o.Err = err
		return o
	}
	o.Answers, o.Records = 1, len(result.Records)
	refused, err := r.judge(result.Records)
	o.Refused = len(refused)
	switch {
	case err != nil:
		o.Err = err
		return o
	case o.Refused > 0 && o.Refused == o.Records:
		o.Err = refusedError(refused)
		return o
	case o.Refused > 0:
		o.warn(refusedError(refused))
	}
	o.Warning = r.fetcher.hidden.of(errors.Join(o.Warning, r.checkExtra(ctx, result.Keep)))
	return o
}

// judge returns which records would be rejected.
func (r *runner) judge(records []Record) ([]Refusal, error) {
	if r.Judge == nil {
		return nil, nil
	}
	text, err := lines(records)
	if err != nil {
		return nil, err
	}
	return r.Judge(text)
}
