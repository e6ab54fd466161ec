package market

import (
	"maps"

	"piyasa/domain/segment"
)

// Boundaries returns where the prices of an instrument change their meaning: figures made of
// prices of several days ask them whether, and how, these can be combined.
func (s *Snapshot) Boundaries(id ID) segment.Boundaries { return s.boundaries[id] }

// PutChanges replaces the changes that records of instruments state: another currency or unit,
// another id, another thing behind it.
func (l *Live) PutChanges(all map[ID][]segment.Boundary) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes = maps.Clone(all)
	next := *l.snapshot.Load()
	l.arrangeBoundaries(&next)
	l.snapshot.Store(&next)
}

// arrangeBoundaries arranges everything that states a boundary. The caller must hold l.mu.
func (l *Live) arrangeBoundaries(next *Snapshot) {
	next.boundaries = make(map[ID]segment.Boundaries, len(l.changes))
	for id, changes := range l.changes {
		next.boundaries[id] = segment.Arrange(append([]segment.Boundary(nil), changes...))
	}
}
