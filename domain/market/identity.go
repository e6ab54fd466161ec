package market

import (
	"slices"
	"strconv"
	"strings"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// What is behind an id may change: prices get another currency or unit, an instrument another
// id, and an id another instrument. Records of instruments say it, and these facts outlast
// later records that do not repeat them.

// FormerMeaning is what prices of an instrument meant until a day.
type FormerMeaning struct {
	InstrumentID ID
	ValidFrom    value.Date // first day of the next meaning
	Currency     string
	Unit         *string
}

// Rename says that an instrument had another id until a day. An id that is of another instrument
// now is stated as Former returns it.
type Rename struct {
	InstrumentID ID
	Predecessor  ID
	RenamedOn    value.Date
	FormerID     FormerIDState
}

// FormerIDState is what became of a former id.
type FormerIDState string

// The states of former ids.
const (
	IDGone FormerIDState = "gone" // it leads to its successor
	IDFree FormerIDState = "free" // so it does, until another instrument comes under it
)

// formerMark separates an id from the number of an instrument that had it before. No id that
// records or clients can state has it.
const formerMark = "#"

// Former returns the id under which what is stored of the nth instrument that had an id is
// kept after another has come under it.
func (id ID) Former(n int) ID { return id + ID(formerMark+strconv.Itoa(n)) }

// IsFormer reports whether an id is one that Former returns.
func (id ID) IsFormer() bool { return strings.Contains(string(id), formerMark) }

// Stated returns the id as records stated it, where it is one that Former returned.
func (id ID) Stated() ID {
	stated, _, _ := strings.Cut(string(id), formerMark)
	return ID(stated)
}

// MeansSame reports whether prices of two records of an instrument mean the same. A unit that was
// not stated may be stated; only those of commodities count.
func (in *Instrument) MeansSame(next *Instrument) bool {
	return in.Currency == next.Currency && (in.Market != Cmdty || in.Unit == nil || samePtr(in.Unit, next.Unit))
}

// PutIdentities replaces what is known of former meanings and former ids.
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
		if was.Currency != currency { // behind the unit: of two changes of a day it is the one that answers name
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

// arrangeIdentities completes shown records by facts of their identity, and arranges the
// boundaries that follow from them. The caller must hold l.mu.
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

// sectorsNow returns sectors whose members have the ids that they have now.
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

// latestID returns the id that an instrument has now, by the renames of former ids.
func latestID(renamed map[ID]*Rename, id ID) ID {
	for range renamed { // which form no circle
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
