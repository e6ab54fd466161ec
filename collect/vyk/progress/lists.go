package progress

import (
	"fmt"
	"time"

	"piyasa/collect/vyk/late"
	"piyasa/collect/vyk/listing"
)

// Steps over numbers of which a list has none.
const (
	stride         = 5000 // of all disclosures
	filteredStride = 1000 // of some: the service looks for them among fewer numbers than 3,000
)

// stride returns how far an empty list reaches.
func (r Rules) stride() int64 {
	if r.Some {
		return filteredStride
	}
	return stride
}

// Stated notes the newest number, which ends a run unless it is new.
func (s *State) Stated(rules Rules, n int64, at time.Time) (more bool, warning string) {
	back, warning := s.State.Stated(n, rules.From, at)
	if back > 0 {
		s.Gaps.Cut(back)
	}
	if more = s.Next <= n; !more {
		s.Since, s.Doubt = time.Time{}, false
	}
	return more, warning
}

// Wants reports whether a list from a number on is of use: from the next number or a gap on, or one
// that tells whether the last number is true.
func (s *State) Wants(from int64) bool {
	return s.Doubt && from == s.Last || from == s.Next || s.Gaps.Begin(from)
}

// Listed notes what a list has from a number on that it Wants.
func (s *State) Listed(rules Rules, from int64, rows []listing.Row, at time.Time) (more bool, warning string) {
	newest := int64(0)
	if len(rows) > 0 {
		newest = rows[len(rows)-1].Number
	}
	switch {
	case s.Doubt && from == s.Last:
		return true, s.Proven(newest)
	case from != s.Next:
		to := from + rules.stride() - 1
		if newest > 0 {
			to = newest
		}
		for _, row := range s.Gaps.Found(rows, from, to, at) {
			s.enqueue(row)
		}
	case len(rows) == 0:
		return s.unlisted(rules, at)
	default:
		for _, row := range rows {
			if s.Near(row.Number) {
				s.Gaps.Skip(s.Next, row.Number-1, at)
			}
			s.enqueue(row)
			s.State.Listed(row.Number)
		}
		s.Since = time.Time{}
	}
	return true, ""
}

// enqueue puts a disclosure last into the queue.
func (s *State) enqueue(row listing.Row) {
	s.Queue = append(s.Queue, late.Entry{N: row.Number, HTML: row.HTML})
}

// unlisted notes that the list from Next on is empty.
func (s *State) unlisted(rules Rules, at time.Time) (more bool, warning string) {
	if s.Next > s.Sure && !s.False && (rules.Some || s.Last > s.Next) {
		s.Doubt = true
		return true, ""
	}
	if s.Next <= s.Sure && rules.Some {
		s.step(rules, at)
		return true, ""
	}
	if s.Since.IsZero() {
		s.Since = at
	}
	if at.Sub(s.Since) < rules.Hold {
		s.Polled = false
		return false, ""
	}
	if s.Next <= s.Sure {
		s.step(rules, at)
		return true, ""
	}
	s.Polled = false
	return false, fmt.Sprintf("the newest number is said to be %d, and the list from %d on is empty", s.Last, s.Next)
}

// step goes on over numbers of which the list has none.
func (s *State) step(rules Rules, at time.Time) {
	to := min(s.Next+rules.stride()-1, s.Sure)
	s.Gaps.Skip(s.Next, to, at)
	s.Next, s.Since = to+1, time.Time{}
}
