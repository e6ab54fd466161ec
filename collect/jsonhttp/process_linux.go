package jsonhttp

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// refuseMemory makes the system deny this process more than its present memory plus bytes, even
// in the middle of a copy, during which the watch cannot run.
func refuseMemory(bytes uint64) {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "VmData:")
	var has uint64 // KiB
	if _, err := fmt.Sscan(rest, &has); err == nil {
		most := has<<10 + bytes
		_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: most, Max: most}) // on failure, the watch ends it
	}
}
