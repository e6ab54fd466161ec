package ingest

import (
	"bytes"
	"encoding/base64"
	"errors"

	"piyasa/domain/kap"
	"piyasa/domain/market"
)

// The records that are checked and not stored by this version. A shape moves
// to its domain when the domain begins to store it.

type country struct {
	Name string `json:"name" record:"required"`
	Code string `json:"code" record:"required"`
}

type calendarEvent struct {
	EventID    int     `json:"event_id" record:"required"`
	Name       string  `json:"name" record:"required"`
	Country    country `json:"country" record:"required"`
	Currency   string  `json:"currency" record:"required"`
	Importance int     `json:"importance" record:"required" range:"1 3"`
	IsSpeaking bool    `json:"is_speaking" record:"required"`
}

type calendarItem struct {
	EventID  int            `json:"event_id" record:"required"`
	Time     market.Instant `json:"time" record:"required"`
	Actual   number         `json:"actual"`
	Forecast number         `json:"forecast"`
	Previous number         `json:"previous"`
	Unit     string         `json:"unit" text:"any"`
}

type fundReturns struct {
	W1 market.Decimal `json:"1w"`
	W2 market.Decimal `json:"2w"`
	M1 market.Decimal `json:"1m"`
	M3 market.Decimal `json:"3m"`
	M6 market.Decimal `json:"6m"`
	Y1 market.Decimal `json:"1y"`
	Y3 market.Decimal `json:"3y"`
	Y5 market.Decimal `json:"5y"`
}

type fund struct {
	Code             string         `json:"code" record:"required"`
	InstrumentID     market.ID      `json:"instrument_id"`
	Name             string         `json:"name" record:"required"`
	Founder          *string        `json:"founder"`
	Category         *string        `json:"category"`
	Currency         string         `json:"currency" record:"required"`
	Price            market.Decimal `json:"price"`
	PriceDate        market.Date    `json:"price_date"`
	PortfolioSize    market.Decimal `json:"portfolio_size"`
	InvestorCount    *int           `json:"investor_count"`
	ShareCount       market.Decimal `json:"share_count"`
	ManagementFeePct market.Decimal `json:"management_fee_pct"`
	RiskLevel        *int           `json:"risk_level"`
	IsParticipation  *bool          `json:"is_participation"`
	InceptionDate    market.Date    `json:"inception_date"`
	AsOf             market.Instant `json:"as_of"`
	Returns          *fundReturns   `json:"returns"`
}

type fundFlow struct {
	Code          string         `json:"code" record:"required"`
	Date          market.Date    `json:"date" record:"required"`
	NetFlow       market.Decimal `json:"net_flow" record:"required"`
	Inflow        market.Decimal `json:"inflow"`
	Outflow       market.Decimal `json:"outflow"`
	InvestorCount *int           `json:"investor_count"`
}

type fundHolding struct {
	FundCode     string         `json:"fund_code" record:"required"`
	InstrumentID market.ID      `json:"instrument_id" record:"required"`
	ReportMonth  market.Month   `json:"report_month" record:"required"`
	WeightPct    market.Decimal `json:"weight_pct"`
	MarketValue  market.Decimal `json:"market_value"`
}

type ipo struct {
	ID                 string         `json:"id" record:"required"`
	Company            string         `json:"company" record:"required"`
	Symbol             *string        `json:"symbol"`
	InstrumentID       market.ID      `json:"instrument_id"`
	Price              market.Decimal `json:"price"`
	PriceLow           market.Decimal `json:"price_low"`
	PriceHigh          market.Decimal `json:"price_high"`
	Currency           string         `json:"currency" record:"required"`
	Lots               market.Decimal `json:"lots"`
	OfferSize          market.Decimal `json:"offer_size"`
	DemandStart        market.Date    `json:"demand_start"`
	DemandEnd          market.Date    `json:"demand_end"`
	FirstTradeDate     market.Date    `json:"first_trade_date"`
	LeadUnderwriter    *string        `json:"lead_underwriter"`
	AsOf               market.Instant `json:"as_of"`
	DistributionMethod *string        `json:"distribution_method"`
	UseOfProceeds      *string        `json:"use_of_proceeds"`
	DiscountPct        market.Decimal `json:"discount_pct"`
	FreeFloatPct       market.Decimal `json:"free_float_pct"`
	Documents          []kap.Document `json:"documents"`
}

type logo struct {
	InstrumentID market.ID `json:"instrument_id"`
	Founder      string    `json:"founder"`
	PNG          png       `json:"png" record:"required"`
}

// png is a PNG image in base64.
type png []byte

func (p *png) UnmarshalText(text []byte) error {
	raw, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil || !bytes.HasPrefix(raw, []byte("\x89PNG\r\n\x1a\n")) {
		return errors.New("must be a PNG image in base64")
	}
	*p = raw
	return nil
}
