package ingest

import (
	"piyasa/db"
	"piyasa/domain/market"
)

// A batch stores the records of instruments before all others. That is not the order of its
// lines where a record of an instrument follows records that name it, and changes what is behind its
// id: such a record begins another batch.

// division knows what the pending lines are about, as soon as that matters.
type division struct {
	seen    int // pending lines that were looked at
	subject map[market.ID]bool
}

// before reports whether a batch must end before a line that follows the pending ones.
func (d *division) before(l *line, pending []*line) bool {
	in, ok := l.record.(*market.Instrument)
	if !ok || l.fault != nil {
		return false
	}
	if d.subject == nil {
		d.subject = map[market.ID]bool{}
	}
	for ; d.seen < len(pending); d.seen++ {
		if p := pending[d.seen]; p.fault == nil {
			for _, id := range db.SubjectsOf(p.record) {
				d.subject[id] = true
			}
		}
	}
	return d.subject[in.InstrumentID] || in.Predecessor != nil && d.subject[*in.Predecessor]
}

// forget begins another batch.
func (d *division) forget() { *d = division{} }
