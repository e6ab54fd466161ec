package command

import (
	"math"
	"syscall"
)

// openFiles returns how many files and connections this process may have open at
// once; 0: it is not known.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), math.MaxInt32))
}
