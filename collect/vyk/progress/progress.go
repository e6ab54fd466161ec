// Package progress is how far disclosures and attachments have been read, and what that says of
// what to ask for next: lists, what they have, and what is late.
package progress

import (
	"slices"
	"time"

	"piyasa/collect/vyk/late"
	"piyasa/collect/vyk/numbers"
)

const (
	mostFiles  = 500
	askBlocked = time.Hour
)

// State is what is kept of disclosures. Since is of the first of the queue, or of the next list.
type State struct {
	numbers.State

	Queue []late.Entry `json:"queue,omitempty"` // listed, to be read
	Since time.Time    `json:"since,omitzero"`  // when what comes next was first missing
	Gaps  numbers.Gaps `json:"gaps,omitempty"`  // below Next, in no list so far
	Late  late.List    `json:"late,omitempty"`  // left out, and asked for again
	Files []string     `json:"files,omitempty"` // attachments to be downloaded

	Blocked []int64   `json:"blocked,omitempty"`
	BlockAt time.Time `json:"block_at,omitzero"` // when they were asked for
}

// Rules are what the settings say.
type Rules struct {
	From int64         // the first number; 0: the newest one of the first start
	Hold time.Duration // how long what comes next is waited for
	Some bool          // only some of the disclosures are wanted
}

// Task is what to ask for, of which one thing is set; none is: the newest number.
type Task struct {
	Blocked bool        // the disclosures that must not be shown
	Entry   *late.Entry // a disclosure, or an attachment
	List    int64       // the first disclosures from this number on,
	All     bool        // whether they are wanted or not
}

// Due returns what to ask for next: what is listed is read before more is listed.
func (s *State) Due(now time.Time) Task {
	if now.Sub(s.BlockAt) >= askBlocked {
		return Task{Blocked: true}
	}
	again := s.Late.Due(now)
	switch {
	case again != nil && s.Late.Full() != "":
		return Task{Entry: again}
	case len(s.Files) > 0 && (len(s.Files) >= mostFiles || len(s.Queue) == 0 || !s.Since.IsZero()):
		return Task{Entry: &late.Entry{File: s.Files[0]}}
	case len(s.Queue) > 0:
		return Task{Entry: &s.Queue[0]}
	case s.Polled && s.Doubt:
		return Task{List: s.Last, All: true}
	case s.Polled && s.Next > 0 && s.Next <= s.Last:
		return Task{List: s.Next}
	}
	if from := s.Gaps.Due(now); from > 0 {
		return Task{List: from}
	}
	return Task{Entry: again}
}

// Block notes which disclosures must not be shown, and returns those of them that may be stored
// with their content, none of which is before from.
func (s *State) Block(all []int64, from int64, at time.Time) (shown []int64) {
	before, first := s.Blocked, s.BlockAt.IsZero()
	s.BlockAt, s.Blocked = at, all
	for _, n := range all {
		if !first && n >= from && s.read(n) && !slices.Contains(before, n) {
			shown = append(shown, n)
		}
	}
	return shown
}

// read reports whether a number has been listed and is not to be read any more.
func (s *State) read(n int64) bool {
	e := late.Entry{N: n}
	return n < s.Next && !slices.ContainsFunc(s.Queue, e.Is) && s.Late.Index(e) < 0
}
