//go:build unix

package command

import (
	"errors"
	"math"
	"syscall"
)

// nobodyListens reports whether a Unix socket was left by a dead process.
func nobodyListens(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// openFiles returns how many files and connections this process may have open at once; 0: not
// known.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), math.MaxInt32))
}
