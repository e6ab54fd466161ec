package market

import (
	"slices"

	"piyasa/internal/value"
)

// Relation names a relation of an instrument that may be empty.
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

// covered lists the markets that have something for a relation, where not all do.
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

// onlyStocks are the relations that ETFs lack, except the dividends of ETFs of us.
var onlyStocks = map[Relation]bool{RelationValuation: true, RelationValuationHistory: true, RelationFinancials: true,
	RelationDividends: true}

// Covers reports whether an instrument can have something for the relation.
func (r Relation) Covers(in *Instrument) bool {
	if markets, some := covered[r]; some && !slices.Contains(markets, in.Market) {
		return false
	}
	return in.AssetType != ETF || !onlyStocks[r] || (r == RelationDividends && in.Market == US)
}
