package demo

import (
	"strings"

	"github.com/shopspring/decimal"

	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// company is a company that files disclosures.
type company struct {
	code, name string
	sector     string
	founded    int
	capital    int64 // paid in, in lira
	float      int64 // percent of it
}

// manager is the management company of the funds; it is not listed.
var manager = company{"DMPRT", founder + " Yönetimi", "", 2004, 60_000_000, 0}

// companies returns the listed companies that file disclosures, with the names of their stocks.
// The first is the sample.
func companies() []company {
	all := []company{
		{code: "DMOST", founded: 1968, capital: 350_000_000, float: 24},
		{code: "DMBNK", founded: 1955, capital: 5_200_000_000, float: 49},
		{code: "DMHVY", founded: 1984, capital: 1_380_000_000, float: 50},
		{code: "DMYZL", founded: 2001, capital: 120_000_000, float: 37},
		{code: "DMPET", founded: 1974, capital: 1_900_000_000, float: 46},
		{code: "DMCEL", founded: 1962, capital: 3_500_000_000, float: 52},
		{code: "DMMRK", founded: 1995, capital: 610_000_000, float: 60},
		{code: "DMHLD", founded: 1971, capital: 2_450_000_000, float: 31},
	}
	for i := range all {
		for _, group := range sectorTable {
			for _, row := range group.stocks {
				if row.symbol == all[i].code {
					all[i].name, all[i].sector = row.name, group.name
				}
			}
		}
	}
	return all
}

// id returns the platform's id of the company.
func (c company) id() string { return "demo-" + strings.ToLower(c.code) }

func (c company) title() string { return c.name + " A.Ş." }

// record returns the company's profile.
func (c company) record() *kap.CompanyRecord {
	r := &kap.CompanyRecord{
		CompanyID: c.id(), Codes: []string{c.code}, Symbol: new(c.code),
		Identity: &kap.CompanyIdentity{
			Title: c.title(), CompanyID: c.id(), Codes: []string{c.code},
			FoundedAt: value.NewDate(c.founded, 3, 1), Auditor: new("Demo Bağımsız Denetim"),
		},
		Capital: &kap.CompanyCapital{PaidIn: whole(c.capital), RegisteredCeiling: whole(5 * c.capital), Currency: string(market.TRY)},
		Shareholders: []*kap.Shareholder{
			c.holder("Demo Kurucular Vakfı", 100-c.float),
		},
	}
	if c.sector != "" {
		r.Sector = new(c.sector)
	}
	if c.float > 0 {
		r.FreeFloat = &kap.FreeFloat{Pct: whole(c.float), Amount: whole(c.capital / 100 * c.float)}
		r.Shareholders = append(r.Shareholders, c.holder("Diğer", c.float))
	}
	return r
}

// holder returns a shareholder with a percentage of the shares, of one lira and one vote each.
func (c company) holder(name string, percent int64) *kap.Shareholder {
	return &kap.Shareholder{Name: name, ShareAmount: whole(c.capital / 100 * percent), SharePct: whole(percent), VotingPct: whole(percent)}
}

// whole returns a whole number.
func whole(n int64) value.Decimal { return exact(decimal.NewFromInt(n), 0) }
