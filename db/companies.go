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
	feed:    FeedCompanies,
	columns: []string{"company_id"},
	key:     func(r *kap.CompanyRecord) string { return r.CompanyID },
	lookUp:  func(id string) any { return id },
	row: func(r *kap.CompanyRecord, seq int64) *companyRow {
		return &companyRow{CompanyID: r.CompanyID, Record: r, Seq: seq}
	},
	record: func(r *companyRow) *kap.CompanyRecord { return r.Record },
}

// Companies are all companies that file disclosures.
func (s *Store) Companies(ctx context.Context) ([]*kap.CompanyRecord, error) {
	return after(ctx, s, 0, companies.record)
}
