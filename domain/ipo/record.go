package ipo

import (
	"cmp"

	"piyasa/domain/market"
	"piyasa/internal/attachment"
	"piyasa/internal/value"
)

// Facts are the facts about an IPO, without its documents.
type Facts struct {
	ID                 string        `json:"id" record:"required"` // of the source
	Company            string        `json:"company" record:"required"`
	Symbol             *string       `json:"symbol"`
	InstrumentID       market.ID     `json:"instrument_id"`
	Price              value.Decimal `json:"price"` // of one share, once it is set
	PriceLow           value.Decimal `json:"price_low"`
	PriceHigh          value.Decimal `json:"price_high"`
	Currency           string        `json:"currency" record:"required"`
	Lots               value.Decimal `json:"lots"`
	OfferSize          value.Decimal `json:"offer_size"` // money
	DemandStart        value.Date    `json:"demand_start" time:"any"`
	DemandEnd          value.Date    `json:"demand_end" time:"any"`
	FirstTradeDate     value.Date    `json:"first_trade_date" time:"any"`
	LeadUnderwriter    *string       `json:"lead_underwriter"`
	AsOf               value.Instant `json:"as_of" time:"past"`
	DistributionMethod *string       `json:"distribution_method"`
	UseOfProceeds      *string       `json:"use_of_proceeds"`
	DiscountPct        value.Decimal `json:"discount_pct"`
	FreeFloatPct       value.Decimal `json:"free_float_pct"`
}

// Record is one line about an IPO. A newer one replaces it.
type Record struct {
	Facts
	Documents []attachment.Document `json:"documents"`
}

// Validate returns the value.Invalid of the record, if any.
func (r *Record) Validate() error {
	if err := cmp.Or(value.CheckKey("id", r.ID), market.CheckCurrencyCode(r.Currency), value.CheckDay("demand_start", r.DemandStart),
		value.CheckDay("demand_end", r.DemandEnd), value.CheckDay("first_trade_date", r.FirstTradeDate),
		value.CheckMoment("as_of", r.AsOf)); err != nil {
		return err
	}
	if r.ID == "." || r.ID == ".." {
		return value.Invalidf("id", "must not be . or ..: no address can end with them")
	}
	if r.DemandEnd.Before(r.DemandStart) && !r.DemandEnd.IsNull() {
		return value.Invalidf("demand_end", "must not be before demand_start, %s", r.DemandStart)
	}
	return nil
}

// Stated returns the id of the share that the source states, or makes it from its symbol;
// empty: neither is stated.
func (r *Record) Stated() market.ID {
	if r.InstrumentID == "" && r.Symbol != nil {
		return market.BistID(value.UpperASCII(*r.Symbol))
	}
	return r.InstrumentID
}

// collected returns the last day of book-building, or else the first; null: neither is known.
func (r *Record) collected() value.Date { return cmp.Or(r.DemandEnd, r.DemandStart) }

// day returns the latest known day of the IPO, or null.
func (r *Record) day() value.Date { return cmp.Or(r.FirstTradeDate, r.DemandEnd, r.DemandStart) }

// WasOver reports whether the IPO is known to have been over on a day.
func (r *Record) WasOver(on value.Date) bool { return !r.day().IsNull() && !on.Before(r.day()) }
