package deliver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
	"piyasa/db"
	"piyasa/test/fixture/need"
)

// Two processes make one backup a day, at its time; what fails is tried again, at longer and longer
// intervals; the newest are kept, and what is not theirs.
func TestBackupsBySchedule(t *testing.T) {
	place := t.TempDir()
	for _, foreign := range []string{"notes.txt", "piyasa-20200101T000000Z-aaaaaa.backup"} {
		need.NoError(t, os.WriteFile(filepath.Join(place, foreign), nil, 0o600))
	}
	plan := backupPlan(t, fmt.Sprintf(`"to": "folder", "folder": %q, "schedule": {"at": ["03:30"]}, "keep": 3`, place))
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		log := &memory{states: map[string]json.RawMessage{}}
		var mu sync.Mutex
		var made, failed []string
		running := new(sync.WaitGroup)
		broken := func() bool { // for half a day
			at := time.Now().In(collect.Istanbul)
			return at.Day() == 4 && at.Hour() < 12
		}
		for _, holder := range []string{"one", "two"} {
			d := pretended(plan, log, holder)
			d.Backups.Copy = func(_ context.Context, to string) error {
				time.Sleep(20 * time.Minute)
				mu.Lock()
				defer mu.Unlock()
				at := time.Now().In(collect.Istanbul).Format("02 15:04")
				if broken() {
					failed = append(failed, at)
					return syscall.ENOSPC
				}
				made = append(made, at)
				return os.WriteFile(to, []byte("all"), 0o600)
			}
			running.Go(func() { d.Run(ctx) })
		}
		// The bubble begins at 2000-01-01 00:00 UTC, 02:00 in Istanbul.
		at := func(day, hour int) {
			time.Sleep(time.Until(time.Date(2000, 1, day, hour, 0, 0, 0, collect.Istanbul)))
			synctest.Wait()
		}
		at(4, 11)
		mu.Lock()
		tries := len(failed)
		mu.Unlock()
		report, err := ReportBackups(ctx, log, time.Now())
		if err != nil || report.Kept != 3 || report.Failures != tries || report.Error == nil ||
			report.Overdue != (7*time.Hour+30*time.Minute).Seconds() || report.Newest == nil ||
			*report.Age != (31*time.Hour+30*time.Minute).Seconds() {
			t.Errorf("while it fails: %+v, %v", report, err)
		}
		if tries < 6 || tries > 20 {
			t.Errorf("tried at %q", failed)
		}
		at(7, 12)
		stop()
		running.Wait()
		days := make([]string, len(made))
		for i, one := range made {
			days[i] = one[:2]
		}
		if want := []string{"01", "01", "02", "03", "04", "05", "06", "07"}; !slices.Equal(days, want) {
			t.Errorf("made at %q, that is more or less than one of each day", made)
		}
		if !slices.Contains(made, "05 03:50") {
			t.Errorf("made at %q", made)
		}
		report, err = ReportBackups(t.Context(), log, time.Now())
		if err != nil || report.Kept != 3 || report.Failures != 0 || report.Failed < int64(tries) || report.Error != nil {
			t.Errorf("at the end: %+v, %v", report, err)
		}
	})
	names := namesIn(t, plan.to)
	if len(names) != 5 || !slices.Contains(names, "notes.txt") || !slices.Contains(names, "piyasa-20200101T000000Z-aaaaaa.backup") {
		t.Errorf("there are %q", names)
	}
}

// A process that was frozen and wakes removes its own unfinished backup, and not that of its successor.
func TestFailedBackupRemovesItsOwn(t *testing.T) {
	plan := backupPlan(t, fmt.Sprintf(`"to": "folder", "folder": %q`, t.TempDir()))
	d := pretended(plan, &memory{states: map[string]json.RawMessage{}}, "frozen")
	successor := filepath.Join(plan.to.room(), "piyasa-20000101T000000Z-bbbbbb.backup")
	d.Backups.Copy = func(_ context.Context, to string) error {
		return errors.Join(os.WriteFile(to+".partial-1", nil, 0o600), os.WriteFile(successor, nil, 0o600), errors.New("frozen for long"))
	}
	if all := d.Once(t.Context()); len(all) != 1 || all[0].Err == nil {
		t.Errorf("%+v", all)
	}
	left, err := os.ReadDir(plan.to.room())
	if err != nil || len(left) != 1 || left[0].Name() != filepath.Base(successor) {
		t.Errorf("left: %v, %v", left, err)
	}
}

