package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
)

type quoteRow struct {
	bun.BaseModel `bun:"table:quotes"`
	market.Observation
	Seq int64
}

type observationRow struct {
	bun.BaseModel `bun:"table:observations"`
	market.Observation
}

// observationKey tells observations apart.
type observationKey struct {
	id   market.ID
	asOf market.Instant
}

// storeObservations keeps every observation and moves the quotes: a newer one
// replaces, one of the same moment with other figures revises, an older one is
// stale and changes no quote.
func storeObservations(ctx context.Context, tx *numbered, entries []entry[market.Observation]) error {
	if len(entries) == 0 {
		return nil
	}
	latest, err := latestObservations(ctx, tx, entries)
	if err != nil {
		return err
	}
	var moved []market.ID // in the order of their first move
	isMoved := map[market.ID]bool{}
	kept := map[observationKey]int{} // index in observations; the later line wins
	var observations []*observationRow
	for _, e := range entries {
		o := e.record
		current := latest[o.InstrumentID]
		switch {
		case current != nil && current.AsOf.After(o.AsOf):
			*e.outcome = Outcome{Result: Stale}
		case current != nil && current.Same(o):
			*e.outcome = Outcome{Result: Unchanged}
			continue
		default:
			*e.outcome = Outcome{Result: Stored}
			latest[o.InstrumentID] = o
			if !isMoved[o.InstrumentID] {
				isMoved[o.InstrumentID] = true
				moved = append(moved, o.InstrumentID)
			}
		}
		row := &observationRow{Observation: *o}
		key := observationKey{o.InstrumentID, o.AsOf}
		if i, ok := kept[key]; ok {
			observations[i] = row
			continue
		}
		kept[key] = len(observations)
		observations = append(observations, row)
	}
	quotes := make([]*quoteRow, len(moved))
	for i, id := range moved {
		quotes[i] = &quoteRow{Observation: *latest[id], Seq: tx.number(FeedQuotes)}
	}
	if err := upsert(ctx, tx, quotes, "instrument_id"); err != nil {
		return err
	}
	return upsert(ctx, tx, observations, "instrument_id", "as_of")
}

// latestObservations loads the quotes of the instruments in entries.
func latestObservations(ctx context.Context, tx *numbered, entries []entry[market.Observation]) (map[market.ID]*market.Observation, error) {
	latest := map[market.ID]*market.Observation{}
	var ids []market.ID
	for _, e := range entries {
		if _, ok := latest[e.record.InstrumentID]; !ok {
			latest[e.record.InstrumentID] = nil
			ids = append(ids, e.record.InstrumentID)
		}
	}
	var rows []*quoteRow
	if err := tx.NewSelect().Model(&rows).Where("instrument_id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, err
	}
	for _, r := range rows {
		latest[r.InstrumentID] = &r.Observation
	}
	return latest, nil
}

// QuotesAfter are the newest observations whose number is above seq.
func (s *Store) QuotesAfter(ctx context.Context, seq int64) ([]*market.Observation, error) {
	return after(ctx, s, seq, func(r *quoteRow) *market.Observation { return &r.Observation })
}

// Observations are the kept observations of an instrument by time.
func (s *Store) Observations(ctx context.Context, id market.ID) ([]*market.Observation, error) {
	var rows []*observationRow
	err := s.read.NewSelect().Model(&rows).Where("instrument_id = ?", id).Order("as_of").Scan(ctx)
	return records(rows, func(r *observationRow) *market.Observation { return &r.Observation }), err
}
