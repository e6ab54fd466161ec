package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"piyasa/account/usage"
	"piyasa/domain/coverage"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/serve/deliver"
)

// statusCommand prints the state of a server or a database, and what it holds.
type statusCommand struct {
	database
	URL        string        `name:"url" help:"Address of a running server to ask instead of a database, such as http://127.0.0.1:8080." placeholder:"ADDRESS"`
	Key        string        `help:"API key that the server is asked with; default: PIYASA_KEY of the environment, where others cannot read it." placeholder:"KEY"`
	Metrics    string        `name:"metrics-url" help:"Address of the server's private listener, whose metrics tell how many streams are open, such as http://127.0.0.1:9090." placeholder:"ADDRESS"`
	Market     string        `help:"The bars of each instrument of this market, too." placeholder:"MARKET"`
	Instrument string        `help:"Only what is stored of one instrument, with its gaps." placeholder:"ID"`
	JSON       bool          `name:"json" help:"Print one JSON object."`
	Now        string        `help:"Instant at which the clock starts, for replays and tests; a server has its own." env:"PIYASA_NOW" placeholder:"INSTANT"`
	Timeout    time.Duration `help:"How long to wait for all answers together." default:"15m" placeholder:"DURATION"`
}

// Help is shown below the description of the command.
func (statusCommand) Help() string {
	return `Without --url it asks the database, also while servers use it, and counts what is stored. With --url it asks a server, which needs a key:

	piyasa status
	piyasa status --market bist
	piyasa status --url http://127.0.0.1:8080 --key "$KEY" --json

What a server or a database cannot tell is listed with its reason. The exit status is 0 if all was answered, 1 if the database or the server does not
answer, refuses the key, or is not ready, and 2 for wrong usage. Gaps and late sources do not change it.`
}

// status is the printed JSON. Unknown values are null, and unknown says why.
type status struct {
	Asked      string                `json:"asked"`   // the address of the server or the database
	Version    *string               `json:"version"` // of the server
	Ready      *bool                 `json:"ready"`
	Reason     *string               `json:"reason"` // why it is not ready, or what is wrong though it is
	LagSeconds *float64              `json:"lag_seconds"`
	Engine     *string               `json:"engine"`
	Schema     *string               `json:"schema"`
	Bytes      *int64                `json:"bytes"`
	Servers    *int                  `json:"servers"` // number of servers on the database
	Coverage   *coverage.Report      `json:"coverage"`
	Sources    []*market.Source      `json:"sources"`
	Sinks      []*deliver.Report     `json:"sinks"`
	Backups    *deliver.BackupReport `json:"backups"`
	Webhooks   *deliver.OfKeys       `json:"webhooks_of_keys"`
	Plans      []planUse             `json:"plans"`   // of the keys of the database
	Usage      *usage.Report         `json:"usage"`   // of the key
	Streams    map[string]int        `json:"streams"` // number of open streams, by transport
	Unknown    map[string]string     `json:"unknown"`
}

// planUse is the usage of the keys of a plan in a month.
type planUse struct {
	Plan  string      `json:"plan"`
	Keys  int         `json:"keys"` // number of keys that are not revoked
	Month value.Month `json:"month"`
	Units int64       `json:"units"`
}

// Run collects the status and prints it.
func (c *statusCommand) Run(ctx context.Context, s streams, in invocation) error {
	if err := c.check(); err != nil {
		return usageError{err}
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	ask := c.askDatabase
	if c.URL != "" {
		ask = c.askServer
	}
	found, err := ask(ctx, s, in.version)
	if err != nil {
		return err
	}
	if c.JSON {
		err = json.NewEncoder(s.out).Encode(found)
	} else {
		err = found.print(s.out, c)
	}
	if err == nil && found.Ready != nil && !*found.Ready {
		return exit(exitFailed)
	}
	return err
}

// check checks the flags that database does not.
func (c *statusCommand) check() error {
	var wrong []error
	if c.Market != "" {
		if _, err := value.Word[market.Market](c.Market); err != nil {
			wrong = append(wrong, fmt.Errorf("--market: %w; got %q", err, c.Market))
		}
	}
	if c.Market != "" && c.Instrument != "" {
		wrong = append(wrong, errors.New("--market and --instrument cannot both be asked for: an instrument belongs to one market"))
	}
	if c.Metrics != "" && c.URL == "" {
		wrong = append(wrong, errors.New("--metrics-url is of a server: name it with --url"))
	}
	if c.Timeout <= 0 {
		wrong = append(wrong, fmt.Errorf("--timeout: must be a duration above 0 such as 15m; got %s", c.Timeout))
	}
	if _, err := clockFrom(c.Now); err != nil {
		wrong = append(wrong, fmt.Errorf("PIYASA_NOW: %w", err))
	}
	return errors.Join(wrong...)
}

// mostRows is the most coverage rows that are read of one market.
const mostRows = 50_000

// pages reads every page of the coverage, up to mostRows.
func (c *statusCommand) pages(read func(cursor *string) (*coverage.Report, error)) (*coverage.Report, error) {
	all, err := read(nil)
	for err == nil && all.NextCursor != nil && len(all.Rows) < mostRows {
		var next *coverage.Report
		if next, err = read(all.NextCursor); err == nil {
			next.Rows = append(all.Rows, next.Rows...)
			next.Count = len(next.Rows)
			all = next
		}
	}
	return all, err
}
