package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"piyasa/collect"
	"piyasa/db"
	"piyasa/serve/deliver"
)

type deliverCommand struct {
	Run    deliverRun    `cmd:"" default:"withargs" help:"Deliver. This is what deliver FILE does."`
	Check  deliverCheck  `cmd:"" help:"Check a file of sinks: what it says, its credentials, and whether each sink can be reached. Delivers nothing."`
	Rewind deliverRewind `cmd:"" help:"Let a sink that no process delivers go on from somewhere else, and enable it if it was disabled."`
}

// deliverRun delivers to sinks.
type deliverRun struct {
	patient
	Config string `arg:"" help:"JSON file of the sinks." placeholder:"FILE"`
	Once   bool   `help:"Deliver what there is, and end."`
	DryRun bool   `help:"Print what would be delivered as lines for ingest, and deliver nothing."`
}

// Run delivers until ctx ends, or only what is stored now.
func (c *deliverRun) Run(ctx context.Context, s streams) error {
	config, err := readSinks(c.Config)
	if err != nil {
		return usageError{err}
	}
	if config.Webhooks != nil && !c.Once && !c.DryRun {
		return usageError{fmt.Errorf(`%s: "webhooks_of_keys" need the plans and the usage of a server: deliver this file with serve --deliver`,
			c.Config)}
	}
	store, err := c.openExisting(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	d := newDeliverer(config, store, c.addressToBackUp())
	defer config.Close()
	switch {
	case c.DryRun:
		d.Config, d.Log, d.Backups = config.DryRun(s.out), deliver.Unkept{Store: store}, nil
		return delivered(s.err, d.Once(ctx))
	case c.Once:
		d.Patience = oncePatience
		return delivered(s.out, d.Once(ctx))
	}
	slog.Info("delivering", "sinks", len(config.Sinks), "backups", d.Backups != nil)
	d.Run(ctx)
	return nil
}

// readSinks reads a file of sinks.
func readSinks(file string) (*deliver.Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	config, err := deliver.ReadConfig(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return config, nil
}

// newDeliverer returns a deliverer of changes in a store. It makes backups from address.
func newDeliverer(config *deliver.Config, store *db.Store, address string) *deliver.Deliverer {
	d := &deliver.Deliverer{Config: config, Log: store, Holder: rand.Text(), Now: time.Now}
	if config.Backup != nil {
		d.Backups = deliver.NewBackups(*config.Backup, store, address)
	}
	return d
}

// delivered prints the outcome of each sink. It returns the errors of those that failed.
func delivered(w io.Writer, all []deliver.Outcome) error {
	var failed []error
	for _, o := range all {
		switch {
		case o.Err != nil && o.Sink == db.Backups:
			failed = append(failed, o.Err)
		case o.Err != nil:
			failed = append(failed, fmt.Errorf("sink %s: %w", o.Sink, o.Err))
		case o.Backup != nil:
			fmt.Fprintf(w, "%s: %s, %d bytes, verified\n", o.Sink, o.Backup.Name, o.Backup.Bytes)
		case o.Sink == db.Backups && !o.Held:
			fmt.Fprintf(w, "%s: none is due\n", o.Sink)
		case o.Held:
			fmt.Fprintf(w, "%s: another process delivers it\n", o.Sink)
		default:
			fmt.Fprintf(w, "%s: %s\n", o.Sink, collect.Count(int(o.Delivered), "change"))
		}
	}
	return errors.Join(failed...)
}

// deliverCheck checks a file of sinks.
type deliverCheck struct {
	Config string `arg:"" help:"JSON file of the sinks." placeholder:"FILE"`
}

// Run tries every sink.
func (c *deliverCheck) Run(ctx context.Context, s streams) error {
	config, err := readSinks(c.Config)
	if err != nil {
		return usageError{err}
	}
	defer config.Close()
	wrong := false
	for _, found := range newDeliverer(config, nil, "").Check(ctx) {
		if found.Err != nil {
			wrong = true
			fmt.Fprintf(s.out, "%s: %v\n", found.Sink, found.Err)
			continue
		}
		fmt.Fprintf(s.out, "%s: ok\n", found.Sink)
	}
	if wrong {
		return exit(exitFailed)
	}
	return nil
}

// deliverRewind moves the positions of sinks.
type deliverRewind struct {
	patient
	Sink string `arg:"" help:"Name of the sink." placeholder:"NAME"`
	To   string `required:"" help:"start, now, or a position that a delivery stated." placeholder:"POSITION"`
	Feed string `help:"The feed of the position; default: all that the sink follows." placeholder:"FEED"`
}

// Run moves positions.
func (c *deliverRewind) Run(ctx context.Context, s streams) error {
	store, err := c.openExisting(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	state, err := deliver.Rewind(ctx, store, oncePatience, rand.Text(), c.Sink, c.Feed, c.To)
	if err != nil {
		return err
	}
	for _, feed := range slices.Sorted(maps.Keys(state.Feeds)) {
		fmt.Fprintf(s.out, "%s goes on after %s of %s\n", c.Sink, state.Feeds[feed], feed)
	}
	return nil
}
