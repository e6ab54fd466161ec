package access

import (
	"errors"
	"os"
	"strings"
	"syscall"
)

// thisProcess returns the server that this process is.
func thisProcess(id string) Server {
	return Server{ID: id, Machine: machine(), PID: os.Getpid()}
}

// machine names that on which the number of a process means one: a running system and, in
// it, the space of process numbers, of which each container has its own. Where that cannot
// be known, it is empty, and no number means anything.
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
