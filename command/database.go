package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"piyasa/db"
)

// database is the database of most commands and its settings, as text from flags and
// environment.
type database struct {
	Database     string `help:"sqlite:PATH or postgres://USER:PASSWORD@HOST[,HOST…]/NAME; default: an SQLite file in your data folder." env:"PIYASA_DATABASE" placeholder:"URL"`
	Write        string `name:"database-write" help:"Another Postgres address for writing, migrating and listening; default: that of the database." env:"PIYASA_DATABASE_WRITE" placeholder:"URL"`
	Pooling      string `name:"database-pooling" help:"How a pooler at the address pools connections: session, also without a pooler, or transaction." env:"PIYASA_DATABASE_POOLING" default:"session" values:"session,transaction" placeholder:"session|transaction"`
	WritePooling string `name:"database-write-pooling" help:"The same for the address for writing; default: that of the database." env:"PIYASA_DATABASE_WRITE_POOLING" values:"session,transaction" placeholder:"session|transaction"`
	Timeout      string `name:"database-timeout" help:"Time limit of a database read; writes get 12 times as long." env:"PIYASA_DATABASE_TIMEOUT" default:"${database_timeout}" placeholder:"DURATION"`
	Connections  string `name:"database-connections" help:"Connections to Postgres that answer requests." env:"PIYASA_DATABASE_CONNECTIONS" default:"${database_connections}" placeholder:"NUMBER"`
}

// Bounds of settings.
const (
	minTimeout, maxTimeout = 50 * time.Millisecond, 10 * time.Minute
	maxConnections         = 1000
)

// check checks every value and reports all mistakes at once.
func (d database) check() (url string, options []db.Option, err error) {
	var wrong []error
	timeout, err := time.ParseDuration(d.Timeout)
	if err != nil || timeout < minTimeout || timeout > maxTimeout {
		wrong = append(wrong, fmt.Errorf("PIYASA_DATABASE_TIMEOUT: must be a duration from %s to %s such as 5s; got %q",
			minTimeout, maxTimeout, d.Timeout))
	}
	connections, err := strconv.Atoi(d.Connections)
	if err != nil || connections < 1 || connections > maxConnections {
		wrong = append(wrong, fmt.Errorf("PIYASA_DATABASE_CONNECTIONS: must be a whole number from 1 to %d; got %q",
			maxConnections, d.Connections))
	}
	pooling, err := poolingOf("PIYASA_DATABASE_POOLING", d.Pooling)
	wrong = append(wrong, err)
	writePooling, err := poolingOf("PIYASA_DATABASE_WRITE_POOLING", cmp.Or(d.WritePooling, string(pooling)))
	wrong = append(wrong, err)
	url, err = d.url()
	wrong = append(wrong, err)
	switch {
	case err != nil || d.Write == "":
	case isFile(url):
		wrong = append(wrong, errors.New("PIYASA_DATABASE_WRITE: an SQLite database has no other address for writing"))
	default:
		wrong = append(wrong, addressOfDatabase("PIYASA_DATABASE_WRITE", d.Write))
	}
	if errors.Join(wrong...) != nil {
		return "", nil, usageError{errors.Join(wrong...)}
	}
	options = []db.Option{db.Timeout(timeout), db.Connections(connections), db.PooledBy(pooling)}
	if d.Write != "" {
		options = append(options, db.WriteTo(d.Write, writePooling))
	}
	return url, options, nil
}

func isFile(url string) bool { return strings.HasPrefix(url, "sqlite:") }

func poolingOf(name, text string) (db.Pooling, error) {
	p := db.Pooling(text)
	if p != db.PoolSessions && p != db.PoolTransactions {
		return db.PoolSessions, fmt.Errorf("%s: must be %s or %s; got %q", name, db.PoolSessions, db.PoolTransactions, text)
	}
	return p, nil
}

// url returns the configured database, or the SQLite file in the user's data folder.
func (d database) url() (string, error) {
	if d.Database != "" {
		return d.Database, addressOfDatabase("PIYASA_DATABASE", d.Database)
	}
	folder, err := dataFolder()
	if err != nil {
		return "", errors.New("no home folder for the default database: set --database or PIYASA_DATABASE")
	}
	return "sqlite:" + filepath.Join(folder, "piyasa.db"), nil
}

// addressToBackUp returns the address to make backups from, which must be neither a standby nor
// a pooler of transactions.
func (d database) addressToBackUp() string {
	url, _ := d.url() // check has reported its mistakes
	return cmp.Or(d.Write, url)
}

// addressOfDatabase returns the mistake in an address, with the address that was probably
// meant.
func addressOfDatabase(name, text string) error {
	path, file := strings.CutPrefix(text, "sqlite:")
	host := strings.HasPrefix(path, "//") && !strings.HasPrefix(path, "///") // a path that looks like an address with a host
	switch {
	case strings.HasPrefix(text, "postgres://"), strings.HasPrefix(text, "postgresql://"),
		file && path != "" && !host && !strings.HasPrefix(path, ":memory:"):
		return nil
	case host:
		path = path[len("//"):]
	}
	meant := ""
	scheme, rest, _ := strings.Cut(path, ":")
	if scheme != "" && !strings.HasPrefix(scheme, "postgres") && !strings.Contains(path, "@") && !strings.HasPrefix(rest, "//") {
		if scheme == "file" || scheme == "sqlite3" {
			path = rest
		}
		meant = fmt.Sprintf("; did you mean %q?", "sqlite:"+path)
	}
	return fmt.Errorf("%s: must be sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME%s", name, meant)
}

