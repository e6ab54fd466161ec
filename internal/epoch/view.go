package epoch

import "sync/atomic"

// View holds the lineage of the store as a server knows it now. Set and Lineage are safe for
// concurrent use.
type View struct {
	lineage atomic.Pointer[Lineage]
	begun   atomic.Int64
}

// Set replaces the lineage.
func (v *View) Set(l Lineage) {
	if last := v.lineage.Swap(&l); last != nil && last.Current() != l.Current() {
		v.begun.Add(1)
	}
}

// Lineage returns the lineage; nil before the first Set, and of a nil View.
func (v *View) Lineage() Lineage {
	if v == nil {
		return nil
	}
	if l := v.lineage.Load(); l != nil {
		return *l
	}
	return nil
}

// Begun returns how many epochs have begun since the first Set.
func (v *View) Begun() int64 { return v.begun.Load() }
