package db

import (
	"cmp"
	"context"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
)

type barRow struct {
	bun.BaseModel `bun:"table:bars"`
	market.Bar
}

type indexBarRow struct {
	bun.BaseModel `bun:"table:index_bars"`
	market.IndexBar
}

// series is a run of bars that one query reads.
type series struct {
	id         market.ID
	resolution market.Resolution
}

// span is the first and the last bar of a series in a batch.
type span struct{ first, last market.Instant }

// barKey tells bars apart.
type barKey struct {
	series
	t market.Instant
}

// storeBars replaces the bars that differ from what is stored.
func storeBars(ctx context.Context, tx *numbered, w writing, entries []entry[market.Bar]) error {
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
		if err := tx.NewSelect().Model(&rows).Where("instrument_id = ? AND resolution = ? AND t BETWEEN ? AND ? AND NOT recorded", of.id, of.resolution, s.first, s.last).Scan(ctx); err != nil {
			return err
		}
		for _, r := range rows {
			stored[barKey{of, r.T}] = &r.Bar
		}
	}
	key := func(b *market.Bar) barKey { return barKey{series{b.InstrumentID, b.Resolution}, b.T} }
	changed := changes(entries, stored, key, (*market.Bar).Same, nil)
	slices.SortFunc(changed, byBarKey)
	if err := noteBars(ctx, tx, changed...); err != nil {
		return err
	}
	return loadedBars.upsert(ctx, tx, w.postgres, changed)
}

// byBarKey is the order of the table, in which writing is fastest.
func byBarKey(a, b *market.Bar) int {
	return cmp.Or(cmp.Compare(a.InstrumentID, b.InstrumentID), cmp.Compare(a.Resolution, b.Resolution), a.T.Time().Compare(b.T.Time()))
}

// Loaded bars replace what is there; recorded ones leave loaded ones alone.
var (
	loadedBars   = bulkTable[market.Bar]{name: "bars", key: barKeyColumns, columns: barColumns(false)}
	recordedBars = bulkTable[market.Bar]{name: "bars", key: barKeyColumns, columns: barColumns(true), where: "bars.recorded"}
)

var barKeyColumns = []string{"instrument_id", "resolution", "t"}

func barColumns(recorded bool) []bulkColumn[market.Bar] {
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
	}
}

// indexDay tells index bars apart.
type indexDay struct {
	code string
	date market.Date
}

// storeIndexBars replaces the index bars that differ from what is stored.
func storeIndexBars(ctx context.Context, tx *numbered, _ writing, entries []entry[market.IndexBar]) error {
	first, last := entries[0].record.Date, entries[0].record.Date
	var codes []string
	for _, e := range entries {
		if e.record.Date.Before(first) {
			first = e.record.Date
		}
		if last.Before(e.record.Date) {
			last = e.record.Date
		}
		if !slices.Contains(codes, e.record.Code) {
			codes = append(codes, e.record.Code)
		}
	}
	var known []*indexBarRow
	if err := tx.NewSelect().Model(&known).Where("code IN (?) AND date BETWEEN ? AND ?", bun.List(codes), first, last).Scan(ctx); err != nil {
		return err
	}
	key := func(b *market.IndexBar) indexDay { return indexDay{b.Code, b.Date} }
	stored := map[indexDay]*market.IndexBar{}
	for _, r := range known {
		stored[key(&r.IndexBar)] = &r.IndexBar
	}
	changed := changes(entries, stored, key, func(a, b *market.IndexBar) bool { return *a == *b }, nil)
	if len(changed) == 0 {
		return nil
	}
	rows, changedCodes := make([]*indexBarRow, len(changed)), make([]string, len(changed))
	for i, b := range changed {
		rows[i], changedCodes[i] = &indexBarRow{IndexBar: *b}, b.Code
	}
	if err := noteSubjects(ctx, tx, changedCodes); err != nil {
		return err
	}
	return upsert(ctx, tx, rows, "code", "date")
}
