package vyk

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"piyasa/collect"
)

// entry is a disclosure or an attachment still to be read.
type entry struct {
	N     int64     `json:"n,omitempty"`    // of a disclosure
	File  string    `json:"file,omitempty"` // the id of an attachment
	HTML  bool      `json:"html,omitempty"` // the disclosure has no data, only HTML
	Since time.Time `json:"since,omitzero"` // when it was first found missing
	Asked time.Time `json:"asked,omitzero"` // when it was last asked for
}

// is reports whether both entries are the same disclosure or attachment.
func (e entry) is(other entry) bool { return e.N == other.N && e.File == other.File }

// waits reports whether a disclosure or an attachment is still to be read.
func (k *kept) waits(e entry) bool { return k.isFirst(e) || k.Late.index(e) >= 0 }

// isFirst reports whether an entry is the first of the queue, or of the attachments.
func (k *kept) isFirst(e entry) bool {
	if e.File != "" {
		return len(k.Files) > 0 && k.Files[0] == e.File
	}
	return len(k.Queue) > 0 && k.Queue[0].is(e)
}

// hasRead reports whether a number has been listed and need not be read any more.
func (k *kept) hasRead(n int64) bool {
	e := entry{N: n}
	return n < k.Next && !slices.ContainsFunc(k.Queue, e.is) && k.Late.index(e) < 0
}

// pop removes an entry from the queue, or from the attachments, if it is the first.
func (k *kept) pop(e entry) {
	switch {
	case !k.isFirst(e):
	case e.File != "":
		k.Files = k.Files[1:]
	default:
		k.Queue, k.Since = k.Queue[1:], time.Time{}
	}
}

// done records that a disclosure or an attachment has been read.
func (k *kept) done(e entry) {
	k.pop(e)
	k.Late.drop(e)
}

// missingDetail records that a waiting disclosure is missing. After a while, reading continues
// without it.
func (k *kept) missingDetail(r rules, e entry, at time.Time) (more bool, warning string) {
	if index := k.Late.index(e); index >= 0 {
		if k.Late.again(index, at) {
			warning = fmt.Sprintf("the service has listed disclosure %d for 30 days without its details: it is given up", e.N)
		}
		k.pop(e)
		return true, warning
	}
	if k.Since.IsZero() {
		k.Since = at
	}
	if full := k.Late.full(); at.Sub(k.Since) < r.hold || full != "" {
		return false, full
	}
	e = k.Queue[0]
	e.Since, e.Asked = k.Since, at
	k.pop(e)
	k.Late = append(k.Late, e)
	return true, ""
}

// missingFile records that a waiting attachment is missing or cut.
func (k *kept) missingFile(e entry, at time.Time) (more bool, warning string) {
	index := k.Late.index(e)
	if full := k.Late.full(); index < 0 && full != "" {
		return false, full
	}
	k.pop(e)
	if index < 0 {
		k.Late = append(k.Late, entry{File: e.File, Since: at, Asked: at})
	} else if k.Late.again(index, at) {
		warning = fmt.Sprintf("the service has had no attachment %s for 30 days: it is given up", e.File)
	}
	return true, warning
}

// without continues without a disclosure or an attachment that is too large, and without an
// attachment that does not arrive. Any other trouble ends the run and is returned as the error.
func (k *kept) without(r *collect.Result, request *collect.Request, got *collect.Answer) error {
	t := got.Trouble
	e, err := entryOf(request)
	if err != nil {
		return t
	}
	name := fmt.Sprint("disclosure ", e.N)
	if e.File != "" {
		name = "attachment " + locationOf(e.File)
	}
	refused := got.Status != 0 && got.Status != http.StatusOK
	index, away := k.Late.index(e), e.File != "" && !refused
	switch {
	case t.TooLarge:
		k.Late.drop(e)
		r.Warning = fmt.Sprintf("%s stays at the service: %s", name, t.What)
	case away && index >= 0:
		r.Warning = fmt.Sprintf("%s does not come: %s", name, t.What)
		if k.Late.again(index, got.At) {
			r.Warning += "; after 30 days it is given up"
		}
	case away && k.Late.full() == "":
		k.Late = append(k.Late, entry{File: e.File, Since: got.At, Asked: got.At})
		r.Warning = fmt.Sprintf("%s does not come, and is asked for again later: %s", name, t.What)
	default:
		return t
	}
	if e.File == "" {
		k.pop(e)
	}
	k.Files = slices.DeleteFunc(k.Files, func(file string) bool { return file == e.File })
	return nil
}

// late holds the disclosures and attachments that the service has listed but does not deliver.
// They are asked for again at growing intervals, and dropped after 30 days.
type late []entry

const (
	mostLate    = 1000                // when full, nothing new is read
	firstAgain  = 5 * time.Minute     // before the first repetition; doubles each time,
	seldomAgain = 24 * time.Hour      // at most
	giveUp      = 30 * 24 * time.Hour // after which it is dropped
)

// index returns the place of an entry; -1: it is not late.
func (l late) index(e entry) int { return slices.IndexFunc(l, e.is) }

// due returns the first entry to ask for again; nil: none.
func (l late) due(now time.Time) *entry {
	for _, e := range l {
		if now.Sub(e.Asked) >= min(seldomAgain, max(firstAgain, e.Asked.Sub(e.Since))) {
			return &e
		}
	}
	return nil
}

// again records an unsuccessful request for an entry, and drops the entry after long enough.
func (l *late) again(index int, at time.Time) (isDropped bool) {
	e := &(*l)[index]
	e.Asked = at
	if isDropped = e.Asked.Sub(e.Since) >= giveUp; isDropped {
		*l = slices.Delete(*l, index, index+1)
	}
	return isDropped
}

// drop removes an entry, if it is late.
func (l *late) drop(e entry) { *l = slices.DeleteFunc(*l, e.is) }

// full returns why nothing new is read; empty: not full.
func (l late) full() string {
	if len(l) < mostLate {
		return ""
	}
	return fmt.Sprintf("%d disclosures and attachments are listed and cannot be had: nothing new is read until some can", len(l))
}
