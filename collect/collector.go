package collect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"time"
)

// Collector collects the sources of a configuration.
type Collector struct {
	Config    *Config
	Store     Store
	Emit      Emit
	Holder    string            // a name that no other collector has
	Agent     string            // the product, as upstreams are told it
	Now       func() time.Time  // the clock of schedules
	Transport http.RoundTripper // nil: the default one
}

// Times of a collector.
const (
	leaseTime    = 5 * time.Minute // longer than a request and the store take together
	firstRetry   = 15 * time.Second
	mostRetry    = 30 * time.Minute
	lookInterval = 30 * time.Second // for a source that another collector holds
	mostSteps    = 100_000          // answers of one run of a source
)

// Outcome is what became of one run of a source.
type Outcome struct {
	Source  string
	Answers int
	Records int
	Refused int
	Held    bool // another collector does it
	Idle    bool // nothing was due
	Err     error
}

// Once runs every source that is due, and returns what became of each.
func (c *Collector) Once(ctx context.Context) []Outcome {
	all := make([]Outcome, len(c.Config.Sources))
	var running sync.WaitGroup
	for i, source := range c.Config.Sources {
		running.Go(func() { all[i] = c.newRunner(source).run(ctx) })
	}
	running.Wait()
	return all
}

// Run runs the sources on their schedules until ctx ends.
func (c *Collector) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, source := range c.Config.Sources {
		running.Go(func() { c.newRunner(source).follow(ctx) })
	}
	running.Wait()
}

// runner runs one source.
type runner struct {
	*Collector
	Named
	fetcher *fetcher
	failed  int // runs in a row
}

func (c *Collector) newRunner(source Named) *runner {
	agent := c.Agent
	if c.Config.Contact != "" {
		agent += " (" + c.Config.Contact + ")"
	}
	return &runner{Collector: c, Named: source, fetcher: newFetcher(source.Own, agent, c.Transport, c.Now)}
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
		if o.Answers > 0 {
			slog.Info("collected", "source", r.Name, "answers", o.Answers, "records", o.Records, "refused", o.Refused)
		}
		_ = wait(ctx, pause)
	}
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
	text, claimed, err := r.Store.ClaimSource(ctx, r.Name, r.Holder, leaseTime)
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
	due := r.Own.Schedule.Last(r.Now())
	if o.Idle = !due.After(s.Done); o.Idle {
		return o
	}
	o.Err = r.steps(ctx, &s, due, &o)
	if o.Err != nil && ctx.Err() == nil {
		o.Err = errors.Join(o.Err, r.tell(ctx, &o, statusOf(r.Name, false, r.Now())))
	}
	if r.Config.Keep.Folder != "" {
		o.Err = errors.Join(o.Err, pruneRaw(r.folder(), r.Now().AddDate(0, 0, -r.Config.Keep.Days)))
	}
	return o
}

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
			s.Done = due
			return r.tell(ctx, o, statusOf(r.Name, true, r.Now()), s.recordOf(r.Name, r.Now()))
		}
		result, err := r.step(ctx, s, asked)
		if err != nil {
			return err
		}
		o.Answers++
		s.Kept = result.Keep
		records := result.Records
		if !result.More {
			s.Done = due
			records = append(records, statusOf(r.Name, true, r.Now()))
		}
		if err := r.tell(ctx, o, append(records, s.recordOf(r.Name, r.Now()))...); err != nil || !result.More {
			return err
		}
		if _, claimed, err := r.Store.ClaimSource(ctx, r.Name, r.Holder, leaseTime); err != nil {
			return err
		} else if !claimed {
			return errors.New("another collector has taken the source over")
		}
	}
	return fmt.Errorf("the source asks for more than %d answers at once", mostSteps)
}

// step fetches one answer and parses it.
func (r *runner) step(ctx context.Context, s *state, asked *Request) (*Result, error) {
	answer, err := r.fetcher.fetch(ctx, asked)
	if answer != nil && r.Config.Keep.Folder != "" { // also one that is wrong: somebody will want to see it
		if failed := keepRaw(r.folder(), asked, answer); failed != nil {
			return nil, errors.Join(err, failed)
		}
	}
	if err != nil {
		return nil, err
	}
	result, err := r.Parse(s.Kept, asked, answer)
	if err != nil {
		return nil, &Trouble{What: "the answer is not what this upstream is known to give; nothing of it is stored", Err: err}
	}
	return result, nil
}

// tell stores records.
func (r *runner) tell(ctx context.Context, o *Outcome, records ...Record) error {
	text, err := lines(records)
	if err != nil {
		return err
	}
	refused, err := r.Emit(context.WithoutCancel(ctx), text) // what was fetched is not thrown away
	o.Records += len(records)
	o.Refused += refused
	return err
}

// Replay parses the kept answers of each source in a folder again, without its state, and
// writes the records as lines.
func (c *Config) Replay(folder string, out io.Writer) error {
	for _, source := range c.Sources {
		files, err := rawFiles(filepath.Join(folder, source.Name))
		if err != nil {
			return err
		}
		var s state
		for _, file := range files {
			asked, answer, err := readRaw(file)
			if err != nil {
				return err
			}
			if check(asked, answer, nil) != nil {
				continue // it was none then, either
			}
			result, err := source.Parse(s.Kept, asked, answer)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			s.Kept = result.Keep
			text, err := lines(result.Records)
			if err != nil {
				return err
			}
			if _, err := out.Write(text); err != nil {
				return err
			}
		}
	}
	return nil
}
