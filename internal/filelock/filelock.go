// Package filelock locks files between processes. A lock ends with the file that holds it,
// or its process.
package filelock

import (
	"errors"
	"os"
)

// Kind is whether others may hold a lock, too.
type Kind bool

// The kinds of locks.
const (
	Shared    Kind = false
	Exclusive Kind = true
)

// ErrHeld reports that another holds a lock which excludes the one asked for.
var ErrHeld = errors.New("another process holds the lock")

// Try locks a file until it is closed, and does not wait: if it cannot, the error is ErrHeld.
func Try(file *os.File, how Kind) error { return try(file, how) }
