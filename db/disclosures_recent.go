package db

import (
	"context"
	"database/sql"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/kap"
)

// RecentDisclosures implements kap.RecentStore with two statements for every
// newestShares groups, in one transaction.
func (s *Store) RecentDisclosures(ctx context.Context, of []kap.Group, first int) (lists [][]*kap.Stored, head int64, err error) {
	ctx, done := s.reading(ctx, FeedDisclosures)
	defer done(&err)
	lists = make([][]*kap.Stored, 0, len(of))
	err = s.snapshot(ctx, FeedDisclosures, func(ctx context.Context, tx bun.Tx, last int64) error {
		head = last
		for some := range slices.Chunk(of, newestShares) {
			rows, err := s.newestOf(ctx, tx, some, first)
			if err != nil {
				return err
			}
			lists = append(lists, rows...)
		}
		return nil
	})
	return lists, head, err
}

func (s *Store) newestOf(ctx context.Context, tx bun.Tx, of []kap.Group, first int) ([][]*kap.Stored, error) {
	selects := make([]*bun.SelectQuery, len(of))
	for i, g := range of {
		q := kap.Query{Limit: first}
		share, table := s.read.NewSelect().TableExpr("disclosures AS d").ColumnExpr("d.disclosure_index"), "d"
		switch {
		case g.Code != "":
			share, table = s.read.NewSelect().TableExpr("disclosure_codes AS c").ColumnExpr("c.disclosure_index").Where("c.code = ?",
				g.Code), "c"
		case g.CompanyID != "":
			share = share.Where("d.company_id = ?", g.CompanyID)
		case g.Type != "":
			share = share.Where("d.type = ?", g.Type)
		}
		selects[i] = s.read.NewSelect().TableExpr("(?) AS share", ordered(share, table, q)).Column("disclosure_index")
	}
	var rows []*disclosureRow
	if err := s.among(tx.NewSelect().Model(&rows), selects).Scan(ctx); err != nil {
		return nil, err
	}
	byGroup := map[kap.Group][]*kap.Stored{}
	for _, r := range rows {
		d := r.listed()
		for _, g := range d.Groups() {
			byGroup[g] = append(byGroup[g], d)
		}
	}
	lists := make([][]*kap.Stored, len(of))
	for i, g := range of {
		lists[i] = firstOf(byGroup[g], first)
	}
	return lists, nil
}

// oneMoment returns the options of a transaction whose reads all see one moment.
func (s *Store) oneMoment() *sql.TxOptions {
	if s.isPostgres() {
		return &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	return &sql.TxOptions{}
}

// snapshot runs reads that all see one moment, and gives them the last number of a feed at that
// moment.
func (s *Store) snapshot(ctx context.Context, feed string, read func(ctx context.Context, tx bun.Tx, head int64) error) error {
	return s.read.RunInTx(ctx, s.oneMoment(), func(ctx context.Context, tx bun.Tx) error {
		var head int64
		if err := tx.NewSelect().Table("heads").Column("seq").Where("feed = ?", feed).Scan(ctx, &head); err != nil {
			return err
		}
		return read(ctx, tx, head)
	})
}
