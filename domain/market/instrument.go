package market

import (
	"io"
	"strconv"

	"piyasa/value"
)

// Instrument is one catalog record. What does not apply to its market is null.
type Instrument struct {
	InstrumentID    ID         `json:"instrument_id" record:"required"`
	Symbol          string     `json:"symbol" record:"required"` // a coin's is its number
	Ticker          *string    `json:"ticker"`                   // coins only
	Name            string     `json:"name" record:"required"`
	Market          Market     `json:"market" record:"required"`
	AssetType       AssetType  `json:"asset_type" record:"required"`
	Currency        string     `json:"currency" record:"required"` // of the price; of the computation for an index
	Source          *string    `json:"source"`                     // the kind of series, or its publisher
	Session         *Session   `json:"session"`                    // weekly hours; null when unknown
	Delay           *int       `json:"delay"`                      // seconds: between refreshes of a coin, of publication elsewhere
	CoverageFrom    value.Date `json:"coverage_from" time:"any"`   // start of history
	LogoURL         *string    `json:"logo_url" record:"-" bun:"-"`
	Sector          *string    `json:"sector"`      // bist: Turkish sector name; us: industry text
	SectorCode      *string    `json:"sector_code"` // bist: slug of the sector; us: industry code
	PriceMechanism  *string    `json:"price_mechanism"`
	FundCode        *string    `json:"fund_code"` // ETFs only
	Founder         *string    `json:"founder"`
	Category        *string    `json:"category"`
	UnderlyingIndex *string    `json:"underlying_index"`
	IsParticipation *bool      `json:"is_participation"`
	Segment         *string    `json:"segment"`
	Unit            *string    `json:"unit"`   // commodities: what one price buys
	Region          *string    `json:"region"` // indices
	CmcID           *int       `json:"cmc_id"` // coins
	Slug            *string    `json:"slug"`   // coins
}

// AssetType is the sort of thing an instrument is.
type AssetType string

// The asset types.
const (
	Stock      AssetType = "STOCK"
	ETF        AssetType = "ETF"
	Coin       AssetType = "CRYPTO"
	Pair       AssetType = "FX"
	WorldIndex AssetType = "INDEX"
	Commodity  AssetType = "COMMODITY"
	FundUnit   AssetType = "FUND"
)

// UnmarshalText implements encoding.TextUnmarshaler; only the exact names pass.
func (a *AssetType) UnmarshalText(text []byte) error {
	return value.OneOf(a, text, Stock, ETF, Coin, Pair, WorldIndex, Commodity, FundUnit)
}

// AppendJSON appends the type, which needs no escaping, as a JSON string.
func (a AssetType) AppendJSON(b []byte) []byte { return strconv.AppendQuote(b, string(a)) }

// MarshalGQL writes the scalar String.
func (a AssetType) MarshalGQL(w io.Writer) { _, _ = w.Write(a.AppendJSON(nil)) }

// UnmarshalGQL reads the scalar String.
func (a *AssetType) UnmarshalGQL(v any) error { return value.UnmarshalScalar(v, a, "String") }
