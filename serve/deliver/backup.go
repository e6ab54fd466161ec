package deliver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
	"piyasa/db"
	"piyasa/internal/problem"
)

// Timeouts and bounds of backups.
const (
	firstBackupRetry = time.Minute
	clockEvery       = 10 * time.Minute // how often a wait checks the clock, which may be changed
	leastBackupEvery = 5 * time.Minute
	mostBackups      = 1000
	mostBackupError  = 1000 // bytes of an error that are stored
)

// BackupPlan states how to make backups by schedule.
type BackupPlan struct {
	to       backupPlace // nil: no more backups are made
	Schedule collect.Schedule
	Keep     int // how many of the newest backups to keep
	Timeout  time.Duration
}

// readBackupPlan reads the settings of backups in a configuration.
func readBackupPlan(text json.RawMessage) (*BackupPlan, error) {
	type common struct {
		To       string            `json:"to"`
		Schedule *collect.Schedule `json:"schedule"`
		Keep     *int              `json:"keep"`
		Timeout  string            `json:"timeout"`
	}
	var to struct {
		To string `json:"to"`
	}
	if err := json.Unmarshal(text, &to); err != nil {
		return nil, errors.New(`must be an object such as {"to": "folder", "folder": "/backup"}`)
	}
	var (
		said common
		p    = new(BackupPlan)
		err  error
	)
	switch to.To {
	case "folder":
		in, wrong := collect.Settings[struct {
			common
			Folder string `json:"folder"`
		}](text)
		if said, err = in.common, wrong; err == nil && in.Folder == "" {
			err = errors.New(`"folder" must name a folder`)
		}
		p.to = backupFolder(in.Folder)
	case "s3":
		in, wrong := collect.Settings[struct {
			common
			s3Place
		}](text)
		if said, err = in.common, wrong; err == nil {
			var b *bucket
			b, err = in.bucket("backups")
			p.to = backupBucket{b}
		}
	case "none":
		_, err = collect.Settings[struct {
			To string `json:"to"`
		}](text)
	default:
		err = fmt.Errorf(`"to" must be folder, s3 or none; got %q`, to.To)
	}
	if err != nil {
		return nil, err
	}
	p.Schedule, p.Keep, p.Timeout = collect.Schedule{At: []collect.Clock{collect.At(3, 30)}}, 14, 6*time.Hour
	if said.Schedule != nil {
		p.Schedule = *said.Schedule
	}
	if p.Schedule.Every > 0 && p.Schedule.Every < leastBackupEvery {
		return nil, fmt.Errorf(`"schedule": "every" must be at least %s; got %s`, leastBackupEvery, p.Schedule.Every)
	}
	if said.Keep != nil {
		p.Keep = *said.Keep
	}
	if p.Keep < 1 || p.Keep > mostBackups {
		return nil, fmt.Errorf(`"keep" must be from 1 to %d; got %d`, mostBackups, p.Keep)
	}
	return p, duration("timeout", said.Timeout, time.Minute, 24*time.Hour, &p.Timeout)
}

// Backup is a backup that was read back and verified after writing.
type Backup struct {
	Name   string    `json:"name"`
	Place  string    `json:"place"`
	At     time.Time `json:"at"` // it has everything stored before
	Bytes  int64     `json:"bytes"`
	SHA256 string    `json:"sha256"`
}

// ErrGone reports that a backup is missing from its place, or changed since it was written.
var ErrGone = errors.New("a backup is gone")

// missing returns ErrGone if the place does not have the backup as it was written.
func (b *Backup) missing(ctx context.Context, from backupPlace) error {
	size, err := from.size(ctx, b.Name)
	switch {
	case errors.Is(err, errNoFile):
		return fmt.Errorf("%w: %s has no %s", ErrGone, from, b.Name)
	case err != nil:
		return fmt.Errorf("look for %s in %s: %w", b.Name, from, err)
	case size != b.Bytes:
		return fmt.Errorf("%w: %s in %s has %d bytes instead of %d", ErrGone, b.Name, from, size, b.Bytes)
	}
	return nil
}

// backupState is what the store keeps about backups. The zero value has none.
type backupState struct {
	Since    time.Time `json:"since,omitzero"`  // when a process first wanted to make one
	Made     []Backup  `json:"made,omitempty"`  // newest last
	Making   *Backup   `json:"making,omitzero"` // one that may be complete in its place, but is not yet in Made
	Due      time.Time `json:"due,omitzero"`    // when the next one is due
	RetryAt  time.Time `json:"retry_at,omitzero"`
	Failures int       `json:"failures,omitempty"` // in a row
	Failed   int64     `json:"failed,omitempty"`
	Error    string    `json:"error,omitempty"`
}

