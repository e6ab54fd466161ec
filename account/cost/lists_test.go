package cost

import (
	"testing"

	"piyasa/graph"
	"piyasa/internal/value"
)

// Every list of objects is counted by its length: by itself, or with the field
// that has its limit. What is left out here is short.
func TestEveryLongListHaveACost(t *testing.T) {
	short := map[string]bool{
		"Attachment": true, "FactDimension": true, "FactContext": true, "NotFound": true, "MarketSize": true, "NamedValue": true,
		"UnavailableIndicator": true,
		"PriceFactor":          true, "Bridge": true, "Succession": true, "PeriodicWindow": true, "Shareholder": true, "ShareGroup": true,
		"Person": true, "BodyField": true,
	}
	limited := map[string]bool{
		"QuoteBatch.quotes": true, "CandleSeries.bars": true, "CandlesBatch.series": true, "EodSeries.records": true,
		"InstrumentList.instruments": true, "MarketCalendar.days": true,
		"Movers.gainers": true, "Movers.losers": true, "Movers.mostTraded": true, "Financials.periods": true,
		"ValuationBatch.valuations": true,
		"ValuationHistory.points":   true, "DividendPage.dividends": true, "CorporateActionPage.corporateActions": true,
		"PeriodicBatch.periodic": true, "SectorReturns.points": true,
		"FundRanking.items": true, "FundHoldings.holdings": true,
		"DisclosurePage.items": true, "FilingPage.items": true, "NewsPage.items": true, "Coverage.rows": true,
		"DisclosureConnection.edges": true, "FilingConnection.edges": true, "NewsConnection.edges": true, "DividendConnection.edges": true,
		"InstrumentConnection.edges": true,
	}
	var config graph.Config
	setLists(&config.Complexity, value.SystemClock)
	executable := graph.NewExecutableSchema(config)
	for name, def := range executable.Schema().Types {
		if def.BuiltIn {
			continue
		}
		for _, f := range def.Fields {
			if f.Type.Elem == nil || executable.Schema().Types[f.Type.Name()].IsLeafType() || short[f.Type.Name()] ||
				limited[name+"."+f.Name] {
				continue
			}
			if n, has := executable.Complexity(t.Context(), name, f.Name, 1,
				map[string]any{"ids": []any{"bist:A", "bist:B"}}); !has || n < 2 {
				t.Errorf("%s.%s, a list of %s, costs %d whatever its length", name, f.Name, f.Type.Name(), n)
			}
		}
	}
}
