package jsonhttp

import (
	"os"
	"testing"
	"time"
)

// SetRunTime sets how long programs may run until the test ends.
func SetRunTime(t testing.TB, to time.Duration) {
	before := runTime
	runTime = to
	t.Cleanup(func() { runTime = before })
}

// IdleWorkers returns the processes that wait for an errand.
func IdleWorkers() (all []*os.Process) {
	idle.Lock()
	defer idle.Unlock()
	for _, w := range idle.workers {
		all = append(all, w.process.Process)
	}
	return all
}
