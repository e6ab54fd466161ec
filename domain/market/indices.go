package market

import (
	"maps"
	"slices"

	"piyasa/problem"
)

// indexIndex is the verified indices of the Istanbul exchange arranged for
// look-up. It is immutable.
type indexIndex struct {
	byCode map[string]*BistIndex
	codes  []string // ascending
}

// arrangeIndices leaves out what is not verified.
func arrangeIndices(indices []*BistIndex) *indexIndex {
	x := &indexIndex{byCode: map[string]*BistIndex{}}
	for _, i := range indices {
		if i.Verified {
			x.byCode[i.Code] = i
		}
	}
	x.codes = slices.Sorted(maps.Keys(x.byCode))
	return x
}

// PutIndices replaces the indices of the Istanbul exchange.
func (l *Live) PutIndices(indices []*BistIndex) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := *l.snapshot.Load()
	next.indices = arrangeIndices(indices)
	l.snapshot.Store(&next)
}

// Index is the index of the Istanbul exchange with this code, in any letter
// case. One that is unknown or not verified is the problem not-found with the
// codes that are offered.
func (s *Snapshot) Index(code string) (*BistIndex, error) {
	if i := s.indices.byCode[foldASCII(code)]; i != nil {
		return i, nil
	}
	e := problem.New(problem.NotFound, "There is no index %s of the Istanbul exchange; plain codes such as XU100 are offered.", problem.Shown(code))
	e.Members.Available = s.indices.codes
	return nil, e
}
