package db

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
)

type adjustmentRow struct {
	bun.BaseModel `bun:"table:adjustments"`
	market.HistoryAdjustment
	Seq int64
}

// AdjustmentsAfter returns the adjustments of histories whose number in the catalog is above
// seq.
func (s *Store) AdjustmentsAfter(ctx context.Context, seq int64) ([]*market.HistoryAdjustment, error) {
	return after(ctx, s, seq, func(r *adjustmentRow) *market.HistoryAdjustment { return &r.HistoryAdjustment })
}

// statesAdjustment reports whether a bar states its adjustment.
func statesAdjustment(b *market.Bar) bool { return b.Adjustment != nil }

// ofOneKind refuses bars that are not of the kind of their instrument's history, and returns
// the others. The first bars that an instrument has decide.
func ofOneKind(ctx context.Context, tx *numbered, entries []entry[market.Bar]) ([]entry[market.Bar], error) {
	of, unstated := map[market.ID]string{}, map[market.ID]bool{} // unstated: has bars that do not say
	for chunk := range slices.Chunk(distinct(entries, func(b *market.Bar) market.ID { return b.InstrumentID }), upsertChunk) {
		var rows []*adjustmentRow
		if err := tx.NewSelect().Model(&rows).Where("instrument_id IN (?)", bun.List(chunk)).Scan(ctx); err != nil {
			return nil, err
		}
		for _, r := range rows {
			of[r.InstrumentID] = r.Adjustment
		}
	}
	var fresh []*adjustmentRow
	var kept []entry[market.Bar]
	for _, e := range entries {
		id, states := e.record.InstrumentID, e.record.Adjustment
		has, known := of[id]
		if !known && states != nil && !unstated[id] {
			bars, err := tx.NewSelect().Model((*barRow)(nil)).Where("instrument_id = ? AND NOT recorded", id).Exists(ctx)
			if err != nil {
				return nil, err
			}
			if unstated[id] = bars; !bars {
				has, known = *states, true
				of[id] = has
				fresh = append(fresh, &adjustmentRow{HistoryAdjustment: market.HistoryAdjustment{InstrumentID: id, Adjustment: has},
					Seq: tx.number(FeedCatalog)})
			}
		}
		switch {
		case e.withdrawn:
		case known && states == nil:
			*e.outcome = refused("adjustment", "must be %s, as the history of %s is; it is not stated", has, id)
			continue
		case known && *states != has:
			*e.outcome = refused("adjustment", "must be %s, as the history of %s is; got %s", has, id, *states)
			continue
		case !known && states != nil:
			*e.outcome = refused("adjustment",
				"cannot be stated: the history of %s has bars that do not say whether they are adjusted; withdraw those first", id)
			continue
		case !known:
			unstated[id] = true
		}
		kept = append(kept, e)
	}
	if len(fresh) == 0 {
		return kept, nil
	}
	_, err := tx.NewInsert().Model(&fresh).Exec(ctx)
	return kept, err
}
