package filelock

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

func try(file *os.File, how Kind) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if how == Exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	// The last byte that a file can have, so that the lock does not affect readers of the file.
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0,
		&windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrHeld
	}
	return err
}
