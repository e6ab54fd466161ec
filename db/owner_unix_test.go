//go:build unix

package db_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"piyasa/db"
	"piyasa/test/fixture/need"
)

// What root makes beside a database, or in the folder of a service, belongs to the service.
func TestRootLeavesFilesToTheirOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	const service = 65532
	folder := t.TempDir()
	need.NoError(t, os.Chown(folder, service, service))
	owned := func(names ...string) {
		t.Helper()
		for _, name := range names {
			info, err := os.Stat(filepath.Join(folder, name))
			if err != nil {
				t.Error(err)
			} else if of := info.Sys().(*syscall.Stat_t); of.Uid != service || of.Gid != service {
				t.Errorf("%s belongs to %d:%d", name, of.Uid, of.Gid)
			}
		}
	}
	path := filepath.Join(folder, "piyasa.db")
	s, err := db.Open(t.Context(), "sqlite:"+path)
	need.NoError(t, err)
	put(t, s, price("bist:THYAO", t1, "1"))
	owned("piyasa.db", "piyasa.db-witness", "piyasa.db-wal", "piyasa.db-shm")
	backup := filepath.Join(t.TempDir(), "backup.db")
	need.NoError(t, db.Backup(t.Context(), "sqlite:"+path, backup))
	need.NoError(t, s.Close())
	if err := os.Remove(path + "-witness"); err != nil { // such as after a copy
		t.Fatal(err)
	}
	if s, err = db.Open(t.Context(), "sqlite:"+path); err != nil {
		t.Fatal(err)
	}
	put(t, s, price("bist:THYAO", t2, "1"))
	owned("piyasa.db-witness")
	need.NoError(t, s.Close())

	for _, target := range []string{"piyasa.db", "other.db"} {
		if _, err := db.Restore(t.Context(), "sqlite:"+filepath.Join(folder, target), backup, func(db.Finding) {},
			func([]db.Loss, error) error { return nil }); err != nil {
			t.Fatal(err)
		}
		owned(target, target+"-witness")
	}

	need.NoError(t, os.Chown(path+"-witness", 0, 0))
	var said bytes.Buffer
	found, err := db.Examine(t.Context(), "sqlite:"+path)
	for _, trouble := range found.Troubles {
		said.WriteString(trouble.Seen + "\n")
	}
	if err != nil || !strings.Contains(said.String(), "piyasa.db-witness belongs to another user") ||
		strings.Contains(said.String(), "piyasa.db belongs") {
		t.Errorf("doctor says %s, %v", &said, err)
	}
	need.NoError(t, os.Chown(path, 0, 0))
	found, err = db.Examine(t.Context(), "sqlite:"+path)
	if both := fmt.Sprint(found.Troubles); err != nil || strings.Count(both, "belongs to another user than "+folder) != 2 {
		t.Errorf("of two files of root, doctor says %s, %v", both, err)
	}
}
