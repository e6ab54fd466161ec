// Package funds is what Turkish funds report: profiles and returns, the flows
// of their investors, and what they hold.
package funds

import (
	"cmp"
	"maps"
	"slices"
	"sync/atomic"

	"piyasa/domain/market"
	"piyasa/value"
)

// Profile is what a fund says about itself.
type Profile struct {
	InstrumentID     market.ID     `json:"instrument_id"` // fund:CODE
	Code             string        `json:"code" record:"required"`
	Name             string        `json:"name" record:"required"`
	Founder          *string       `json:"founder"`
	Category         *string       `json:"category"`
	Currency         string        `json:"currency" record:"required"` // of price and portfolio size
	Price            value.Decimal `json:"price"`                      // of one share
	PriceDate        value.Date    `json:"price_date" time:"past"`
	PortfolioSize    value.Decimal `json:"portfolio_size"`
	InvestorCount    *int          `json:"investor_count" range:"0 2147483647"`
	ShareCount       value.Decimal `json:"share_count"`
	ManagementFeePct value.Decimal `json:"management_fee_pct"` // a year
	RiskLevel        *int          `json:"risk_level" range:"1 7"`
	IsParticipation  *bool         `json:"is_participation"`
	InceptionDate    value.Date    `json:"inception_date" time:"any"`
	AsOf             value.Instant `json:"as_of" time:"past"`
}

// Fund is one line about a fund: the newest replaces the one before.
type Fund struct {
	Profile
	Returns *Returns `json:"returns"`
}

// Returns are what a share gained over periods that end with its price date,
// in percent.
type Returns struct {
	W1 value.Decimal `json:"1w"`
	W2 value.Decimal `json:"2w"`
	M1 value.Decimal `json:"1m"`
	M3 value.Decimal `json:"3m"`
	M6 value.Decimal `json:"6m"`
	Y1 value.Decimal `json:"1y"`
	Y3 value.Decimal `json:"3y"`
	Y5 value.Decimal `json:"5y"`
}

// Flow is what investors moved into and out of a fund on a day.
type Flow struct {
	Code          string        `json:"code" record:"required"`
	Date          value.Date    `json:"date" record:"required" time:"past"`
	NetFlow       value.Decimal `json:"net_flow" record:"required"` // in lira
	Inflow        value.Decimal `json:"inflow"`
	Outflow       value.Decimal `json:"outflow"`
	InvestorCount *int          `json:"investor_count" range:"0 2147483647"`
}

// Holding is what a fund held of an instrument at the end of a month.
type Holding struct {
	FundCode     string        `json:"fund_code" record:"required"`
	InstrumentID market.ID     `json:"instrument_id" record:"required"`
	ReportMonth  value.Month   `json:"report_month" record:"required" time:"past"`
	WeightPct    value.Decimal `json:"weight_pct"`   // of the portfolio
	MarketValue  value.Decimal `json:"market_value"` // in lira
}

// Check returns what is wrong with the fund as a whole: the member, and what is
// allowed. It completes the id.
func (f *Fund) Check() (member, wrong string) {
	id := market.FundID(f.Code)
	if _, err := market.ParseID(string(id)); err != nil {
		return "code", "must be a fund code of capital letters and digits, such as AAL"
	}
	if f.InstrumentID == "" {
		f.InstrumentID = id
	}
	if f.InstrumentID != id {
		return "instrument_id", "must be " + string(id) + ", as the code says"
	}
	switch {
	case f.Price.Sign() < 0:
		return "price", "must be 0 or above"
	case f.ShareCount.Sign() < 0:
		return "share_count", "must be 0 or above"
	}
	return "", ""
}

// Live holds the funds.
type Live struct {
	funds atomic.Pointer[map[string]*Fund] // by code
}

// NewLive returns a Live that knows no fund.
func NewLive() *Live {
	l := &Live{}
	l.funds.Store(&map[string]*Fund{})
	return l
}

// SetFunds is PutFunds of all there are: what else was known is forgotten.
func (l *Live) SetFunds(all []*Fund) { l.put(map[string]*Fund{}, all) }

// PutFunds adds or replaces funds. One writer at a time.
func (l *Live) PutFunds(changed []*Fund) { l.put(maps.Clone(*l.funds.Load()), changed) }

func (l *Live) put(next map[string]*Fund, funds []*Fund) {
	for _, f := range funds {
		next[f.Code] = f
	}
	l.funds.Store(&next)
}

// Instruments are the funds as the catalog shows those that it has no records
// of.
func (l *Live) Instruments() []*market.Instrument {
	var all []*market.Instrument
	for _, f := range *l.funds.Load() {
		all = append(all, &market.Instrument{
			InstrumentID: f.InstrumentID, Symbol: f.Code, Name: f.Name, Market: market.Fund, AssetType: market.FundUnit, Currency: f.Currency,
			Founder: f.Founder, Category: f.Category, IsParticipation: f.IsParticipation,
		})
	}
	return all
}

// fund is the fund with a code, or nil.
func (l *Live) fund(code string) *Fund { return (*l.funds.Load())[code] }

// all are the funds by code.
func (l *Live) all() []*Fund {
	return slices.SortedFunc(maps.Values(*l.funds.Load()), func(a, b *Fund) int { return cmp.Compare(a.Code, b.Code) })
}
