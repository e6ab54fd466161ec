package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/kap"
)

type filingRow struct {
	bun.BaseModel `bun:"table:filings"`
	kap.FilingRecord
	Seq int64
}

var filings = table[kap.FilingRecord, filingRow, int]{
	feed:       FeedFilings,
	columns:    []string{"disclosure_index"},
	key:        func(r *kap.FilingRecord) int { return r.DisclosureIndex },
	lookUp:     func(index int) any { return index },
	remembered: true,
	described:  always, // with its disclosure
	row:        func(r *kap.FilingRecord, seq int64) *filingRow { return &filingRow{FilingRecord: *r, Seq: seq} },
	record:     func(r *filingRow) *kap.FilingRecord { return &r.FilingRecord },
}

// corrected selects the nearest filing that the disclosure d corrects, over corrections that
// have none themselves. It ends where disclosures correct each other in a circle.
const corrected = "WITH RECURSIVE earlier(number, step) AS (" +
	"SELECT d.related_index, 1 WHERE d.related_index IS NOT NULL AND (d.reason IS NULL OR d.reason <> ?) " +
	"UNION ALL SELECT e.related_index, step + 1 FROM earlier JOIN disclosures AS e ON e.disclosure_index = earlier.number " +
	"WHERE step < 100 AND e.related_index IS NOT NULL AND (e.reason IS NULL OR e.reason <> ?) " +
	"AND NOT EXISTS (SELECT 1 FROM filings AS x WHERE x.disclosure_index = earlier.number)) " +
	"SELECT x.disclosure_index FROM earlier JOIN filings AS x ON x.disclosure_index = earlier.number ORDER BY step LIMIT 1"

// FilingSummaries implements kap.Store with one statement.
func (s *Store) FilingSummaries(ctx context.Context, of []kap.Origin) ([]*kap.FilingSummary, error) {
	return s.filingSummaries(ctx, of, nil)
}

// filingSummaries does what FilingSummaries does, by what was published at a moment of the
// past, or now if it is nil.
func (s *Store) filingSummaries(ctx context.Context, of []kap.Origin, then *Past) (_ []*kap.FilingSummary, err error) {
	ctx, done := s.reading(ctx, FeedFilings)
	defer done(&err)
	if len(of) == 0 {
		return nil, nil
	}
	var heads []*kap.FilingSummary
	cancels := "c.related_index = f.disclosure_index AND c.reason = ?"
	if then != nil {
		cancels += s.read.NewRaw(" AND c.published_at <= ?", then.at).String()
	}
	query := s.read.NewSelect().TableExpr("filings AS f").Join("LEFT JOIN disclosures AS d ON d.disclosure_index = f.disclosure_index").
		ColumnExpr("f.disclosure_index, f.year, f.period, f.end_date, f.consolidation, f.seq, d.published_at").
		ColumnExpr("COALESCE(d.reason = ?, FALSE) OR EXISTS (SELECT 1 FROM disclosures AS c WHERE "+cancels+") AS cancelled",
			kap.Cancelled, kap.Cancelled).
		ColumnExpr("("+corrected+") AS corrects", kap.Cancelled, kap.Cancelled).
		Where("f.disclosure_index IN (?)", s.anyOf(of, "filings", "symbol"))
	if then != nil {
		query.Where("d.published_at <= ? OR d.published_at IS NULL AND f.seq <= ?", then.at, then.heads[FeedFilings])
	}
	err = query.Scan(ctx, &heads)
	return heads, err
}

// Filings returns the filings of these numbers, as filed, in no order.
func (s *Store) Filings(ctx context.Context, numbers []int) (_ []*kap.Filing, err error) {
	ctx, done := s.reading(ctx, FeedFilings)
	defer done(&err)
	var rows []*filingRow
	err = s.read.NewSelect().Model(&rows).Where("disclosure_index IN (?)", bun.List(numbers)).Scan(ctx)
	return records(rows, func(r *filingRow) *kap.Filing { return &r.Filing }), err
}
