package deliver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

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
