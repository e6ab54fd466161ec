package command

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
	"piyasa/collect/connectors"
	"piyasa/db"
	"piyasa/ingest"
	"piyasa/internal/spans"
	"piyasa/internal/value"
)

type collectCommand struct {
	Run    collectRun    `cmd:"" default:"withargs" help:"Collect. This is what collect FILE does."`
	Check  collectCheck  `cmd:"" help:"Check a file of sources: what it says, its credentials, and whether each upstream answers as it is known to. Stores nothing."`
	Reset  collectReset  `cmd:"" help:"Let a source that no collector runs begin again. What comes again changes nothing that is stored."`
	Rewind collectRewind `cmd:"" help:"Let a source that no collector runs go back, such as to a day."`

	Template collectTemplate `cmd:"" help:"Print a file of sources that is ready for an upstream, or the names of those that there are."`
}

// collectTemplate prints an example file of sources.
type collectTemplate struct {
	Name string `arg:"" optional:"" help:"Name of the template; without it, all are listed." placeholder:"NAME"`
}

// Run prints a template, or the list of templates.
func (c *collectTemplate) Run(_ context.Context, s streams) error {
	all := connectors.Templates()
	names := make([]string, len(all))
	for i, t := range all {
		if t.Name == c.Name {
			_, err := fmt.Fprint(s.out, t.Text)
			return err
		}
		if c.Name == "" {
			fmt.Fprintf(s.out, "%s\n  %s\n", t.Name, t.About)
		}
		names[i] = t.Name
	}
	if c.Name != "" {
		return usageError{fmt.Errorf("there is no template %q; there are %s", c.Name, strings.Join(names, ", "))}
	}
	return nil
}

// collectReset makes a source begin again.
type collectReset struct {
	patient
	Config string `arg:"" help:"JSON file of the sources." placeholder:"FILE"`
	Source string `arg:"" help:"Name of the source." placeholder:"NAME"`
}

// Run makes the source begin again.
func (c *collectReset) Run(ctx context.Context, s streams, in invocation) error {
	return (&collectRewind{collectReset: *c}).Run(ctx, s, in)
}

// collectRewind makes a source go back.
type collectRewind struct {
	collectReset
	To string `required:"" help:"A day, a year, the number of a disclosure, or values of variables such as since=2026-03-02." placeholder:"PLACE"`
}

