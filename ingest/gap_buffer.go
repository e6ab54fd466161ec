package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"piyasa/db"
	"piyasa/domain/kap"
)

// hold keeps disclosures that come before their predecessor back for a while:
// the platform numbers without gaps, so the predecessor is on its way. Nothing
// goes out while a lower number is held.
type hold struct {
	wait    time.Duration // 0: nothing is held back
	waiting []held        // by number
	refused refusals
}

// held is a line that waits, and how long.
type held struct {
	*line
	number int
	until  time.Time
}

// holdPoll is how often to look for predecessors that others store.
const holdPoll = 100 * time.Millisecond

// sift takes lines in and returns those to be stored now: what is not held
// back, then the disclosures whose time has come, by number, with every lower
// one. hurry ends every wait.
func (h *hold) sift(ctx context.Context, store *db.Store, lines []*line, hurry bool) ([]*line, error) {
	if h.wait == 0 {
		return lines, nil
	}
	now := time.Now()
	h.refused.forget(now)
	ready := make([]*line, 0, len(lines))
	for _, l := range lines {
		if r, ok := l.record.(*kap.Record); ok && l.fault == nil {
			h.waiting = append(h.waiting, held{l, r.DisclosureIndex, now.Add(h.wait)})
			continue
		}
		h.refuse(l, now)
		ready = append(ready, l)
	}
	if len(h.waiting) == 0 {
		return ready, nil
	}
	slices.SortStableFunc(h.waiting, func(a, b held) int { return cmp.Compare(a.number, b.number) })
	numbers := make([]int, 0, 3*len(h.waiting))
	for _, w := range h.waiting {
		numbers = append(numbers, h.refused.before(w.number), w.number, w.number+1)
	}
	known, err := store.KnownDisclosures(ctx, numbers)
	if err != nil {
		return nil, err
	}
	out := 0 // how many go out: up to the highest whose time has come
	for i, w := range h.waiting {
		late := known[w.number] || known[w.number+1] // its successor has not waited
		if hurry || late || known[h.refused.before(w.number)] || !now.Before(w.until) {
			known[w.number] = true
			out = i + 1
		}
	}
	for _, w := range h.waiting[:out] {
		ready = append(ready, w.line)
	}
	h.waiting = slices.Delete(h.waiting, 0, out)
	return ready, nil
}

// refuse notes the number of a disclosure that is not stored: nobody is to
// wait for it.
func (h *hold) refuse(l *line, now time.Time) {
	if h.wait == 0 || l.kind != kinds["disclosure"] {
		return
	}
	var r struct {
		Number *int `json:"disclosure_index"`
	}
	if json.Unmarshal(l.input, &r) == nil && r.Number != nil {
		h.refused.add(*r.Number, now.Add(h.wait))
	}
}

// refusals are numbers of disclosures that were refused a short while ago.
type refusals struct {
	until map[int]time.Time
	order []int // by time
}

// maxRefusals is how many numbers are remembered.
const maxRefusals = 100_000

func (r *refusals) add(number int, until time.Time) {
	if r.until == nil {
		r.until = map[int]time.Time{}
	}
	if _, known := r.until[number]; known {
		return
	}
	if len(r.order) == maxRefusals {
		delete(r.until, r.order[0])
		r.order = r.order[1:]
	}
	r.until[number] = until
	r.order = append(r.order, number)
}

// forget drops what is older than a disclosure may wait.
func (r *refusals) forget(now time.Time) {
	for len(r.order) > 0 && now.After(r.until[r.order[0]]) {
		delete(r.until, r.order[0])
		r.order = r.order[1:]
	}
}

// before is the number that a disclosure waits for: the nearest lower one that
// has not been refused.
func (r *refusals) before(number int) int {
	for number--; ; number-- {
		if _, refused := r.until[number]; !refused {
			return number
		}
	}
}
