// Package late keeps what the publication service of KAP has listed and does not give: it is asked
// for again, ever more seldom, and given up after 30 days.
package late

import (
	"fmt"
	"slices"
	"time"
)

const (
	most    = 1000                // then nothing new is read until some have come
	askLate = 5 * time.Minute     // for what was left out: then ever more seldom,
	seldom  = 24 * time.Hour      // at most
	dropped = 30 * 24 * time.Hour // when it is given up
)

// Entry is a disclosure, or an attachment, that is still to be read.
type Entry struct {
	N     int64     `json:"n,omitempty"`    // of a disclosure
	File  string    `json:"file,omitempty"` // the id of an attachment
	HTML  bool      `json:"html,omitempty"` // the disclosure has no data
	Since time.Time `json:"since,omitzero"` // when it was first missing
	Asked time.Time `json:"asked,omitzero"` // when it was last asked for
}

// Is reports whether both are the same disclosure or attachment.
func (e Entry) Is(other Entry) bool { return e.N == other.N && e.File == other.File }

// due reports whether to ask again: after 5 minutes, and then twice as long each time.
func (e Entry) due(now time.Time) bool {
	return now.Sub(e.Asked) >= min(seldom, max(askLate, e.Asked.Sub(e.Since)))
}

// List is what is late.
type List []Entry

// Index returns the place of an entry; -1: it is not late.
func (l List) Index(e Entry) int { return slices.IndexFunc(l, e.Is) }

// Due returns the first one to ask for again; nil: none.
func (l List) Due(now time.Time) *Entry {
	for _, e := range l {
		if e.due(now) {
			return &e
		}
	}
	return nil
}

// Add puts what is missing off, unless it is late already.
func (l *List) Add(e Entry, at time.Time) {
	e.Asked = at
	if l.Index(e) < 0 {
		*l = append(*l, e)
	}
}

// Again notes that one was asked for in vain, and drops it if that was for long enough.
func (l *List) Again(index int, at time.Time) (isDropped bool) {
	e := &(*l)[index]
	e.Asked = at
	if isDropped = e.Asked.Sub(e.Since) >= dropped; isDropped {
		*l = slices.Delete(*l, index, index+1)
	}
	return isDropped
}

// Drop takes an entry out, if it is late.
func (l *List) Drop(e Entry) { *l = slices.DeleteFunc(*l, e.Is) }

// Full says why nothing new is read; empty: it is.
func (l List) Full() string {
	if len(l) < most {
		return ""
	}
	return fmt.Sprintf("%d disclosures and attachments are listed and cannot be had: nothing new is read until some can", len(l))
}
