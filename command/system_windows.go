package command

import (
	"errors"

	"golang.org/x/sys/windows"
)

// nobodyListens reports whether a Unix socket was left by a dead process.
func nobodyListens(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }

// openFiles returns 0: Windows has no limit of open files.
func openFiles() int { return 0 }
