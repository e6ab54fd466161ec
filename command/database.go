package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"piyasa/db"
)

// database is which database most commands use, and how, as text from flags
// and environment.
type database struct {
	Database    string `help:"sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME; default: an SQLite file in your data folder." env:"PIYASA_DATABASE" placeholder:"URL"`
	Timeout     string `name:"database-timeout" help:"Time limit of a database read; writes get 12 times as long." env:"PIYASA_DATABASE_TIMEOUT" default:"${database_timeout}" placeholder:"DURATION"`
	Connections string `name:"database-connections" help:"Connections to Postgres that answer requests." env:"PIYASA_DATABASE_CONNECTIONS" default:"${database_connections}" placeholder:"NUMBER"`
}

// Bounds of what is configured.
const (
	minTimeout, maxTimeout = 50 * time.Millisecond, 10 * time.Minute
	maxConnections         = 1000
)

// check reads every value and reports all mistakes at once.
func (d database) check() (url string, options []db.Option, err error) {
	var wrong []error
	timeout, err := time.ParseDuration(d.Timeout)
	if err != nil || timeout < minTimeout || timeout > maxTimeout {
		wrong = append(wrong, fmt.Errorf("PIYASA_DATABASE_TIMEOUT: must be a duration from %s to %s such as 5s; got %q", minTimeout, maxTimeout, d.Timeout))
	}
	connections, err := strconv.Atoi(d.Connections)
	if err != nil || connections < 1 || connections > maxConnections {
		wrong = append(wrong, fmt.Errorf("PIYASA_DATABASE_CONNECTIONS: must be a whole number from 1 to %d; got %q", maxConnections, d.Connections))
	}
	url, err = d.url()
	if wrong = append(wrong, err); errors.Join(wrong...) != nil {
		return "", nil, usageError{errors.Join(wrong...)}
	}
	return url, []db.Option{db.Timeout(timeout), db.Connections(connections)}, nil
}

// url returns the database asked for, or the SQLite file in the user's data folder.
func (d database) url() (string, error) {
	if d.Database != "" {
		return d.Database, nil
	}
	folder := os.Getenv("XDG_DATA_HOME")
	if folder == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("no home folder for the default database: set --database or PIYASA_DATABASE")
		}
		folder = filepath.Join(home, ".local", "share")
	}
	return "sqlite:" + filepath.Join(folder, "piyasa", "piyasa.db"), nil
}

func (d database) open(ctx context.Context) (*db.Store, error) {
	url, options, err := d.check()
	if err != nil {
		return nil, err
	}
	store, err := db.Open(ctx, url, options...)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return store, nil
}

// patient is a database that may come up later than the command.
type patient struct {
	database
	Wait string `name:"database-wait" help:"How long to wait at start for a database that does not answer; 0 does not wait." env:"PIYASA_DATABASE_WAIT" default:"60s" placeholder:"DURATION"`
}

// openInterval is how often a database that is not there yet is tried.
const openInterval = 500 * time.Millisecond

// check returns what database.check does, and the time to wait.
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

// open opens the database, and waits for one that is not there yet.
func (p patient) open(ctx context.Context) (*db.Store, error) {
	wait, err := p.check()
	if err != nil {
		return nil, err
	}
	until := time.Now().Add(wait)
	for waiting := false; ; waiting = true {
		store, err := p.database.open(ctx)
		switch {
		case err == nil && waiting:
			slog.Info("the database is available")
			return store, nil
		case err == nil || ctx.Err() != nil || !db.NotThereYet(err) || !time.Now().Add(openInterval).Before(until):
			return store, err
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
