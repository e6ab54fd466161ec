package db

import (
	"context"
	"slices"

	"piyasa/domain/market"
)

// comesBack reports whether a record brings back the instrument that was withdrawn.
func comesBack(r *market.Instrument) bool {
	return r.Predecessor != nil && *r.Predecessor == r.InstrumentID
}

// begin moves the stored rows of the instrument that had an id aside, if the record is of
// another instrument.
func (i *identities) begin(ctx context.Context, r *market.Instrument) error {
	id := r.InstrumentID
	left := i.left[id]
	if i.stored[id] != nil || left == nil || comesBack(r) {
		return nil
	}
	if id.Market() == market.Fund { // its own record also brings it into the catalog
		stays, err := i.tx.NewSelect().Model((*fundRow)(nil)).Where("code = ?", id.Symbol()).Exists(ctx)
		if err != nil || stays {
			return err
		}
	}
	former := id.Former(left.Ended + 1)
	moved, err := moveRows(ctx, i.tx, id, former)
	if err != nil {
		return err
	}
	listed, err := i.leaveLists(ctx, id, former)
	if err != nil {
		return err
	}
	offered, err := leaveOfferings(ctx, i.tx, id, former)
	if err != nil {
		return err
	}
	since, before := i.renamed[id], i.leads[id]
	if since == nil && before == nil && !moved && !listed && !offered {
		return nil
	}
	if since != nil {
		delete(i.renamed, id)
		since.InstrumentID = former
		i.note(since)
		if err := remember(renameFacts)(ctx, i.tx, id, former); err != nil {
			return err
		}
		if _, err := i.tx.NewRaw("UPDATE renames SET instrument_id = ?, seq = ? WHERE instrument_id = ?", former,
			i.tx.number(FeedCatalog), id).Exec(ctx); err != nil {
			return err
		}
	}
	if before != nil {
		delete(i.leads, id)
		before.Predecessor = former
		i.note(before)
		if err := i.keepRename(ctx, before); err != nil {
			return err
		}
	}
	delete(i.meanings, id)
	left.Ended++
	i.changed[id] = true
	return i.keepLeft(ctx, left)
}

// leaveLists moves an instrument's places in sectors to its present id, if any, and those in
// indices to the id to. It reports whether there were any.
func (i *identities) leaveLists(ctx context.Context, from, to market.ID) (bool, error) {
	now := from
	for n := 0; i.leads[now] != nil && n <= len(i.leads); n++ {
		now = i.leads[now].InstrumentID
	}
	inSectors, err := relist(ctx, i.tx, sectors, func(s *market.Sector) bool {
		n := slices.Index(s.Members, from)
		if n < 0 {
			return false
		}
		s.Members = slices.Delete(slices.Clone(s.Members), n, n+1)
		if now != from && !now.IsFormer() && !slices.Contains(s.Members, now) {
			s.Members = slices.Insert(s.Members, n, now)
		}
		return true
	})
	if err != nil || from.Market() != market.BIST {
		return inSectors, err
	}
	inIndices, err := relist(ctx, i.tx, indices, func(x *market.BistIndex) bool {
		n := slices.IndexFunc(x.Members, func(m market.IndexMember) bool { return m.Symbol == from.Symbol() })
		if n >= 0 {
			x.Members = slices.Clone(x.Members)
			x.Members[n].Symbol = to.Symbol()
		}
		return n >= 0
	})
	return inSectors || inIndices, err
}

// relist stores those records of a catalog table that change modifies, and reports whether
// there are any.
func relist[T, R any, K comparable](ctx context.Context, tx *numbered, t table[T, R, K], change func(*T) bool) (bool, error) {
	var rows, was, now []*R
	if err := tx.NewSelect().Model(&rows).Scan(ctx); err != nil {
		return false, err
	}
	for _, row := range rows {
		next := *t.record(row)
		if change(&next) {
			was, now = append(was, row), append(now, t.row(&next, tx.number(t.feed)))
		}
	}
	if len(now) == 0 {
		return false, nil
	}
	if err := t.supersede(ctx, tx, was); err != nil {
		return false, err
	}
	return true, upsert(ctx, tx, now, t.columns...)
}