// dataFolder returns the folder in which piyasa keeps this user's data.
func dataFolder() (string, error) {
	home, err := os.UserHomeDir()
	folder := os.Getenv("XDG_DATA_HOME")
	if folder == "" && err != nil {
		return "", err
	}
	return dataFolderOf(folder, home), nil
}

// dataFolderOf returns the data folder of a user with this XDG_DATA_HOME, or else this home.
func dataFolderOf(data, home string) string {
	return filepath.Join(cmp.Or(data, filepath.Join(home, ".local", "share")), "piyasa")
}

// open opens the database for reading and writing; it must exist.
func (d database) open(ctx context.Context, s streams) (*db.Store, error) {
	return d.openBy(ctx, s, db.Open)
}

// openToRead opens the database, even if nothing can be written; it must exist.
func (d database) openToRead(ctx context.Context, s streams) (*db.Store, error) {
	return d.openBy(ctx, s, db.OpenToRead)
}

// opening is a way to open a database.
type opening func(ctx context.Context, url string, options ...db.Option) (*db.Store, error)

func (d database) openBy(ctx context.Context, s streams, open opening) (*db.Store, error) {
	url, options, err := d.existing(s)
	if err != nil {
		return nil, err
	}
	store, err := open(ctx, url, options...)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return store, nil
}

// existing is like check, but also prints which database it is, and rejects a missing SQLite
// file: a mistake in its path would go unnoticed in a new one.
func (d database) existing(s streams) (url string, options []db.Option, err error) {
	if url, options, err = d.check(); err != nil {
		return "", nil, err
	}
	fmt.Fprintln(s.err, "database:", db.Shown(url))
	if db.Missing(url) {
		return "", nil, fmt.Errorf("%w: --database or PIYASA_DATABASE names another one; `piyasa serve` and `piyasa ingest` create "+
			"one that is missing", errMissing)
	}
	return url, options, nil
}

// errMissing says that there is no database yet.
var errMissing = errors.New("the file of the database does not exist")

// patient is a database that may become available later than the command.
type patient struct {
	database
	Wait string `name:"database-wait" help:"How long to wait at start for a database that does not answer; 0 does not wait." env:"PIYASA_DATABASE_WAIT" default:"60s" placeholder:"DURATION"`
}

// openInterval is how often opening an unavailable database is tried.
const openInterval = 500 * time.Millisecond

// check is like database.check, but also returns the time to wait.
func (p patient) check() (wait time.Duration, err error) {
	wait, err = time.ParseDuration(p.Wait)
	if err != nil || wait < 0 {
		err = fmt.Errorf("PIYASA_DATABASE_WAIT: must be a duration such as 60s, or 0; got %q", p.Wait)
	}
	if _, _, wrong := p.database.check(); wrong != nil || err != nil {
		return 0, usageError{errors.Join(wrong, err)}
	}
	return wait, nil
}

// open opens the database for reading and writing. It waits for a database that is not
// available yet, and creates a missing SQLite file with a message.
func (p patient) open(ctx context.Context) (*db.Store, error) { return p.waitFor(ctx, db.Open) }

// openToRead is like open, even if nothing can be written.
func (p patient) openToRead(ctx context.Context) (*db.Store, error) {
	return p.waitFor(ctx, db.OpenToRead)
}

// openExisting is like open for a database that must exist.
func (p patient) openExisting(ctx context.Context) (*db.Store, error) {
	if url, _, err := p.database.check(); err == nil && db.Missing(url) {
		_, _, err := p.existing(streams{err: io.Discard})
		return nil, fmt.Errorf("%s: %w", db.Shown(url), err)
	}
	return p.open(ctx)
}

func (p patient) waitFor(ctx context.Context, open opening) (*db.Store, error) {
	wait, err := p.check()
	if err != nil {
		return nil, err
	}
	url, options, err := p.database.check()
	if err != nil {
		return nil, err
	}
	message := "using the database"
	if db.Missing(url) {
		message = "creating the database"
	}
	slog.Info(message, "database", db.Shown(url))
	until := time.Now().Add(wait)
	for waiting := false; ; waiting = true {
		store, err := open(ctx, url, options...)
		switch {
		case err == nil && waiting:
			slog.Info("the database is available")
			return store, nil
		case err == nil:
			return store, nil
		case ctx.Err() != nil || !db.NotThereYet(err) || !time.Now().Add(openInterval).Before(until):
			return nil, fmt.Errorf("open the database: %w", err)
		case !waiting:
			slog.Warn("waiting for the database", "at_most", wait.String(), "error", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(openInterval):
		}
	}
}