// Backups makes backups by schedule. Of several processes, one at a time makes them.
type Backups struct {
	Plan  BackupPlan
	Copy  func(ctx context.Context, to string) error   // writes what the store holds to a new file
	Check func(ctx context.Context, file string) error // returns an error if the file could not be restored
	Bytes func(context.Context) (int64, error)         // the most bytes of a copy
	Small bool                                         // a copy is much smaller than Bytes, such as an archive of Postgres
}

// NewBackups returns the Backups of a store, whose address is url.
func NewBackups(plan BackupPlan, store *db.Store, url string) *Backups {
	return &Backups{
		Plan:  plan,
		Copy:  func(ctx context.Context, to string) error { return db.Backup(ctx, url, to) },
		Check: db.CheckBackup,
		Bytes: func(ctx context.Context) (int64, error) {
			is, err := store.Describe(ctx)
			return is.Bytes, err
		},
		Small: !strings.HasPrefix(url, "sqlite:"),
	}
}

// run makes backups until ctx ends.
func (b *Backups) run(ctx context.Context, d *Deliverer) {
	for ctx.Err() == nil {
		next, o := b.turn(ctx, d, false)
		if o.Err != nil && ctx.Err() == nil {
			slog.Error("backing up failed; earlier backups stay", "error", o.Err, "again_in", next.Sub(d.Now()).Round(time.Second))
		}
		for ctx.Err() == nil && d.Now().Before(next) {
			_ = collect.Wait(ctx, min(next.Sub(d.Now()), clockEvery))
		}
	}
}

// turn makes a backup if one is due, and returns when to check again. After a failure it waits,
// unless a person has asked for the backup.
func (b *Backups) turn(ctx context.Context, d *Deliverer, asked bool) (next time.Time, o Outcome) {
	o.Sink = db.Backups
	next = d.Now().Add(lookInterval)
	claim := claimOf(d.Log, db.Backups, d.Holder)
	text, claimed, err := claim.Await(ctx, d.patience(asked))
	if err != nil || !claimed {
		o.Err, o.Held = err, err == nil
		return next, o
	}
	held, release := claim.Hold(ctx)
	defer func() { o.Err = errors.Join(o.Err, release()) }()
	r := &backupRun{Backups: b, Deliverer: d}
	if text != nil {
		if o.Err = json.Unmarshal(text, &r.state); o.Err != nil {
			return next, o
		}
	}
	if b.Plan.to == nil {
		r.state = backupState{}
		if text != nil && string(text) != "{}" {
			o.Err = r.keep(ctx)
		}
		return d.Now().Add(24 * time.Hour), o
	}
	if o.Err = r.note(ctx); o.Err != nil || !asked && d.Now().Before(r.state.RetryAt) {
		return later(next, r.state.RetryAt), o
	}
	o.Backup, o.Err = r.work(held)
	if o.Err != nil {
		if ctx.Err() == nil && !errors.Is(context.Cause(held), collect.ErrTaken) {
			o.Err = errors.Join(o.Err, r.fail(ctx, o.Err))
		}
		return later(next, r.state.RetryAt), o
	}
	if r.state.Failures > 0 {
		r.state.Failures, r.state.Error, r.state.RetryAt = 0, "", time.Time{}
		o.Err = r.keep(ctx)
	}
	return b.Plan.Schedule.Next(d.Now()), o
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// backupRun is one turn of backups.
type backupRun struct {
	*Backups
	*Deliverer
	state backupState
}

func (r *backupRun) keep(ctx context.Context) error {
	text, err := json.Marshal(&r.state)
	if err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	return r.Log.KeepSink(bounded, db.Backups, r.Holder, text)
}

// last returns the newest backup in the current place, or nil.
func (r *backupRun) last() *Backup {
	for i := len(r.state.Made) - 1; i >= 0; i-- {
		if r.state.Made[i].Place == r.Plan.to.String() {
			return &r.state.Made[i]
		}
	}
	return nil
}

// note stores since when backups are made and when the next one is due, if that has changed.
func (r *backupRun) note(ctx context.Context) error {
	if was := r.state.Due; r.due().Equal(was) {
		return nil
	}
	return r.keep(ctx)
}

// due computes when the next backup is due.
func (r *backupRun) due() time.Time {
	if r.state.Since.IsZero() {
		r.state.Since = r.Now().UTC()
	}
	if r.state.Due = r.state.Since; r.last() != nil {
		r.state.Due = r.Plan.Schedule.Next(r.last().At).UTC()
	}
	return r.state.Due
}

// fail records a failure.
func (r *backupRun) fail(ctx context.Context, why error) error {
	text := problem.Masked(why.Error())
	r.state.Failures++
	r.state.Failed++
	r.state.Error = strings.ToValidUTF8(text[:min(len(text), mostBackupError)], "")
	r.state.RetryAt = r.Now().Add(collect.Backoff(r.state.Failures, firstBackupRetry, 0)).UTC()
	return r.keep(ctx)
}

// work makes a backup if the newest one is older than the schedule allows, and then removes the
// oldest ones beyond Keep.
func (r *backupRun) work(ctx context.Context) (made *Backup, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.Plan.Timeout, fmt.Errorf("it took longer than %s", r.Plan.Timeout))
	defer cancel()
	if err := r.adopt(ctx); err != nil {
		return nil, err
	}
	if err := r.look(ctx); err != nil {
		return nil, err
	}
	if last := r.last(); last == nil || last.At.Before(r.Plan.Schedule.Last(r.Now())) {
		if err := r.make(ctx); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = errors.Join(cause, err)
			}
			return nil, fmt.Errorf("back up to %s: %w", r.Plan.to, err)
		}
		made = r.last()
		slog.Info("backed up, and verified", "place", made.Place, "name", made.Name, "bytes", made.Bytes)
	}
	return made, r.prune(ctx)
}