// Run makes the source go back.
func (c *collectRewind) Run(ctx context.Context, s streams, in invocation) error {
	config, err := readSources(c.Config)
	if err != nil {
		return usageError{err}
	}
	store, err := c.openExisting(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	collector := newCollector(config, value.SystemClock, in.version)
	collector.Store, collector.Emit, collector.Patience = store, emitted(store, value.SystemClock), oncePatience
	says, err := collector.Rewind(ctx, c.Source, c.To)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s %s\n", c.Source, says)
	return nil
}

// collectRun collects sources.
type collectRun struct {
	patient
	Config string `arg:"" help:"JSON file of the sources." placeholder:"FILE"`
	Once   bool   `help:"Collect what is due, and end."`
	DryRun bool   `help:"Print the records as lines for ingest instead of storing them; it begins without any state."`
	Replay string `help:"Parse the raw answers in this folder again, and print the records." placeholder:"FOLDER"`
	Now    string `help:"Instant at which the clock starts, for replays and tests." env:"PIYASA_NOW" placeholder:"INSTANT"`
}

// Run collects until ctx ends, or only what is due.
func (c *collectRun) Run(ctx context.Context, s streams, in invocation) error {
	config, err := readSources(c.Config)
	if err != nil {
		return usageError{err}
	}
	clock, err := clockFrom(c.Now)
	if err != nil {
		return usageError{fmt.Errorf("PIYASA_NOW: %w", err)}
	}
	if c.Replay != "" {
		return config.Replay(c.Replay, s.out)
	}
	collector := newCollector(config, clock, in.version)
	if c.DryRun {
		collector.Store, collector.Emit, collector.DryRun = noStore{}, printed(s.out), true
		printOff(s.err, config)
		return outcomes(s.err, collector.Once(ctx))
	}
	traced, err := spans.FromEnvironment()
	if err != nil {
		return usageError{err}
	}
	store, err := c.openExisting(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	traces := spans.Start(traced, in.version)
	defer traces.Close()
	collector.Store, collector.Traces = store, traces.Provider()
	collector.Emit = emitted(store, clock)
	if c.Once {
		printOff(s.out, config)
		collector.Patience = oncePatience
		return outcomes(s.out, collector.Once(ctx))
	}
	slog.Info("collecting", "sources", len(config.Sources), "off", len(config.Off))
	collector.Run(ctx)
	return nil
}

// readSources reads a file of sources.
func readSources(file string) (*collect.Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	config, err := collect.Read(text, connectors.Makers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return config, nil
}

// printOff lists the sources that are not collected, and why.
func printOff(w io.Writer, config *collect.Config) {
	for _, name := range slices.Sorted(maps.Keys(config.Off)) {
		fmt.Fprintf(w, "%s: off: %s\n", name, config.Off[name])
	}
}

// newCollector returns a collector without a store.
func newCollector(config *collect.Config, clock value.Clock, version string) *collect.Collector {
	return &collect.Collector{
		Config: config, Holder: rand.Text(), Agent: "piyasa/" + version,
		Now: func() time.Time { return clock().Time() }, Judge: judged(clock),
	}
}

// collectCheck checks a file of sources.
type collectCheck struct {
	Config string `arg:"" help:"JSON file of the sources." placeholder:"FILE"`
	Now    string `help:"Instant at which the clock starts, for replays and tests." env:"PIYASA_NOW" placeholder:"INSTANT"`
}

// Run asks every upstream for one answer.
func (c *collectCheck) Run(ctx context.Context, s streams, in invocation) error {
	config, err := readSources(c.Config)
	if err != nil {
		return usageError{err}
	}
	clock, err := clockFrom(c.Now)
	if err != nil {
		return usageError{fmt.Errorf("PIYASA_NOW: %w", err)}
	}
	printOff(s.out, config)
	wrong := false
	for _, found := range newCollector(config, clock, in.version).Check(ctx) {
		switch {
		case found.Err != nil:
			wrong = true
			fmt.Fprintf(s.out, "%s: %v\n", found.Source, found.Err)
		case found.Idle:
			fmt.Fprintf(s.out, "%s: ok; there is nothing to ask for now\n", found.Source)
		case found.Records == 0:
			fmt.Fprintf(s.out, "%s: ok; the first answer can be read, and has nothing new\n", found.Source)
		default:
			fmt.Fprintf(s.out, "%s: ok; the first answer has %s\n", found.Source, collect.Count(found.Records, "record"))
		}
		if found.Warning != nil {
			fmt.Fprintf(s.out, "%s: %v\n", found.Source, found.Warning)
		}
	}
	if wrong {
		return exit(exitFailed)
	}
	return nil
}

// oncePatience is how long collecting once waits in total for upstreams that ask for it, and
// how long commands wait at most for the claim of a killed process.
const oncePatience = 2 * time.Minute

// collectRetry is how long storing records is retried while the database is away; then the
// source is asked again.
const collectRetry = time.Minute

// outcomes prints the outcome of each source. It returns the error of the first one that
// failed.
func outcomes(w io.Writer, all []collect.Outcome) error {
	var failed []error
	refused := 0
	for _, o := range all {
		switch {
		case o.Err != nil:
			failed = append(failed, fmt.Errorf("source %s: %w", o.Source, o.Err))
		case o.Held:
			fmt.Fprintf(w, "%s: another collector is at it\n", o.Source)
		case o.Idle:
			fmt.Fprintf(w, "%s: nothing is due\n", o.Source)
		default:
			fmt.Fprintf(w, "%s: %s, %s, %d refused\n", o.Source, collect.Count(o.Answers, "answer"), collect.Count(o.Records, "record"),
				o.Refused)
		}
		if o.Warning != nil {
			fmt.Fprintf(w, "%s: %v\n", o.Source, o.Warning)
		}
		if o.Unkept != nil {
			failed = append(failed, fmt.Errorf("source %s: everything is stored, but raw answers could not be kept: %w",
				o.Source, o.Unkept))
		}
		refused += o.Refused
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	if refused > 0 {
		return exit(exitRefused)
	}
	return nil
}

// noStore is the store of a run that stores nothing.
type noStore struct{}

// ClaimSource implements collect.Store.
func (noStore) ClaimSource(context.Context, string, string, time.Duration) (json.RawMessage, bool, error) {
	return nil, true, nil
}

// ReleaseSource implements collect.Store.
func (noStore) ReleaseSource(context.Context, string, string) error { return nil }

// printed returns an Emit that prints lines.
func printed(w io.Writer) collect.Emit {
	return func(_ context.Context, lines []byte, _ func([]collect.Refusal) error) ([]collect.Refusal, error) {
		_, err := w.Write(lines)
		return nil, err
	}
}

// judged returns a function that reports which lines ingest would reject.
func judged(clock value.Clock) func([]byte) ([]collect.Refusal, error) {
	return func(lines []byte) (all []collect.Refusal, err error) {
		rejects, err := ingest.Refused(lines, clock)
		for _, r := range rejects {
			all = append(all, refusal(r))
		}
		return all, err
	}
}

// refusal returns a reject in the form of a collector.
func refusal(r ingest.Reject) collect.Refusal {
	one := collect.Refusal{Record: r.Line - 1, Reason: r.Reason}
	if r.Member != nil {
		one.Member = *r.Member
	}
	return one
}

// emitted returns an Emit that stores lines. The collector reports the rejected ones, without
// the credentials that it knows.
func emitted(store *db.Store, clock value.Clock) collect.Emit {
	return func(ctx context.Context, lines []byte, before func([]collect.Refusal) error) ([]collect.Refusal, error) {
		known := map[int]collect.Refusal{} // by record: there are several batches, some of them repeated
		refused := func() []collect.Refusal {
			return slices.SortedFunc(maps.Values(known), func(a, b collect.Refusal) int { return a.Record - b.Record })
		}
		_, err := ingest.Run(ctx, store, ingest.Options{
			Paths: []string{ingest.Stdin}, Stdin: bytes.NewReader(lines), Messages: io.Discard, Now: clock, Together: true,
			RetryFor: collectRetry,
			Before: func(rejects []ingest.Reject) error {
				for _, r := range rejects {
					known[r.Line-1] = refusal(r)
				}
				return before(refused())
			},
		})
		return refused(), err
	}
}
