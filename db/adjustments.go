package db

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
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

// changesAdjustment reports whether a bar may change the adjustment of its history.
func changesAdjustment(e entry[market.Bar]) bool { return e.withdrawn || e.record.Adjustment != nil }

// ofOneKind rejects bars that differ from the adjustment of their instrument's history, and
// returns the others. The first bars of an instrument decide the adjustment. If bars of another
// one follow withdrawals, which may delete all bars, they begin rest: it is checked once kept
// is stored.
func ofOneKind(ctx context.Context, tx *numbered, entries []entry[market.Bar]) (kept, rest []entry[market.Bar], err error) {
	withdrawn := map[market.ID]bool{}
	of, unstated := map[market.ID]string{}, map[market.ID]bool{} // unstated: has bars without an adjustment
	for chunk := range slices.Chunk(distinct(entries, func(b *market.Bar) market.ID { return b.InstrumentID }), upsertChunk) {
		var rows []*adjustmentRow
		if err := tx.NewSelect().Model(&rows).Where("instrument_id IN (?)", bun.List(chunk)).Scan(ctx); err != nil {
			return nil, nil, err
		}
		for _, r := range rows {
			of[r.InstrumentID] = r.Adjustment
		}
	}
	var fresh []*adjustmentRow
	const advice = "; to state another kind, withdraw all its loaded bars first"
	for i, e := range entries {
		id, states := e.record.InstrumentID, e.record.Adjustment
		has, known := of[id]
		if !known && states != nil && !unstated[id] {
			bars, err := tx.NewSelect().Model((*barRow)(nil)).Where("instrument_id = ? AND NOT recorded", id).Exists(ctx)
			if err != nil {
				return nil, nil, err
			}
			if unstated[id] = bars; !bars {
				has, known = *states, true
				of[id] = has
				fresh = append(fresh, &adjustmentRow{HistoryAdjustment: market.HistoryAdjustment{InstrumentID: id, Adjustment: has},
					Seq: tx.number(FeedCatalog)})
			}
		}
		differs := known && (states == nil || *states != has) || !known && states != nil
		switch {
		case e.withdrawn:
			withdrawn[id] = true
		case differs && withdrawn[id]:
			rest = entries[i:]
		case known && states == nil:
			*e.outcome = refused("adjustment", "must be %s, as the history of %s is; it is not stated"+advice, has, id)
			continue
		case known && *states != has:
			*e.outcome = refused("adjustment", "must be %s, as the history of %s is; got %s"+advice, has, id, *states)
			continue
		case !known && states != nil:
			*e.outcome = refused("adjustment",
				"cannot be stated: the history of %s has bars that do not say whether they are adjusted; withdraw those first", id)
			continue
		case !known:
			unstated[id] = true
		}
		if rest != nil {
			break
		}
		kept = append(kept, e)
	}
	if len(fresh) > 0 {
		_, err = tx.NewInsert().Model(&fresh).Exec(ctx)
	}
	return kept, rest, err
}

// forgetAdjustments removes the adjustment of each instrument without any loaded bar, so that
// its next bars decide it.
func forgetAdjustments(ctx context.Context, tx *numbered, gone []withdrawal[market.Bar]) error {
	ids := map[market.ID]bool{}
	for _, g := range gone {
		ids[g.record.InstrumentID] = true
	}
	var rows []*adjustmentRow
	if err := tx.NewSelect().Model(&rows).Where("instrument_id IN (?)", bun.List(distinctIDs(ids))).
		Where("NOT EXISTS (SELECT 1 FROM bars AS b WHERE b.instrument_id = adjustment_row.instrument_id AND NOT b.recorded)").
		Scan(ctx); err != nil {
		return err
	}
	return withdraw(ctx, tx, FeedCatalog, []string{"instrument_id"}, rows, make([]value.Instant, len(rows)))
}
