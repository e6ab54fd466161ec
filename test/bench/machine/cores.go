// Package machine pins processes to cores, reads what processor time they take,
// and notices when somebody else uses the machine. It needs Linux.
package machine

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// StayOn pins every thread of this process to a core; threads and processes
// that start later inherit it.
func StayOn(core int) error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			return err
		}
		if err := pin(id, core); err != nil {
			return err
		}
	}
	return nil
}

// On runs start with what it starts pinned to a core, while this process stays
// on its own.
func On(core, own int, start func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := pin(0, core); err != nil {
		return err
	}
	err := start()
	if back := pin(0, own); back != nil {
		return back
	}
	return err
}

func pin(thread, core int) error {
	var set unix.CPUSet
	set.Set(core)
	if err := unix.SchedSetaffinity(thread, &set); err != nil {
		return fmt.Errorf("pinning to core %d: %w", core, err)
	}
	return nil
}
