package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

type metricsRow struct {
	bun.BaseModel `bun:"table:market_metrics"`
	fundamentals.Metrics
	Seq int64
}

// companyDay is the key of market metrics.
type companyDay struct {
	company market.ID
	date    value.Date
}

var marketMetrics = table[fundamentals.Metrics, metricsRow, companyDay]{
	feed:    FeedMetrics,
	columns: []string{"instrument_id", "date"},
	key:     func(r *fundamentals.Metrics) companyDay { return companyDay{r.InstrumentID, r.Date} },
	lookUp:  func(k companyDay) any { return k.company },
	narrow: func(q *bun.SelectQuery, entries []entry[fundamentals.Metrics]) {
		first, last := rangeOf(entries, func(r *fundamentals.Metrics) value.Date { return r.Date })
		q.Where("date BETWEEN ? AND ?", first, last)
	},
	row:        func(r *fundamentals.Metrics, seq int64) *metricsRow { return &metricsRow{Metrics: *r, Seq: seq} },
	record:     func(r *metricsRow) *fundamentals.Metrics { return &r.Metrics },
	asOf:       func(r *fundamentals.Metrics) value.Instant { return r.AsOf },
	remembered: true,
	published:  "as_of",
}

// NewestMetrics returns the newest metrics of every company that has metrics numbered above
// seq.
func (s *Store) NewestMetrics(ctx context.Context, seq int64) (_ []*fundamentals.Metrics, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	var rows []*metricsRow
	err = s.follow.NewSelect().Model(&rows).
		Where("(instrument_id, date) IN (SELECT instrument_id, max(date) FROM market_metrics WHERE instrument_id IN (SELECT instrument_id "+
			"FROM market_metrics WHERE seq > ?) GROUP BY instrument_id)", seq).
		Scan(ctx)
	return records(rows, marketMetrics.record), err
}

// Metrics implements fundamentals.MetricsStore with one statement.
func (s *Store) Metrics(ctx context.Context, ids []market.ID, first, last value.Date) (_ [][]*fundamentals.Metrics, err error) {
	ctx, done := s.reading(ctx, FeedMetrics)
	defer done(&err)
	all := make([][]*fundamentals.Metrics, len(ids))
	if len(ids) == 0 {
		return all, nil
	}
	var rows []*metricsRow
	if err := s.read.NewSelect().Model(&rows).
		Where("instrument_id IN (?) AND date BETWEEN ? AND ?", bun.List(ids), first, last).Order("date").Scan(ctx); err != nil {
		return nil, err
	}
	byID := make(map[market.ID][]*fundamentals.Metrics, len(ids))
	for _, r := range rows {
		byID[r.InstrumentID] = append(byID[r.InstrumentID], &r.Metrics)
	}
	for i, id := range ids {
		all[i] = byID[id]
	}
	return all, nil
}
