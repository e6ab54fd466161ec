package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
)

type formerMeaningRow struct {
	bun.BaseModel `bun:"table:former_meanings"`
	market.FormerMeaning
	Seq int64
}

// Versions of these facts are kept like those of records.
var formerMeaningFacts = table[market.FormerMeaning, formerMeaningRow, market.ID]{
	feed:       FeedCatalog,
	columns:    []string{"instrument_id", "valid_from"},
	record:     func(r *formerMeaningRow) *market.FormerMeaning { return &r.FormerMeaning },
	remembered: true,
}

// FormerMeanings returns the earlier meanings of prices of instruments.
func (s *Store) FormerMeanings(ctx context.Context) (_ []*market.FormerMeaning, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	return formerMeanings(ctx, s.follow)
}

func formerMeanings(ctx context.Context, tx bun.IDB) ([]*market.FormerMeaning, error) {
	var rows []*formerMeaningRow
	err := tx.NewSelect().Model(&rows).Order("instrument_id", "valid_from").Scan(ctx)
	return records(rows, formerMeaningFacts.record), err
}

func (i *identities) keepMeaning(ctx context.Context, m *market.FormerMeaning) error {
	row := &formerMeaningRow{FormerMeaning: *m, Seq: i.tx.number(FeedCatalog)}
	return upsert(ctx, i.tx, []*formerMeaningRow{row}, formerMeaningFacts.columns...)
}

// change stores what prices meant before a change that a record states. If the record corrects
// the newest change, it updates that one's day instead.
func (i *identities) change(ctx context.Context, r *market.Instrument) error {
	was, id := i.before(r), r.InstrumentID
	if was == nil || r.ValidFrom.IsNull() {
		return nil
	}
	list := i.meanings[id]
	var newest *market.FormerMeaning
	if len(list) > 0 {
		newest = list[len(list)-1]
	}
	change := &market.FormerMeaning{InstrumentID: id, ValidFrom: r.ValidFrom, Currency: was.Currency, Unit: was.Unit}
	switch {
	case was.MeansSame(r) && (newest == nil || newest.ValidFrom == r.ValidFrom):
		return nil
	case newest != nil && (was.MeansSame(r) || newest.ValidFrom == r.ValidFrom): // the day, or the meaning since then, was stated wrongly
		change.Currency, change.Unit = newest.Currency, newest.Unit
		if err := i.deleteMeaning(ctx, newest); err != nil {
			return err
		}
		list = list[:len(list)-1]
	}
	i.changed[id] = true
	then := &market.Instrument{Market: id.Market(), Currency: change.Currency, Unit: change.Unit}
	if i.meanings[id] = list; then.MeansSame(r) && r.MeansSame(then) {
		return nil // it means the same as before the change that is undone
	}
	i.meanings[id] = append(list, change)
	return i.keepMeaning(ctx, change)
}

func (i *identities) deleteMeaning(ctx context.Context, m *market.FormerMeaning) error {
	var rows []*formerMeaningRow
	err := i.tx.NewSelect().Model(&rows).Where("instrument_id = ? AND valid_from = ?", m.InstrumentID, m.ValidFrom).Scan(ctx)
	if err != nil {
		return err
	}
	if err := formerMeaningFacts.supersede(ctx, i.tx, rows); err != nil {
		return err
	}
	return deleteRows[formerMeaningRow](ctx, i.tx, formerMeaningFacts.columns, []rowKey{{m.InstrumentID, m.ValidFrom}})
}
