package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"piyasa/internal/epoch"
)

// ErrInUse reports that a process has the database open.
var ErrInUse = errors.New("a process has the database open")

// Loss is how many changes of a feed the target of a restore has, and how many of them the
// backup has.
type Loss struct {
	Feed        string
	Kept, Total int64 // changes
}

// Restored is the result of Restore.
type Restored struct {
	Replaced string // the name that the replaced file now has; empty: there was none
	Epoch    string // the new epoch
}

// Restore replaces the SQLite database at url by a backup, which may be of an older version,
// and begins a new epoch. It rejects a backup that is damaged or of a newer version, and a
// target that a process has open; no process can open the target until it is replaced. approve
// gets what the target has and the backup lacks, or why that is not known, and stops the
// restore with an error.
func Restore(ctx context.Context, url, backup string, report func(Finding),
	approve func(losses []Loss, unknown error) error) (done Restored, err error) {
	path, err := sqlitePath(url)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, err
	}
	from, err := sqlitePath("sqlite:" + backup) // before anything is made beside the target
	if err != nil {
		return done, err
	}
	target, err := seize(ctx, path)
	if err != nil {
		return done, err
	}
	released := false
	defer func() {
		if !released {
			err = errors.Join(err, target.abandon())
		}
	}()
	partial, err := soundCopy(ctx, path, from, report)
	if partial != "" {
		defer removeDatabase(partial)
	}
	if err != nil {
		return done, err
	}
	if target.exists {
		losses, unknown := target.losses(ctx, partial)
		if err := approve(losses, unknown); err != nil {
			return done, err
		}
	}
	if done.Replaced, err = target.replace(partial); err != nil {
		return done, err
	}
	released = true
	if err := target.release(); err != nil {
		return done, err
	}
	s, err := Open(ctx, url)
	if err != nil {
		return done, fmt.Errorf("open the restored database: %w", err)
	}
	m, err := s.Look(ctx)
	done.Epoch = m.Epochs.Current()
	return done, errors.Join(err, s.Close())
}

// soundCopy makes a copy of a backup beside path, updates its schema, and checks it.
func soundCopy(ctx context.Context, path, backup string, report func(Finding)) (partial string, err error) {
	if err := checkBackup(ctx, backup, report); err != nil {
		return "", fmt.Errorf("%s: %w", backup, err)
	}
	if partial, err = copyOf(ctx, backup, path); err != nil {
		return "", err
	}
	if _, err := Migrate(ctx, "sqlite:"+partial); err != nil {
		return partial, fmt.Errorf("update the schema of the backup: %w", err)
	}
	if err := sound(ctx, partial, report); err != nil {
		return partial, fmt.Errorf("%s: %w", backup, err)
	}
	return partial, syncFile(partial)
}

// sound rejects an SQLite database with damage.
func sound(ctx context.Context, path string, report func(Finding)) error {
	findings := 0
	_, err := Verify(ctx, "sqlite:"+path, func(f Finding) {
		if f.IsDamage() {
			findings++
		}
		report(f)
	})
	if err == nil && findings > 0 {
		err = fmt.Errorf("it is damaged: %d findings", findings)
	}
	return err
}

// checkBackup rejects a file that is damaged, of a newer version, or of this version with
// another schema: updating the copy could already run a foreign trigger. The schema of an older
// file is compared after the update.
func checkBackup(ctx context.Context, path string, report func(Finding)) error {
	from := openToRead(path)
	defer from.Close()
	missing, err := missingMigrations(ctx, from)
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		other := 0
		if err := differs(ctx, from, func(part made, problem string) {
			other++
			report(Finding{"schema", part.What, problem})
		}); err != nil {
			return err
		}
		if other > 0 {
			return fmt.Errorf("its schema is not that of this version of piyasa: %d findings", other)
		}
	}
	var problems []string
	if err := from.NewRaw("PRAGMA integrity_check(1)").Scan(ctx, &problems); err != nil {
		return err
	}
	if len(problems) != 1 || problems[0] != "ok" {
		return fmt.Errorf("it is damaged: %s", strings.Join(problems, "; "))
	}
	return nil
}

// losses compares the target with its replacement.
func (t *seized) losses(ctx context.Context, partial string) ([]Loss, error) {
	if t.unreadable != nil {
		return nil, t.unreadable
	}
	has, err := t.moment(ctx)
	if err != nil {
		return nil, err
	}
	from := openToRead(partial)
	defer from.Close()
	gets, err := momentOf(ctx, from)
	if err != nil {
		return nil, err
	}
	var all []Loss
	for _, feed := range Feeds {
		shared := min(has.Epochs.Shared(gets.Epochs, feed), has.Heads[feed], gets.Heads[feed])
		if l := (Loss{feed, changes(has.Epochs, feed, shared), changes(has.Epochs, feed, has.Heads[feed])}); l.Kept < l.Total {
			all = append(all, l)
		}
	}
	return all, nil
}

// changes returns how many numbers of a feed up to seq were used.
func changes(l epoch.Lineage, feed string, seq int64) int64 {
	used := seq
	for _, gap := range skipped(l, feed) {
		if gap.first <= seq {
			used -= min(gap.last, seq) - gap.first + 1
		}
	}
	return used
}

func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// removeDatabase removes an SQLite database and the files beside it, if they exist.
func removeDatabase(path string) {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal", "-witness"} {
		_ = os.Remove(path + suffix)
	}
}

// replace puts a database in the place of the target, whose content stays under another name.
func (t *seized) replace(partial string) (kept string, err error) {
	if t.exists {
		info, err := os.Stat(t.path)
		if err != nil {
			return "", err
		}
		if err := os.Chmod(partial, info.Mode().Perm()); err != nil {
			return "", err
		}
		if err := sameOwner(partial, info); err != nil {
			return "", err
		}
		if kept, err = t.keep(time.Now()); err != nil {
			return "", err
		}
		for _, suffix := range []string{"-wal", "-shm"} { // those of a file that could not be read: they must not meet the new one
			if err := os.Rename(t.path+suffix, kept+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
		}
	}
	if !t.exists {
		if err := adopt(partial); err != nil {
			return "", err
		}
	}
	saw, err := os.ReadFile(partial + "-witness") // the epoch that began when the copy's schema was updated
	if err != nil {
		return "", err
	}
	if err := os.Rename(partial, t.path); err != nil {
		return "", err
	}
	_, err = t.lock.WriteAt(saw, 0)
	return kept, errors.Join(err, syncFolder(filepath.Dir(t.path)))
}

// keep gives the target a second, unused name, since restores can follow within a second. So
// the target's own name always exists.
func (t *seized) keep(at time.Time) (name string, err error) {
	first := t.path + "-replaced-" + at.UTC().Format("20060102T150405Z")
	name = first
	for n := 2; ; n++ {
		if err = os.Link(t.path, name); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
		name = fmt.Sprintf("%s-%d", first, n)
	}
}
