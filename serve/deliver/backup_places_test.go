package deliver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"piyasa/db"
	"piyasa/test/fixture/need"
)

// When the newest backup is in its place no more, or not as it was written, it counts for none, and another one
// is made; where the place cannot be looked at, nothing is forgotten.
func TestBackupsThatAreGone(t *testing.T) {
	for _, where := range []string{"folder", "s3"} {
		place := t.TempDir()
		plan := backupPlan(t, fmt.Sprintf(`"to": "folder", "folder": %q`, place))
		if where == "s3" {
			plan = backupPlan(t, s3Server(t)+fmt.Sprintf(`, "scratch": %q`, t.TempDir()))
		}
		log := &memory{states: map[string]json.RawMessage{}}
		d := pretended(plan, log, "one")
		first := d.Once(t.Context())[0]
		if first.Err != nil || first.Backup == nil {
			t.Fatalf("%+v", first)
		}
		missing := func() error {
			t.Helper()
			report, err := ReportBackups(t.Context(), log, time.Now())
			need.NoError(t, err)
			return report.Missing(t.Context(), &plan)
		}
		if err := missing(); err != nil {
			t.Errorf("%s: %v", where, err)
		}
		need.NoError(t, plan.to.drop(t.Context(), first.Backup.Name))
		if err := missing(); err == nil || !strings.Contains(err.Error(), first.Backup.Name) {
			t.Errorf("%s: gone: %v", where, err)
		}
		second := d.Once(t.Context())[0]
		if second.Err != nil || second.Backup == nil || missing() != nil {
			t.Errorf("%s: after the first is gone: %+v", where, second)
		}
		if where == "s3" {
			continue
		}
		file := filepath.Join(place, second.Backup.Name)
		need.NoError(t, os.WriteFile(file, []byte("all"), 0o600))
		if err := missing(); err == nil || !strings.Contains(err.Error(), "3 bytes") {
			t.Errorf("cut: %v", err)
		}
		third := d.Once(t.Context())[0]
		if third.Err != nil || third.Backup == nil {
			t.Errorf("after the second was cut: %+v", third)
		}
		need.NoError(t, os.Rename(place, place+"-away"))
		if o := d.Once(t.Context())[0]; o.Err == nil || missing() == nil {
			t.Errorf("without the folder: %+v", o)
		}
		need.NoError(t, os.Rename(place+"-away", place))
		if o := d.Once(t.Context())[0]; o.Err != nil || o.Backup != nil || missing() != nil {
			t.Errorf("with the folder again: %+v", o)
		}
	}
}

// faultyS3 is a server of S3 with a fault.
type faultyS3 struct {
	http.Handler
	mu    sync.Mutex
	fault func(w http.ResponseWriter, r *http.Request) bool // reports whether it has answered
}

func (f *faultyS3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	fault := f.fault
	f.mu.Unlock()
	if fault == nil || !fault(w, r) {
		f.Handler.ServeHTTP(w, r)
	}
}

