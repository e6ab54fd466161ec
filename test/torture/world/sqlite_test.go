package world

import (
	"os"
	"path/filepath"
	"testing"

	"piyasa/test/fixture/need"
)

// file is a SQLite file with a gateway and a writer, and a copy of it that lacks the
// last 20 rows, which every client has.
type file struct {
	*World
	url, path, older string
	writer           *Writer
	gateway          *Gateway
}

func newFile(t *testing.T) *file {
	w := New(t)
	url, path := w.SQLite()
	f := &file{World: w, url: url, path: path, older: filepath.Join(w.folder, "older.db")}
	key := w.NewKey(url)
	f.writer = w.NewWriter(url)
	f.gateway = w.NewGateway("gateway", url)
	w.NewClients(key, f.gateway)
	f.writer.Write(100)
	w.copySQLite(path, f.older)
	f.writer.Write(20)
	w.AwaitAll(120)
	return f
}

// An older copy takes the place of a SQLite file while nothing runs.
func TestRestoredFile(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	f.gateway.Stop()
	f.writer.Pause()
	f.Fault("an older copy of the file is restored")
	f.replace(f.path, f.older)
	f.writer.Resume()
	f.writer.Write(30)
	f.gateway.Start()
	f.Finish(f.url)
}

// An older copy takes the place of a SQLite file under a running gateway.
func TestReplacedFile(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	f.writer.Pause()
	f.Fault("an older copy of the file is put in its place")
	f.replace(f.path, f.older)
	f.writer.Resume()
	f.writer.Write(30)
	f.Finish(f.url)
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
	need.NoError(w.T, os.Rename(with, path))
}
