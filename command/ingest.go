package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"piyasa/ingest"
)

type ingestCommand struct {
	patient
	History  bool          `help:"Back-fill: store disclosures without publishing them to streams."`
	HoldGaps time.Duration `help:"How long a disclosure waits for its predecessor." default:"0s" placeholder:"DURATION"`
	RetryFor string        `help:"How long to repeat what a database that is away did not store; 0 ends the run at once." env:"PIYASA_DATABASE_RETRY" default:"${retry_for}" placeholder:"DURATION"`
	Now      string        `help:"Instant at which the clock starts, for replays and tests; observations more than a day ahead of it are rejected." env:"PIYASA_NOW" placeholder:"INSTANT"`
	Rejects  string        `help:"Write rejected lines to this file, as JSON objects." placeholder:"FILE"`
	Metrics  string        `name:"metrics-listen" aliases:"metrics" help:"Address of a private listener for metrics, health and profiles; default: none." env:"PIYASA_INGEST_METRICS_LISTEN" placeholder:"HOST:PORT"`
	Acks     bool          `help:"Print {\"lines\":N} after each commit: the first N lines of the input are done. The summary goes to standard error."`
	JSON     bool          `name:"json" help:"Print the summary as one JSON object."`
	Paths    []string      `arg:"" name:"path" placeholder:"PATH" help:"Files, folders (every *.ndjson, *.ndjson.gz, *.ndjson.zst in them), or - for standard input."`
}

// Run stores the records and prints what became of them.
func (c *ingestCommand) Run(ctx context.Context, s streams, vars kong.Vars) (err error) {
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
	metrics := address{c.Metrics, "--metrics-listen", "PIYASA_INGEST_METRICS_LISTEN"}
	if err := tryAddresses(metrics); err != nil {
		return err
	}
	store, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	options := ingest.Options{Paths: c.Paths, Stdin: s.in, Messages: s.err, BackFill: c.History, HoldGaps: c.HoldGaps, RetryFor: retry, Now: clock}
	if c.Metrics != "" {
		options.Metrics = ingest.NewMetrics()
		private, err := watched(ctx, metrics, vars["version"], store, options.Metrics)
		if err != nil {
			return err
		}
		defer func() { _ = private.stop() }() // what is stored is stored
	}
	if c.Rejects != "" {
		file, err := os.Create(c.Rejects)
		if err != nil {
			return err
		}
		defer file.Close()
		options.Rejects = file
	}
	said := s.out
	if c.Acks {
		options.Acks, said = s.out, s.err
	}
	erase := func() {}
	if onTerminal(s.err) {
		options.Progress, erase = progress(s.err)
	}
	summary, err := ingest.Run(ctx, store, options)
	erase()
	interrupted := errors.Is(err, context.Canceled)
	if err != nil && !interrupted {
		return fmt.Errorf("after %d lines: %w", summary.Read, err)
	}
	if err := c.print(said, summary); err != nil {
		return err
	}
	if interrupted && !slices.Equal(c.Paths, []string{ingest.Stdin}) { // a feed is ended like this; files are not
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

// progressInterval is how often the line on the terminal is redrawn.
const progressInterval = 100 * time.Millisecond

// progress draws a line of progress on a terminal; erase removes it.
func progress(w io.Writer) (draw func(int), erase func()) {
	began := time.Now()
	var drawn time.Time
	draw = func(read int) {
		if time.Since(drawn) < progressInterval {
			return
		}
		drawn = time.Now()
		fmt.Fprintf(w, "\r\033[K%d lines, %.0f a second", read, float64(read)/time.Since(began).Seconds())
	}
	return draw, func() {
		if !drawn.IsZero() {
			fmt.Fprint(w, "\r\033[K")
		}
	}
}