// deliver --once waits for what a killed process left, but not for a process that is alive.
func TestOnceWaitsForTheKilled(t *testing.T) {
	plan := backupPlan(t, fmt.Sprintf(`"to": "folder", "folder": %q`, t.TempDir()))
	synctest.Test(t, func(t *testing.T) {
		log := &memory{states: map[string]json.RawMessage{}, holder: "killed", until: time.Now().Add(collect.LeaseTime)}
		d := pretended(plan, log, "one")
		d.Patience = time.Minute
		d.Config.Sinks = []Named{{Name: "one", Sink: printer{io.Discard}, Plan: Plan{Timeout: time.Second}}}
		all := d.Once(t.Context())
		if len(all) != 2 || all[0].Held || all[0].Err != nil || all[1].Held || all[1].Err != nil || all[1].Backup == nil {
			t.Errorf("%+v", all)
		}
		log.holder, log.until = "alive", time.Now().Add(time.Hour)
		began := time.Now()
		all = d.Once(t.Context())
		if took := time.Since(began); !all[0].Held || !all[1].Held || took < collect.LeaseTime || took > 3*collect.LeaseTime {
			t.Errorf("%+v after %s", all, took)
		}
	})
}

// A process that loses its claim stops, and counts no failure.
func TestBackupThatIsTakenOver(t *testing.T) {
	plan := backupPlan(t, fmt.Sprintf(`"to": "folder", "folder": %q`, t.TempDir()))
	synctest.Test(t, func(t *testing.T) {
		log := &memory{states: map[string]json.RawMessage{}}
		d := pretended(plan, log, "one")
		d.Backups.Copy = func(ctx context.Context, _ string) error {
			log.mu.Lock()
			log.holder, log.until = "two", time.Now().Add(time.Hour)
			log.mu.Unlock()
			<-ctx.Done()
			return ctx.Err()
		}
		o := d.Once(t.Context())[0]
		if !errors.Is(o.Err, collect.ErrTaken) || bytes.Contains(log.states[db.Backups], []byte("failures")) {
			t.Errorf("%v: %s", o.Err, log.states[db.Backups])
		}
	})
	if names := namesIn(t, plan.to); len(names) > 0 {
		t.Errorf("left behind: %q", names)
	}
}

// Backups that are not wanted any more are not missed.
func TestBackupsThatAreNotWanted(t *testing.T) {
	log := &memory{states: map[string]json.RawMessage{}}
	if o := pretended(backupPlan(t, fmt.Sprintf(`"to": "folder", "folder": %q`, t.TempDir())), log, "one").Once(t.Context()); o[0].Err != nil {
		t.Fatal(o)
	}
	if report, err := ReportBackups(t.Context(), log, time.Now()); err != nil || report == nil {
		t.Errorf("%v %v", report, err)
	}
	if o := pretended(backupPlan(t, `"to": "none"`), log, "one").Once(t.Context()); o[0].Err != nil {
		t.Fatal(o)
	}
	if report, err := ReportBackups(t.Context(), log, time.Now()); err != nil || report != nil {
		t.Errorf("%v %v", report, err)
	}
}

// Errors of settings say what is wrong and what is allowed.
func TestSettingsOfBackups(t *testing.T) {
	for settings, says := range map[string]string{
		`[]`:                               "must be an object",
		`{"to": "tape"}`:                   `"to" must be folder, s3 or none; got "tape"`,
		`{"to": "folder"}`:                 `"folder" must name a folder`,
		`{"to": "none", "keep": 3}`:        "keep",
		`{"to": "s3", "endpoint": "here"}`: `"endpoint" must be an address`,
		`{"to": "s3", "endpoint": "https://s3.example.com"}`:                    `"bucket", "access_key" and "secret_key"`,
		`{"to": "folder", "folder": "x", "keep": 0}`:                            `"keep" must be from 1 to 1000; got 0`,
		`{"to": "folder", "folder": "x", "schedule": {"every": "1m"}}`:          `at least 5m0s; got 1m0s`,
		`{"to": "folder", "folder": "x", "schedule": {"at": ["25:00"]}}`:        `"at" must hold`,
		`{"to": "folder", "folder": "x", "timeout": "1s"}`:                      `"timeout" must be a duration`,
		`{"to": "folder", "folder": "x", "keeps": 3}`:                           "keeps",
		`{"to": "s3", "endpoint": "https://s3.example.com", "secret_key": "x"}`: "never the secret itself",
	} {
		if _, err := ReadConfig([]byte(`{"backup": ` + settings + `}`)); err == nil || !strings.Contains(err.Error(), `"backup": `) ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", settings, err)
		}
	}
}