func (f *faultyS3) set(fault func(w http.ResponseWriter, r *http.Request) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

// Whatever fails, what is there afterwards are the backups that were there before; once it works
// again, there is one more, and no remains. No secret is said.
func TestBackupsUnderFaults(t *testing.T) {
	const secret = "s3cr3t-of-the-bucket"
	t.Setenv("BACKUP_SECRET", secret)
	var said bytes.Buffer
	former := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&said, nil)))
	t.Cleanup(func() { slog.SetDefault(former) })
	backend := s3mem.New()
	need.NoError(t, backend.CreateBucket("safe"))
	faulty := &faultyS3{Handler: gofakes3.New(backend).Server()}
	server := httptest.NewServer(faulty)
	t.Cleanup(server.Close)
	inBucket := backupPlan(t, fmt.Sprintf(`"to": "s3", "endpoint": %q, "bucket": "safe", "prefix": "x", "region": "eu", "keep": 2, "scratch": %q,
		"access_key": {"env": "BACKUP_SECRET"}, "secret_key": {"env": "BACKUP_SECRET"}, "schedule": {"every": "5m"}`, server.URL, t.TempDir()))
	inFolder := backupPlan(t, fmt.Sprintf(`"to": "folder", "folder": %q, "keep": 2, "schedule": {"every": "5m"}`, t.TempDir()))
	refuse := func(status int, when func(*http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if when(r) {
				w.WriteHeader(status)
			}
			return when(r)
		}
	}
	isPut := func(r *http.Request) bool {
		return r.Method == http.MethodPut && r.Header.Get("X-Amz-Copy-Source") == ""
	}
	isCopy := func(r *http.Request) bool {
		return r.Method == http.MethodPut && r.Header.Get("X-Amz-Copy-Source") != ""
	}
	always := func(*http.Request) bool { return true }
	for name, fault := range map[string]struct {
		in    *BackupPlan
		s3    func(http.ResponseWriter, *http.Request) bool
		make  func(*Backups)
		says  string
		then  string // says the second one; the same
		stays bool   // the remains, until it works again
	}{
		"500":           {in: &inBucket, s3: refuse(500, isPut), says: "upload"},
		"403":           {in: &inBucket, s3: refuse(403, always), says: "Access Denied", stays: true},
		"503 of a copy": {in: &inBucket, s3: refuse(503, isCopy), says: "copy to its name"},
		"no removal": {in: &inBucket, s3: refuse(403, func(r *http.Request) bool {
			return r.Method == http.MethodDelete || r.URL.Query().Has("delete")
		}), make: func(b *Backups) {
			b.Check = func(context.Context, string) error { return errors.New("wrong") }
		}, says: "wrong", then: "remove what a former run has left", stays: true},
		"slow": {in: &inBucket, s3: func(_ http.ResponseWriter, r *http.Request) bool {
			if isPut(r) {
				_, _ = io.Copy(io.Discard, r.Body)
				<-r.Context().Done()
			}
			return isPut(r)
		}, make: func(b *Backups) { b.Plan.Timeout = 500 * time.Millisecond }, says: "longer than"},
		"cut when it is read": {in: &inBucket, s3: func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, partialName) {
				return false
			}
			whole := httptest.NewRecorder()
			faulty.Handler.ServeHTTP(whole, r)
			w.Header().Set("Etag", whole.Header().Get("Etag"))
			w.Header().Set("Last-Modified", whole.Header().Get("Last-Modified"))
			_, _ = w.Write(whole.Body.Bytes()[:whole.Body.Len()/2])
			return true
		}, says: "read back"},
		"damaged on the way to S3": {in: &inBucket, make: func(b *Backups) {
			b.Check = func(context.Context, string) error { return errors.New("it is damaged") }
		}, says: "it is damaged"},
		"damaged in a folder": {in: &inFolder, make: func(b *Backups) {
			b.Check = func(context.Context, string) error { return errors.New("it is damaged") }
		}, says: "it is damaged"},
		"full disk": {in: &inFolder, make: func(b *Backups) {
			b.Copy = func(_ context.Context, to string) error {
				return errors.Join(os.WriteFile(to, []byte("all th"), 0o600), syscall.ENOSPC)
			}
		}, says: "no space left"},
		"no room": {in: &inFolder, make: func(b *Backups) {
			b.Bytes = func(context.Context) (int64, error) { return 1 << 60, nil }
		}, says: "there is no room"},
		"no folder": {in: &BackupPlan{to: backupFolder(filepath.Join(t.TempDir(), "not mounted")), Keep: 1, Timeout: time.Minute,
			Schedule: inFolder.Schedule}, says: "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			log, now := &memory{states: map[string]json.RawMessage{}}, time.Now()
			run := func(broken bool) Outcome {
				now = now.Add(5 * time.Minute)
				d := pretended(*fault.in, log, "one")
				d.Now = func() time.Time { return now }
				faulty.set(nil)
				if broken {
					faulty.set(fault.s3)
					if fault.make != nil {
						fault.make(d.Backups)
					}
				}
				return d.Once(t.Context())[0]
			}
			mended := name != "no folder"
			var before []string
			if mended {
				if o := run(false); o.Err != nil || o.Backup == nil {
					t.Fatalf("%+v", o)
				}
				before = namesIn(t, fault.in.to)
			}
			for n := 1; n <= 2; n++ {
				o := run(true)
				says := fault.says
				if n == 2 && fault.then != "" {
					says = fault.then
				}
				if o.Err == nil || !strings.Contains(o.Err.Error(), says) || o.Backup != nil {
					t.Fatalf("%+v", o)
				}
				fmt.Fprintln(&said, o.Err)
				report, err := ReportBackups(t.Context(), log, now)
				if err != nil || report.Failures != n || report.Error == nil || (report.Newest != nil) != mended {
					t.Errorf("%+v, %v", report, err)
				}
			}
			faulty.set(nil)
			if !mended {
				return
			}
			remains := func(name string) bool { return strings.HasPrefix(name, partialName) }
			after := namesIn(t, fault.in.to)
			left := slices.ContainsFunc(after, remains)
			if left && !fault.stays || !slices.Equal(slices.DeleteFunc(after, remains), before) {
				t.Errorf("there were %q, and are %q, remains: %v", before, namesIn(t, fault.in.to), left)
			}
			if o := run(false); o.Err != nil || o.Backup == nil {
				t.Fatalf("%+v", o)
			}
			made := log.states[db.Backups]
			_, _ = said.Write(made)
			var kept backupState
			if err := json.Unmarshal(made, &kept); err != nil || len(kept.Made) != 2 || kept.Failures != 0 || kept.Making != nil {
				t.Errorf("%s %v", made, err)
			}
			if names := namesIn(t, fault.in.to); slices.ContainsFunc(names, remains) {
				t.Errorf("there are %q", names)
			}
		})
	}
	if strings.Contains(said.String(), secret) {
		t.Errorf("a secret is said: %s", &said)
	}
}

