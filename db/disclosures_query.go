package db

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/kap"
	"piyasa/internal/value"
)

// Disclosures returns the first q.Limit disclosures that q selects, in its order. It takes one
// statement unless it searches texts. Unless they are many, each origin's share comes in the
// order of an index. The few disclosures without a publication time, which no time range
// selects, are left out here: a share that left them out would read each row. More statements
// follow only if they made a page short.
func (s *Store) Disclosures(ctx context.Context, q kap.Query) (_ []*kap.Stored, err error) {
	ctx, done := s.reading(ctx, FeedDisclosures)
	defer done(&err)
	if q.Search != nil {
		return s.search(ctx, q)
	}
	part, without := q, func(r *disclosureRow) bool { return q.Dated() && r.PublishedAt.IsNull() }
	var found []*disclosureRow
	for {
		rows, err := s.somePage(ctx, part)
		if err != nil {
			return nil, err
		}
		ended := len(rows) < max(part.Limit, 1)
		if !ended {
			last := rows[len(rows)-1]
			part.After = &kap.Place{EffectiveAt: last.EffectiveAt, DisclosureIndex: last.DisclosureIndex}
			part.Limit = min(2*part.Limit, max(part.Limit, maxUndated))
		}
		found = append(found, slices.DeleteFunc(rows, without)...)
		if ended || len(found) >= q.Limit {
			return records(found[:min(len(found), q.Limit)], (*disclosureRow).listed), nil
		}
	}
}

// maxUndated is the most rows that one statement reads to find disclosures with a publication
// time.
const maxUndated = 2000

// somePage returns the first q.Limit disclosures that q selects, with those without a
// publication time.
func (s *Store) somePage(ctx context.Context, q kap.Query) (rows []*disclosureRow, err error) {
	sel := s.selecting(s.read.NewSelect().Model(&rows), q)
	if onePlan(q) {
		err = s.hot.scan(ctx, sel, &rows)
	} else {
		err = sel.Scan(ctx)
	}
	return rows, err
}

// selecting narrows sel to the first q.Limit disclosures that q selects, with those without a
// publication time.
func (s *Store) selecting(sel *bun.SelectQuery, q kap.Query) *bun.SelectQuery {
	sel = ordered(sel, "disclosure_row", q)
	switch {
	case q.Of == nil:
		return matching(sel, "disclosure_row", q)
	case len(q.Of.Origins) > maxShares:
		return matching(sel, "disclosure_row", q).Where("disclosure_row.disclosure_index IN (?)",
			s.anyOf(q.Of.Origins, "disclosure_codes", "code"))
	}
	return s.among(sel, s.shares(q))
}

// onePlan reports whether the best plan for q is the same for all its values: it follows one
// index along the order of q. Plans of other queries depend on how rare a type or class is.
func onePlan(q kap.Query) bool {
	if q.Of != nil {
		q.Type = nil // the codes' index has the type
	}
	return undated(q).ReachOnly()
}

// exceptType returns the query without its type.
func exceptType(q kap.Query) kap.Query {
	q.Type = nil
	return q
}

// undated returns the query without its time range, so that an index in its order is used.
func undated(q kap.Query) kap.Query {
	q.From, q.To = value.Instant{}, value.Instant{}
	return q
}

// listed returns the disclosure in the form of lists, with its newest number.
func (r *disclosureRow) listed() *kap.Stored {
	r.Seq = r.newest()
	return &r.Stored
}

// newest returns the newest number of the disclosure.
func (r *disclosureRow) newest() int64 {
	newest := r.Seq
	for _, seq := range []*int64{r.CompletedSeq, r.FilledSeq} {
		if seq != nil {
			newest = *seq
		}
	}
	return newest
}

// maxShares is the most origins that are looked up one by one; SQLite accepts at most 500
// selects at once.
const maxShares = 100

// among narrows sel to the disclosures of shares. On Postgres an OR, unlike an IN, leads to a
// bitmap of the rows: they are read in the order in which they are stored, several at once if
// they are not in memory.
func (s *Store) among(sel *bun.SelectQuery, shares []*bun.SelectQuery) *bun.SelectQuery {
	if !s.isPostgres() || len(shares) == 1 {
		return sel.Where("disclosure_row.disclosure_index IN (?)", united(shares))
	}
	return sel.Where("(disclosure_row.disclosure_index = ANY (ARRAY(?)) OR disclosure_row.disclosure_index = ANY (ARRAY(?)))",
		shares[0], united(shares[1:]))
}

