package market

import "piyasa/value"

// Instrument is one catalog record. What does not apply to its market is null.
type Instrument struct {
	InstrumentID    ID         `json:"instrument_id" record:"required"`
	Symbol          string     `json:"symbol" record:"required"` // a coin's is its number
	Ticker          *string    `json:"ticker"`                   // coins only
	Name            string     `json:"name" record:"required"`
	Market          Market     `json:"market" record:"required"`
	AssetType       AssetType  `json:"asset_type" record:"required"`
	Currency        string     `json:"currency" record:"required"` // of the price; of the computation for an index
	Source          *string    `json:"source"`                     // what sort of series it is, or who makes it
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

// Sector is a group of companies in one flat list that all markets share.
type Sector struct {
	Code       string   `json:"code" record:"required"` // slug
	Name       string   `json:"name" record:"required"` // Turkish
	NameEn     *string  `json:"name_en"`
	Members    []ID     `json:"members" record:"required"`
	Successors []string `json:"successors"` // set on a retired code
}

// BistIndex is an index of the Istanbul exchange with its whole membership.
type BistIndex struct {
	Code     string        `json:"code" record:"required"`
	Name     string        `json:"name" record:"required"`
	Verified bool          `json:"verified" record:"required"` // only verified indices are offered
	SyncedAt value.Instant `json:"synced_at" record:"required" time:"past"`
	Members  []IndexMember `json:"members" record:"required"`
}

// IndexMember is one member as the index export lists it.
type IndexMember struct {
	Symbol string  `json:"symbol" record:"required"`
	Sector *string `json:"sector"` // English label of the export
}
