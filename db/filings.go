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
	described:  always, // known with its disclosure
	row:        func(r *kap.FilingRecord, seq int64) *filingRow { return &filingRow{FilingRecord: *r, Seq: seq} },
	record:     func(r *filingRow) *kap.FilingRecord { return &r.FilingRecord },
}

// corrected selects the nearest filing that the disclosure d corrects, skipping corrections
// without a filing. is says whether the disclosure with the number earlier.number has one. It
// also ends if disclosures correct each other in a cycle.
func corrected(is string) string {
	return "WITH RECURSIVE earlier(number, step) AS (" +
		"SELECT d.related_index, 1 WHERE d.related_index IS NOT NULL AND (d.reason IS NULL OR d.reason <> ?0) " +
		"UNION ALL SELECT e.related_index, step + 1 FROM earlier JOIN disclosures AS e ON e.disclosure_index = earlier.number " +
		"WHERE step < 100 AND e.related_index IS NOT NULL AND (e.reason IS NULL OR e.reason <> ?0) " +
		"AND NOT " + is + ") SELECT earlier.number FROM earlier WHERE " + is + " ORDER BY step LIMIT 1"
}

// cancelled says whether the disclosure d cancels another one or is cancelled by one that c
// selects.
const cancelled = "COALESCE(d.reason = ?0, FALSE) OR EXISTS (SELECT 1 FROM disclosures AS c WHERE c.related_index = "

// FilingSummaries implements kap.Store with one statement.
func (s *Store) FilingSummaries(ctx context.Context, of []kap.Origin) (_ []*kap.FilingSummary, err error) {
	ctx, done := s.reading(ctx, FeedFilings)
	defer done(&err)
	if len(of) == 0 {
		return nil, nil
	}
	var heads []*kap.FilingSummary
	err = s.read.NewSelect().TableExpr("filings AS f").Join("LEFT JOIN disclosures AS d ON d.disclosure_index = f.disclosure_index").
		ColumnExpr("f.disclosure_index, f.year, f.period, f.end_date, f.consolidation, f.seq, d.published_at").
		ColumnExpr(cancelled+"f.disclosure_index AND c.reason = ?0) AS cancelled", kap.Cancelled).
		ColumnExpr("("+corrected("EXISTS (SELECT 1 FROM filings AS x WHERE x.disclosure_index = earlier.number)")+") AS corrects",
			kap.Cancelled).
		Where("f.disclosure_index IN (?)", s.anyOf(of, "filings", "symbol")).Scan(ctx, &heads)
	return heads, err
}

// Filings returns the filings of these numbers, as filed, unordered.
func (s *Store) Filings(ctx context.Context, numbers []int) (_ []*kap.Filing, err error) {
	ctx, done := s.reading(ctx, FeedFilings)
	defer done(&err)
	var rows []*filingRow
	err = s.read.NewSelect().Model(&rows).Where("disclosure_index IN (?)", bun.List(numbers)).Scan(ctx)
	return records(rows, func(r *filingRow) *kap.Filing { return &r.Filing }), err
}
