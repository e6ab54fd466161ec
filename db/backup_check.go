package db

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// CheckBackup reads the whole of a file that Backup of this version made. An error says why it
// could not be restored.
func CheckBackup(ctx context.Context, file string) error {
	begins, err := firstBytes(file, 5)
	if err != nil {
		return err
	}
	switch begins {
	case "SQLit":
		var first *Finding
		report := func(f Finding) {
			if first == nil && f.IsDamage() {
				first = &f
			}
		}
		if err = checkBackup(ctx, file, report); err == nil {
			err = sound(ctx, file, report)
		}
		if err != nil && first != nil {
			err = fmt.Errorf("%w, first of %s: %s: %s", err, first.Check, first.Subject, first.Problem)
		}
		return err
	case "PGDMP":
		return tool(ctx, nil, "pg_restore", "--file="+os.DevNull, file)
	}
	return errors.New("it is neither an SQLite database nor an archive of pg_dump")
}

func firstBytes(path string, n int64) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, n))
	return string(text), err
}

// RoomIn returns how many bytes are free in a folder; ok is false if that is not known.
func RoomIn(folder string) (free int64, ok bool) {
	free, _, ok = roomAt(filepath.Join(folder, "file"))
	return free, ok
}

// ofLibpq are the parameters of an address that the tools of Postgres accept; they reject
// others.
var ofLibpq = []string{
	"application_name", "channel_binding", "client_encoding", "connect_timeout", "gssencmode", "host", "hostaddr", "keepalives",
	"krbsrvname", "options", "passfile", "port", "requirepeer", "sslcert", "sslcrl", "sslkey", "sslmode", "sslrootcert", "sslsni",
	"target_session_attrs", "user",
}

// dumpLockTime is how long pg_dump waits for a migration, in milliseconds.
const dumpLockTime = "300000"

// dump runs pg_dump to write the content of a Postgres database to a file beside the path
// beside.
func dump(ctx context.Context, address, beside string) (partial string, err error) {
	to, err := url.Parse(address)
	if err != nil {
		return "", errors.New("the address of the database cannot be read") // err would show the address
	}
	given := to.Query()
	password := given.Get("password")
	if of, ok := to.User.Password(); ok {
		password = of
		to.User = url.User(to.User.Username())
	}
	for name := range given {
		if !slices.Contains(ofLibpq, name) {
			given.Del(name)
		}
	}
	to.RawQuery = strings.ReplaceAll(given.Encode(), "+", "%20")
	var secret []string // everybody can read the arguments of a process
	if password != "" {
		secret = []string{"PGPASSWORD=" + password}
	}
	return written(beside, func(file string) error {
		return tool(ctx, secret, "pg_dump", "--format=custom", "--no-password", "--lock-wait-timeout="+dumpLockTime,
			"--file="+file, "--dbname="+to.String())
	})
}

// tool runs a program of Postgres. The error has the end of the program's output.
func tool(ctx context.Context, env []string, name string, args ...string) error {
	run := exec.CommandContext(ctx, name, args...)
	run.Env, run.WaitDelay = append(os.Environ(), env...), time.Second
	said := new(ending)
	run.Stderr = said
	err := run.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s is not installed: backups of Postgres need the client programs of its version, such as "+
			"postgresql-client", name)
	}
	return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(said.text))
}

// ending keeps the end of the text written to it.
type ending struct{ text []byte }

const mostEnding = 1000

func (e *ending) Write(p []byte) (int, error) {
	e.text = append(e.text, p...)
	e.text = slices.Delete(e.text, 0, max(0, len(e.text)-mostEnding))
	return len(p), nil
}
