package access

import (
	"errors"
	"os"
	"strings"
	"syscall"
)

// thisProcess returns this process as a Server.
func thisProcess(id string) Server {
	return Server{ID: id, Machine: machine(), PID: os.Getpid()}
}

// machine names the scope in which process ids are unique: a running system and, in it, the
// PID namespace, of which each container has its own. It is empty if that is not known; then
// process ids cannot be compared.
func machine() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + space
}

// running reports whether a process of this machine may still be running.
func running(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return true
	}
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
