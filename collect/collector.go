package collect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// Collector collects the sources of a configuration: Run does so on their schedules, Once only
// what is due now.
type Collector struct {
	Config    *Config
	Store     Store
	Emit      Emit
	Holder    string               // a name that no other collector has
	Agent     string               // the product, in the User-Agent header
	Now       func() time.Time     // the clock of schedules
	Transport http.RoundTripper    // nil: the default one
	Traces    trace.TracerProvider // makes a span of each answer; nil: none
	Patience  time.Duration        // how long Once waits if upstreams ask for it, and Once and Rewind for claims; 0: not at all
	DryRun    bool                 // only Emit gets the records

	Judge func(lines []byte) ([]Refusal, error) // tells Check which lines Emit would reject; nil: none
}

// Times of a collector.
const (
	tellEvery    = time.Minute      // at most this often a result without news is stored
	firstRetry   = 15 * time.Second // if neither the upstream nor the configuration states a pause
	leastRetry   = time.Second      // whatever they state
	lookInterval = 30 * time.Second // between looks at a source that another collector holds
	mostSteps    = 100_000          // answers in one run of a source
	emitTime     = 4 * time.Minute  // how long storing an answer may take
)

// Outcome is the result of one run of a source.
type Outcome struct {
	Source  string
	Answers int
	Records int
	Refused int
	Held    bool  // another collector has the source
	Idle    bool  // nothing was due
	Warning error // a fault that did not end the run
	Err     error
	Unkept  error // why raw answers could not be kept, though their records are stored

	warnings int
}

// mostWarnings is how many warnings of a run are shown; the rest are counted.
const mostWarnings = 50

// warn adds a warning.
func (o *Outcome) warn(err error) {
	if o.warnings++; o.warnings <= mostWarnings {
		o.Warning = errors.Join(o.Warning, err)
	}
}

// add adds the outcome of another run of the same source.
func (o *Outcome) add(next *Outcome) {
	next.Answers, next.Records, next.Refused = o.Answers+next.Answers, o.Records+next.Records, o.Refused+next.Refused
	next.Idle = next.Idle && o.Answers == 0
	*o = *next
}

// Count returns a count with its noun, for messages.
func Count(n int, of string) string {
	if n != 1 {
		of += "s"
	}
	return fmt.Sprint(n, " ", of)
}

// told finishes the warnings.
func (o *Outcome) told() {
	if more := o.warnings - mostWarnings; more > 0 {
		o.Warning = errors.Join(o.Warning, fmt.Errorf("and %s", Count(more, "more warning")))
	}
}

// Once runs every source that is due, and returns the outcome of each.
func (c *Collector) Once(ctx context.Context) []Outcome {
	all := make([]Outcome, len(c.Config.Sources))
	var running sync.WaitGroup
	for i, source := range c.Config.Sources {
		running.Go(func() { all[i] = c.newRunner(source).once(ctx) })
	}
	running.Wait()
	return all
}

// Check asks each source for one answer and stores nothing.
func (c *Collector) Check(ctx context.Context) []Outcome {
	rehearsing := *c
	rehearsing.DryRun = true // so that no source changes anything upstream, such as moving files
	all := make([]Outcome, len(c.Config.Sources))
	var running sync.WaitGroup
	for i, source := range c.Config.Sources {
		running.Go(func() { all[i] = rehearsing.newRunner(source).check(ctx) })
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

// Replay parses the kept answers of each source in a folder again, without its state, and
// writes the records to out as lines.
func (c *Config) Replay(folder string, out io.Writer) error {
	for _, source := range c.Sources {
		if err := source.replay(filepath.Join(folder, source.Name), out); err != nil {
			return hiding(source.secrets...).of(err)
		}
	}
	return nil
}

func (n Named) replay(folder string, out io.Writer) error {
	files, err := rawFiles(folder)
	if err != nil {
		return err
	}
	var s state
	for _, file := range files {
		request, answer, err := readRaw(file)
		if err != nil {
			return err
		}
		if answer.Trouble == nil && check(request, answer) != nil {
			continue // it had no records then, either
		}
		result, err := n.Parse(s.Kept, request, answer)
		if _, explained := errors.AsType[*Trouble](err); explained {
			continue // the upstream called it an error
		}
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
	return nil
}
