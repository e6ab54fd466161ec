// Package command is the command line of piyasa: it reads flags and
// environment, wires the packages together, and turns what happened into an
// exit status.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/alecthomas/kong"

	"piyasa/db"
	"piyasa/ingest"
)

// Exit statuses.
const (
	exitOK      = 0
	exitFailed  = 1 // nothing could be done
	exitUsage   = 2 // wrong usage
	exitRefused = 3 // some lines of an ingest were refused
)

// cli is every command with its flags.
type cli struct {
	logging
	ShowVersion versionFlag `name:"version" help:"Print the version and end."`

	Serve   serveCommand   `cmd:"" help:"Serve GraphQL and REST from a database."`
	Ingest  ingestCommand  `cmd:"" help:"Store records: files, folders, or - for standard input."`
	Backup  backupCommand  `cmd:"" help:"Copy an SQLite database to a file, while it is in use."`
	Usage   usageCommand   `cmd:"" help:"Print the request units that keys have used in a month."`
	Cost    costCommand    `cmd:"" help:"Print what the operations of a GraphQL document cost, without running them."`
	Keys    keysCommand    `cmd:"" help:"Create, list, revoke and rotate API keys."`
	Demo    demoCommand    `cmd:"" help:"Serve a synthetic data set with a simulated live feed and a ready key."`
	Migrate migrateCommand `cmd:"" help:"Prepare the database for this version: update its schema and make the secret that servers sign with."`
	Restore restoreCommand `cmd:"" help:"Replace an SQLite database that no process has open by a backup."`
	Collect collectCommand `cmd:"" help:"Ask the upstreams that a file names, on their schedules, and store what they say."`
	Verify  verifyCommand  `cmd:"" help:"Check the database and its log, while it is in use; changes nothing."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// exit is an error that is nothing but an exit status: all has been said.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usageError is a mistake in flags or environment.
type usageError struct{ error }

// Main runs the command that args name and returns the exit status.
func Main(version string, args []string, in io.Reader, out, errOut io.Writer) int {
	flags := new(cli)
	parser, err := kong.New(flags, kong.Name("piyasa"),
		kong.Description("Market data, macro data and disclosures as an API that people can trust."),
		kong.Vars{
			"version": version, "database_timeout": db.DefaultTimeout.String(), "database_connections": strconv.Itoa(db.DefaultConnections),
			"retry_for": ingest.DefaultRetryFor.String(),
		}, kong.Writers(out, errOut), kong.UsageOnError(),
		kong.Exit(func(code int) { panic(exit(code)) }))
	if err != nil {
		panic(err) // the commands are ours
	}
	run, err := parse(parser, asked(args))
	if code, done := errors.AsType[exit](err); done {
		return int(code)
	}
	if err == nil {
		err = flags.logTo(errOut)
	}
	if err != nil {
		fmt.Fprintf(errOut, "piyasa: %v\nRun \"piyasa --help\" for usage.\n", err)
		return exitUsage
	}
	ctx, stop := untilSignal()
	defer stop()
	run.BindTo(ctx, (*context.Context)(nil))
	run.Bind(streams{in, out, errOut})
	switch err := run.Run(); {
	case err == nil:
		return exitOK
	case errors.As(err, new(exit)):
		code, _ := errors.AsType[exit](err)
		return int(code)
	case errors.As(err, new(usageError)):
		fmt.Fprintf(errOut, "piyasa: %v\n", err)
		return exitUsage
	default:
		fmt.Fprintf(errOut, "piyasa: %v\n", err)
		return exitFailed
	}
}

// asked returns what a person means who says nothing, or asks for help as other programs
// are asked.
func asked(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// parse runs parser.Parse and returns --help as an exit instead of ending the
// process.
func parse(parser *kong.Kong, args []string) (run *kong.Context, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case exit:
			err = p
		default:
			panic(p)
		}
	}()
	return parser.Parse(args)
}

type migrateCommand struct{ database }

// Run prepares the database and names the migrations it applied.
func (c *migrateCommand) Run(ctx context.Context, s streams) error {
	url, options, err := c.check()
	if err != nil {
		return err
	}
	applied, err := db.Migrate(ctx, url, options...)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	for _, name := range applied {
		fmt.Fprintln(s.out, "applied", name)
	}
	if len(applied) == 0 {
		fmt.Fprintln(s.out, "nothing to apply")
	}
	return nil
}

// versionFlag is what other programs print their version with.
type versionFlag bool

// BeforeReset prints the version and ends.
func (versionFlag) BeforeReset(app *kong.Kong, vars kong.Vars) error {
	fmt.Fprintln(app.Stdout, "piyasa", vars["version"])
	app.Exit(exitOK)
	return nil
}

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(s streams, vars kong.Vars) error {
	_, err := fmt.Fprintln(s.out, "piyasa", vars["version"])
	return err
}
