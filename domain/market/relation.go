package market

import (
	"slices"

	"piyasa/internal/value"
)

// Relation names what leads from an instrument to something that it may lack.
type Relation string

// The relations.
const (
	RelationQuote            Relation = "quote"
	RelationPeriodic         Relation = "periodic"
	RelationIndicators       Relation = "indicators"
	RelationValuation        Relation = "valuation"
	RelationValuationHistory Relation = "valuationHistory"
	RelationFinancials       Relation = "financials"
	RelationDividends        Relation = "dividends"
	RelationActions          Relation = "corporateActions"
	RelationIndices          Relation = "indices"
	RelationHolders          Relation = "holders"
	RelationHoldings         Relation = "holdings"
	RelationDisclosures      Relation = "disclosures"
)

var _ = value.Enum(RelationQuote, RelationPeriodic, RelationIndicators, RelationValuation, RelationValuationHistory,
	RelationFinancials, RelationDividends, RelationActions, RelationIndices, RelationHolders, RelationHoldings, RelationDisclosures)

// covered are the markets of which there is something, where not all are.
var covered = map[Relation][]Market{
	RelationPeriodic:         {BIST, US, Fund, Cmdty},
	RelationIndicators:       {BIST},
	RelationValuation:        {BIST, US},
	RelationValuationHistory: {BIST},
	RelationFinancials:       {BIST, US},
	RelationDividends:        {BIST, US},
	RelationActions:          {BIST, US},
	RelationIndices:          {BIST},
	RelationHoldings:         {Fund},
	RelationDisclosures:      {BIST, Fund},
}

// onlyStocks are the relations that funds of a market which are traded like stocks lack; the
// dividends of those of us are covered.
var onlyStocks = map[Relation]bool{RelationValuation: true, RelationValuationHistory: true, RelationFinancials: true,
	RelationDividends: true}

// Covers reports whether there can be something for an instrument.
func (r Relation) Covers(in *Instrument) bool {
	if markets, some := covered[r]; some && !slices.Contains(markets, in.Market) {
		return false
	}
	return in.AssetType != ETF || !onlyStocks[r] || (r == RelationDividends && in.Market == US)
}
