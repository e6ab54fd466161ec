package market

import (
	"slices"
	"strconv"
	"strings"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// What an id means may change: its prices may get another currency or unit, an instrument
// another id, and an id another instrument. Records of instruments state these changes, which
// outlast later records that do not repeat them.

// FormerMeaning is what prices of an instrument meant until a day.
type FormerMeaning struct {
	InstrumentID ID
	ValidFrom    value.Date // first day of the next meaning
	Currency     string
	Unit         *string
}

// Rename says that an instrument had another id until a day. If another instrument has that id
// now, Predecessor is in the form that Former returns.
type Rename struct {
	InstrumentID ID
	Predecessor  ID
	RenamedOn    value.Date
	FormerID     FormerIDState
}

// FormerIDState says what a former id leads to.
type FormerIDState string

// The states of former ids.
const (
	IDGone FormerIDState = "gone" // to its successor
	IDFree FormerIDState = "free" // to its successor, until another instrument gets the id
)

// formerMark separates an id from the number of an instrument that had it before. Neither
// records nor clients can state an id with this mark.
const formerMark = "#"

// Former returns the id for the stored rows of the nth instrument that had an id, used once
// another instrument has the id.
func (id ID) Former(n int) ID { return id + ID(formerMark+strconv.Itoa(n)) }

// IsFormer reports whether an id is one that Former returns.
func (id ID) IsFormer() bool { return strings.Contains(string(id), formerMark) }

// Stated returns the id as records stated it, without the suffix of Former.
func (id ID) Stated() ID {
	stated, _, _ := strings.Cut(string(id), formerMark)
	return ID(stated)
}

// MeansSame reports whether the prices of two records of an instrument mean the same. A unit
// may be added where none was stated; only units of commodities count.
func (in *Instrument) MeansSame(next *Instrument) bool {
	return in.Currency == next.Currency && (in.Market != Cmdty || in.Unit == nil || samePtr(in.Unit, next.Unit))
}

// PutIdentities replaces all former meanings and former ids.
func (l *Live) PutIdentities(meanings []*FormerMeaning, renames []*Rename) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(meanings)+len(renames)+len(l.meanings)+len(l.renames) == 0 {
		return
	}
	l.meanings, l.renames = map[ID][]*FormerMeaning{}, map[ID]*Rename{}
	for _, m := range meanings {
		l.meanings[m.InstrumentID] = append(l.meanings[m.InstrumentID], m)
	}
	for _, list := range l.meanings {
		slices.SortFunc(list, func(a, b *FormerMeaning) int { return a.ValidFrom.Compare(b.ValidFrom) })
	}
	for _, r := range renames {
		l.renames[r.InstrumentID] = r
	}
	next := *l.snapshot.Load()
	l.arrange(&next)
	l.snapshot.Store(&next)
}

// changesOf returns the changes that records of an instrument state.
func (l *Live) changesOf(in *Instrument) (all []segment.Boundary) {
	list := l.meanings[in.InstrumentID]
	for i, was := range list {
		currency, unit := in.Currency, in.Unit
		if i+1 < len(list) {
			currency, unit = list[i+1].Currency, list[i+1].Unit
		}
		if in.Market == Cmdty && was.Unit != nil && !samePtr(was.Unit, unit) {
			all = append(all, segment.Boundary{Change: segment.Change{What: segment.Unit, From: was.Unit, To: unit, On: was.ValidFrom}})
		}
		if was.Currency != currency { // after the unit: of two changes on a day, answers name this one
			all = append(all, segment.Boundary{
				Change: segment.Change{What: segment.Currency, From: &was.Currency, To: &currency, On: was.ValidFrom}})
		}
	}
	seen := map[ID]bool{}
	for r := l.renames[in.InstrumentID]; r != nil && !seen[r.InstrumentID]; r = l.renames[r.Predecessor] {
		seen[r.InstrumentID] = true
		from, to := string(r.Predecessor.Stated()), string(r.InstrumentID.Stated())
		all = append(all, segment.Boundary{
			Change: segment.Change{What: segment.Identity, From: &from, To: &to, On: r.RenamedOn},
			Bridge: segment.NewBridge(segment.Rename, r.RenamedOn, value.Same, &from),
		})
	}
	return all
}

// arrangeIdentities completes shown records with their changes of identity, and arranges the
// boundaries that follow. The caller must hold l.mu.
func (l *Live) arrangeIdentities(next *Snapshot, shown map[ID]*Instrument) {
	if l.meanings == nil {
		return
	}
	next.changes = map[ID][]segment.Boundary{}
	for id, in := range l.instruments {
		if list := l.meanings[id]; len(list) > 0 {
			shown[id].ValidFrom = list[len(list)-1].ValidFrom
		}
		if r := l.renames[id]; r != nil {
			shown[id].Predecessor, shown[id].RenamedOn = new(r.Predecessor.Stated()), r.RenamedOn
		}
		if changes := l.changesOf(in); len(changes) > 0 {
			arranged := segment.Arrange(changes)
			next.changes[id], shown[id].changes = arranged, &arranged
		}
	}
}

// sectorsNow returns sectors whose members are named by their present ids.
func sectorsNow(sectors []*Sector, renamed map[ID]*Rename) []*Sector {
	if len(renamed) == 0 {
		return sectors
	}
	all := slices.Clone(sectors)
	for i, s := range sectors {
		of := *s
		of.Members = slices.Clone(s.Members)
		for n, id := range of.Members {
			of.Members[n] = latestID(renamed, id)
		}
		all[i] = &of
	}
	return all
}

// latestID follows the renames of a former id to the id that the instrument has now.
func latestID(renamed map[ID]*Rename, id ID) ID {
	for range renamed { // renames form no cycle
		r := renamed[id]
		if r == nil {
			break
		}
		id = r.InstrumentID
	}
	return id
}

// byFormerID returns the renames by former ids.
func (l *Live) byFormerID() map[ID]*Rename {
	by := make(map[ID]*Rename, len(l.renames))
	for _, r := range l.renames {
		by[r.Predecessor] = r
	}
	return by
}
