package jsonhttp

import (
	"testing"
	"time"
)

// SetRunTime sets how long programs may run until the test ends.
func SetRunTime(t testing.TB, to time.Duration) {
	before := runTime
	runTime = to
	t.Cleanup(func() { runTime = before })
}
