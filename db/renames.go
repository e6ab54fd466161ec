package db

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
)

type renameRow struct {
	bun.BaseModel `bun:"table:renames"`
	market.Rename
	Seq int64
}

// Versions of these facts are kept like those of records.
var renameFacts = table[market.Rename, renameRow, market.ID]{
	feed:       FeedCatalog,
	columns:    []string{"instrument_id"},
	record:     func(r *renameRow) *market.Rename { return &r.Rename },
	remembered: true,
	described:  ifAsked,
}

// Renames returns the former ids of instruments.
func (s *Store) Renames(ctx context.Context) (_ []*market.Rename, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	return renames(ctx, s.follow)
}

func renames(ctx context.Context, tx bun.IDB) ([]*market.Rename, error) {
	var rows []*renameRow
	err := tx.NewSelect().Model(&rows).Order("instrument_id").Scan(ctx)
	return records(rows, renameFacts.record), err
}

func (i *identities) note(r *market.Rename) {
	i.renamed[r.InstrumentID], i.leads[r.Predecessor] = r, r
}

func (i *identities) keepRename(ctx context.Context, r *market.Rename) error {
	if err := remember(renameFacts)(ctx, i.tx, r.InstrumentID, ""); err != nil {
		return err
	}
	return upsert(ctx, i.tx, []*renameRow{{Rename: *r, Seq: i.tx.number(FeedCatalog)}}, "instrument_id")
}

// predecessorOf returns the former id that the instrument's record states, or "" if none or the
// same.
func (i *identities) predecessorOf(r *market.Instrument) market.ID {
	if r.Predecessor == nil || *r.Predecessor == r.InstrumentID {
		return ""
	}
	return *r.Predecessor
}

// isLink reports whether a record states only the former id of an id that the instrument has
// since left.
func (i *identities) isLink(r *market.Instrument) bool {
	lead := i.leads[r.InstrumentID]
	return lead != nil && lead.FormerID != market.IDFree && i.stored[r.InstrumentID] == nil && i.predecessorOf(r) != ""
}

// isUndone reports whether a record undoes the rename of its id: the later id is withdrawn.
func (i *identities) isUndone(r *market.Instrument) bool {
	lead := i.leads[r.InstrumentID]
	return lead != nil && comesBack(r) && i.stored[r.InstrumentID] == nil && i.stored[lead.InstrumentID] == nil &&
		i.leads[lead.InstrumentID] == nil
}

// undoRename moves all stored rows of the later id back to the former id.
func (i *identities) undoRename(ctx context.Context, of *market.Rename) error {
	id, since := of.Predecessor, of.InstrumentID
	for n, m := range i.meanings[since] {
		if m.ValidFrom == of.RenamedOn { // the change was the rename
			i.meanings[since] = slices.Delete(i.meanings[since], n, n+1)
			if err := i.deleteMeaning(ctx, m); err != nil {
				return err
			}
			break
		}
	}
	if _, err := moveRows(ctx, i.tx, since, id); err != nil {
		return err
	}
	i.meanings[id] = i.meanings[since]
	delete(i.meanings, since)
	if err := remember(renameFacts)(ctx, i.tx, since, ""); err != nil {
		return err
	}
	delete(i.renamed, since)
	delete(i.leads, id)
	i.changed[id] = true
	return deleteRows[renameRow](ctx, i.tx, renameFacts.columns, []rowKey{{since}})
}

// rename moves the stored rows of the former id to the new id, or corrects the day. It reports
// whether the former id leaves the catalog.
func (i *identities) rename(ctx context.Context, r *market.Instrument) (leaves bool, err error) {
	id, before := r.InstrumentID, i.predecessorOf(r)
	of := i.renamed[id]
	switch {
	case of != nil && of.RenamedOn == r.RenamedOn:
		return false, nil
	case of != nil:
		of.RenamedOn = r.RenamedOn
		i.changed[id] = true
		return false, i.keepRename(ctx, of)
	}
	leaves = i.stored[before] != nil
	of = &market.Rename{InstrumentID: id, Predecessor: before, RenamedOn: r.RenamedOn, FormerID: market.IDGone}
	if !leaves {
		of.FormerID = market.IDFree
	}
	if err := i.leave(ctx, before); err != nil {
		return false, err
	}
	now := id
	for n := 0; i.leads[now] != nil && i.stored[now] == nil && n <= len(i.leads); n++ {
		now = i.leads[now].InstrumentID
	}
	if _, err := moveRows(ctx, i.tx, before, now); err != nil {
		return false, err
	}
	i.meanings[now] = append(i.meanings[before], i.meanings[now]...)
	delete(i.meanings, before)
	if l := i.left[before]; l.Currency != "" {
		was := &market.FormerMeaning{InstrumentID: now, ValidFrom: r.RenamedOn, Currency: l.Currency, Unit: l.Unit}
		then := &market.Instrument{Market: id.Market(), Currency: l.Currency, Unit: l.Unit}
		known := slices.ContainsFunc(i.meanings[now], func(m *market.FormerMeaning) bool {
			return m.ValidFrom == r.RenamedOn || now == id && r.RenamedOn.Before(m.ValidFrom)
		})
		if !then.MeansSame(r) && !known {
			i.meanings[now] = append(i.meanings[now], was)
			slices.SortFunc(i.meanings[now], func(a, b *market.FormerMeaning) int { return a.ValidFrom.Compare(b.ValidFrom) })
			if err := i.keepMeaning(ctx, was); err != nil {
				return false, err
			}
		}
	}
	i.note(of)
	i.changed[now] = true
	return leaves, i.keepRename(ctx, of)
}

// underPresentIDs moves entries of former ids to the ids that replaced them if they are of days before
// the rename, and rejects the others. It returns the entries that are not rejected.
func underPresentIDs[T any](ctx context.Context, tx *numbered, entries []entry[T]) ([]entry[T], error) {
	if len(entries) == 0 || subjectOf(entries[0].record) == nil {
		return entries, nil
	}
	leads, err := tx.leadsOn(ctx)
	if err != nil || len(leads) == 0 {
		return entries, err
	}
	kept := make([]entry[T], 0, len(entries))
	for _, e := range entries {
		record := *e.record
		of := subjectOf(&record)
		first := leads[of.id]
		if first == nil {
			kept = append(kept, e)
			continue
		}
		last := first
		for range leads { // renames form no cycle
			if next := leads[last.InstrumentID]; next != nil {
				last = next
			}
		}
		if of.day.IsNull() || !of.day.Before(first.RenamedOn) {
			*e.outcome = refused(of.member, "%s was renamed on %s: what is of that day or later is of %s", of.id, first.RenamedOn,
				last.InstrumentID)
			continue
		}
		of.set(last.InstrumentID)
		kept = append(kept, entry[T]{&record, e.withdrawn, e.outcome})
	}
	return kept, nil
}

// leadsOn returns the renames by former ids. It must be called after records of instruments are
// stored.
func (n *numbered) leadsOn(ctx context.Context) (map[market.ID]*market.Rename, error) {
	if n.leads != nil {
		return n.leads, nil
	}
	all, err := renames(ctx, n)
	leads := map[market.ID]*market.Rename{}
	for _, r := range all {
		leads[r.Predecessor] = r
	}
	n.leads = leads
	return leads, err
}
