package db_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
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
		need.NoError(t, db.Backup(t.Context(), url, file))
		var rows, last, head int64
		raw := dbtest.Raw(t, "sqlite:"+file)
		if err := raw.QueryRow("SELECT count(*), max(seq), (SELECT seq FROM heads WHERE feed = 'disclosures') FROM disclosures").Scan(&rows,
			&last, &head); err != nil {
			t.Fatal(err)
		}
		if rows < 2 || rows%2 != 0 || rows != last || last != head {
			t.Errorf("%d rows up to number %d, the last number is %d", rows, last, head)
		}
		need.NoError(t, raw.Close())
		again := db.Backup(t.Context(), url, file)
		if again == nil || !strings.Contains(again.Error(), "exists") {
			t.Errorf("a second backup to the same file: %v", again)
		}
	}
	close(stop)
	need.NoError(t, <-stopped)
	names, err := os.ReadDir(folder)
	if err != nil || len(names) != 5 {
		t.Errorf("the folder holds %v, %v", names, err)
	}
}

// What cannot be backed up is refused, and leaves no file.
func TestBackupIsRefused(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "notes.txt")
	need.NoError(t, os.WriteFile(text, []byte(strings.Repeat("This is no database.\n", 100)), 0o600))
	to := filepath.Join(t.TempDir(), "backup.db")
	for name, url := range map[string]string{
		"no file": "sqlite:" + filepath.Join(folder, "none.db"), "no database": "sqlite:" + text, "a folder": "sqlite:" + folder,
	} {
		if err := db.Backup(t.Context(), url, to); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	const away = "postgres://127.0.0.1:1/piyasa"
	if err := db.Backup(t.Context(), away, to); err == nil || !strings.Contains(err.Error(), "Connection refused") {
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

// A backup of either store can be read, and one that is cut or damaged is refused.
func TestDamagedBackupsAreRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, file := open(t, url), filepath.Join(t.TempDir(), "backup")
		for i := range 200 {
			putDisclosures(t, s, false, disclosure(i+1, t1))
		}
		need.NoError(t, db.Backup(t.Context(), url, file))
		if err := db.CheckBackup(t.Context(), file); err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(file)
		need.NoError(t, err)
		wrong := map[string][]byte{"empty": nil, "another file": []byte("This is no database."), "cut": text[:len(text)*9/10]}
		if !dbtest.IsPostgres(url) {
			wrong["damaged"] = slices.Concat(text[:len(text)/2], make([]byte, 8192), text[len(text)/2+8192:])
		}
		for name, text := range wrong {
			need.NoError(t, os.WriteFile(file, text, 0o600))
			if err := db.CheckBackup(t.Context(), file); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
	})
}

// Others who use the machine see the arguments of pg_dump, but no password; without it, the error
// says what is missing.
func TestPasswordIsNoArgument(t *testing.T) {
	programs := t.TempDir()
	t.Setenv("PATH", programs)
	to := filepath.Join(t.TempDir(), "backup")
	err := db.Backup(t.Context(), "postgres://127.0.0.1:1/piyasa", to)
	if err == nil || !strings.Contains(err.Error(), "pg_dump is not installed") {
		t.Errorf("without pg_dump: %v", err)
	}
	script := "#!/bin/sh\necho \"$PGPASSWORD $*\" >&2\nexit 1\n"
	need.NoError(t, os.WriteFile(filepath.Join(programs, "pg_dump"), []byte(script), 0o700))
	for _, url := range []string{
		"postgres://ali:hunter2@127.0.0.1:1/piyasa?sslmode=disable&pool_max_conns=3&search_path=x",
		"postgres://ali@127.0.0.1:1/piyasa?sslmode=disable&password=hunter2&sslpassword=hunter2",
	} {
		err := db.Backup(t.Context(), url, to)
		if err == nil || strings.Count(err.Error(), "hunter2") != 1 || !strings.Contains(err.Error(), ": hunter2 --format=custom") ||
			!strings.Contains(err.Error(), "--dbname=postgres://ali@127.0.0.1:1/piyasa?sslmode=disable") {
			t.Errorf("%s: %v", url, err)
		}
	}
}