// A process that is killed leaves nothing that passes for a backup, and what it has left goes; one
// whose backup was in its place already has made it.
func TestBackupAfterAKill(t *testing.T) {
	t.Setenv("BACKUP_SECRET", "key")
	for _, settings := range []string{s3Server(t) + fmt.Sprintf(`, "scratch": %q`, t.TempDir()), fmt.Sprintf(`"to": "folder", "folder": %q`, t.TempDir())} {
		for _, at := range []string{"copied", "in its place"} {
			plan := backupPlan(t, settings+`, "schedule": {"every": "5m"}`)
			log := &memory{states: map[string]json.RawMessage{}}
			killed := pretended(plan, log, "one")
			func() {
				defer func() { _ = recover() }()
				if at == "copied" {
					killed.Backups.Check = func(context.Context, string) error { panic("killed") }
				} else {
					killed.Log = dying{log}
				}
				killed.Once(t.Context())
			}()
			log.until = time.Time{}
			was := namesIn(t, plan.to)
			d := pretended(plan, log, "two")
			o := d.Once(t.Context())[0]
			var kept backupState
			err := json.Unmarshal(log.states[db.Backups], &kept)
			if err != nil || o.Err != nil || len(kept.Made) != 1 || kept.Making != nil {
				t.Fatalf("%s: %+v %+v %v", at, o, kept, err)
			}
			if (o.Backup == nil) != (at == "in its place") {
				t.Errorf("%s: then it made %v; there were %q", at, o.Backup, was)
			}
			if names := namesIn(t, plan.to); len(names) != 1 || names[0] != kept.Made[0].Name {
				t.Errorf("%s: there are %q", at, names)
			}
			if err := plan.to.drop(t.Context(), kept.Made[0].Name); err != nil {
				t.Error(err)
			}
		}
	}
}

// dying is a log whose process dies when a backup is counted.
type dying struct{ *memory }

func (d dying) KeepSink(ctx context.Context, sink, holder string, state json.RawMessage) error {
	if bytes.Contains(state, []byte(`"made"`)) {
		panic("killed")
	}
	return d.memory.KeepSink(ctx, sink, holder, state)
}
