package ingest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"piyasa/db"
	"piyasa/domain/kap"
)

// hold keeps disclosures that come before their predecessor back for a while:
// the platform numbers without gaps, so the predecessor is on its way.
type hold struct {
	wait    time.Duration // 0: nothing is held back
	waiting []held        // by number
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
// back, then the disclosures whose time has come, by number. hurry ends every
// wait.
func (h *hold) sift(ctx context.Context, store *db.Store, lines []*line, hurry bool) ([]*line, error) {
	if h.wait == 0 {
		return lines, nil
	}
	now := time.Now()
	ready := make([]*line, 0, len(lines))
	for _, l := range lines {
		if r, ok := l.record.(*kap.Record); ok && l.fault == nil {
			h.waiting = append(h.waiting, held{l, r.DisclosureIndex, now.Add(h.wait)})
			continue
		}
		ready = append(ready, l)
	}
	if len(h.waiting) == 0 {
		return ready, nil
	}
	slices.SortStableFunc(h.waiting, func(a, b held) int { return cmp.Compare(a.number, b.number) })
	numbers := make([]int, 0, 2*len(h.waiting))
	for _, w := range h.waiting {
		numbers = append(numbers, w.number-1, w.number)
	}
	known, err := store.KnownDisclosures(ctx, numbers)
	if err != nil {
		return nil, err
	}
	still := h.waiting[:0]
	for _, w := range h.waiting {
		if !hurry && !known[w.number] && !known[w.number-1] && now.Before(w.until) {
			still = append(still, w)
			continue
		}
		known[w.number] = true
		ready = append(ready, w.line)
	}
	clear(h.waiting[len(still):])
	h.waiting = still
	return ready, nil
}
