package value

import "time"

// Clock returns the time of the service. Data rules read it; deadlines and rate
// limits use the machine's monotonic clock instead.
type Clock func() Instant

// Horizon is how far ahead of the clock the times of records may lie: days
// begin earlier in zones to the east, and clocks differ.
const Horizon = 24 * time.Hour

// SystemClock returns the machine's time.
func SystemClock() Instant { return At(time.Now()) }

// ClockFrom returns a clock that shows start now and runs from there. It is for replays and tests.
func ClockFrom(start Instant) Clock {
	began := time.Now()
	return func() Instant { return start.Add(time.Since(began)) }
}
