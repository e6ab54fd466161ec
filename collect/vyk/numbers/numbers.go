// Package numbers is what is known of the numbers of disclosures: which one the service says is the
// newest, which are listed, and whether what it says can be true. Only a list proves that a number
// is there.
package numbers

import (
	"fmt"
	"time"
)

const (
	nearEnough = 5_000            // to the newest number: an older gap is no more than a number that was never given
	backHold   = 10 * time.Minute // before the service is believed to have gone back
)

// State is how far numbers have been listed.
type State struct {
	Last   int64 `json:"last"`             // the newest number, as the service stated it
	Next   int64 `json:"next"`             // the first one that has not been listed; 0: nothing has been asked
	Sure   int64 `json:"sure,omitempty"`   // the newest number that was in a list
	Polled bool  `json:"polled,omitempty"` // Last is newer than the last empty list
	Doubt  bool  `json:"doubt,omitempty"`  // whether there is such a number as Last is to be asked
	False  bool  `json:"false,omitempty"`  // there is none

	Low   int64     `json:"low,omitempty"`   // the least number stated since the service went back
	LowAt time.Time `json:"low_at,omitzero"` // when that was; zero: it did not
}

// Stated notes the newest number that the service states. Nothing is read before from; 0: the
// newest one of the first start. Where the service has gone back, what comes after the number back
// is read again; 0: it has not.
func (s *State) Stated(n, from int64, at time.Time) (back int64, warning string) {
	switch {
	case s.Next == 0 && from > 0:
		s.Next = from
	case s.Next == 0, s.Sure == 0 && from == 0 && n < s.Next: // the first one was wrong
		s.Next = n
	}
	s.Last, s.Polled, s.False, s.Doubt = n, true, false, n > max(s.Sure, s.Next)+nearEnough
	if n >= s.Sure {
		s.Low, s.LowAt = 0, time.Time{}
		return 0, ""
	}
	if s.LowAt.IsZero() {
		s.Low, s.LowAt = n, at
	}
	s.Low = min(s.Low, n)
	warning = fmt.Sprintf("the newest number is %d, although %d has been listed", n, s.Sure)
	if at.Sub(s.LowAt) >= backHold {
		back = s.Low
		warning += fmt.Sprintf(": what comes after %d is read again", back)
		s.Next, s.Sure, s.Low, s.LowAt = back+1, back, 0, time.Time{}
	}
	return back, warning
}

// Proven notes whether a list has the last number; newest is the newest one in it, 0: none.
func (s *State) Proven(newest int64) (warning string) {
	s.Doubt, s.False = false, newest == 0
	if newest > 0 {
		s.Sure = max(s.Sure, newest)
	} else if s.Last > max(s.Sure, s.Next)+nearEnough {
		return fmt.Sprintf("the newest number is said to be %d, and no list has it", s.Last)
	}
	return ""
}

// Near reports whether a number is so new that those beside it may be listed after it.
func (s *State) Near(n int64) bool { return n > s.Sure-nearEnough }

// Listed notes that the next number that is listed is n.
func (s *State) Listed(n int64) { s.Next, s.Sure = n+1, max(s.Sure, n) }
