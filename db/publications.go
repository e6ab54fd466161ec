package db

import (
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// publication is a filing of a company on the disclosure platform, with its consolidation.
type publication struct {
	DisclosureIndex int
	Symbol          string
	EndDate         value.Date
	Consolidation   kap.Consolidation
	PublishedAt     value.Instant
	Corrected       bool // by another filing
}

// publications are those of instruments with statements without a consolidation.
type publications map[market.ID][]*publication

// of returns the consolidation of what was published for the period of a statement by the time
// of its filing, the group's if both; empty: nothing, or the statement states it itself.
func (p publications) of(h *fundamentals.Heading) (of string) {
	if h.Consolidation != "" {
		return ""
	}
	for _, f := range p[h.InstrumentID] {
		if f.EndDate == h.EndDate && !f.Corrected && !f.PublishedAt.IsNull() && !f.PublishedAt.After(h.FiledAt) && of != string(kap.CS) {
			of = string(f.Consolidation)
		}
	}
	return of
}

// platformCodes returns the instruments of bist among statements without a consolidation, by
// their present and former codes.
func platformCodes(rows []*statementRow, renames []*market.Rename) map[string][]market.ID {
	before, codes := map[market.ID]market.ID{}, map[string][]market.ID{}
	seen := map[market.ID]bool{}
	for _, r := range renames {
		before[r.InstrumentID] = r.Predecessor
	}
	for _, r := range rows {
		if r.Consolidation == "" && r.InstrumentID.Market() == market.BIST && !seen[r.InstrumentID] {
			seen[r.InstrumentID] = true
			for id, n := r.InstrumentID, 0; id != "" && n <= len(before); id, n = before[id], n+1 {
				code := id.Stated().Symbol()
				codes[code] = append(codes[code], r.InstrumentID)
			}
		}
	}
	return codes
}

// publishedNow is publications.of in SQL, for a row of statements.
const publishedNow = `CASE WHEN consolidation = '' AND instrument_id LIKE 'bist:%' THEN COALESCE((
	SELECT MIN(f.consolidation) FROM filings AS f JOIN disclosures AS d ON d.disclosure_index = f.disclosure_index
	WHERE f.symbol IN (WITH RECURSIVE held(id) AS (SELECT statement_row.instrument_id
			UNION SELECT r.predecessor FROM renames AS r JOIN held ON r.instrument_id = held.id)
		SELECT SUBSTR(CASE WHEN id LIKE '%#%' THEN RTRIM(RTRIM(id, '0123456789'), '#') ELSE id END, 6) FROM held)
	AND f.end_date = statement_row.end_date AND d.published_at <= statement_row.filed_at
	AND NOT EXISTS (SELECT 1 FROM disclosures AS c JOIN filings AS x ON x.disclosure_index = c.disclosure_index
		WHERE c.related_index = f.disclosure_index AND c.published_at IS NOT NULL)), '') ELSE '' END`

// publicationsOf returns what the companies of statements had published as of the moment.
func (p *Past) publicationsOf(ctx context.Context, rows []*statementRow) (_ publications, err error) {
	codes := platformCodes(rows, p.renames)
	if len(codes) == 0 {
		return nil, nil
	}
	known, err := rowsAt(ctx, p, filings, nil, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.ExcludeColumn("balance_sheet", "income_statement", "cash_flow").
			Where("symbol IN (?)", bun.List(slices.Sorted(maps.Keys(codes))))
	})
	if err != nil || len(known) == 0 {
		return nil, err
	}
	by := map[int]*publication{}
	for _, f := range known {
		by[f.DisclosureIndex] = &publication{DisclosureIndex: f.DisclosureIndex, Symbol: f.Symbol, EndDate: f.EndDate,
			Consolidation: kap.Consolidation(f.Consolidation)}
	}
	var disclosed []*struct {
		DisclosureIndex int
		PublishedAt     value.Instant
		RelatedIndex    *int
	}
	ctx, done := p.followingMuch(ctx)
	defer done(&err)
	err = p.follow.NewSelect().TableExpr("disclosures").Column("disclosure_index", "published_at", "related_index").
		Where("disclosure_index IN (?) AND published_at <= ?", bun.List(slices.Sorted(maps.Keys(by))), p.at).Scan(ctx, &disclosed)
	for _, d := range disclosed {
		by[d.DisclosureIndex].PublishedAt = d.PublishedAt
		if d.RelatedIndex != nil && by[*d.RelatedIndex] != nil {
			by[*d.RelatedIndex].Corrected = true
		}
	}
	return arrangePublications(slices.Collect(maps.Values(by)), codes), err
}

func arrangePublications(found []*publication, codes map[string][]market.ID) publications {
	all := publications{}
	for _, f := range found {
		for _, id := range codes[f.Symbol] {
			all[id] = append(all[id], f)
		}
	}
	return all
}

// PublishedAfter returns the filing histories of companies with filings on the disclosure
// platform numbered above seq.
func (s *Store) PublishedAfter(ctx context.Context, seq int64) (keys []fundamentals.HistoryKey, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	var symbols []string
	if err := s.follow.NewSelect().TableExpr("filings").Distinct().Column("symbol").Where("seq > ?", seq).Scan(ctx, &symbols); err != nil {
		return nil, err
	}
	renamed, err := renames(ctx, s.follow)
	ids := map[market.ID]bool{}
	for _, symbol := range symbols {
		ids[market.BistID(symbol)] = true
	}
	for range renamed { // each leads one step further, in any order
		for _, r := range renamed {
			ids[r.InstrumentID] = ids[r.InstrumentID] || ids[r.Predecessor.Stated()]
		}
	}
	for some := range slices.Chunk(distinctIDs(ids), upsertChunk) {
		var rows []fundamentals.HistoryKey
		if err := s.follow.NewSelect().TableExpr("statements").Distinct().ColumnExpr("instrument_id AS company").Column("currency").
			Where("instrument_id IN (?)", bun.List(some)).Scan(ctx, &rows); err != nil {
			return nil, err
		}
		keys = append(keys, rows...)
	}
	return keys, err
}
