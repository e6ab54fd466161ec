package db_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// restore restores a backup whatever is lost, and returns what that was.
func restore(t *testing.T, url, backup string) (done db.Restored, losses []db.Loss, unknown error) {
	t.Helper()
	done, err := db.Restore(t.Context(), url, backup, func(f db.Finding) { t.Errorf("found %v", f) }, func(l []db.Loss, u error) error {
		losses, unknown = l, u
		return nil
	})
	need.NoError(t, err)
	return done, losses, unknown
}

func shut(t *testing.T, s *db.Store) {
	t.Helper()
	need.NoError(t, s.Close())
}

// A restored database is what was backed up, in a new epoch; what is lost is said
// before, and kept under another name.
func TestRestore(t *testing.T) {
	folder := t.TempDir()
	path, backup := filepath.Join(folder, "piyasa.db"), filepath.Join(t.TempDir(), "backup.db")
	url := "sqlite:" + path
	s := open(t, url)
	everything(t, s)
	need.NoError(t, db.Backup(t.Context(), url, backup))
	before := look(t, s)
	putDisclosures(t, s, false, disclosure(20, t1), disclosure(21, t1))
	put(t, s, stock("AKBNK"))
	refuse := func(why string, approve func([]db.Loss, error) error) {
		t.Helper()
		done, err := db.Restore(t.Context(), url, backup, func(db.Finding) {}, approve)
		if err == nil || !strings.Contains(err.Error(), why) || done != (db.Restored{}) {
			t.Errorf("%+v, %v", done, err)
		}
	}
	refuse(db.ErrInUse.Error(), nil)
	shut(t, s)
	raw := dbtest.Raw(t, url) // another program
	need.NoError(t, raw.Ping())
	refuse(db.ErrInUse.Error(), nil)
	need.NoError(t, raw.Close())
	refuse("not approved", func([]db.Loss, error) error {
		if _, err := db.Open(t.Context(), url); !db.NotThereYet(err) {
			t.Errorf("opened during a restore: %v", err)
		}
		return errors.New("not approved")
	})
	s = open(t, url)
	if _, known := must[map[int]bool](t)(s.KnownDisclosures(t.Context(), []int{21}))[21]; !known {
		t.Error("what was not approved has been done")
	}
	shut(t, s)

	done, losses, unknown := restore(t, url, backup)
	if want := []db.Loss{{Feed: db.FeedCatalog, Kept: 2, Total: 3},
		{Feed: db.FeedDisclosures, Kept: 6, Total: 8}}; !reflect.DeepEqual(losses, want) || unknown != nil {
		t.Errorf("losses %v, %v", losses, unknown)
	}
	s = open(t, url)
	after := look(t, s)
	if after.Epochs.Current() != done.Epoch {
		t.Errorf("epoch %s, and %s was said", after.Epochs.Current(), done.Epoch)
	}
	jumped(t, before, after)
	if known := must[map[int]bool](t)(s.KnownDisclosures(t.Context(), []int{9, 20, 21})); !reflect.DeepEqual(known, map[int]bool{9: true}) {
		t.Errorf("known %v", known)
	}
	putDisclosures(t, s, false, disclosure(30, t1))
	if found := verified(t, url); len(found) > 0 {
		t.Errorf("found %q", found)
	}
	if found := verified(t, "sqlite:"+done.Replaced); len(found) > 0 {
		t.Errorf("in what was replaced: %q", found)
	}
	var kept int
	if err := dbtest.Raw(t, "sqlite:"+done.Replaced).QueryRow("SELECT count(*) FROM disclosures").Scan(&kept); err != nil || kept != 6 {
		t.Errorf("kept %d disclosures, %v", kept, err)
	}
	shut(t, s)
	names := namesIn(t, folder)
	if len(slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, "-replaced-") })) != 2 {
		t.Errorf("the folder holds %v", names)
	}
	if _, err := os.Stat(backup); err != nil {
		t.Error(err)
	}
	replaced := map[string]bool{done.Replaced: true}
	for range 3 { // within a second
		again, _, _ := restore(t, url, backup)
		replaced[again.Replaced] = true
	}
	if len(replaced) != 4 {
		t.Errorf("kept only %v", replaced)
	}
}

func namesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	for _, entry := range must[[]os.DirEntry](t)(os.ReadDir(folder)) {
		names = append(names, entry.Name())
	}
	return names
}

// A backup restores what is gone, what cannot be read, and what is equal, which loses
// nothing.
func TestRestoreOfNothing(t *testing.T) {
	backup := filepath.Join(t.TempDir(), "backup.db")
	for name, prepare := range map[string]func(t *testing.T, path string){
		"no file":    func(*testing.T, string) {},
		"unreadable": func(t *testing.T, path string) { write(t, path, []byte(strings.Repeat("This is no database.\n", 100))) },
		"equal":      func(t *testing.T, path string) { write(t, path, must[[]byte](t)(os.ReadFile(backup))) },
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(backup); err != nil {
				url := "sqlite:" + filepath.Join(t.TempDir(), "first.db")
				s := open(t, url)
				everything(t, s)
				need.NoError(t, db.Backup(t.Context(), url, backup))
			}
			path := filepath.Join(t.TempDir(), "piyasa.db")
			prepare(t, path)
			done, losses, unknown := restore(t, "sqlite:"+path, backup)
			if len(losses) > 0 || (unknown != nil) != (name == "unreadable") || (done.Replaced != "") == (name == "no file") {
				t.Errorf("%+v, %v, %v", done, losses, unknown)
			}
			s := open(t, "sqlite:"+path)
			if m := look(t, s); m.Epochs.Current() != done.Epoch || len(m.Epochs) != 2 {
				t.Errorf("epochs %v, and %s was said", m.Epochs, done.Epoch)
			}
		})
	}
}

// Damaged backups, those of newer versions and what is no backup are refused, and the
// target stays as it is.
func TestBadBackupsAreRefused(t *testing.T) {
	folder := t.TempDir()
	url := "sqlite:" + filepath.Join(folder, "piyasa.db")
	s := open(t, url)
	everything(t, s)
	shut(t, s)
	for name, c := range map[string]struct{ statement, says string }{
		"newer":        {"INSERT INTO bun_migrations (name, group_id) VALUES ('9999', 99)", "newer version"},
		"not in order": {"UPDATE heads SET seq = seq + 1 WHERE feed = 'disclosures'", "is damaged: 1 findings"},
		"another":      {"DROP TABLE bun_migrations", "no database of piyasa"},
	} {
		backup := filepath.Join(t.TempDir(), "backup.db")
		need.NoError(t, db.Backup(context.Background(), url, backup))
		raw := dbtest.Raw(t, "sqlite:"+backup)
		if _, err := raw.Exec(c.statement); err != nil {
			t.Fatal(err)
		}
		need.NoError(t, raw.Close())
		if _, err := db.Restore(t.Context(), url, backup, func(db.Finding) {}, nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		empty := t.TempDir() // where there is no target, and its folder may be missing, too
		for _, target := range []string{"piyasa.db", "a/new/piyasa.db"} {
			if _, err := db.Restore(t.Context(), "sqlite:"+filepath.Join(empty, target), backup, func(db.Finding) {}, nil); err == nil {
				t.Errorf("%s: no error", name)
			}
			if names := namesIn(t, empty); len(names) > 0 {
				t.Errorf("%s leaves %v", name, names)
			}
		}
	}
	text := filepath.Join(t.TempDir(), "notes.txt")
	write(t, text, []byte(strings.Repeat("This is no database.\n", 100)))
	for _, file := range []string{text, text + "-none"} {
		if _, err := db.Restore(t.Context(), url, file, func(db.Finding) {}, nil); err == nil {
			t.Errorf("%s: no error", file)
		}
	}
	if _, err := db.Restore(t.Context(), "postgres://127.0.0.1:1/x", text, nil, nil); !errors.Is(err, db.ErrNotSQLite) {
		t.Errorf("Postgres: %v", err)
	}
	if names := namesIn(t, folder); len(names) != 2 {
		t.Errorf("the folder holds %v", names)
	}
	if found := verified(t, url); len(found) > 0 {
		t.Error(fmt.Sprint(found))
	}
}
