package db

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/maypok86/otter/v2"
	"github.com/uptrace/bun"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

type layoutRow struct {
	bun.BaseModel `bun:"table:statement_layouts"`
	Layout        string
	Lines         []fundamentals.Line
}

type statementRow struct {
	bun.BaseModel `bun:"table:statements"`
	fundamentals.Heading
	Layout  string
	Figures string
	Seq     int64
}

// filedRow is a statement, and the consolidation of what was published for its period.
type filedRow struct {
	bun.BaseModel `bun:"table:statements,alias:statement_row"`
	statementRow
	Published string `bun:",scanonly"` // see fundamentals.Filed
}

// filingKey identifies a statement.
type filingKey struct {
	fundamentals.HistoryKey
	fundamentals.Period
	filedAt       value.Instant
	consolidation string
}

// statements stores statements as rows; their layouts must be stored first.
var statements = table[statementRow, statementRow, filingKey]{
	feed:    FeedStatements,
	columns: []string{"instrument_id", "currency", "fiscal_year", "fiscal_month", "filed_at", "consolidation"},
	key: func(r *statementRow) filingKey {
		return filingKey{fundamentals.HistoryKey{Company: r.InstrumentID, Currency: r.Currency}, r.Period(), r.FiledAt,
			r.Consolidation}
	},
	lookUp:     func(k filingKey) any { return k.Company },
	remembered: true,
	published:  "filed_at",
	row: func(r *statementRow, seq int64) *statementRow {
		row := *r
		row.Seq = seq
		return &row
	},
	record: func(r *statementRow) *statementRow {
		row := *r
		row.Seq = 0 // it is no part of what was filed
		return &row
	},
}

// storeStatements stores the layouts that statements need, then the statements.
func storeStatements(ctx context.Context, tx *numbered, w writing, entries []entry[fundamentals.Statement]) error {
	layouts := map[string]*layoutRow{}
	rows := make([]entry[statementRow], len(entries))
	for i, e := range entries {
		if e.withdrawn {
			rows[i] = entry[statementRow]{&statementRow{Heading: e.record.Heading}, true, e.outcome}
			continue
		}
		lines := e.record.Lines()
		text, err := json.Marshal(lines)
		if err != nil {
			return err
		}
		digest := sha256.Sum256(text)
		id := hex.EncodeToString(digest[:16])
		layouts[id] = &layoutRow{Layout: id, Lines: lines}
		rows[i] = entry[statementRow]{&statementRow{Heading: e.record.Heading, Layout: id, Figures: e.record.Figures()}, false, e.outcome}
	}
	all := make([]*layoutRow, 0, len(layouts))
	for _, id := range slices.Sorted(maps.Keys(layouts)) { // in a fixed order, so that writers do not block each other
		all = append(all, layouts[id])
	}
	if len(all) > 0 {
		if _, err := tx.NewInsert().Model(&all).On("CONFLICT (layout) DO NOTHING").Returning("NULL").Exec(ctx); err != nil {
			return err
		}
	}
	return statements.store(ctx, tx, w, rows)
}

// Statements implements fundamentals.StatementStore. Lines that are not in memory take one more
// statement.
func (s *Store) Statements(ctx context.Context, keys []fundamentals.HistoryKey) (all map[fundamentals.HistoryKey][]*fundamentals.Filed,
	head int64, err error) {
	ctx, done := s.reading(ctx, FeedStatements)
	defer done(&err)
	if len(keys) == 0 {
		return nil, 0, nil
	}
	byCurrency := map[string][]market.ID{}
	for _, k := range keys {
		byCurrency[k.Currency] = append(byCurrency[k.Currency], k.Company)
	}
	var rows []*filedRow
	err = s.snapshot(ctx, FeedStatements, func(ctx context.Context, tx bun.Tx, last int64) error {
		head = last
		query := tx.NewSelect().Model(&rows).ExcludeColumn("seq").ColumnExpr(publishedNow + " AS published")
		for _, currency := range slices.Sorted(maps.Keys(byCurrency)) {
			query = query.WhereOr("currency = ? AND instrument_id IN (?)", currency, bun.List(byCurrency[currency]))
		}
		return query.Scan(ctx)
	})
	if err != nil {
		return nil, 0, err
	}
	all, err = s.filed(ctx, rows)
	return all, head, err
}

// filed returns statements with their lines, by company and currency.
func (s *Store) filed(ctx context.Context, rows []*filedRow) (map[fundamentals.HistoryKey][]*fundamentals.Filed, error) {
	layouts, err := s.layoutsOf(ctx, rows)
	if err != nil {
		return nil, err
	}
	all := map[fundamentals.HistoryKey][]*fundamentals.Filed{}
	for _, r := range rows {
		layout := layouts[r.Layout]
		if layout == nil { // the database has changed hosts between the reads
			return nil, fmt.Errorf("the lines of a statement of %s are not there", r.InstrumentID)
		}
		key := fundamentals.HistoryKey{Company: r.InstrumentID, Currency: r.Currency}
		all[key] = append(all[key], &fundamentals.Filed{Heading: r.Heading, Layout: layout, Figures: r.Figures,
			Published: r.Published})
	}
	return all, nil
}

// layoutCache keeps layouts, which never change, by their ids.
type layoutCache = otter.Cache[string, *fundamentals.Layout]

// maxKeptLines bounds the lines of kept layouts: enough for thousands of templates, and few
// compared with all filed lines.
const maxKeptLines = 500_000

func newLayoutCache() *layoutCache {
	return otter.Must(&otter.Options[string, *fundamentals.Layout]{
		MaximumWeight: maxKeptLines,
		Weigher:       func(_ string, l *fundamentals.Layout) uint32 { return 1 + uint32(len(l.Lines)) },
	})
}

// layoutsOf returns the layouts of statements by their ids.
func (s *Store) layoutsOf(ctx context.Context, rows []*filedRow) (map[string]*fundamentals.Layout, error) {
	ids := map[string]bool{}
	for _, r := range rows {
		ids[r.Layout] = true
	}
	return s.layouts.BulkGet(ctx, slices.Collect(maps.Keys(ids)), otter.BulkLoaderFunc[string, *fundamentals.Layout](s.readLayouts))
}

// readLayouts reads for all callers that wait for the same layouts, even if one of them goes
// away.
func (s *Store) readLayouts(ctx context.Context, ids []string) (_ map[string]*fundamentals.Layout, err error) {
	ctx, done := within(context.WithoutCancel(ctx), s.timeout)
	defer done(&err)
	var rows []*layoutRow
	if err := s.read.NewSelect().Model(&rows).Where("layout IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, err
	}
	read := make(map[string]*fundamentals.Layout, len(rows))
	for _, r := range rows {
		read[r.Layout] = fundamentals.NewLayout(r.Lines)
	}
	return read, nil
}

// HistoriesAfter returns the filing histories with statements numbered above seq.
func (s *Store) HistoriesAfter(ctx context.Context, seq int64) (_ []fundamentals.HistoryKey, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	var rows []struct {
		InstrumentID market.ID
		Currency     string
	}
	err = s.follow.NewSelect().TableExpr("statements").Distinct().Column("instrument_id", "currency").Where("seq > ?", seq).Scan(ctx, &rows)
	keys := make([]fundamentals.HistoryKey, len(rows))
	for i, r := range rows {
		keys[i] = fundamentals.HistoryKey{Company: r.InstrumentID, Currency: r.Currency}
	}
	return keys, err
}
