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

// gapBuffer delays disclosures that arrive before their predecessor: the platform numbers
// without gaps, so the predecessor is on its way. It releases no disclosure before a waiting
// one with a lower number.
type gapBuffer struct {
	wait    time.Duration // 0: nothing is delayed
	waiting []delayed     // by number
	refused refusals
}

// delayed is a waiting line, with the end of its wait.
type delayed struct {
	line   *line
	number int
	until  time.Time
}

// gapPoll is how often to check for predecessors that other processes store.
const gapPoll = 100 * time.Millisecond

// hold takes the disclosures out of lines until release returns them, and returns the other
// lines.
func (b *gapBuffer) hold(lines []*line) []*line {
	if b.wait == 0 {
		return lines
	}
	now := time.Now()
	b.refused.forget(now)
	ready := make([]*line, 0, len(lines))
	for _, l := range lines {
		if r, ok := l.record.(*kap.Record); ok && l.fault == nil {
			b.waiting = append(b.waiting, delayed{l, r.DisclosureIndex, now.Add(b.wait)})
			continue
		}
		b.refuse(l, now)
		ready = append(ready, l)
	}
	return ready
}

// release returns the disclosures to store now, by number: those whose wait is over, with every
// lower one. hurry ends every wait. If it returns an error, nothing is released.
func (b *gapBuffer) release(ctx context.Context, store *db.Store, hurry bool) (ready []*line, _ error) {
	if len(b.waiting) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(b.waiting, func(a, b delayed) int { return cmp.Compare(a.number, b.number) })
	numbers := make([]int, 0, 3*len(b.waiting))
	for _, w := range b.waiting {
		numbers = append(numbers, b.refused.before(w.number), w.number, w.number+1)
	}
	known, err := store.KnownDisclosures(ctx, numbers)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	out := 0 // how many to release: up to the highest whose wait is over
	for i, w := range b.waiting {
		late := known[w.number] || known[w.number+1] // its successor has not waited
		if hurry || late || known[b.refused.before(w.number)] || !now.Before(w.until) {
			known[w.number] = true
			out = i + 1
		}
	}
	for _, w := range b.waiting[:out] {
		ready = append(ready, w.line)
	}
	b.waiting = slices.Delete(b.waiting, 0, out)
	return ready, nil
}

// postpone extends every wait by a time in which nothing could arrive.
func (b *gapBuffer) postpone(by time.Duration) {
	for i := range b.waiting {
		b.waiting[i].until = b.waiting[i].until.Add(by)
	}
	for number, until := range b.refused.until {
		b.refused.until[number] = until.Add(by)
	}
}

// first returns the waiting line that arrived first, or nil.
func (b *gapBuffer) first() *line {
	if len(b.waiting) == 0 {
		return nil
	}
	return slices.MinFunc(b.waiting, func(a, b delayed) int { return cmp.Compare(a.line.order, b.line.order) }).line
}

// refuse records the number of a disclosure that is not stored, so that its successor need not
// wait for it.
func (b *gapBuffer) refuse(l *line, now time.Time) {
	if b.wait == 0 || l.kind != kinds["disclosure"] {
		return
	}
	var r struct {
		Number *int `json:"disclosure_index"`
	}
	if json.Unmarshal(l.input, &r) == nil && r.Number != nil {
		b.refused.add(*r.Number, now.Add(b.wait))
	}
}

// refusals holds the numbers of recently rejected disclosures.
type refusals struct {
	until map[int]time.Time
	order []int // by time
}

// maxRefusals bounds the remembered numbers.
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

// forget drops numbers older than a disclosure may wait.
func (r *refusals) forget(now time.Time) {
	for len(r.order) > 0 && now.After(r.until[r.order[0]]) {
		delete(r.until, r.order[0])
		r.order = r.order[1:]
	}
}

// before returns the number that a disclosure waits for: the nearest lower one that was not
// rejected.
func (r *refusals) before(number int) int {
	for number--; ; number-- {
		if _, refused := r.until[number]; !refused {
			return number
		}
	}
}
