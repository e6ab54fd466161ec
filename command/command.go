// Package command is the command line of piyasa: it reads flags and environment, wires the
// packages together, and turns the outcome into an exit status.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/acme/autocert"

	"piyasa/account/access"
	"piyasa/collect/standin"
	"piyasa/command/cli"
	"piyasa/db"
	"piyasa/ingest"
	"piyasa/internal/value"
)

// Exit statuses.
const (
	exitOK      = 0
	exitFailed  = 1 // nothing was done
	exitUsage   = 2 // wrong usage
	exitRefused = 3 // some lines of an ingest were rejected
)

// commands is every command with its flags, as package cli reads them.
type commands struct {
	logging
	Config      string `help:"File of settings in TOML; flags and the environment are stronger. Default: piyasa/piyasa.toml in your configuration folder, or /etc/piyasa/piyasa.toml, if there is one." env:"PIYASA_CONFIG" placeholder:"FILE"`
	ShowVersion bool   `name:"version" help:"Print the version and end."`

	Serve   serveCommand   `cmd:"" group:"Serve" help:"Serve GraphQL and REST from a database."`
	Demo    demoCommand    `cmd:"" group:"Serve" help:"Serve a synthetic data set with a simulated live feed and a ready key."`
	Ingest  ingestCommand  `cmd:"" group:"Bring data in" help:"Store records: files, folders, or - for standard input."`
	Collect collectCommand `cmd:"" group:"Bring data in" help:"Ask the upstreams that a file names, on their schedules, and store what they say."`

	Deliver deliverCommand `cmd:"" group:"Bring data out" help:"Hand every change to the sinks that a file names: files, webhooks, NATS. Make backups by schedule."`

	Keys  keysCommand  `cmd:"" group:"Let clients in" help:"Create, list, revoke and rotate API keys."`
	Usage usageCommand `cmd:"" group:"Let clients in" help:"Print the request units that keys have used in a month."`
	Cost  costCommand  `cmd:"" group:"Let clients in" help:"Print what the operations of a GraphQL document cost, without running them."`

	Status  statusCommand  `cmd:"" group:"Look after it" help:"Say how a database or a server is: what it holds, gaps, sources, plans and their use."`
	Doctor  doctorCommand  `cmd:"" group:"Look after it" help:"Look for what is wrong in settings, files, limits, the database, certificates and sources; changes nothing."`
	Verify  verifyCommand  `cmd:"" group:"Look after it" help:"Check the database and its log, while it is in use; changes nothing."`
	Backup  backupCommand  `cmd:"" group:"Look after it" help:"Copy the database to a file, while it is in use; that of Postgres needs pg_dump."`
	Restore restoreCommand `cmd:"" group:"Look after it" help:"Replace an SQLite database that no process has open by a backup."`
	Migrate migrateCommand `cmd:"" group:"Look after it" help:"Prepare the database for this version: update its schema and make the secret that servers sign with."`

	Settings configCommand `cmd:"" name:"config" group:"Look after it" help:"Print the settings that are in force, and where each comes from; checks them."`

	Man        manCommand        `cmd:"" group:"About piyasa" help:"Print the manual page of piyasa or of a command, or write all pages to a folder."`
	Completion completionCommand `cmd:"" group:"About piyasa" help:"Print the script that lets bash, zsh, fish or PowerShell complete commands."`
	Health     healthCommand     `cmd:"" group:"Look after it" help:"Ask a server on this machine whether it is alive, or ready."`
	Version    versionCommand    `cmd:"" group:"About piyasa" help:"Print the version."`
}

// streams are the input and output of a command.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// exit is an error that is only an exit status: everything has been printed.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usageError is a mistake in flags or environment.
type usageError struct{ error }

// invocation is what a command was called with, beside its own flags and its streams.
type invocation struct {
	version string
	program *cli.Program
	file    settingsFile
	again   func() (*commands, error) // reads flags, environment and file again
}

// Main runs the command that args name and returns the exit status.
func Main(version string, args []string, in io.Reader, out, errOut io.Writer) int {
	flags, called, err := read(version, args, out)
	if err == nil {
		err = flags.logTo(errOut)
	}
	if err != nil {
		fmt.Fprintf(errOut, "piyasa: %v\nRun \"%s --help\" for usage.\n", err, called.program.Reached.CommandPath())
		return exitUsage
	}
	ctx, stop := untilSignal()
	defer stop()
	called.again = func() (*commands, error) {
		now, _, err := read(version, args, io.Discard)
		return now, err
	}
	s := streams{in, out, errOut}
	switch command := called.program.Target.(type) {
	case interface {
		Run(context.Context, streams) error
	}:
		err = command.Run(ctx, s)
	case interface {
		Run(context.Context, streams, invocation) error
	}:
		err = command.Run(ctx, s, called)
	case nil: // help has been printed
	default:
		panic("a command without a method Run")
	}
	switch {
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

// read reads the settings in args, the environment and the file of settings; an earlier one
// overrides a later one. Commands about piyasa itself do not need the latter two to be valid.
func read(version string, args []string, out io.Writer) (*commands, invocation, error) {
	if len(args) == 0 {
		args = []string{"--help"}
	}
	if words := args[:cmp.Or(slices.Index(args, "--")+1, len(args))]; slices.Contains(words, "--version") { // also behind a command
		args = []string{"version"}
	}
	flags := new(commands)
	program := cli.New("piyasa", "Market data, macro data and disclosures as an API that people can trust.", flags, map[string]string{
		"database_timeout": db.DefaultTimeout.String(), "database_connections": strconv.Itoa(db.DefaultConnections),
		"retry_for": ingest.DefaultRetryFor.String(), "acme_directory": autocert.DefaultACMEDirectory, "shells": cli.Shells,
		"most_messages": strconv.Itoa(mostMessages), "scopes": value.ListOf(access.Grantable),
		"plans": access.ShippedPlans().Names(), "habits": strings.Join(standin.HabitNames(), ", "),
	}, out)
	known := program.Variables()
	file, wrong := readSettings(configOf(args), settingNames(known))
	file.wrong = errors.Join(unknownVariables(os.Environ(), known), wrong, file.readSecrets())
	err := program.Parse(args, func(variable string) (text, from string) {
		if text, given := os.LookupEnv(variable); given {
			return text, variable
		}
		name := settingOf(variable)
		if text, given := file.values[name]; given && file.wrong == nil && variable != configVariable {
			return text, file.path + ": " + name
		}
		return "", ""
	})
	if err == nil && program.Selected != nil && !slices.Contains(ofItself, program.Selected.Name()) {
		err = file.wrong
	}
	return flags, invocation{version: version, program: program, file: file}, err
}

// ofItself are the commands about piyasa itself, and doctor, which reports mistakes.
var ofItself = []string{"man", "completion", "version", "doctor"}

type migrateCommand struct{ database }

// Run prepares the database and names the migrations it applied.
func (c *migrateCommand) Run(ctx context.Context, s streams) error {
	url, options, err := c.existing(s)
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

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(_ context.Context, s streams, in invocation) error {
	_, err := fmt.Fprintln(s.out, "piyasa", in.version)
	return err
}
