package db

import (
	"context"

	"piyasa/domain/market"
)

// Bars are the stored bars of an instrument from first to last, both included,
// by time.
func (s *Store) Bars(ctx context.Context, id market.ID, resolution market.Resolution, first, last market.Instant) ([]*market.Bar, error) {
	var rows []*barRow
	err := s.read.NewSelect().Model(&rows).
		Where("instrument_id = ? AND resolution = ? AND t BETWEEN ? AND ?", id, resolution, first, last).Order("t").Scan(ctx)
	return records(rows, func(r *barRow) *market.Bar { return &r.Bar }), err
}

// IndexBars are the stored days of an index from first to last, both included.
func (s *Store) IndexBars(ctx context.Context, code string, first, last market.Date) ([]*market.IndexBar, error) {
	var rows []*indexBarRow
	err := s.read.NewSelect().Model(&rows).Where("code = ? AND date BETWEEN ? AND ?", code, first, last).Order("date").Scan(ctx)
	return records(rows, func(r *indexBarRow) *market.IndexBar { return &r.IndexBar }), err
}
