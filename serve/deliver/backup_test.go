package deliver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"

	"piyasa/collect"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/internal/epoch"
	"piyasa/test/fixture/need"
)

// backupPlan reads a plan.
func backupPlan(t testing.TB, settings string) BackupPlan {
	t.Helper()
	c, err := ReadConfig([]byte(`{"backup": {` + settings + `}}`))
	need.NoError(t, err)
	return *c.Backup
}

// namesIn returns the names of all files in a place, also of those that are no backups.
func namesIn(t testing.TB, in backupPlace) (names []string) {
	t.Helper()
	switch in := in.(type) {
	case backupFolder:
		err := filepath.WalkDir(string(in), func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				path, err = filepath.Rel(string(in), path)
				names = append(names, path)
			}
			return err
		})
		need.NoError(t, err)
	case backupBucket:
		for object := range in.client.ListObjects(t.Context(), in.name, minio.ListObjectsOptions{Prefix: in.prefix, Recursive: true}) {
			if object.Err != nil {
				t.Fatal(object.Err)
			}
			names = append(names, strings.TrimPrefix(object.Key, in.prefix))
		}
	}
	return names
}

// read returns a file of a place.
func read(t testing.TB, in backupPlace, name string) []byte {
	t.Helper()
	from := storage(folder(in.String()))
	if b, ok := in.(backupBucket); ok {
		from = b
	}
	text, err := from.get(t.Context(), name)
	need.NoError(t, err)
	return text
}

// A backup of either store in either place is verified, and restored into an empty store it is the same.
func TestBackupsAreRestored(t *testing.T) {
	for _, where := range []string{"folder", "s3"} {
		t.Run(where, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, url string) {
				s := openStore(t, url)
				w := newWriter(s, 3)
				for range 20 {
					w.step(t)
				}
				settings := fmt.Sprintf(`"to": "folder", "folder": %q`, t.TempDir())
				if where == "s3" {
					settings = s3Server(t) + fmt.Sprintf(`, "scratch": %q`, t.TempDir())
				}
				plan := backupPlan(t, settings)
				d := &Deliverer{Config: &Config{Backup: &plan}, Log: s, Holder: "one", Now: time.Now, Backups: NewBackups(plan, s, url)}
				if all := d.Check(t.Context()); len(all) != 1 || all[0].Err != nil {
					t.Fatalf("the check says %+v", all)
				}
				other := *d
				other.Holder = "two"
				made, others := []Outcome(nil), []Outcome(nil)
				both := new(sync.WaitGroup)
				both.Go(func() { made = d.Once(t.Context()) })
				both.Go(func() { others = other.Once(t.Context()) })
				both.Wait()
				if others[0].Backup != nil {
					made, others = others, made
				}
				if len(made) != 1 || made[0].Err != nil || made[0].Backup == nil || others[0].Err != nil || others[0].Backup != nil {
					t.Fatalf("%+v, and another one %+v", made, others)
				}
				if again := d.Once(t.Context()); again[0].Err != nil || again[0].Backup != nil {
					t.Errorf("another one is made though none is due: %+v", again)
				}
				if names := namesIn(t, plan.to); !slices.Equal(names, []string{made[0].Backup.Name}) {
					t.Errorf("there are %q", names)
				}
				if left, err := os.ReadDir(plan.to.room()); err != nil || len(left) > 0 {
					t.Errorf("left behind: %v, %v", left, err)
				}
				file := filepath.Join(t.TempDir(), "backup")
				need.NoError(t, os.WriteFile(file, read(t, plan.to, made[0].Backup.Name), 0o600))
				want := logged(t, s, "bar", "dividend", "disclosure")
				w.step(t) // is not in it

				target := "sqlite:" + filepath.Join(t.TempDir(), "piyasa.db")
				if dbtest.IsPostgres(url) {
					target = dbtest.PostgresURL(t)
					if said, err := exec.CommandContext(t.Context(), "pg_restore", "--dbname="+target, file).CombinedOutput(); err != nil {
						t.Fatalf("%v: %s", err, said)
					}
				} else if _, err := db.Restore(t.Context(), target, file, func(f db.Finding) { t.Error(f) }, nil); err != nil {
					t.Fatal(err)
				}
				if _, err := db.Verify(t.Context(), target, func(f db.Finding) { t.Error(f) }); err != nil {
					t.Fatal(err)
				}
				restored := openStore(t, target)
				logged(t, restored, "bar", "dividend", "disclosure").check(t, want)
				report, err := ReportBackups(t.Context(), s, time.Now())
				if err != nil || report.Kept != 1 || report.Newest.Name != made[0].Backup.Name || report.Overdue > 0 {
					t.Errorf("the report is %+v, %v", report, err)
				}
				if sinks, err := Reports(t.Context(), s); err != nil || len(sinks) > 0 {
					t.Errorf("backups are no sink: %v, %v", sinks, err)
				}
			})
		})
	}
}

// memory keeps the states of sinks for several holders, by the clock of the test.
type memory struct {
	Log
	mu     sync.Mutex
	states map[string]json.RawMessage
	holder string
	until  time.Time
}

func (m *memory) ClaimSink(_ context.Context, sink, holder string, lease time.Duration) (json.RawMessage, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holder != holder && time.Now().Before(m.until) {
		return nil, false, nil
	}
	m.holder, m.until = holder, time.Now().Add(lease)
	return m.states[sink], true, nil
}

func (m *memory) ReleaseSink(context.Context, string, string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.until = time.Time{}
	return nil
}

func (m *memory) KeepSink(_ context.Context, sink, holder string, state json.RawMessage) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holder != holder {
		return db.ErrNotHeld
	}
	m.states[sink] = state
	return nil
}

func (m *memory) Sinks(context.Context) (map[string]json.RawMessage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.states), nil
}

func (m *memory) Look(context.Context) (epoch.Moment, error) { return epoch.Moment{}, nil }

// pretended returns a deliverer that backs up some words.
func pretended(plan BackupPlan, log *memory, holder string) *Deliverer {
	return &Deliverer{Config: new(Config), Log: log, Holder: holder, Now: time.Now, Backups: &Backups{
		Plan:  plan,
		Copy:  func(_ context.Context, to string) error { return os.WriteFile(to, []byte("all that is stored"), 0o600) },
		Check: func(context.Context, string) error { return nil },
		Bytes: func(context.Context) (int64, error) { return 18, nil },
	}}
}

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

// What delivers once waits for what a process that was killed has left, and not for one that is alive.
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

// What is wrong in the settings is said, with what is allowed.
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
