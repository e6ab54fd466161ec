package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/kap"
)

type companyRow struct {
	bun.BaseModel `bun:"table:companies"`
	CompanyID     string
	Record        *kap.CompanyRecord
	Seq           int64
}

var companies = table[kap.CompanyRecord, companyRow, string]{
	feed:       FeedCompanies,
	columns:    []string{"company_id"},
	key:        func(r *kap.CompanyRecord) string { return r.CompanyID },
	lookUp:     func(id string) any { return id },
	remembered: true,
	row: func(r *kap.CompanyRecord, seq int64) *companyRow {
		return &companyRow{CompanyID: r.CompanyID, Record: r, Seq: seq}
	},
	record: func(r *companyRow) *kap.CompanyRecord { return r.Record },
}

// companyCodeRow is a code that a company has or had; seq says when its record
// stated it last.
type companyCodeRow struct {
	bun.BaseModel `bun:"table:company_codes"`
	CompanyID     string
	Code          string
	Seq           int64
}

// storeCompanies stores companies and every code in their records, so that a company is also
// found by its former codes.
func storeCompanies(ctx context.Context, tx *numbered, w writing, entries []entry[kap.CompanyRecord]) error {
	if err := companies.store(ctx, tx, w, entries); err != nil {
		return err
	}
	at := map[kap.CodeHeld]int{}
	var rows []*companyCodeRow
	for _, e := range entries {
		if e.withdrawn || e.outcome.Result != Stored {
			continue
		}
		seq := tx.number(FeedCompanies)
		for _, code := range e.record.Codes {
			held := kap.CodeHeld{CompanyID: e.record.CompanyID, Code: code}
			i, ok := at[held]
			if !ok {
				i, at[held] = len(rows), len(rows)
				rows = append(rows, &companyCodeRow{CompanyID: held.CompanyID, Code: code})
			}
			rows[i].Seq = seq
		}
	}
	return upsert(ctx, tx, rows, "company_id", "code")
}

// Companies returns all companies that file disclosures.
func (s *Store) Companies(ctx context.Context) ([]*kap.CompanyRecord, error) {
	return after(ctx, s, 0, companies.record)
}

// CodesHeld returns the codes that companies have or had, the last one latest.
func (s *Store) CodesHeld(ctx context.Context) (_ []kap.CodeHeld, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	var rows []*companyCodeRow
	err = s.follow.NewSelect().Model(&rows).Order("seq", "company_id", "code").Scan(ctx)
	held := make([]kap.CodeHeld, len(rows))
	for i, r := range rows {
		held[i] = kap.CodeHeld{CompanyID: r.CompanyID, Code: r.Code}
	}
	return held, err
}
