package db

import (
	"context"
	"database/sql"
	"errors"

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

// Disclosure is everything but the body of one disclosure, or nil; its body
// then has no content, only its formats.
func (s *Store) Disclosure(ctx context.Context, index int) (*kap.Record, error) {
	row, parts := new(disclosureRow), new(partsRow)
	err := s.read.NewSelect().Model(row).Where("disclosure_index = ?", index).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = s.read.NewSelect().Model(parts).ExcludeColumn("content").Where("disclosure_index = ?", index).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return row.record(nil), nil
	}
	return row.record(parts), err
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

// Content is the body of a disclosure, or nil.
func (s *Store) Content(ctx context.Context, index int) (*kap.Content, error) {
	var content kap.Content
	var text *string
	err := s.read.NewSelect().TableExpr("disclosure_parts AS p").Join("JOIN disclosures AS d ON d.disclosure_index = p.disclosure_index").
		ColumnExpr("d.body_format, p.file_type, p.content").Where("p.disclosure_index = ? AND p.content IS NOT NULL", index).
		Scan(ctx, &content.SourceFormat, &content.FileType, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	content.Content = []byte(*text)
	return &content, nil
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
