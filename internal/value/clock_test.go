package value_test

import (
	"testing"
	"testing/synctest"
	"time"

	"piyasa/internal/value"
)

func TestClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := value.MustInstant("2026-03-18T12:00:00.500Z")
		clock := value.ClockFrom(start)
		system := value.SystemClock()
		if got := clock(); got != start {
			t.Errorf("starts at %s", got)
		}
		<-time.After(90*time.Minute + 1500*time.Microsecond)
		if got := clock().String(); got != "2026-03-18T13:30:00.501Z" {
			t.Errorf("runs to %s", got)
		}
		if got := value.SystemClock().Sub(system); got != 90*time.Minute+time.Millisecond {
			t.Errorf("the system's clock ran %s", got)
		}
	})
}
