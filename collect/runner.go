package collect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"
)

// runner runs one source.
type runner struct {
	*Collector
	Named
	fetcher *fetcher
	failed  int       // runs in a row
	done    time.Time // the newest time of the schedule that is complete, stored or not
	told    time.Time // when it was last stored that the source is up; zero: it is not
	warned  string    // what the log has last been told
}

func (c *Collector) newRunner(source Named) *runner {
	agent := c.Agent
	if c.Config.Contact != "" {
		agent += " (" + c.Config.Contact + ")"
	}
	if r, ok := source.Source.(Rehearsal); ok && c.DryRun {
		r.Rehearse()
	}
	return &runner{Collector: c, Named: source, fetcher: newFetcher(source, agent, c.Transport, c.Now)}
}

// follow runs the source again and again.
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
			pause = r.retry(o.Err)
			slog.Error("a source could not be collected", "source", r.Name, "error", o.Err, "again_in", pause.Round(time.Second))
		case r.failed > 0:
			r.failed = 0
			slog.Info("a source is collected again", "source", r.Name)
		}
		r.warn(o.Warning)
		if o.Records > 0 {
			slog.Info("collected", "source", r.Name, "answers", o.Answers, "records", o.Records, "refused", o.Refused)
		}
		_ = wait(ctx, pause)
	}
}

// warn tells the log once what is wrong.
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

// retry returns how long to wait after one more failure: twice as long as before, and up to
// a quarter more, so that collectors do not come back together; or what the upstream asks
// for.
func (r *runner) retry(err error) time.Duration {
	pause := min(mostRetry, firstRetry<<min(r.failed, 10))
	r.failed++
	pause += rand.N(pause / 4)
	if t, ok := errors.AsType[*Trouble](err); ok {
		pause = max(pause, t.Wait)
	}
	return pause
}

// run asks for everything that is due.
func (r *runner) run(ctx context.Context) (o Outcome) {
	o.Source = r.Name
	text, claimed, err := r.Store.ClaimSource(ctx, r.Name, r.Holder, r.lease())
	if err != nil || !claimed {
		o.Err, o.Held = err, err == nil
		return o
	}
	defer func() {
		o.Err = errors.Join(o.Err, r.Store.ReleaseSource(context.WithoutCancel(ctx), r.Name, r.Holder))
	}()
	s, err := readState(text)
	if err != nil {
		o.Err = err
		return o
	}
	if r.done.After(s.Done) {
		s.Done = r.done
	}
	due := r.Own.Schedule.Last(r.Now())
	if o.Idle = !due.After(s.Done); o.Idle {
		return o
	}
	o.Err = r.steps(ctx, &s, due, &o)
	if o.Err != nil && ctx.Err() == nil {
		r.told = time.Time{}
		o.Err = errors.Join(o.Err, r.tell(ctx, s.statusOf(r.Named, errors.Join(o.Err, o.Warning), r.Now())))
	}
	if r.Config.Keep.Folder != "" {
		o.Err = errors.Join(o.Err, pruneRaw(r.folder(), r.Now().AddDate(0, 0, -r.Config.Keep.Days)))
	}
	return o
}

// lease is longer than a step: a request with its login, both at their pace.
func (r *runner) lease() time.Duration { return leaseTime + 2*r.Own.Pace }

// folder is where the raw answers of the source are kept.
func (r *runner) folder() string { return filepath.Join(r.Config.Keep.Folder, r.Name) }

// steps asks and stores until nothing more is to be asked, which completes the time of the
// schedule that was due.
func (r *runner) steps(ctx context.Context, s *state, due time.Time, o *Outcome) error {
	for range mostSteps {
		asked, err := r.Ask(s.Kept, r.Now())
		if err != nil {
			return err
		}
		if asked == nil {
			return r.end(ctx, s, due, o)
		}
		result, err := r.step(ctx, s, asked, o)
		if err != nil {
			return err
		}
		if result == nil {
			return r.end(ctx, s, due, o)
		}
		if !result.More {
			return nil
		}
		if _, claimed, err := r.Store.ClaimSource(ctx, r.Name, r.Holder, r.lease()); err != nil {
			return err
		} else if !claimed {
			return errors.New("another collector has taken the source over")
		}
	}
	return fmt.Errorf("the source asks for more than %d answers at once", mostSteps)
}

