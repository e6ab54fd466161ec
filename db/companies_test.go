package db_test

import (
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// A company replaces its former record as a whole and keeps every member; the
// same record moves nothing.
func TestCompanies(t *testing.T) {
	full := func() *kap.CompanyRecord {
		d := value.MustDecimal
		return &kap.CompanyRecord{
			CompanyID: "K1", Codes: []string{"DMOST", "DMOSTA"}, Symbol: new("DMOST"), Sector: new("İmalat <&>"),
			AsOf: value.MustInstant("2026-03-17T18:00:00.5Z"),
			Identity: &kap.CompanyIdentity{Title: "Demo Otomotiv A.Ş.", FoundedAt: value.MustDate("1970-05-01"),
				Website: new("https://demo.example.test/?a=1&b=2")},
			Capital:      &kap.CompanyCapital{PaidIn: d("200000000.00"), Currency: "TRY"},
			FreeFloat:    &kap.FreeFloat{Pct: d("34.510"), AsOf: value.MustInstant("2026-03-17T21:00:00Z")},
			Shareholders: []*kap.Shareholder{{Name: "Demo Holding", ShareAmount: d("123456789012345678901234567890.10")}, {Name: "Diğer"}},
			ShareGroups:  []*kap.ShareGroup{{Group: "A", Privileged: new(true), Traded: new(false)}},
			Board:        []*kap.Person{},
		}
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		put := func(records ...*kap.CompanyRecord) []db.Outcome {
			b, out := new(db.Batch), make([]db.Outcome, len(records))
			for i, r := range records {
				db.Put(b, r, &out[i])
			}
			need.NoError(t, s.Store(background, b))
			return out
		}
		want(t, put(full(), full()), db.Stored, db.Unchanged)
		want(t, put(full()), db.Unchanged)
		same(t, "stored", must[[]*kap.CompanyRecord](t)(s.Companies(background)), []*kap.CompanyRecord{full()})
		fewer := &kap.CompanyRecord{CompanyID: "K1", Codes: []string{}}
		want(t, put(fewer, &kap.CompanyRecord{CompanyID: "K2", Codes: []string{"A"}}), db.Stored, db.Stored)
		same(t, "then", must[[]*kap.CompanyRecord](t)(s.Companies(background)),
			[]*kap.CompanyRecord{fewer, {CompanyID: "K2", Codes: []string{"A"}}})
		same(t, "codes held", must[[]kap.CodeHeld](t)(s.CodesHeld(background)),
			[]kap.CodeHeld{{CompanyID: "K1", Code: "DMOST"}, {CompanyID: "K1", Code: "DMOSTA"}, {CompanyID: "K2", Code: "A"}})
		head := heads(t, s)[db.FeedCompanies]
		want(t, put(fewer), db.Unchanged)
		same(t, "head", heads(t, s)[db.FeedCompanies], head)
		// Names that come and go within a batch are known, in their order.
		want(t, put(&kap.CompanyRecord{CompanyID: "K1", Codes: []string{"B"}}, &kap.CompanyRecord{CompanyID: "K2", Codes: []string{"B"}},
			&kap.CompanyRecord{CompanyID: "K1", Codes: []string{"A", "DMOST"}}), db.Stored, db.Stored, db.Stored)
		same(t, "codes held then", must[[]kap.CodeHeld](t)(s.CodesHeld(background)), []kap.CodeHeld{
			{CompanyID: "K1", Code: "DMOSTA"}, {CompanyID: "K2", Code: "A"}, {CompanyID: "K1", Code: "B"}, {CompanyID: "K2", Code: "B"},
			{CompanyID: "K1", Code: "A"}, {CompanyID: "K1", Code: "DMOST"},
		})
	})
}