// shares selects, for each origin of q, its first q.Limit disclosures.
func (s *Store) shares(q kap.Query) []*bun.SelectQuery {
	var selects []*bun.SelectQuery
	for _, o := range q.Of.Origins {
		share, table := s.read.NewSelect().TableExpr("disclosures AS d").ColumnExpr("d.disclosure_index").Where("d.company_id = ?",
			o.CompanyID), "d"
		rest := undated(q) // conditions on the disclosures
		if o.Code != "" {
			share, table = s.read.NewSelect().TableExpr("disclosure_codes AS c").ColumnExpr("c.disclosure_index").Where("c.code = ?",
				o.Code), "c"
			if q.Type != nil {
				share, rest = share.Where("c.type = ?", *q.Type), exceptType(q)
			}
			if o.Not != nil || !rest.ReachOnly() {
				share = share.Join("JOIN disclosures AS d ON d.disclosure_index = c.disclosure_index")
			}
			if o.Not != nil {
				share = share.Where(notOthers, bun.List(o.Not))
			}
		}
		share = ordered(matching(share, "d", rest), table, q)
		selects = append(selects, s.read.NewSelect().TableExpr("(?) AS share", share).Column("disclosure_index"))
	}
	return selects
}

// notOthers leaves out disclosures that other holders of a code filed.
const notOthers = "(d.company_id IS NULL OR d.company_id NOT IN (?))"

// anyOf selects the numbers of all disclosures of origins. There must be at least one. Codes
// are looked up in a column of table.
func (s *Store) anyOf(of []kap.Origin, table, column string) *bun.SelectQuery {
	var codes, companies []string
	var shared []kap.Origin // codes that others have had, too
	for _, o := range of {
		switch {
		case o.Code == "":
			companies = append(companies, o.CompanyID)
		case o.Not == nil:
			codes = append(codes, o.Code)
		default:
			shared = append(shared, o)
		}
	}
	var selects []*bun.SelectQuery
	if codes != nil {
		selects = append(selects, s.read.NewSelect().Table(table).Column("disclosure_index").Where("? IN (?)", bun.Ident(column),
			bun.List(codes)))
	}
	if companies != nil {
		selects = append(selects, s.read.NewSelect().Table("disclosures").Column("disclosure_index").Where("company_id IN (?)",
			bun.List(companies)))
	}
	if shared != nil {
		sel := s.read.NewSelect().TableExpr("? AS c",
			bun.Ident(table)).ColumnExpr("c.disclosure_index").Join("LEFT JOIN disclosures AS d ON d.disclosure_index = c.disclosure_index")
		for _, o := range shared {
			sel = sel.WhereOr("c.? = ? AND "+notOthers, bun.Ident(column), o.Code, bun.List(o.Not))
		}
		selects = append(selects, sel)
	}
	return united(selects)
}

func united(selects []*bun.SelectQuery) *bun.SelectQuery {
	for _, next := range selects[1:] {
		selects[0] = selects[0].UnionAll(next)
	}
	return selects[0]
}

// matching adds the conditions of q except its origins. table is the name of the disclosures.
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
	return sel
}

// ordered adds the order of q, the bounds along it, and its limit. table is the table whose
// index is followed.
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
		sel = sel.Where("(?.effective_at, ?.disclosure_index) "+beyond+" (?, ?)", name, name, q.After.EffectiveAt,
			number(q.After.DisclosureIndex))
	}
	return sel.OrderExpr("?.effective_at "+order+", ?.disclosure_index "+order, name, name).Limit(int64(q.Limit))
}

// newestShares is how many origins share a statement: SQLite accepts at most 500 selects at
// once.
const newestShares = 400

// NewestDisclosures implements kap.Store. All lists share one statement for
// every newestShares origins; each origin's share comes in the order of an index.
func (s *Store) NewestDisclosures(ctx context.Context, of [][]kap.Origin, first int) (_ [][]*kap.Stored, err error) {
	ctx, done := s.reading(ctx, FeedDisclosures)
	defer done(&err)
	origins := slices.SortedFunc(slices.Values(slices.Concat(of...)), compareOrigins)
	byCode, byCompany := map[string][]*kap.Stored{}, map[string][]*kap.Stored{}
	for some := range slices.Chunk(slices.CompactFunc(origins, func(a, b kap.Origin) bool { return compareOrigins(a, b) == 0 }),
		newestShares) {
		var rows []*disclosureRow
		shares := s.shares(kap.Query{Of: &kap.Reach{Origins: some}, Limit: first})
		if err := s.hot.scan(ctx, s.among(s.read.NewSelect().Model(&rows), shares), &rows); err != nil {
			return nil, err
		}
		for _, r := range rows {
			d := r.listed()
			for _, code := range d.Symbols {
				byCode[code] = append(byCode[code], d)
			}
			if d.CompanyID != nil {
				byCompany[*d.CompanyID] = append(byCompany[*d.CompanyID], d)
			}
		}
	}
	newest := make([][]*kap.Stored, len(of))
	for i, origins := range of {
		for _, o := range origins {
			if o.Code == "" {
				newest[i] = append(newest[i], byCompany[o.CompanyID]...)
			}
			for _, d := range byCode[o.Code] {
				if d.CompanyID == nil || !slices.Contains(o.Not, *d.CompanyID) {
					newest[i] = append(newest[i], d)
				}
			}
		}
		newest[i] = firstOf(newest[i], first)
	}
	return newest, nil
}