// end completes a time of the schedule that brought nothing more. Where such times follow
// each other closely, not each of them is stored.
func (r *runner) end(ctx context.Context, s *state, due time.Time, o *Outcome) error {
	s.complete(due, r.Now())
	r.done = due
	if r.Now().Sub(r.told) < tellEvery && r.Own.Schedule.Every > 0 {
		return nil
	}
	return r.tell(ctx, s.statusOf(r.Named, o.Warning, r.Now()), s.recordOf(r.Name, r.Now()))
}

// step fetches one answer, and stores what it says, if that is anything new.
func (r *runner) step(ctx context.Context, s *state, asked *Request, o *Outcome) (*Result, error) {
	answer, err := r.fetcher.fetch(ctx, asked, s.Seen)
	if err == nil && s.Seen.unchanged(asked, answer) {
		return nil, nil
	}
	if answer != nil { // also one that is wrong: somebody will want to see it
		if failed := r.keep(asked, answer); failed != nil {
			return nil, errors.Join(err, failed)
		}
	}
	if err != nil {
		return nil, err
	}
	due := r.Own.Schedule.Last(answer.At)
	result, err := parse(r.Source, s.Kept, asked, answer)
	if err != nil {
		return nil, err
	}
	if !r.DryRun {
		if err := writeFiles(result.Files); err != nil {
			return nil, err
		}
	}
	next := *s
	next.Kept, next.Seen, next.Newest = result.Keep, see(asked, answer), newest(s.Newest, result.Records, r.Now())
	records := result.Records
	if result.Warning != "" {
		o.warn(errors.New(result.Warning))
	}
	if !result.More {
		next.complete(due, r.Now())
		records = append(records, next.statusOf(r.Named, o.Warning, r.Now()))
	}
	refused, err := r.emit(ctx, append(records, next.recordOf(r.Name, r.Now())))
	if err != nil {
		return nil, err
	}
	*s = next
	if !result.More {
		r.done, r.told = next.Done, r.Now()
	}
	if o.Warning != nil {
		r.told = time.Time{} // so that it is told when the source is well again
	}
	o.Answers++
	o.Records += len(result.Records)
	o.Refused += len(refused)
	if _, ok := r.Source.(Finisher); len(refused) > 0 && !ok {
		o.warn(refusedError(refused))
		if !result.More {
			return result, r.tell(ctx, s.statusOf(r.Named, o.Warning, r.Now()))
		}
	}
	if f, ok := r.Source.(Finisher); ok && !r.DryRun {
		return result, f.Finish(asked, answer, refused)
	}
	return result, nil
}

// refusedError says what was refused of an answer.
func refusedError(all []Refusal) error {
	return fmt.Errorf("%d records of an answer were refused, the first because %s", len(all), strings.TrimSpace(all[0].Member+" "+all[0].Reason))
}

// parse returns what an answer means.
func parse(source Source, kept []byte, asked *Request, answer *Answer) (*Result, error) {
	result, err := source.Parse(kept, asked, answer)
	if _, told := errors.AsType[*Trouble](err); err != nil && !told {
		return nil, &Trouble{What: "the answer is not what this upstream is known to give; nothing of it is stored", Err: err}
	}
	return result, err
}

// tell stores that the source is up, or is not.
func (r *runner) tell(ctx context.Context, records ...Record) error {
	_, err := r.emit(ctx, records)
	if err == nil {
		r.told = r.Now()
	}
	return err
}

// emit stores records.
func (r *runner) emit(ctx context.Context, records []Record) ([]Refusal, error) {
	text, err := lines(records)
	if err != nil {
		return nil, err
	}
	return r.Emit(context.WithoutCancel(ctx), text) // what was fetched is not thrown away
}

// check asks for the first answer.
func (r *runner) check(ctx context.Context) Outcome {
	o := Outcome{Source: r.Name}
	asked, err := r.Ask(nil, r.Now())
	if err != nil || asked == nil {
		o.Err, o.Idle = err, asked == nil
		return o
	}
	answer, err := r.fetcher.fetch(ctx, asked, nil)
	if err != nil {
		o.Err = err
		return o
	}
	result, err := parse(r.Source, nil, asked, answer)
	if err != nil {
		o.Err = err
		return o
	}
	o.Answers, o.Records = 1, len(result.Records)
	return o
}
