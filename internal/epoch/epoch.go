// Package epoch tells which numbers of the log belong to the same epoch.
//
// A feed numbers its rows without gaps, and a number always stands for the same row, unless the
// store goes back: a standby that lacks the last commits takes over, or an older copy replaces the
// database. From then on, the store is in a new epoch. Its numbers begin far above those of the
// epoch before, so that no number is used twice, and a lost number can be recognized.
package epoch

import (
	"cmp"
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Epoch is a time during which the store did not go back.
type Epoch struct {
	ID string // opaque
	// Ended holds the last number that each feed has kept from earlier epochs. The first epoch
	// has none.
	Ended map[string]int64
	Skip  int64 // the first number of a feed is Ended + Skip + 1
}

// Base returns the number above which the epoch numbers the rows of a feed.
func (e Epoch) Base(feed string) int64 { return e.Ended[feed] + e.Skip }

// Lineage is the epochs of a store, oldest first. Each continues the one before.
type Lineage []Epoch

// Current returns the id of the newest epoch; "" without one.
func (l Lineage) Current() string {
	if len(l) == 0 {
		return ""
	}
	return l[len(l)-1].ID
}

// Has reports whether an epoch is among l.
func (l Lineage) Has(id string) bool { return l.index(id) >= 0 }

func (l Lineage) index(id string) int {
	for i, e := range l {
		if e.ID == id {
			return i
		}
	}
	return -1
}

// at returns the index of the epoch in which a number of a feed was assigned: 0 also for an epoch
// too old to be remembered, -1 without epochs.
func (l Lineage) at(feed string, seq int64) int {
	i := len(l) - 1
	for i > 0 && seq < l[i].Base(feed) {
		i--
	}
	return i
}

// Position returns the position after the row of a feed with this number. It stays the same as long
// as the epoch of the row is remembered.
func (l Lineage) Position(feed string, seq int64) Position {
	if i := l.at(feed, seq); i >= 0 {
		return Position{Epoch: l[i].ID, Seq: seq}
	}
	return Position{Seq: seq}
}

// Keeps reports whether nothing up to a position, which a row of the feed had, has been lost since.
// It is true without epochs.
func (l Lineage) Keeps(feed string, p Position) bool {
	if len(l) == 0 {
		return true
	}
	_, v := Moment{Epochs: l, Heads: map[string]int64{feed: math.MaxInt64}}.Resolve(feed, p)
	return v == Known
}

// kept returns the last number of a feed that was kept at the end of epoch i.
func (l Lineage) kept(i int, feed string, head int64) int64 {
	if i == len(l)-1 {
		return head
	}
	return l[i+1].Ended[feed]
}

// Shared returns the number of a feed up to which two lineages have the same rows.
// The newest epoch of either has no end.
func (l Lineage) Shared(other Lineage, feed string) int64 {
	for i := len(l) - 1; i >= 0; i-- {
		if j := other.index(l[i].ID); j >= 0 {
			return min(l.kept(i, feed, math.MaxInt64), other.kept(j, feed, math.MaxInt64))
		}
	}
	return 0
}

// Moment is the state of the log as read at one time.
type Moment struct {
	Epochs Lineage
	Heads  map[string]int64 // the last number of each feed
	AsOf   time.Time        // as of when Heads are complete: in the past on a standby with lag
	Lag    time.Duration    // how far a standby is behind; 0 on a primary
}

// Empty reports whether the named feeds have never had a row.
func (m Moment) Empty(feeds ...string) bool {
	for _, feed := range feeds {
		last := m.Heads[feed]
		for _, e := range m.Epochs {
			last -= e.Skip
		}
		if last > 0 {
			return false
		}
	}
	return true
}

// After returns how many changes of a feed are numbered above a number. The numbers skipped between
// epochs do not count.
func (m Moment) After(feed string, number int64) int64 {
	n := m.Heads[feed] - number
	for _, e := range m.Epochs {
		if number < e.Base(feed) {
			n -= e.Base(feed) - max(number, e.Ended[feed])
		}
	}
	return n
}

// Position is a place in a feed: after the row numbered Seq.
type Position struct {
	Epoch string // "": unknown
	Seq   int64
}

// String returns "EPOCH:SEQ", or only the number if the epoch is unknown.
func (p Position) String() string {
	seq := strconv.FormatInt(p.Seq, 10)
	if p.Epoch == "" {
		return seq
	}
	return p.Epoch + ":" + seq
}

// idPattern matches the ids of epochs.
var idPattern = regexp.MustCompile(`^[0-9a-z]{1,32}$`)

// ErrPosition reports that a text is not a position.
var ErrPosition = errors.New("a position is EPOCH:SEQ or SEQ, as an event states it")

// ParsePosition reads the text of Position.String. The error is ErrPosition.
func ParsePosition(text string) (p Position, err error) {
	id, seq, stated := strings.Cut(text, ":")
	if !stated {
		id, seq = "", text
	}
	p = Position{Epoch: id}
	p.Seq, err = strconv.ParseInt(seq, 10, 64)
	if err != nil || p.Seq < 0 || strings.HasPrefix(seq, "+") || stated && !idPattern.MatchString(id) {
		return Position{}, ErrPosition
	}
	return p, nil
}

// Verdict states what a store knows of a position.
type Verdict int

// The verdicts.
const (
	Known   Verdict = iota // everything up to it is in the store
	Lost                   // some rows up to it were lost when the store went back
	Ahead                  // it is above the last number
	Unknown                // its epoch is not among the store's
)

// Resolve returns what is known of a position in a feed, and the number from which to resume: the
// store has everything after it that the position lacks.
func (m Moment) Resolve(feed string, p Position) (from int64, v Verdict) {
	if p.Seq == 0 {
		return 0, Known
	}
	l := m.Epochs
	i := l.at(feed, p.Seq)
	switch {
	case i < 0:
	case i == 0 && p.Seq < l[0].Base(feed): // of an epoch too old to be remembered
		if l.Has(p.Epoch) && p.Seq <= l[0].Ended[feed] {
			return p.Seq, Known
		}
		return 0, Unknown
	case p.Epoch != "":
		if i = min(i, l.index(p.Epoch)); i < 0 {
			return 0, Unknown
		}
	}
	last := m.Heads[feed]
	if i >= 0 {
		last = l.kept(i, feed, last)
	}
	switch {
	case p.Seq <= last:
		return p.Seq, Known
	case i == len(l)-1 && p.Epoch == "":
		return 0, Ahead // it may belong to a store that continued from another copy
	case i == len(l)-1:
		return last, Ahead
	case p.Epoch == "" && p.Seq-last > maxLost:
		return 0, Unknown
	}
	return last, Lost
}

// maxLost is how far a number may be above the last one kept to count as lost there. A higher
// number belongs to an epoch of a store that continued from another copy.
const maxLost = 1 << 20

// Behind reports whether a feed's last number is below one that was seen.
func Behind(seen, now map[string]int64) bool {
	for feed, last := range seen {
		if cmp.Less(now[feed], last) {
			return true
		}
	}
	return false
}
