package db

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
)

type recordingRow struct {
	bun.BaseModel `bun:"table:recordings"`
	InstrumentID  market.ID
	Recording     json.RawMessage
}

var recordingTable = bulkTable[recordingRow]{
	name: "recordings",
	key:  []string{"instrument_id"},
	columns: []bulkColumn[recordingRow]{
		{"instrument_id", "text", func(r *recordingRow) any { return string(r.InstrumentID) }},
		{"recording", "jsonb", func(r *recordingRow) any { return string(r.Recording) }},
	},
}

// loadRecorders returns the recorders of instruments, even if the catalog lacks them.
func loadRecorders(ctx context.Context, tx bun.IDB, ids []market.ID) (map[market.ID]market.Recorder, error) {
	recorders := make(map[market.ID]market.Recorder, len(ids))
	if len(ids) == 0 {
		return recorders, nil
	}
	var rows []*instrumentRow
	if err := tx.NewSelect().Model(&rows).Column("instrument_id", "currency", "session").Where("instrument_id IN (?)",
		bun.List(ids)).Scan(ctx); err != nil {
		return nil, err
	}
	days, err := exceptions(ctx, tx)
	if err != nil {
		return nil, err
	}
	meanings, err := formerMeanings(ctx, tx)
	if err != nil {
		return nil, err
	}
	former := map[market.ID][]*market.FormerMeaning{}
	for _, m := range meanings {
		former[m.InstrumentID] = append(former[m.InstrumentID], m)
	}
	for _, r := range rows {
		recorders[r.InstrumentID] = market.NewRecorder(r.InstrumentID, r.Currency, r.Session, days).After(former[r.InstrumentID])
	}
	for _, id := range ids {
		if _, known := recorders[id]; !known {
			recorders[id] = market.NewRecorder(id, "", nil, days)
		}
	}
	return recorders, nil
}

func loadRecordings(ctx context.Context, tx *numbered, ids []market.ID, byID map[market.ID]*observed) error {
	var rows []*recordingRow
	if err := tx.NewSelect().Model(&rows).Where("instrument_id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return err
	}
	for _, r := range rows {
		o := byID[r.InstrumentID]
		o.recording = new(market.Recording)
		if err := json.Unmarshal(r.Recording, o.recording); err != nil {
			return err
		}
	}
	return nil
}

func recordingOf(id market.ID, at *market.Recording) (*recordingRow, error) {
	text, err := json.Marshal(at)
	return &recordingRow{InstrumentID: id, Recording: text}, err
}

// record makes bars from the changes. Newer observations extend the recording; for any other
// change the days are recorded again.
func record(ctx context.Context, tx *numbered, postgres bool, all []*observed) error {
	var bars, gone, rates []*market.Bar
	var recordings []*recordingRow
	for _, o := range all {
		if !o.id.Market().Recorded() || len(o.changed) == 0 {
			continue
		}
		made, lost := o.record()
		bars, gone, rates = append(bars, made...), append(gone, lost...), append(rates, o.rateChanges()...)
		row, err := recordingOf(o.id, o.recording)
		if err != nil {
			return err
		}
		recordings = append(recordings, row)
	}
	if err := recordingTable.upsert(ctx, tx, postgres, recordings); err != nil {
		return err
	}
	return writeRecorded(ctx, tx, postgres, bars, gone, rates)
}

// writeRecorded writes recorded bars and deletes those that no longer exist; loaded bars do not
// change. It records the changes of rates together with theirs.
func writeRecorded(ctx context.Context, tx *numbered, postgres bool, bars, gone, rates []*market.Bar) error {
	var lost []*market.Bar
	for _, b := range gone {
		deleted, err := tx.NewDelete().Model((*barRow)(nil)).
			Where("instrument_id = ? AND resolution = ? AND t = ? AND recorded", b.InstrumentID, b.Resolution, b.T).Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := deleted.RowsAffected(); err != nil {
			return err
		} else if n > 0 {
			lost = append(lost, b)
		}
	}
	slices.SortFunc(bars, byBarKey)
	if err := recordedBars(tx).upsert(ctx, tx, postgres, bars); err != nil {
		return err
	}
	if err := noteBars(ctx, tx, postgres, slices.Concat(bars, gone, rates)...); err != nil {
		return err
	}
	return noteLostBars(ctx, tx, lost)
}

// record returns the bars that the instrument's changed observations change.
func (o *observed) record() (bars, gone []*market.Bar) {
	if o.recording == nil {
		o.recording = new(market.Recording)
	}
	if o.late {
		c := o.recorder.Correct(o.stored, o.changed)
		if !c.Day.Before(o.recording.Day) {
			*o.recording = c.Recording
		}
		return c.Bars, c.Gone
	}
	slices.SortFunc(o.changed, func(a, b *market.Observation) int { return a.AsOf.Time().Compare(b.AsOf.Time()) })
	samples := make([]market.Sample, 0, len(o.changed))
	for _, r := range o.changed {
		if s, ok := o.recorder.Sample(r); ok {
			samples = append(samples, s)
		}
	}
	return o.recorder.Record(o.recording, samples), nil
}
