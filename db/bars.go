package db

import (
	"cmp"
	"context"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

type barRow struct {
	bun.BaseModel `bun:"table:bars"`
	market.Bar
	Seq int64 // of the change that wrote it; 0: written by an earlier version
}

// series is a run of bars that one query reads.
type series struct {
	id         market.ID
	resolution market.Resolution
}

// span is the first and the last bar of a series in a batch.
type span struct{ first, last value.Instant }

// barKey identifies a bar.
type barKey struct {
	series
	t value.Instant
}

// storeBars replaces the bars that differ from what is stored.
func storeBars(ctx context.Context, tx *numbered, w writing, entries []entry[market.Bar]) error {
	for len(entries) > 0 {
		kept, rest, err := ofOneKind(ctx, tx, entries)
		if err == nil {
			err = storeSome(ctx, tx, w, kept)
		}
		if err != nil {
			return err
		}
		entries = rest
	}
	return nil
}

// storeSome stores bars with the adjustments of their histories.
func storeSome(ctx context.Context, tx *numbered, w writing, entries []entry[market.Bar]) error {
	spans := map[series]span{}
	for _, e := range entries {
		of := series{e.record.InstrumentID, e.record.Resolution}
		s, ok := spans[of]
		if !ok || e.record.T.Before(s.first) {
			s.first = e.record.T
		}
		if !ok || e.record.T.After(s.last) {
			s.last = e.record.T
		}
		spans[of] = s
	}
	stored := map[barKey]*market.Bar{}
	for of, s := range spans {
		var rows []*barRow
		if err := tx.NewSelect().Model(&rows).Where("instrument_id = ? AND resolution = ? AND t BETWEEN ? AND ? AND NOT recorded",
			of.id, of.resolution, s.first, s.last).Scan(ctx); err != nil {
			return err
		}
		for _, r := range rows {
			stored[barKey{of, r.T}] = &r.Bar
		}
	}
	changed, gone := loadedVersions.changes(entries, stored, nil)
	recorders, err := loadRecorders(ctx, tx, distinct(entries, func(b *market.Bar) market.ID { return b.InstrumentID }))
	if err != nil {
		return err
	}
	for _, e := range entries {
		e.outcome.OffDay = !e.withdrawn && !recorders[e.record.InstrumentID].Shows(e.record)
	}
	slices.SortFunc(changed, byBarKey)
	if err := loadedBars(tx).upsert(ctx, tx, w.postgres, changed); err != nil {
		return err
	}
	lost, again, err := withdrawBars(ctx, tx, w, entries, gone, recorders)
	if err != nil {
		return err
	}
	changed = slices.Concat(changed, lost)
	if err := noteBars(ctx, tx, w.postgres, slices.Concat(changed, loadedRates(changed))...); err != nil {
		return err
	}
	made := map[barKey]bool{}
	for _, b := range again {
		made[keyOfBar(b)] = true
	}
	return noteLostBars(ctx, tx, slices.DeleteFunc(lost, func(b *market.Bar) bool { return made[keyOfBar(b)] }))
}

var loadedVersions = versions[market.Bar, barKey]{
	key:  func(b *market.Bar) barKey { return barKey{series{b.InstrumentID, b.Resolution}, b.T} },
	same: (*market.Bar).Same,
}

// withdrawBars deletes loaded bars. It returns them, and the recorder's bars that replace them
// where kept observations make one. It rejects the withdrawal of a recorded bar, which would be
// made again.
func withdrawBars(ctx context.Context, tx *numbered, w writing, entries []entry[market.Bar], gone []withdrawal[market.Bar],
	recorders map[market.ID]market.Recorder) (lost, again []*market.Bar, err error) {
	for _, e := range entries {
		if !e.withdrawn || e.outcome.Result != Unchanged {
			continue
		}
		recorded, err := tx.NewSelect().Model((*barRow)(nil)).
			Where("instrument_id = ? AND resolution = ? AND t = ? AND recorded",
				e.record.InstrumentID, e.record.Resolution, e.record.T).Exists(ctx)
		if err != nil {
			return nil, nil, err
		}
		if recorded {
			*e.outcome = refused("withdrawn",
				"is for bars that were loaded, and this one is made of quotes: revise or withdraw those (a quote of the same as_of "+
					"whose last is null)")
		}
	}
	if len(gone) == 0 {
		return nil, nil, nil
	}
	kept, err := keptSince(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	var keys []rowKey
	for _, g := range gone {
		b := g.record
		lost = append(lost, b)
		keys = append(keys, rowKey{b.InstrumentID, b.Resolution, b.T, false})
		m, recorder := b.InstrumentID.Market(), recorders[b.InstrumentID]
		if first, _ := recorder.SpanOf(b); !m.Recorded() || first.Before(kept[m]) {
			continue // the remaining observations of its day do not make it
		}
		bar, err := recordedBar(ctx, tx, recorder, b)
		if err != nil {
			return nil, nil, err
		}
		if bar != nil {
			again = append(again, bar)
		}
	}
	if err := deleteRows[barRow](ctx, tx, append(slices.Clone(barKeyColumns), "recorded"), keys); err != nil {
		return nil, nil, err
	}
	if err := forgetAdjustments(ctx, tx, gone); err != nil {
		return nil, nil, err
	}
	return lost, again, recordedBars(tx).upsert(ctx, tx, w.postgres, again)
}

// recordedBar returns the bar that observations make at the time of b, or nil.
func recordedBar(ctx context.Context, tx *numbered, recorder market.Recorder, b *market.Bar) (*market.Bar, error) {
	first, last := recorder.SpanOf(b)
	var rows []*observationRow
	if err := tx.NewSelect().Model(&rows).Where("instrument_id = ? AND as_of >= ? AND as_of < ?",
		b.InstrumentID, first, last).Scan(ctx); err != nil {
		return nil, err
	}
	observations := records(rows, func(r *observationRow) *market.Observation { return &r.Observation })
	for _, made := range recorder.Correct(nil, observations).Bars {
		if made.Resolution == b.Resolution && made.T == b.T {
			return made, nil
		}
	}
	return nil, nil
}

// byBarKey compares bars in the order of the table, which is the fastest order to write.
func byBarKey(a, b *market.Bar) int {
	return cmp.Or(cmp.Compare(a.InstrumentID, b.InstrumentID), cmp.Compare(a.Resolution, b.Resolution), a.T.Time().Compare(b.T.Time()))
}

// loadedBars writes bars with the number of the change that tx is about to record. They replace
// stored bars.
func loadedBars(tx *numbered) bulkTable[market.Bar] {
	return bulkTable[market.Bar]{name: "bars", key: barKeyColumns, columns: barColumns(false, tx.next[FeedBars]+1)}
}

// recordedBars is like loadedBars, but does not replace loaded bars.
func recordedBars(tx *numbered) bulkTable[market.Bar] {
	return bulkTable[market.Bar]{name: "bars", key: barKeyColumns, columns: barColumns(true, tx.next[FeedBars]+1), where: "bars.recorded"}
}

var barKeyColumns = []string{"instrument_id", "resolution", "t"}

func barColumns(recorded bool, seq int64) []bulkColumn[market.Bar] {
	return []bulkColumn[market.Bar]{
		{"instrument_id", "text", func(b *market.Bar) any { return string(b.InstrumentID) }},
		{"resolution", "text", func(b *market.Bar) any { return string(b.Resolution) }},
		{"t", "timestamptz", func(b *market.Bar) any { return b.T }},
		{"open", "numeric", func(b *market.Bar) any { return exact(b.Open) }},
		{"high", "numeric", func(b *market.Bar) any { return exact(b.High) }},
		{"low", "numeric", func(b *market.Bar) any { return exact(b.Low) }},
		{"close", "numeric", func(b *market.Bar) any { return exact(b.Close) }},
		{"volume", "numeric", func(b *market.Bar) any { return exact(b.Volume) }},
		{"turnover", "numeric", func(b *market.Bar) any { return exact(b.Turnover) }},
		{"trade_count", "integer", func(b *market.Bar) any { return optional(b.TradeCount, whole) }},
		{"recorded", "boolean", func(*market.Bar) any { return recorded }},
		{"seq", "bigint", func(*market.Bar) any { return seq }},
	}
}
