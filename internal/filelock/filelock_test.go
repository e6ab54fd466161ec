package filelock_test

import (
	"errors"
	"os"
	"testing"

	"piyasa/internal/filelock"
)

func TestLocks(t *testing.T) {
	path := t.TempDir() + "/lock"
	open := func() *os.File {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		return file
	}
	first, second, third := open(), open(), open()
	if err := errors.Join(filelock.Try(first, filelock.Shared), filelock.Try(second, filelock.Shared)); err != nil {
		t.Fatal(err)
	}
	if err := filelock.Try(third, filelock.Exclusive); !errors.Is(err, filelock.ErrHeld) {
		t.Errorf("%v beside two that share", err)
	}
	_ = first.Close()
	_ = second.Close()
	if err := filelock.Try(third, filelock.Exclusive); err != nil {
		t.Error(err)
	}
	if err := filelock.Try(open(), filelock.Shared); !errors.Is(err, filelock.ErrHeld) {
		t.Errorf("%v beside one that excludes", err)
	}
}