// adopt adds the backup in Making to Made if it is complete in its place, as after a process was
// killed in between, and otherwise drops it.
func (r *backupRun) adopt(ctx context.Context) error {
	making := r.state.Making
	if making == nil {
		return nil
	}
	if making.Place == r.Plan.to.String() {
		err := making.missing(ctx, r.Plan.to)
		if err == nil {
			r.state.Made = append(r.state.Made, *making)
		} else if !errors.Is(err, ErrGone) {
			return err
		}
	}
	r.state.Making = nil
	r.due()
	return r.keep(ctx)
}

// look drops backups from the newest on, up to the first that is still in its place.
func (r *backupRun) look(ctx context.Context) error {
	known := len(r.state.Made)
	for last := r.last(); last != nil; last = r.last() {
		err := last.missing(ctx, r.Plan.to)
		if err == nil {
			break
		}
		if !errors.Is(err, ErrGone) {
			return err
		}
		slog.Warn("a backup is gone, and counts for none", "error", err)
		r.state.Made = slices.DeleteFunc(r.state.Made, func(b Backup) bool { return b == *last })
	}
	if len(r.state.Made) == known {
		return nil
	}
	r.due()
	return r.keep(ctx)
}

func (r *backupRun) make(ctx context.Context) error {
	to := r.Plan.to
	if err := to.prepare(ctx); err != nil {
		return fmt.Errorf("remove what a former run has left: %w", err)
	}
	if err := r.roomFor(ctx); err != nil {
		return err
	}
	b := &Backup{Place: to.String(), At: r.Now().UTC().Truncate(time.Second)}
	b.Name = fmt.Sprintf("piyasa-%s-%s.backup", b.At.Format("20060102T150405Z"), strings.ToLower(rand.Text()[:6]))
	own := filepath.Join(to.room(), b.Name) // so that a process that was frozen removes nothing of its successor
	defer func() { _ = os.RemoveAll(own) }()
	if err := os.Mkdir(own, 0o700); err != nil {
		return err
	}
	file := filepath.Join(own, b.Name)
	if err := r.Copy(ctx, file); err != nil {
		return err
	}
	var err error
	if b.SHA256, b.Bytes, err = digestOf(file); err != nil {
		return err
	}
	r.state.Making = b
	if err := r.keep(ctx); err != nil {
		return err
	}
	if err := to.take(ctx, file, b.Name, func(file string) error {
		if err := r.Backups.Check(ctx, file); err != nil {
			return fmt.Errorf("what was written cannot be restored: %w", err)
		}
		return ctx.Err()
	}); err != nil {
		return err
	}
	return r.adopt(context.WithoutCancel(ctx))
}

// roomFor returns an error if a backup would fail for lack of disk space. For small copies the
// last backup gives the better estimate.
func (r *backupRun) roomFor(ctx context.Context) error {
	need, err := r.Bytes(ctx)
	if err != nil {
		return err
	}
	if last := r.last(); last != nil && r.Small {
		need = min(need, last.Bytes+last.Bytes/4)
	}
	if free, ok := db.RoomIn(r.Plan.to.room()); ok && free < need {
		return fmt.Errorf("there is no room: it takes up to %d bytes, and %s has %d", need, r.Plan.to.room(), free)
	}
	return nil
}

// prune removes the oldest backups in the place beyond Keep, and drops those of other places
// from the state.
func (r *backupRun) prune(ctx context.Context) error {
	here := slices.DeleteFunc(slices.Clone(r.state.Made), func(b Backup) bool { return b.Place != r.Plan.to.String() })
	var failed error
	for failed == nil && len(here) > r.Plan.Keep {
		if failed = r.Plan.to.drop(ctx, here[0].Name); failed == nil {
			here = here[1:]
		}
	}
	if failed != nil {
		failed = fmt.Errorf("remove the old backup %s of %s: %w", here[0].Name, r.Plan.to, failed)
	}
	if len(here) == len(r.state.Made) {
		return failed
	}
	r.state.Made = here
	return errors.Join(failed, r.keep(ctx))
}
