package db

import (
	"cmp"
	"context"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/kap"
)

// Disclosures are the first q.Limit disclosures that q selects, in its order.
// It takes one statement; with codes, unless they are many, each code's share
// comes in the order of an index.
func (s *Store) Disclosures(ctx context.Context, q kap.Query) ([]*kap.Stored, error) {
	var rows []*disclosureRow
	sel := ordered(s.read.NewSelect().Model(&rows), "disclosure_row", q)
	switch {
	case q.Codes == nil:
		sel = matching(sel, "disclosure_row", q)
	case len(q.Codes) > maxShares:
		sel = matching(sel, "disclosure_row", q).Where("disclosure_row.disclosure_index IN (?)",
			s.read.NewSelect().TableExpr("disclosure_codes").Column("disclosure_index").Where("code IN (?)", bun.List(q.Codes)))
	default:
		sel = sel.Where("disclosure_row.disclosure_index IN (?)", s.ofCodes(q))
	}
	err := sel.Scan(ctx)
	return records(rows, func(r *disclosureRow) *kap.Stored { return &r.Stored }), err
}

// maxShares is how many codes are looked up one by one; SQLite takes no more
// than 500 selects at once.
const maxShares = 100

// ofCodes selects, for each code of q, its first q.Limit disclosures.
func (s *Store) ofCodes(q kap.Query) *bun.SelectQuery {
	var all *bun.SelectQuery
	for _, code := range q.Codes {
		share := s.read.NewSelect().TableExpr("disclosure_codes AS c").ColumnExpr("c.disclosure_index").Where("c.code = ?", code)
		if !q.CodesOnly() {
			share = matching(share.Join("JOIN disclosures AS d ON d.disclosure_index = c.disclosure_index"), "d", q)
		}
		share = s.read.NewSelect().TableExpr("(?) AS share", ordered(share, "c", q)).Column("disclosure_index")
		if all == nil {
			all = share
		} else {
			all = all.UnionAll(share)
		}
	}
	return all
}

// matching adds the conditions of q other than its codes; table is the name of
// the disclosures.
func matching(sel *bun.SelectQuery, table string, q kap.Query) *bun.SelectQuery {
	where := func(condition string, value any) { sel = sel.Where("?."+condition, bun.Ident(table), value) }
	if q.Type != nil {
		where("type = ?", *q.Type)
	}
	if q.Class != nil {
		where("class = ?", *q.Class)
	}
	if q.Reason != nil {
		where("reason = ?", *q.Reason)
	}
	if q.CompanyID != nil {
		where("company_id = ?", *q.CompanyID)
	}
	if !q.From.IsNull() || !q.To.IsNull() {
		sel = sel.Where("?.published_at IS NOT NULL", bun.Ident(table))
	}
	return sel
}

// ordered adds the order, the bounds along it, and the limit of q; table is
// the name of the table whose index is to be followed.
func ordered(sel *bun.SelectQuery, table string, q kap.Query) *bun.SelectQuery {
	name := bun.Ident(table)
	if !q.From.IsNull() {
		sel = sel.Where("?.effective_at >= ?", name, q.From)
	}
	if !q.To.IsNull() {
		sel = sel.Where("?.effective_at <= ?", name, q.To)
	}
	order, beyond := "DESC", "<"
	if q.Ascending {
		order, beyond = "ASC", ">"
	}
	if q.After != nil {
		sel = sel.Where("(?.effective_at, ?.disclosure_index) "+beyond+" (?, ?)", name, name, q.After.EffectiveAt, q.After.DisclosureIndex)
	}
	return sel.OrderExpr("?.effective_at "+order+", ?.disclosure_index "+order, name, name).Limit(int64(q.Limit))
}

// NewestDisclosures implements kap.Store. All lists share one statement for
// every newestShares codes; each code's share comes in the order of an index.
func (s *Store) NewestDisclosures(ctx context.Context, of [][]string, first int) ([][]*kap.Stored, error) {
	codes := slices.Concat(of...)
	slices.Sort(codes)
	byCode := map[string][]*kap.Stored{}
	for some := range slices.Chunk(slices.Compact(codes), newestShares) {
		var rows []*disclosureRow
		err := s.read.NewSelect().Model(&rows).Where("disclosure_row.disclosure_index IN (?)", s.ofCodes(kap.Query{Codes: some, Limit: first})).Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			for _, code := range r.Symbols {
				byCode[code] = append(byCode[code], &r.Stored)
			}
		}
	}
	newest := make([][]*kap.Stored, len(of))
	for i, codes := range of {
		for _, code := range codes {
			newest[i] = append(newest[i], byCode[code]...)
		}
		newest[i] = firstOf(newest[i], first)
	}
	return newest, nil
}

// newestShares is how many codes share a statement: SQLite takes no more than
// 500 selects at once.
const newestShares = 400

// firstOf are the newest of disclosures, each once.
func firstOf(of []*kap.Stored, n int) []*kap.Stored {
	slices.SortFunc(of, func(a, b *kap.Stored) int {
		return -cmp.Or(a.EffectiveAt.Time().Compare(b.EffectiveAt.Time()), cmp.Compare(a.DisclosureIndex, b.DisclosureIndex))
	})
	of = slices.CompactFunc(of, func(a, b *kap.Stored) bool { return a.DisclosureIndex == b.DisclosureIndex })
	return of[:min(n, len(of))]
}

