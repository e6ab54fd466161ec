//go:build unix

package server_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"piyasa/internal/attachment"
	"piyasa/test/fixture/need"
)

// What waits in the folder of documents without being a file is not found, at once.
func TestLinkToAPipe(t *testing.T) {
	folder := t.TempDir()
	need.NoError(t, syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
	a := newArchive(t, folder, attachment.Document{Name: "a", Location: "pipe"})
	answered := make(chan int, 1)
	go func() { answered <- a.Get(a.link(0), "").StatusCode }()
	select {
	case status := <-answered:
		if status != 404 {
			t.Errorf("status %d", status)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no answer")
	}
}
