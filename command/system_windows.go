package command

import (
	"errors"

	"golang.org/x/sys/windows"
)

// nobodyListens reports whether a Unix socket is one that a dead process left.
func nobodyListens(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }

// openFiles returns 0: Windows has no limit of the files that are open at once.
func openFiles() int { return 0 }
