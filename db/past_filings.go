package db

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/uptrace/bun"

	"piyasa/domain/kap"
)

// FilingSummaries implements kap.Store.
func (p *Past) FilingSummaries(ctx context.Context, of []kap.Origin) (_ []*kap.FilingSummary, err error) {
	if len(of) == 0 {
		return nil, nil
	}
	known, err := rowsAt(ctx, p, filings, nil, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.ExcludeColumn("balance_sheet", "income_statement", "cash_flow").
			Where("disclosure_index IN (?)", p.anyOf(of, "filings", "symbol"))
	})
	if err != nil || len(known) == 0 {
		return nil, err
	}
	ctx, done := p.reading(ctx, FeedFilings)
	defer done(&err)
	numbers := make([]int, len(known))
	for i, f := range known {
		numbers[i] = f.DisclosureIndex
	}
	var disclosed []*struct {
		kap.FilingSummary
		CompanyID *string
	}
	err = p.read.NewSelect().TableExpr("disclosures AS d").ColumnExpr("d.disclosure_index, d.published_at, d.company_id").
		ColumnExpr(cancelled+"d.disclosure_index AND c.reason = ?0 AND c.published_at <= ?1) AS cancelled", kap.Cancelled, p.at).
		ColumnExpr("("+corrected("earlier.number IN (?1)")+") AS corrects", kap.Cancelled, bun.List(numbers)).
		Where("d.disclosure_index IN (?)", bun.List(numbers)).Scan(ctx, &disclosed)
	if err != nil {
		return nil, err
	}
	by := map[int]int{}
	for i, d := range disclosed {
		by[d.DisclosureIndex] = i
	}
	var all []*kap.FilingSummary
	for _, f := range known {
		h, company := &kap.FilingSummary{DisclosureIndex: f.DisclosureIndex}, (*string)(nil)
		if i, ok := by[f.DisclosureIndex]; ok {
			h, company = &disclosed[i].FilingSummary, disclosed[i].CompanyID
		}
		if h.PublishedAt.After(p.at) || h.PublishedAt.IsNull() && f.Seq > p.heads[FeedFilings] || !reached(of, f.Symbol, company) {
			continue
		}
		h.Year, h.Period, h.EndDate, h.Consolidation, h.Seq = f.Year, f.Period, f.EndDate, kap.Consolidation(f.Consolidation), f.Seq
		all = append(all, h)
	}
	return all, nil
}

// reached reports whether origins select a filing of a code whose disclosure is of company
// (nil: not known), by the rules of anyOf.
func reached(of []kap.Origin, code string, company *string) bool {
	return slices.ContainsFunc(of, func(o kap.Origin) bool {
		if o.Code == "" {
			return company != nil && *company == o.CompanyID
		}
		return o.Code == code && (company == nil || !slices.Contains(o.Not, *company))
	})
}

// Filings implements kap.Store.
func (p *Past) Filings(ctx context.Context, numbers []int) ([]*kap.Filing, error) {
	subjects := make([]string, len(numbers))
	for i, n := range numbers {
		subjects[i] = strconv.Itoa(n)
	}
	rows, err := rowsAt(ctx, p, filings, subjects, nil)
	return records(rows, func(r *filingRow) *kap.Filing { return &r.Filing }), err
}

// Companies returns all companies that file disclosures.
func (p *Past) Companies(ctx context.Context) ([]*kap.CompanyRecord, error) {
	return recordsAt(ctx, p, companies, nil)
}

// CodesHeld returns the codes that companies had or have as of the moment, the last one latest.
func (p *Past) CodesHeld(ctx context.Context) (_ []kap.CodeHeld, err error) {
	ctx, done := p.followingMuch(ctx)
	defer done(&err)
	var codes []*companyCodeRow
	var replaced []*supersededRow
	head := p.heads[FeedCompanies]
	if err := cmp.Or(p.follow.NewSelect().Model(&codes).Where("seq <= ?", head).Scan(ctx), p.follow.NewSelect().Model(&replaced).
		Where("of_table = 'companies' AND version <= ?", head).Scan(ctx)); err != nil {
		return nil, err
	}
	for _, r := range replaced {
		row, err := unpackRow[companyRow](r.Record)
		if err != nil {
			return nil, err
		}
		for _, code := range row.Record.Codes {
			codes = append(codes, &companyCodeRow{CompanyID: row.CompanyID, Code: code, Seq: r.Version})
		}
	}
	slices.SortFunc(codes, func(a, b *companyCodeRow) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.CompanyID, b.CompanyID), cmp.Compare(a.Code, b.Code))
	})
	held := make([]kap.CodeHeld, len(codes))
	for i, r := range codes {
		held[i] = kap.CodeHeld{CompanyID: r.CompanyID, Code: r.Code}
	}
	return held, nil
}
