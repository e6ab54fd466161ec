package market

import (
	"fmt"
	"io"
	"strconv"

	"piyasa/access"
	"piyasa/problem"
	"piyasa/value"
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

const marketNames = "bist, crypto, fx, index, cmdty, us, fund"

func (m Market) known() bool { return m.QuotesScope() != "" }

// QuotesScope is the scope that the prices of this market need; empty for an
// unknown market.
func (m Market) QuotesScope() access.Scope {
	for _, row := range marketTable {
		if row.market == m {
			return row.scope
		}
	}
	return ""
}

// UnmarshalText implements encoding.TextUnmarshaler; only the exact names pass.
func (m *Market) UnmarshalText(text []byte) error {
	*m = Market(text)
	if !m.known() {
		return fmt.Errorf("must be one of %s", marketNames)
	}
	return nil
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

// Currency is a currency that prices can be converted into.
type Currency string

// The targets of conversion.
const (
	TRY Currency = "TRY"
	USD Currency = "USD"
	EUR Currency = "EUR"
)

// UnmarshalText implements encoding.TextUnmarshaler; only the exact names pass.
func (c *Currency) UnmarshalText(text []byte) error {
	switch *c = Currency(text); *c {
	case TRY, USD, EUR:
		return nil
	}
	return problem.New(problem.UnsupportedCurrency, "currency must be one of TRY, USD, EUR, in capital letters; got %s.", problem.Shown(string(text)))
}
