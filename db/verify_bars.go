package db

import (
	"cmp"
	"context"
	"slices"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// checkBars records the kept observations again, instrument by instrument, and compares the
// bars.
func (v *verifier) checkBars(ctx context.Context) error {
	kept, err := keptSince(ctx, v.tx)
	if err != nil {
		return err
	}
	last := market.ID("")
	for {
		var ids []market.ID
		if err := v.tx.NewRaw("SELECT instrument_id FROM recordings WHERE instrument_id > ? AND instrument_id NOT IN "+
			"(SELECT instrument_id "+
			"FROM record_anew) ORDER BY instrument_id LIMIT ?",
			last, verifyChunk).Scan(ctx, &ids); err != nil || len(ids) == 0 {
			return err
		}
		recorders, err := loadRecorders(ctx, v.tx, ids)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if v.skip[id] || id.IsFormer() {
				continue
			}
			if err := v.checkBarsOf(ctx, id, recorders[id], kept[id.Market()]); err != nil {
				return err
			}
			v.Recordings++
		}
		last = ids[len(ids)-1]
	}
}

func (v *verifier) checkBarsOf(ctx context.Context, id market.ID, r market.Recorder, since value.Instant) error {
	_, differ, gone, err := compareRecorded(ctx, v.tx, id, r, since)
	if err != nil {
		return err
	}
	byTime := func(a, b *market.Bar) int {
		return cmp.Or(a.T.Time().Compare(b.T.Time()), cmp.Compare(a.Resolution, b.Resolution))
	}
	slices.SortFunc(differ, byTime)
	slices.SortFunc(gone, byTime)
	for _, b := range differ[:min(len(differ), maxFindings)] {
		var recorded []bool // whether the stored bar in its place, if any, is recorded
		if err := v.tx.NewSelect().TableExpr("bars").Column("recorded").Where("instrument_id = ? AND resolution = ? AND t = ?",
			id, b.Resolution, b.T).Scan(ctx, &recorded); err != nil {
			return err
		}
		switch {
		case len(recorded) == 0:
			v.finding("bars", string(id), "the %s bar of %s is missing, which its observations make", b.Resolution, b.T)
		case recorded[0]: // otherwise a loaded bar has replaced it
			v.finding("bars", string(id), "the %s bar of %s is not the one that its observations make", b.Resolution, b.T)
		}
	}
	for _, b := range gone[:min(len(gone), maxFindings)] {
		v.finding("bars", string(id), "no observation makes the %s bar of %s", b.Resolution, b.T)
	}
	return nil
}