func compareOrigins(a, b kap.Origin) int {
	return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.CompanyID, b.CompanyID), slices.Compare(a.Not, b.Not))
}

// firstOf returns the newest of disclosures, each once.
func firstOf(of []*kap.Stored, n int) []*kap.Stored {
	slices.SortFunc(of, func(a, b *kap.Stored) int {
		return -cmp.Or(a.EffectiveAt.Time().Compare(b.EffectiveAt.Time()), cmp.Compare(a.DisclosureIndex, b.DisclosureIndex))
	})
	of = slices.CompactFunc(of, func(a, b *kap.Stored) bool { return a.DisclosureIndex == b.DisclosureIndex })
	return of[:min(n, len(of))]
}

// DisclosuresByNumber implements kap.Store with one statement.
func (s *Store) DisclosuresByNumber(ctx context.Context, numbers []int) (_ map[int]*kap.Stored, err error) {
	ctx, done := s.reading(ctx, FeedDisclosures)
	defer done(&err)
	rows, err := disclosureRows(ctx, s.hot.scan, s.read, numbers)
	found := make(map[int]*kap.Stored, len(rows))
	for _, r := range rows {
		found[r.DisclosureIndex] = r.listed()
	}
	return found, err
}

// DisclosureRecords implements kap.Store with two statements.
func (s *Store) DisclosureRecords(ctx context.Context, numbers []int) (_ map[int]*kap.Record, err error) {
	ctx, done := s.reading(ctx, FeedDisclosures)
	defer done(&err)
	_, found, err := disclosureRecords(ctx, s.hot.scan, s.read, numbers, "content")
	return found, err
}

// disclosureRows returns the stored rows of numbers.
func disclosureRows(ctx context.Context, scan scanner, db bun.IDB, numbers []int) (rows []*disclosureRow, err error) {
	err = scan(ctx, db.NewSelect().Model(&rows).Where("disclosure_index IN (?)", list(numbers)), &rows)
	return rows, err
}

