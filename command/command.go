// Package command is the command line of piyasa: it reads flags and environment, wires the
// packages together, and turns the outcome into an exit status.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"golang.org/x/crypto/acme/autocert"

	"piyasa/account/access"
	"piyasa/collect/standin"
	"piyasa/command/manual"
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

// cli is every command with its flags.
type cli struct {
	logging
	Config      string      `help:"File of settings in TOML; flags and the environment are stronger. Default: piyasa/piyasa.toml in your configuration folder, or /etc/piyasa/piyasa.toml, if there is one." env:"PIYASA_CONFIG" placeholder:"FILE"`
	ShowVersion versionFlag `name:"version" help:"Print the version and end."`

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
	Completion completionCommand `cmd:"" group:"About piyasa" help:"Print the script that lets bash, zsh or fish complete commands."`
	Health     healthCommand     `cmd:"" group:"Look after it" help:"Ask a server on this machine whether it is alive, or ready."`
	Version    versionCommand    `cmd:"" group:"About piyasa" help:"Print the version."`
	Complete   completeCommand   `cmd:"" hidden:""`
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

// Main runs the command that args name and returns the exit status.
func Main(version string, args []string, in io.Reader, out, errOut io.Writer) int {
	words := asked(args)
	flags, run, file, err := read(version, words, out, errOut)
	if code, done := errors.AsType[exit](err); done {
		return int(code)
	}
	if err == nil {
		err = flags.logTo(errOut)
	}
	if err != nil {
		help := "piyasa"
		if wrong, ok := errors.AsType[*kong.ParseError](err); ok && wrong.Context.Selected() != nil {
			help = strings.Join(manual.Names(wrong.Context.Selected()), " ")
		}
		fmt.Fprintf(errOut, "piyasa: %v\nRun \"%s --help\" for usage.\n", err, help)
		return exitUsage
	}
	ctx, stop := untilSignal()
	defer stop()
	run.Bind(file, readAgain(func() (*cli, error) {
		now, _, _, err := read(version, words, io.Discard, io.Discard)
		return now, err
	}))
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

// readAgain reads flags, environment and file again.
type readAgain func() (*cli, error)

// read reads the settings in args, the environment and the file of settings; an earlier one
// overrides a later one. Commands about piyasa itself do not need the latter two to be valid.
func read(version string, args []string, out, errOut io.Writer) (*cli, *kong.Context, settingsFile, error) {
	flags := new(cli)
	parser, err := kong.New(flags, kong.Name("piyasa"),
		kong.Description("Market data, macro data and disclosures as an API that people can trust."),
		kong.Vars{
			"version": version, "database_timeout": db.DefaultTimeout.String(), "database_connections": strconv.Itoa(db.DefaultConnections),
			"retry_for": ingest.DefaultRetryFor.String(), "acme_directory": autocert.DefaultACMEDirectory, "shells": manual.Shells,
			"most_messages": strconv.Itoa(mostMessages), "scopes": value.ListOf(access.Grantable),
			"plans": access.ShippedPlans().Names(), "habits": strings.Join(standin.HabitNames(), ", "),
		}, kong.Writers(out, errOut), kong.ValueFormatter(manual.Help),
		kong.Exit(func(code int) { panic(exit(code)) }))
	if err != nil {
		panic(err) // the commands are ours
	}
	known := variables(parser.Model)
	file, wrong := readSettings(configOf(args), settingNames(known))
	if wrong = errors.Join(unknownVariables(os.Environ(), known), wrong, file.readSecrets()); wrong == nil {
		if err := kong.Resolvers(file).Apply(parser); err != nil {
			panic(err)
		}
	}
	run, err := parse(parser, args)
	file.wrong = wrong
	if err == nil && run.Selected() != nil && !slices.Contains(ofItself, run.Selected().Name) {
		err = wrong
	}
	return flags, run, file, err
}

// ofItself are the commands about piyasa itself, and doctor, which reports mistakes.
var ofItself = []string{"man", "completion", "complete", "version", "doctor"}

// asked returns the arguments meant by a person who gives none, or who asks for help as in
// other programs.
func asked(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// parse runs parser.Parse. For --help it returns an exit instead of ending the process.
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

// versionFlag is the flag with which other programs print their version.
type versionFlag bool

// BeforeReset prints the version and exits.
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