// DisclosuresByNumber implements kap.Store with one statement.
func (s *Store) DisclosuresByNumber(ctx context.Context, numbers []int) (map[int]*kap.Disclosure, error) {
	rows, err := disclosureRows(ctx, s.read, numbers)
	found := make(map[int]*kap.Disclosure, len(rows))
	for _, r := range rows {
		found[r.DisclosureIndex] = &r.Disclosure
	}
	return found, err
}

// DisclosureRecords implements kap.Store with two statements.
func (s *Store) DisclosureRecords(ctx context.Context, numbers []int) (map[int]*kap.Record, error) {
	_, found, err := disclosureRecords(ctx, s.read, numbers, "content")
	return found, err
}

// disclosureRows are the stored rows of numbers.
func disclosureRows(ctx context.Context, db bun.IDB, numbers []int) (rows []*disclosureRow, err error) {
	err = db.NewSelect().Model(&rows).Where("disclosure_index IN (?)", bun.List(numbers)).Scan(ctx)
	return rows, err
}

// disclosureRecords are the stored rows of numbers and the records they make
// with their parts, but for the columns of the parts that are left out.
func disclosureRecords(ctx context.Context, db bun.IDB, numbers []int, leftOut ...string) (map[int]*disclosureRow, map[int]*kap.Record, error) {
	rows, err := disclosureRows(ctx, db, numbers)
	if err != nil {
		return nil, nil, err
	}
	byIndex, records := make(map[int]*disclosureRow, len(rows)), make(map[int]*kap.Record, len(rows))
	if len(rows) == 0 {
		return byIndex, records, nil
	}
	var parts []*partsRow
	if err := db.NewSelect().Model(&parts).ExcludeColumn(leftOut...).Where("disclosure_index IN (?)", bun.List(numbers)).Scan(ctx); err != nil {
		return nil, nil, err
	}
	partsOf := make(map[int]*partsRow, len(parts))
	for _, p := range parts {
		partsOf[p.DisclosureIndex] = p
	}
	for _, r := range rows {
		byIndex[r.DisclosureIndex], records[r.DisclosureIndex] = r, r.record(partsOf[r.DisclosureIndex])
	}
	return byIndex, records, nil
}

// KnownDisclosures says which of the numbers are stored.
func (s *Store) KnownDisclosures(ctx context.Context, numbers []int) (map[int]bool, error) {
	var stored []int
	if err := s.read.NewSelect().TableExpr("disclosures").Column("disclosure_index").Where("disclosure_index IN (?)", bun.List(numbers)).Scan(ctx, &stored); err != nil {
		return nil, err
	}
	known := make(map[int]bool, len(stored))
	for _, n := range stored {
		known[n] = true
	}
	return known, nil
}

// Contents implements kap.Store with one statement.
func (s *Store) Contents(ctx context.Context, numbers []int) (map[int]*kap.Content, error) {
	var rows []struct {
		DisclosureIndex               int
		BodyFormat, FileType, Content string
	}
	err := s.read.NewSelect().TableExpr("disclosure_parts AS p").Join("JOIN disclosures AS d ON d.disclosure_index = p.disclosure_index").
		ColumnExpr("p.disclosure_index, d.body_format, p.file_type, p.content").
		Where("p.disclosure_index IN (?) AND p.content IS NOT NULL", bun.List(numbers)).Scan(ctx, &rows)
	found := make(map[int]*kap.Content, len(rows))
	for _, r := range rows {
		found[r.DisclosureIndex] = &kap.Content{SourceFormat: r.BodyFormat, FileType: r.FileType, Content: []byte(r.Content)}
	}
	return found, err
}

// DisclosuresAfter are the first limit disclosures for streams that were
// stored after seq, up to and including head, in the order of storing.
func (s *Store) DisclosuresAfter(ctx context.Context, seq, head int64, limit int) ([]*kap.Stored, error) {
	var rows []*disclosureRow
	err := s.read.NewSelect().Model(&rows).Where("seq > ? AND seq <= ? AND live", seq, head).Order("seq").Limit(int64(limit)).Scan(ctx)
	return records(rows, func(r *disclosureRow) *kap.Stored { return &r.Stored }), err
}

// Replay are the first r.Limit disclosures that r selects, in its order.
func (s *Store) Replay(ctx context.Context, r kap.Replay) ([]*kap.Stored, error) {
	var rows []*disclosureRow
	sel := s.read.NewSelect().Model(&rows).Limit(int64(r.Limit))
	if r.BySeq {
		sel = sel.Where("seq > ? AND seq <= ?", r.After, r.UpTo).Order("seq")
	} else { // what is no news now will never be: it comes here or not at all
		sel = sel.Where("disclosure_index > ? AND (seq <= ? OR NOT live)", r.After, r.UpTo).Order("disclosure_index")
	}
	if !r.Of.All {
		sel = sel.WhereGroup(" AND ", func(either *bun.SelectQuery) *bun.SelectQuery {
			if len(r.Of.Types) > 0 {
				either = either.WhereOr("type IN (?)", bun.List(r.Of.Types))
			}
			if len(r.Of.Codes) > 0 {
				either = either.WhereOr("disclosure_index IN (?)", s.read.NewSelect().TableExpr("disclosure_codes").Column("disclosure_index").Where("code IN (?)", bun.List(r.Of.Codes)))
			}
			return either
		})
	}
	err := sel.Scan(ctx)
	return records(rows, func(r *disclosureRow) *kap.Stored { return &r.Stored }), err
}
