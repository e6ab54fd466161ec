package jsonhttp

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// refuseMemory has the system refuse this process more memory than it has and so many bytes,
// also in the middle of a copy, which keeps the watch waiting.
func refuseMemory(bytes uint64) {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "VmData:")
	var has uint64 // KiB
	if _, err := fmt.Sscan(rest, &has); err == nil {
		most := has<<10 + bytes
		_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: most, Max: most}) // else the watch ends it
	}
}
