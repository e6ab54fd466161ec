package vyk

import (
	"fmt"
	"time"
)

const (
	stride         = 5000 // numbers covered by an empty list
	filteredStride = 1000 // the same for a filtered list: the service searches fewer than 3,000

	nearEnough = 5_000            // distance to the newest number; an older gap is a number that was never assigned
	backHold   = 10 * time.Minute // how long the service must state older numbers to count as gone back
)

// stride returns how many numbers an empty list covers.
func (r rules) stride() int64 {
	if r.filtered {
		return filteredStride
	}
	return stride
}

// stated records the newest number that the service states. The run ends unless it is new. If
// the service has gone back for long enough, everything after the least number is read again.
func (k *kept) stated(r rules, n int64, at time.Time) (more bool, warning string) {
	switch {
	case k.Next == 0 && r.from > 0:
		k.Next = r.from
	case k.Next == 0, k.Sure == 0 && r.from == 0 && n < k.Next: // the first number was wrong
		k.Next = n
	}
	k.Last, k.Polled, k.False, k.Doubt = n, true, false, n > max(k.Sure, k.Next)+nearEnough

	if n >= k.Sure {
		k.Low, k.LowAt = 0, time.Time{}
	} else {
		if k.LowAt.IsZero() {
			k.Low, k.LowAt = n, at
		}
		k.Low = min(k.Low, n)
		warning = fmt.Sprintf("the newest number is %d, although %d has been listed", n, k.Sure)
		if at.Sub(k.LowAt) >= backHold {
			warning += fmt.Sprintf(": what comes after %d is read again", k.Low)
			k.Gaps.cut(k.Low)
			k.Next, k.Sure, k.Low, k.LowAt = k.Low+1, k.Low, 0, time.Time{}
		}
	}
	if more = k.Next <= n; !more {
		k.Since, k.Doubt = time.Time{}, false
	}
	return more, warning
}

// wants reports whether a list from a number on is useful: from the next number or a gap on, or
// to prove whether the newest number exists.
func (k *kept) wants(from int64) bool {
	return k.Doubt && from == k.Last || from == k.Next || k.Gaps.begin(from)
}

// listed records the disclosures of a wanted list from number from on.
func (k *kept) listed(r rules, from int64, all []entry, at time.Time) (more bool, warning string) {
	newest := int64(0)
	if len(all) > 0 {
		newest = all[len(all)-1].N
	}
	switch {
	case k.Doubt && from == k.Last:
		k.Doubt, k.False = false, newest == 0
		if newest > 0 {
			k.Sure = max(k.Sure, newest)
		} else if k.Last > max(k.Sure, k.Next)+nearEnough {
			warning = fmt.Sprintf("the newest number is said to be %d, and no list has it", k.Last)
		}
	case from != k.Next:
		to := newest
		if newest == 0 {
			to = from + r.stride() - 1
		}
		k.Queue = append(k.Queue, k.Gaps.found(all, from, to, at)...)
	case newest == 0:
		return k.unlisted(r, at)
	default:
		for _, e := range all {
			if e.N > k.Sure-nearEnough { // numbers before it may still be listed after it
				k.Gaps.skip(k.Next, e.N-1, at)
			}
			k.Next, k.Sure = e.N+1, max(k.Sure, e.N)
		}
		k.Queue, k.Since = append(k.Queue, all...), time.Time{}
	}
	return true, warning
}

// unlisted records that the list from Next on is empty.
func (k *kept) unlisted(r rules, at time.Time) (more bool, warning string) {
	behind := k.Next <= k.Sure
	if !behind && !k.False && (r.filtered || k.Last > k.Next) {
		k.Doubt = true
		return true, ""
	}
	if k.Since.IsZero() {
		k.Since = at
	}
	held := at.Sub(k.Since) >= r.hold
	if behind && (r.filtered || held) { // continue after the numbers that the list covers
		to := min(k.Next+r.stride()-1, k.Sure)
		k.Gaps.skip(k.Next, to, at)
		k.Next, k.Since = to+1, time.Time{}
		return true, ""
	}
	if k.Polled = false; held {
		warning = fmt.Sprintf("the newest number is said to be %d, and the list from %d on is empty", k.Last, k.Next)
	}
	return false, warning
}
