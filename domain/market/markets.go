package market

import (
	"slices"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// Market is one of the markets served; it is also the prefix of its ids.
type Market string

// The markets.
const (
	BIST   Market = "bist"   // Istanbul exchange: equities and ETFs, in lira, 15 minutes delayed
	Crypto Market = "crypto" // coins, in dollars, around the clock
	FX     Market = "fx"     // currency pairs, around the clock
	Index  Market = "index"  // world indices: levels are points, not money
	Cmdty  Market = "cmdty"  // commodities and metals, each in its own currency and unit
	US     Market = "us"     // US equities
	Fund   Market = "fund"   // Turkish funds
)

// marketTable gives each market the scope of its quotes.
var marketTable = []struct {
	market Market
	scope  access.Scope
}{
	{BIST, access.QuotesBIST},
	{Crypto, access.QuotesCrypto},
	{FX, access.FX},
	{Index, access.QuotesIndex},
	{Cmdty, access.QuotesCmdty},
	{US, access.QuotesUS},
	{Fund, access.QuotesFund},
}

var markets = value.Enum(BIST, Crypto, FX, Index, Cmdty, US, Fund)

func (m Market) known() bool { return m.QuotesScope() != "" }

// QuotesScope returns the scope that the market's prices need; empty for an
// unknown market.
func (m Market) QuotesScope() access.Scope {
	for _, row := range marketTable {
		if row.market == m {
			return row.scope
		}
	}
	return ""
}

// Markets lists the markets in their order.
func Markets() []Market { return slices.Clone(markets) }
