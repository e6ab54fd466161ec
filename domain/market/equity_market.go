package market

import "piyasa/internal/value"

// EquityMarket is a market of shares in companies.
type EquityMarket string

// The equity markets.
const (
	EquityBIST EquityMarket = "bist"
	EquityUS   EquityMarket = "us"
)

var _ = value.Enum(EquityBIST, EquityUS)

// OrBIST returns the market asked for; without one, bist.
func (m *EquityMarket) OrBIST() EquityMarket {
	if m == nil {
		return EquityBIST
	}
	return *m
}

// Market returns m as one of all markets.
func (m EquityMarket) Market() Market { return Market(m) }

// Currency returns the currency of the market's quotes.
func (m EquityMarket) Currency() string {
	if m == EquityUS {
		return string(USD)
	}
	return string(TRY)
}
