package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// recordAgain makes all bars of instruments again from their kept observations. It is for
// changes that affect more than the days of new observations: of the session or currency of an
// instrument, or of a rule of the recorder.
func recordAgain(ctx context.Context, tx *numbered, ids []market.ID) error {
	kept, err := keptSince(ctx, tx)
	if err != nil {
		return err
	}
	recorders, err := loadRecorders(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !id.Market().Recorded() || id.IsFormer() {
			continue
		}
		if err := recordOneAgain(ctx, tx, id, recorders[id], kept[id.Market()]); err != nil {
			return err
		}
	}
	return nil
}

func recordOneAgain(ctx context.Context, tx *numbered, id market.ID, r market.Recorder, since value.Instant) error {
	at, bars, gone, err := compareRecorded(ctx, tx, id, r, since)
	if err != nil {
		return err
	}
	row, err := recordingOf(id, &at)
	if err != nil {
		return err
	}
	postgres := tx.isPostgres()
	if err := recordingTable.upsert(ctx, tx, postgres, []*recordingRow{row}); err != nil {
		return err
	}
	return writeRecorded(ctx, tx, postgres, bars, gone, nil)
}

// compareRecorded records the kept observations of an instrument. It returns the final state of
// the recorder, the bars that differ from the stored recorded ones, and the stored ones that it
// does not make.
func compareRecorded(ctx context.Context, tx bun.IDB, id market.ID, r market.Recorder, since value.Instant) (at market.Recording,
	bars, gone []*market.Bar, err error) {
	samples, err := keptSamples(ctx, tx, id, r)
	if err != nil {
		return at, nil, nil, err
	}
	days := r.WholeDays(since)
	for len(samples) > 0 && samples[0].At.Before(days.Start) {
		samples = samples[1:]
	}
	var stored []*barRow
	query := tx.NewSelect().Model(&stored).Where("instrument_id = ? AND recorded", id)
	if !since.IsNull() {
		query.Where("(resolution = ? AND t >= ?) OR (resolution <> ? AND t >= ?)", market.Day, days.Daily, market.Day, days.Start)
	}
	if err := query.Scan(ctx); err != nil {
		return at, nil, nil, err
	}
	was := make(map[barKey]*market.Bar, len(stored))
	for _, row := range stored {
		was[keyOfBar(&row.Bar)] = &row.Bar
	}
	latest := map[barKey]*market.Bar{}
	for _, b := range r.Record(&at, samples) {
		latest[keyOfBar(b)] = b
	}
	for key, b := range latest {
		if old := was[key]; old == nil || !old.Same(b) {
			bars = append(bars, b)
		}
		delete(was, key)
	}
	for _, b := range was {
		gone = append(gone, b)
	}
	return at, bars, gone, nil
}

func keyOfBar(b *market.Bar) barKey { return barKey{series{b.InstrumentID, b.Resolution}, b.T} }

// keptSamples returns the prices among an instrument's kept observations, by time.
func keptSamples(ctx context.Context, tx bun.IDB, id market.ID, r market.Recorder) ([]market.Sample, error) {
	rows, err := tx.QueryContext(ctx,
		"SELECT as_of, last, currency, volume, turnover FROM observations WHERE instrument_id = ? AND last IS NOT NULL ORDER BY as_of", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var samples []market.Sample
	for rows.Next() {
		var o market.Observation
		if err := rows.Scan(&o.AsOf, &o.Last, &o.Currency, &o.Volume, &o.Turnover); err != nil {
			return nil, err
		}
		if s, ok := r.Sample(&o); ok {
			samples = append(samples, s)
		}
	}
	return samples, rows.Err()
}

// againChunk is how many instruments one transaction records again, so that other writers get a
// turn.
const againChunk = 10

// recordMarked records the bars that a migration has marked once more, because an older rule
// made them. If it is killed, the next start continues.
func (s *Store) recordMarked(ctx context.Context) error {
	for more := true; more; {
		err := s.inFeeds(ctx, []string{FeedQuotes, FeedBars}, func(ctx context.Context, tx *numbered) error {
			var ids []market.ID
			if err := tx.NewRaw("SELECT instrument_id FROM record_anew ORDER BY instrument_id LIMIT ?", againChunk).Scan(ctx,
				&ids); err != nil {
				return err
			}
			if more = len(ids) > 0; !more {
				return nil
			}
			if err := recordAgain(ctx, tx, ids); err != nil {
				return err
			}
			_, err := tx.NewRaw("DELETE FROM record_anew WHERE instrument_id IN (?)", bun.List(ids)).Exec(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
