package db

import (
	"context"

	"piyasa/domain/market"
)

// withdrawFuture removes stored observations after the horizon, which cannot be valid, if an
// entry of the same moment withdraws them. The newest other observation becomes the quote, and
// bars are made without the removed ones. It returns the other entries.
func withdrawFuture(ctx context.Context, tx *numbered, w writing,
	entries []entry[market.Observation]) ([]entry[market.Observation], error) {
	rest := entries[:0:0]
	for _, e := range entries {
		if w.horizon.IsNull() || !e.record.AsOf.After(w.horizon) {
			rest = append(rest, e)
			continue
		}
		outcome, err := withdrawOne(ctx, tx, w, e.record)
		if err != nil {
			return nil, err
		}
		*e.outcome = outcome
	}
	return rest, nil
}

func withdrawOne(ctx context.Context, tx *numbered, w writing, r *market.Observation) (Outcome, error) {
	id := r.InstrumentID
	const late = "must not be after %s, a day ahead of the clock; got %s"
	if !r.Last.IsNull() {
		return refused("as_of", late, w.horizon, r.AsOf), nil
	}
	quote := tx.NewSelect().Model((*quoteRow)(nil)).Where("instrument_id = ? AND as_of = ?", id, r.AsOf)
	quoted, err := quote.Exists(ctx)
	if err != nil {
		return Outcome{}, err
	}
	deleted, err := tx.NewDelete().Model((*observationRow)(nil)).Where("instrument_id = ? AND as_of = ?", id, r.AsOf).Exec(ctx)
	if err != nil {
		return Outcome{}, err
	}
	kept, err := deleted.RowsAffected()
	if err != nil {
		return Outcome{}, err
	}
	if kept == 0 && !quoted {
		return refused("as_of", late+", of which nothing is stored that could be withdrawn", w.horizon, r.AsOf), nil
	}
	if quoted {
		var before []*observationRow
		if err := tx.NewSelect().Model(&before).Where("instrument_id = ?", id).OrderExpr("as_of DESC").Limit(1).Scan(ctx); err != nil {
			return Outcome{}, err
		}
		newest := market.NeverObserved(id)
		if len(before) > 0 {
			newest = &before[0].Observation
		}
		if err := quoteTable.upsert(ctx, tx, w.postgres, []*quoteRow{{Observation: *newest, Seq: tx.number(FeedQuotes)}}); err != nil {
			return Outcome{}, err
		}
	}
	if err := noteBars(ctx, tx, w.postgres, market.RateChanges(id, r.AsOf, true)...); err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: Stored}, recordAgain(ctx, tx, []market.ID{id})
}