// disclosureRecords returns the stored rows of numbers, and the records made of them and their
// parts without the columns of parts in leftOut.
func disclosureRecords(ctx context.Context, scan scanner, db bun.IDB, numbers []int, leftOut ...string) (map[int]*disclosureRow,
	map[int]*kap.Record, error) {
	rows, err := disclosureRows(ctx, scan, db, numbers)
	if err != nil {
		return nil, nil, err
	}
	byIndex, records := make(map[int]*disclosureRow, len(rows)), make(map[int]*kap.Record, len(rows))
	if len(rows) == 0 {
		return byIndex, records, nil
	}
	var parts []*partsRow
	if err := scan(ctx, db.NewSelect().Model(&parts).ExcludeColumn(leftOut...).Where("disclosure_index IN (?)", list(numbers)),
		&parts); err != nil {
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

// KnownDisclosures reports which of the numbers are stored.
func (s *Store) KnownDisclosures(ctx context.Context, numbers []int) (_ map[int]bool, err error) {
	ctx, done := s.reading(ctx, FeedDisclosures)
	defer done(&err)
	var stored []int
	if err := s.read.NewSelect().TableExpr("disclosures").Column("disclosure_index").Where("disclosure_index IN (?)",
		bun.List(numbers)).Scan(ctx, &stored); err != nil {
		return nil, err
	}
	known := make(map[int]bool, len(stored))
	for _, n := range stored {
		known[n] = true
	}
	return known, nil
}

// Contents implements kap.Store with one statement.
func (s *Store) Contents(ctx context.Context, numbers []int) (_ map[int]*kap.Content, err error) {
	ctx, done := s.reading(ctx, FeedDisclosures)
	defer done(&err)
	var rows []struct {
		DisclosureIndex               int
		BodyFormat, FileType, Content string
	}
	err = s.read.NewSelect().TableExpr("disclosure_parts AS p").Join("JOIN disclosures AS d ON d.disclosure_index = p.disclosure_index").
		ColumnExpr("p.disclosure_index, d.body_format, p.file_type, p.content").
		Where("p.disclosure_index IN (?) AND p.content IS NOT NULL", bun.List(numbers)).Scan(ctx, &rows)
	found := make(map[int]*kap.Content, len(rows))
	for _, r := range rows {
		found[r.DisclosureIndex] = &kap.Content{SourceFormat: r.BodyFormat, FileType: r.FileType, Content: []byte(r.Content)}
	}
	return found, err
}

// DisclosuresAfter returns the first limit disclosures for streams that were stored or
// completed after seq, up to and including head, in the order of these numbers.
func (s *Store) DisclosuresAfter(ctx context.Context, seq, head int64, limit int) (_ []*kap.Stored, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	return alongFeed(ctx, s.looks.scan, s.follow, streamedColumns, seq, head, limit,
		func(sel *bun.SelectQuery) *bun.SelectQuery { return sel.Where("live") })
}

// ChangedDisclosures implements kap.RecentStore.
func (s *Store) ChangedDisclosures(ctx context.Context, after, head int64, limit int) (_ []*kap.Stored, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	return alongFeed(ctx, s.looks.scan, s.follow, []bun.Ident{"seq", "completed_seq", "filled_seq"}, after, head, limit,
		func(sel *bun.SelectQuery) *bun.SelectQuery { return sel })
}

// streamedColumns are the numbers with which streams send a disclosure.
var streamedColumns = []bun.Ident{"seq", "completed_seq"}

// alongFeed returns the first limit disclosures that narrow selects and that have a number of
// the feed above after, up to upTo, in one of the columns, in the order of these numbers. A
// disclosure with several such numbers may come more than once; its Seq is the number of this
// occurrence. It takes one statement, in which each column's share comes in the order of an
// index.
func alongFeed(ctx context.Context, scan scanner, from *bun.DB, columns []bun.Ident, after, upTo int64, limit int,
	narrow func(*bun.SelectQuery) *bun.SelectQuery) ([]*kap.Stored, error) {
	var shares []*bun.SelectQuery
	for _, column := range columns {
		share := narrow(from.NewSelect().TableExpr("disclosures").ColumnExpr("disclosure_index, ? AS here_for", column)).
			Where("? > ? AND ? <= ?", column, number(after), column, number(upTo)).OrderExpr("?", column).Limit(int64(limit))
		shares = append(shares, from.NewSelect().TableExpr("(?) AS share", share).ColumnExpr("disclosure_index, here_for"))
	}
	var rows []*disclosureRow
	err := scan(ctx, from.NewSelect().Model(&rows).ColumnExpr("?TableColumns, n.here_for").
		Join("JOIN (?) AS n ON n.disclosure_index = disclosure_row.disclosure_index",
			united(shares)).OrderExpr("n.here_for").Limit(int64(limit)), &rows)
	return records(rows, func(r *disclosureRow) *kap.Stored {
		r.Seq = r.HereFor
		return &r.Stored
	}), err
}

// Replay returns the first r.Limit disclosures that r selects, in its order.
func (s *Store) Replay(ctx context.Context, r kap.Replay) (_ []*kap.Stored, err error) {
	ctx, done := s.reading(ctx, FeedDisclosures)
	defer done(&err)
	if r.BySeq {
		return alongFeed(ctx, atOnce, s.read, streamedColumns, r.After, r.UpToSeq, r.Limit, func(sel *bun.SelectQuery) *bun.SelectQuery {
			return s.selected(sel, r.Of)
		})
	}
	var rows []*disclosureRow
	// Back-filled disclosures (not live) never reach streams, so a replay by number includes
	// them. They do not come before live disclosures that are still to be published: a client
	// cut off after one would resume above those. With the + only the index by seq can be used.
	toCome := s.read.NewSelect().TableExpr("disclosures").ColumnExpr("MIN(+disclosure_index)").Where("seq > ? AND live", r.UpToSeq)
	err = s.selected(s.read.NewSelect().Model(&rows), r.Of).Where("disclosure_index > ?", r.After).
		Where("(seq <= ? OR NOT live AND disclosure_index < COALESCE((?), ?))",
			r.UpToSeq, toCome, math.MaxInt64).Order("disclosure_index").Limit(int64(r.Limit)).Scan(ctx)
	return records(rows, func(r *disclosureRow) *kap.Stored { return &r.Stored }), err
}

// selected adds the condition of a selection.
func (s *Store) selected(sel *bun.SelectQuery, of kap.Selection) *bun.SelectQuery {
	if of.All {
		return sel
	}
	return sel.WhereGroup(" AND ", func(either *bun.SelectQuery) *bun.SelectQuery {
		if len(of.Types) > 0 {
			either = either.WhereOr("type IN (?)", bun.List(of.Types))
		}
		if len(of.Codes) > 0 {
			either = either.WhereOr("disclosure_index IN (?)",
				s.read.NewSelect().TableExpr("disclosure_codes").Column("disclosure_index").Where("code IN (?)", bun.List(of.Codes)))
		}
		return either
	})
}
