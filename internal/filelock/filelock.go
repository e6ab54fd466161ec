// Package filelock locks files between processes. A lock ends when its file is closed, or its
// process ends.
package filelock

import (
	"errors"
	"os"
)

// Kind says whether other processes may also hold a lock.
type Kind bool

// The kinds of locks.
const (
	Shared    Kind = false
	Exclusive Kind = true
)

// ErrHeld reports that another process holds a lock that excludes the one asked for.
var ErrHeld = errors.New("another process holds the lock")

// Try locks a file until it is closed. It does not wait: if the file is locked, the error is
// ErrHeld.
func Try(file *os.File, how Kind) error { return try(file, how) }
