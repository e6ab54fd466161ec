package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"piyasa/ingest"
	"piyasa/internal/spans"
)

type ingestCommand struct {
	patient
	History  bool          `help:"Back-fill: store disclosures without publishing them to streams."`
	HoldGaps time.Duration `help:"How long a disclosure waits for its predecessor." default:"0s" placeholder:"DURATION"`
	RetryFor string        `help:"How long to repeat what a database that is away did not store; 0 ends the run at once." env:"PIYASA_DATABASE_RETRY" default:"${retry_for}" placeholder:"DURATION"`
	Now      string        `help:"Instant at which the clock starts, for replays and tests; observations more than a day ahead of it are rejected." env:"PIYASA_NOW" placeholder:"INSTANT"`
	Errors   string        `aliases:"rejects" help:"Add every rejected line to this file, as a JSON object with its file, line, wrong member, reason and text." placeholder:"FILE"`
	Explain  bool          `help:"Say of every stale or rejected line why; otherwise of the first ${most_messages} of each cause, and how many more there are."`
	Metrics  string        `name:"metrics-listen" aliases:"metrics" help:"Address of a private listener for metrics, health and profiles; default: none." env:"PIYASA_INGEST_METRICS_LISTEN" placeholder:"HOST:PORT"`
	privateNames

	Acks  bool     `help:"Print {\"lines\":N} after each commit: the first N lines of the input are done. The summary goes to standard error."`
	JSON  bool     `name:"json" help:"Print the summary as one JSON object."`
	Paths []string `arg:"" name:"path" placeholder:"PATH" help:"Files, folders (every *.ndjson, *.ndjson.gz, *.ndjson.zst in them), or - for standard input."`
}

// Run stores the records and prints the summary.
func (c *ingestCommand) Run(ctx context.Context, s streams, in invocation) (err error) {
	if c.HoldGaps < 0 {
		return usageError{fmt.Errorf("--hold-gaps must be 0 or a duration such as 60s; got %s", c.HoldGaps)}
	}
	clock, err := clockFrom(c.Now)
	if err != nil {
		return usageError{fmt.Errorf("PIYASA_NOW: %w", err)}
	}
	retry, err := time.ParseDuration(c.RetryFor)
	if err != nil || retry < 0 {
		return usageError{fmt.Errorf("PIYASA_DATABASE_RETRY: must be a duration such as 1h, or 0; got %q", c.RetryFor)}
	}
	traced, err := spans.FromEnvironment()
	if err != nil {
		return usageError{err}
	}
	metrics := address{c.Metrics, "--metrics-listen", "PIYASA_INGEST_METRICS_LISTEN"}
	if err := tryAddresses(metrics); err != nil {
		return err
	}
	names, err := c.privateNames.check(c.Metrics)
	if err != nil {
		return usageError{fmt.Errorf("PIYASA_METRICS_HOSTS: %w", err)}
	}
	if err := ingest.Check(c.Paths); err != nil { // before anything is created
		return err
	}
	var rejects io.Writer
	if c.Errors != "" { // before the database: closing one of its files would release its locks
		file, err := openErrors(c.Errors, c.Paths, s.in)
		if err != nil {
			return fmt.Errorf("--errors: %w", err)
		}
		defer file.Close()
		rejects = file
	}
	store, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	traces := spans.Start(traced, in.version)
	defer traces.Close()
	options := ingest.Options{
		Traces: traces.Provider(), Paths: c.Paths, Stdin: s.in, Rejects: rejects, BackFill: c.History, HoldGaps: c.HoldGaps,
		RetryFor: retry,
		Now:      clock,
	}
	if c.Metrics != "" {
		options.Metrics = ingest.NewMetrics()
		private, err := watched(ctx, metrics, names, in.version, store, options.Metrics, traces)
		if err != nil {
			return err
		}
		defer func() { _ = private.stop() }() // the records are stored
	}
	output := s.out
	if c.Acks {
		options.Acks, output = s.out, s.err
	}
	messages := &ingestMessages{out: s.err, began: time.Now(), all: c.Explain, counts: map[string]int{}}
	options.Messages = messages
	if onTerminal(s.err) {
		options.Progress = messages.draw
	}
	summary, err := ingest.Run(ctx, store, options)
	messages.finish()
	interrupted := errors.Is(err, context.Canceled)
	if err != nil && !interrupted {
		return fmt.Errorf("after %d lines: %w", summary.Read, err)
	}
	if err := c.print(output, summary); err != nil {
		return err
	}
	if interrupted && !slices.Equal(c.Paths, []string{ingest.Stdin}) { // this is how a feed is ended, but not files
		return errors.New("interrupted; run it again to complete the work")
	}
	if summary.Rejected > 0 {
		return exit(exitRefused)
	}
	return nil
}

func (c *ingestCommand) print(w io.Writer, summary *ingest.Summary) error {
	if c.JSON {
		return json.NewEncoder(w).Encode(summary)
	}
	summary.WriteTable(w)
	return nil
}
