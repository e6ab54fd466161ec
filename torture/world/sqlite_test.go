package world

import (
	"os"
	"path/filepath"
	"testing"
)

// An older copy takes the place of a SQLite file while nothing runs.
func TestRestoredFile(t *testing.T) {
	t.Parallel()
	w := New(t)
	url, path := w.SQLite()
	key := w.NewKey(url)
	writer := w.NewWriter(url)
	g := w.NewGateway("gateway", url)
	w.NewClients(key, g)
	writer.Write(100)
	older := filepath.Join(w.folder, "older.db")
	w.copySQLite(path, older)
	writer.Write(20)
	w.AwaitAll(120)

	g.Stop()
	writer.Pause()
	w.Fault("an older copy of the file is restored")
	w.replace(path, older)
	writer.Resume()
	writer.Write(30)
	g.Start()
	w.Finish(url)
}

// An older copy takes the place of a SQLite file under a running gateway.
func TestReplacedFile(t *testing.T) {
	t.Parallel()
	w := New(t)
	url, path := w.SQLite()
	key := w.NewKey(url)
	writer := w.NewWriter(url)
	g := w.NewGateway("gateway", url)
	w.NewClients(key, g)
	writer.Write(100)
	older := filepath.Join(w.folder, "older.db")
	w.copySQLite(path, older)
	writer.Write(20)
	w.AwaitAll(120)

	writer.Pause()
	w.Fault("an older copy of the file is put in its place")
	w.replace(path, older)
	writer.Resume()
	writer.Write(30)
	w.Finish(url)
}

// replace moves a file to where another one is, as an operator does: what belonged to
// the other one goes.
func (w *World) replace(path, with string) {
	w.T.Helper()
	for _, part := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + part); err != nil && !os.IsNotExist(err) {
			w.T.Fatal(err)
		}
	}
	if err := os.Rename(with, path); err != nil {
		w.T.Fatal(err)
	}
}
