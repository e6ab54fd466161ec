package ingest

import (
	"piyasa/db"
	"piyasa/domain/market"
)

// A batch stores the records of instruments before all others. That differs from the order of
// its lines if a record of an instrument follows records that name it and changes the meaning
// of its id: such a record begins another batch.

// division tracks the subjects of the pending lines, as soon as they matter.
type division struct {
	seen    int // pending lines that were checked
	subject map[market.ID]bool
}

// before reports whether a batch must end before l, which follows the pending lines.
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
