package filelock_test

import (
	"errors"
	"os"
	"testing"

	"piyasa/internal/filelock"
	"piyasa/test/fixture/need"
)

func TestLocks(t *testing.T) {
	path := t.TempDir() + "/lock"
	open := func() *os.File {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		need.NoError(t, err)
		t.Cleanup(func() { _ = file.Close() })
		return file
	}
	first, second, third := open(), open(), open()
	need.NoError(t, errors.Join(filelock.Try(first, filelock.Shared), filelock.Try(second, filelock.Shared)))
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
