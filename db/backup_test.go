package db_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
)

// A backup made while another writes is the state between two commits: everything up
// to some number, and nothing above. Nothing but the file is left in its folder.
func TestBackupWhileWriting(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "piyasa.db")
	s, folder := open(t, url), t.TempDir()
	putDisclosures(t, s, false, disclosure(1, t1), disclosure(2, t1))
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 3; ; i += 2 {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			b, out := new(db.Batch), new(db.Outcome)
			db.Put(b, disclosure(i, t1), out)
			db.Put(b, disclosure(i+1, t1), out)
			if err := s.Store(context.Background(), b); err != nil {
				stopped <- err
				return
			}
		}
	}()
	for i := range 5 {
		file := filepath.Join(folder, fmt.Sprintf("backup-%d.db", i))
		if err := db.Backup(t.Context(), url, file); err != nil {
			t.Fatal(err)
		}
		var rows, last, head int64
		raw := dbtest.Raw(t, "sqlite:"+file)
		if err := raw.QueryRow("SELECT count(*), max(seq), (SELECT seq FROM heads WHERE feed = 'disclosures') FROM disclosures").Scan(&rows,
			&last, &head); err != nil {
			t.Fatal(err)
		}
		if rows < 2 || rows%2 != 0 || rows != last || last != head {
			t.Errorf("%d rows up to number %d, the last number is %d", rows, last, head)
		}
		if err := raw.Close(); err != nil {
			t.Fatal(err)
		}
		again := db.Backup(t.Context(), url, file)
		if again == nil || !strings.Contains(again.Error(), "exists") {
			t.Errorf("a second backup to the same file: %v", again)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(folder)
	if err != nil || len(names) != 5 {
		t.Errorf("the folder holds %v, %v", names, err)
	}
}

// What cannot be backed up is refused, and leaves no file.
func TestBackupIsRefused(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "notes.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("This is no database.\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "backup.db")
	for name, url := range map[string]string{
		"no file": "sqlite:" + filepath.Join(folder, "none.db"), "no database": "sqlite:" + text, "a folder": "sqlite:" + folder,
	} {
		if err := db.Backup(t.Context(), url, to); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := db.Backup(t.Context(), "postgres://127.0.0.1:1/piyasa", to); !errors.Is(err, db.ErrNotSQLite) {
		t.Errorf("Postgres: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	s := "sqlite:" + filepath.Join(folder, "piyasa.db")
	open(t, s)
	if err := db.Backup(ended, s, to); err == nil {
		t.Error("canceled: no error")
	}
	if names, err := os.ReadDir(filepath.Dir(to)); err != nil || len(names) > 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}
