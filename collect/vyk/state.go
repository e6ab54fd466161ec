package vyk

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Bounds of what is kept.
const (
	mostNumber  = 1<<31 - 1
	mostListed  = 1000 // rows of a list
	mostLate    = 1000 // then nothing new is read until some have come
	mostFiles   = 500
	mostBlocked = 5000
	mostGaps    = 300    // then neighbours become one
	mostAhead   = 10_000 // of a row, to the newest number that the service states
	nearEnough  = 5_000  // of a gap, to the newest number: an older one is no more than a number that was never given
)

// Times of what is not there.
const (
	firstLook = time.Minute         // after a gap
	watchGap  = 3 * 24 * time.Hour  // for a number that is listed late
	askLate   = 5 * time.Minute     // for what was left out: then ever more seldom,
	seldom    = 24 * time.Hour      // at most
	dropLate  = 30 * 24 * time.Hour // when it is given up
	cutFor    = 24 * time.Hour      // before a file that is cut is taken as it is
	backHold  = 10 * time.Minute    // before the service is believed to have gone back
)

// kept is how far the disclosures have been read.
type kept struct {
	Last   int64 `json:"last"`             // the newest number, as the service stated it
	Next   int64 `json:"next"`             // the first one that has not been listed; 0: nothing has been asked
	Sure   int64 `json:"sure,omitempty"`   // the newest number that was in a list
	Polled bool  `json:"polled,omitempty"` // Last is newer than the last empty list
	Doubt  bool  `json:"doubt,omitempty"`  // whether there is such a number as Last is to be asked
	False  bool  `json:"false,omitempty"`  // there is none

	Low   int64     `json:"low,omitempty"`   // the least number stated since the service went back
	LowAt time.Time `json:"low_at,omitzero"` // when that was; zero: it did not

	Queue []entry   `json:"queue,omitempty"` // listed, to be read
	Since time.Time `json:"since,omitzero"`  // when what comes next was first missing
	Gaps  []gap     `json:"gaps,omitempty"`  // below Next, in no list so far
	Late  []entry   `json:"late,omitempty"`  // left out, and asked for again
	Files []string  `json:"files,omitempty"` // attachments to be downloaded

	Blocked []int64   `json:"blocked,omitempty"`
	BlockAt time.Time `json:"block_at,omitzero"`

	Catalog catalog `json:"catalog,omitzero"`
}

// entry is a disclosure, or an attachment, that is still to be read.
type entry struct {
	N     int64     `json:"n,omitempty"`
	File  string    `json:"file,omitempty"`
	HTML  bool      `json:"html,omitempty"` // it has no data
	Since time.Time `json:"since,omitzero"`
	Asked time.Time `json:"asked,omitzero"`
}

// due reports whether to ask again: after 5 minutes, and then twice as long each time.
func (e entry) due(now time.Time) bool {
	return now.Sub(e.Asked) >= min(seldom, max(askLate, e.Asked.Sub(e.Since)))
}

// expired reports whether it has been asked for long enough.
func (e entry) expired() bool { return e.Asked.Sub(e.Since) >= dropLate }

// gap is a range of numbers.
type gap struct {
	From  int64     `json:"from"`
	To    int64     `json:"to"`
	Since time.Time `json:"since"`
	Asked time.Time `json:"asked"`
}

// due reports whether to look again: after a minute, then twice as long each time, and at the
// end.
func (g gap) due(now time.Time) bool {
	old := g.Asked.Sub(g.Since)
	return now.Sub(g.Asked) >= min(max(firstLook, old), watchGap-old)
}

func readKept(text json.RawMessage) (k kept, err error) {
	if len(text) == 0 || string(text) == "null" {
		return k, nil
	}
	err = json.Unmarshal(text, &k)
	return k, err
}

// leave puts what is missing off.
func (k *kept) leave(e entry, at time.Time) {
	e.Asked = at
	if !slices.ContainsFunc(k.Late, func(l entry) bool { return l.N == e.N && l.File == e.File }) {
		k.Late = append(k.Late, e)
	}
}

// again notes that one that is late was asked for, and drops it if that was for long enough.
func (k *kept) again(late int, at time.Time) (dropped bool) {
	k.Late[late].Asked = at
	if dropped = k.Late[late].expired(); dropped {
		k.Late = slices.Delete(k.Late, late, late+1)
	}
	return dropped
}

// read reports whether a number has been listed and is not to be read any more.
func (k *kept) read(n int64) bool {
	is := func(e entry) bool { return e.N == n }
	return n < k.Next && !slices.ContainsFunc(k.Queue, is) && !slices.ContainsFunc(k.Late, is)
}

// full says why nothing new is read; empty: it is.
func (k *kept) full() string {
	if len(k.Late) < mostLate {
		return ""
	}
	return fmt.Sprintf("%d disclosures and attachments are listed and cannot be had: nothing new is read until some can", len(k.Late))
}

// skip notes that a list does not have the numbers from one to another one.
func (k *kept) skip(from, to int64, at time.Time) {
	if from > to {
		return
	}
	k.Gaps = append(k.Gaps, gap{from, to, at, at})
	for len(k.Gaps) > mostGaps {
		slices.SortFunc(k.Gaps, func(a, b gap) int { return int(a.From - b.From) })
		best := 1
		for i := 2; i < len(k.Gaps); i++ {
			if k.Gaps[i].From-k.Gaps[i-1].To < k.Gaps[best].From-k.Gaps[best-1].To {
				best = i
			}
		}
		// What is between them is read twice, which changes nothing.
		a, b := &k.Gaps[best-1], k.Gaps[best]
		a.To, a.Since = max(a.To, b.To), later(a.Since, b.Since)
		a.Asked = later(a.Since, earlier(a.Asked, b.Asked))
		k.Gaps = slices.Delete(k.Gaps, best, best+1)
	}
}

// near reports whether a number is so new that those beside it may be listed after it.
func (k *kept) near(n int64) bool { return n > k.Sure-nearEnough }

// gapDue returns the first number of the gap to look at; 0: none.
func (k *kept) gapDue(now time.Time) int64 {
	for _, g := range k.Gaps {
		if g.due(now) {
			return g.From
		}
	}
	return 0
}

// found takes from the gaps what a list has that covers numbers from one to another one, and
// returns what was in a gap.
func (k *kept) found(rows []entry, from, to int64, at time.Time) (all []entry) {
	var left []gap
	for _, g := range k.Gaps {
		if g.To < from || g.From > to {
			left = append(left, g)
			continue
		}
		if g.From < from {
			left = append(left, gap{g.From, from - 1, g.Since, g.Asked})
		}
		begin, end := max(g.From, from), min(g.To, to)
		for _, row := range rows {
			if row.N < begin || row.N > end {
				continue
			}
			all = append(all, row)
			if begin < row.N {
				left = append(left, gap{begin, row.N - 1, g.Since, at})
			}
			begin = row.N + 1
		}
		if begin <= end {
			left = append(left, gap{begin, end, g.Since, at})
		}
		if g.To > to {
			left = append(left, gap{to + 1, g.To, g.Since, g.Asked})
		}
	}
	k.Gaps = slices.DeleteFunc(left, func(g gap) bool { return g.Asked.Sub(g.Since) >= watchGap })
	return all
}

// goBack begins again after a number, whatever was read after it.
func (k *kept) goBack(to int64) {
	k.Next, k.Sure, k.Low, k.LowAt = to+1, to, 0, time.Time{}
	var left []gap
	for _, g := range k.Gaps {
		if g.To = min(g.To, to); g.From <= g.To {
			left = append(left, g)
		}
	}
	k.Gaps = left
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
