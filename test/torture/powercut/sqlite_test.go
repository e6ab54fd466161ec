package powercut_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"piyasa/test/fixture/need"
	"piyasa/test/torture/powercut"
)

// sqliteFile is the store of a mounted disk, in a folder that piyasa makes.
func (m *mounted) sqliteFile() string { return filepath.Join(m.folder, "data", "piyasa.db") }

// checkSQLite checks a copy of the file: the process that serves the disk must not
// open it there. Where there is none, nothing may have been acknowledged.
func (w *writer) checkSQLite(t *testing.T, disk *mounted) {
	t.Helper()
	folder := t.TempDir()
	need.NoError(t, disk.CopyTo(folder))
	path := filepath.Join(folder, "data", "piyasa.db")
	if info, err := os.Stat(path); w.acked == 0 && (errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0) {
		return
	}
	store, err := sql.Open("sqlite", "file:"+path)
	need.NoError(t, err)
	defer store.Close()
	var result string
	if err := store.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&result); err != nil || result != "ok" {
		t.Fatalf("integrity_check: %v %s", err, result)
	}
	if w.acked == 0 { // it may have no tables yet
		var tables int
		if err := store.QueryRowContext(t.Context(),
			"SELECT count(*) FROM sqlite_schema WHERE name = 'disclosures'").Scan(&tables); err != nil {
			t.Fatal(err)
		} else if tables == 0 {
			return
		}
	}
	w.check(t, store)
}

// sqliteLife stores lines on a new disk, whose power is cut a few times.
func sqliteLife(t *testing.T, random *rand.Rand, model powercut.Model) {
	t.Helper()
	w, disk := &writer{random: random}, newMount(t, model)
	url := "sqlite:" + disk.sqliteFile()
	for cuts := 1 + random.IntN(6); cuts > 0; cuts-- {
		until := w.aim(disk, 4000)
		i := w.start(t, url)
		if w.write(t, i, until, disk.Off()) {
			disk.Cut()
		}
		w.kill(i)
		if !disk.IsOff() {
			t.Fatalf("the ingester ended, with power, and said: %s", i.said)
		}
		changes := disk.Changes()
		disk.powerOn(t)
		w.checkSQLite(t, disk)
		t.Logf("cut after %d changes, with %d lines acknowledged", changes, w.acked)
	}
	w.store(t, url, 100)
	w.checkSQLite(t, disk)
	disk.unmount(t)
}

// Whenever the power is cut, SQLite keeps every acknowledged line and no hole, and
// ingesting goes on.
func TestPowerCutsBelowSQLite(t *testing.T) {
	for name, strict := range map[string]bool{"journal": false, "strict": true} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(newSeed(t), 1))
			rounds(t, 4, func() { sqliteLife(t, random, powercut.Model{Seed: random.Uint64(), Strict: strict}) })
		})
	}
}
