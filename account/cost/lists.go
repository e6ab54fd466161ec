package cost

import (
	"piyasa/domain/analytics"
	"piyasa/domain/coverage"
	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/graph"
	"piyasa/internal/value"
)

// setLists gives each list its cost: that of the rows that it may have. A series is about as
// long as its range, and reading a bar costs as much as one of its fields.
func setLists(c *graph.ComplexityRoot, now value.Clock) {
	series := func(child int, r *market.Resolution, from, to *value.Date) int {
		args := market.SeriesArgs{Resolution: r, From: from, To: to}
		return 1 + args.Stored().UsualBars(now()) + args.UsualBars(now())*child
	}
	edge := func(child int, first *int) int { return 1 + rows(first, value.RelationLimit)*child }
	windows := func(adjust *market.Adjust) int { // only those adjusted for splits alone are precomputed
		if adjust.Or(market.AdjustSplits) == market.AdjustSplits {
			return 0
		}
		return int(analytics.UsualHistory * perComputedBar)
	}
	many := func(usual int) func(int) int { return func(child int) int { return 1 + usual*child } }
	c.Query.Quotes = func(child int, ids []string, _ *market.Currency) int { return 1 + len(ids)*child }
	c.Query.Candles = func(child int, _ string, r *market.Resolution, from, to *value.Date, _ *market.Currency, _ *market.Adjust) int {
		return series(child, r, from, to)
	}
	c.Query.CandlesBatch = func(child int, ids []string, r *market.Resolution, from, to *value.Date, _ *market.Currency,
		_ *market.Adjust) int {
		bars := market.SeriesArgs{Resolution: r, From: from, To: to}.UsualBars(now())
		most := min(market.MaxSeries, market.MaxBatchBars/max(bars, 1)) // more are rejected
		return 1 + min(len(ids), most)*series(child, r, from, to)
	}
	c.Query.Eod = func(child int, _ string, from, to *value.Date, _ *market.Currency, _ *market.Adjust) int {
		return series(child, nil, from, to)
	}
	c.Instrument.Candles = func(child int, r *market.Resolution, from, to *value.Date, _ *market.Currency, _ *market.Adjust) int {
		return series(child, r, from, to)
	}
	c.Instrument.Eod = func(child int, from, to *value.Date, _ *market.Currency, _ *market.Adjust) int {
		return series(child, nil, from, to)
	}
	once := func(int) int { return 1 } // stated once, not for each bar
	c.Instrument.MeaningChanges = many(2)
	c.Disclosure.CorporateActions, c.DisclosureDetail.CorporateActions = many(2), many(2)
	c.CandleSeries.MeaningChanged, c.EodSeries.MeaningChanged, c.IndicatorSeries.MeaningChanged = once, once, once
	c.CandleSeries.Columns = AsColumns
	c.Query.MarketCalendar = func(child int, _ market.Market, from, to *value.Date) int { return series(child, nil, from, to) }
	c.Query.BulkFiles = func(child int, _ string, _ *market.Market, _ *market.Resolution, _, _ *value.Date, _ *market.BulkFormat) int {
		return 1 + usualFiles*child
	}
	c.Query.Watchlist = func(child int, ids []string) int { return 1 + len(ids)*child }
	c.Query.Instruments = func(child int, _ *market.Market, _, _ *string, limit *int, knownAt *value.Instant, _ *bool) int {
		return then(knownAt, 1+rows(limit, market.InstrumentLimit)*child)
	}
	c.Query.Movers = func(child int, limit *int, _ *market.Currency) int { return 1 + rows(limit, market.MoverLimit)*child }
	c.Query.Filings = func(child int, _ string, _ *kap.FilingBasis, _ *kap.FilingUnit, _ *value.Month, _ *kap.Consolidation,
		_, _, _ *string, limit *int, knownAt *value.Instant) int {
		return then(knownAt, 1+rows(limit, kap.FilingLimit)*child)
	}
	c.Query.Valuations = func(child int, ids []string, _ *market.Currency, knownAt *value.Instant) int {
		return then(knownAt, 1+len(ids)*child)
	}
	c.Query.PeriodicBatch = func(child int, ids []string, _ *market.Currency, adjust *market.Adjust) int {
		return 1 + len(ids)*(child+windows(adjust))
	}
	c.Query.Periodic = func(child int, _ string, _ *market.Currency, adjust *market.Adjust) int {
		return 1 + child + windows(adjust)
	}
	c.Instrument.Periodic = func(child int, _ *market.Currency, adjust *market.Adjust) int { return 1 + child + windows(adjust) }
	c.Query.SectorPeriodic = func(child int, _ string, _ *market.EquityMarket, _ *market.Currency, adjust *market.Adjust) int {
		return 1 + child + usualMembers*windows(adjust)
	}
	c.Query.Financials = func(child int, _ string, _ *fundamentals.Timeframe, _ *market.Currency, _ *fundamentals.StatementBasis,
		_ *kap.Consolidation, limit *int, knownAt *value.Instant) int {
		return then(knownAt, 1+rows(limit, fundamentals.FinancialsLimit)*child)
	}
	c.Instrument.Financials = func(child int, _ *fundamentals.Timeframe, _ *market.Currency, _ *fundamentals.StatementBasis,
		_ *kap.Consolidation, limit *int, knownAt *value.Instant) int {
		return then(knownAt, 1+rows(limit, fundamentals.FinancialsLimit)*child)
	}
	c.Query.Dividends = func(child int, _ *market.EquityMarket, _, _ *value.Date, _ *fundamentals.DividendDateField,
		_ *fundamentals.DividendStatus, _ []string, _ *string, limit *int, knownAt *value.Instant) int {
		return then(knownAt, 1+rows(limit, fundamentals.DividendLimit)*child)
	}
	c.Instrument.Dividends = func(child int, first *int, knownAt *value.Instant) int { return then(knownAt, edge(child, first)) }
	c.Instrument.CorporateActions = func(child int, first *int, knownAt *value.Instant) int { return then(knownAt, edge(child, first)) }
	c.Query.CorporateActionHistory = func(child int, _ string, knownAt *value.Instant) int { return then(knownAt, 1+child) }
	c.Query.CorporateActions = func(child int, _ *market.Market, _, _ *value.Date, _ *market.ActionKind, _ []string, _ *string,
		limit *int, knownAt *value.Instant) int {
		return then(knownAt, 1+rows(limit, market.ActionLimit)*child)
	}
	c.Sector.Members = func(child int, _ *market.EquityMarket, first *int) int {
		return 1 + rows(first, value.RelationLimit)*child
	}
	c.CalendarEvent.Items = func(child int, _, _ *value.Date, first *int) int { return 1 + rows(first, value.RelationLimit)*child }
	c.BistIndex.Constituents = edge
	c.Instrument.Indices = edge
	c.Instrument.Holders, c.Instrument.Holdings = edge, edge
	c.Query.FundRanking = func(child int, _ *funds.Period, _ *value.SortOrder, _ *string, limit *int) int {
		return 1 + rows(limit, funds.RankingLimit)*child
	}
	c.Query.FundHoldings = func(child int, _ string, limit *int) int { return 1 + rows(limit, funds.HoldingsLimit)*child }
	days := func(child int, from, to *value.Date) int { return series(child, nil, from, to) }
	c.Query.ValuationHistory = func(child int, _ string, from, to *value.Date, _ *market.Currency, knownAt *value.Instant) int {
		return then(knownAt, days(child, from, to))
	}
	c.Instrument.ValuationHistory = func(child int, from, to *value.Date, knownAt *value.Instant) int {
		return then(knownAt, days(child, from, to))
	}
	single := func(child int, knownAt *value.Instant) int { return then(knownAt, 1+child) }
	c.Query.Valuation = func(child int, _ string, _ *market.Currency, knownAt *value.Instant) int {
		return single(child, knownAt)
	}
	c.Instrument.Valuation = func(child int, _ *market.Currency, knownAt *value.Instant) int { return single(child, knownAt) }
	c.Query.DividendHistory = func(child int, _ string, knownAt *value.Instant) int { return single(child, knownAt) }
	c.Query.IndexConstituents = func(child int, _ string, knownAt *value.Instant) int { return single(child, knownAt) }
	c.Query.Instrument = func(child int, _ string, knownAt *value.Instant) int { return single(child, knownAt) }
	ofSector := func(child int, _ string, _ *market.EquityMarket, knownAt *value.Instant) int {
		return single(child, knownAt)
	}
	c.Query.SectorConstituents, c.Query.SectorValuation = ofSector, ofSector
	c.Sector.Valuation = func(child int, _ *market.EquityMarket, knownAt *value.Instant) int { return single(child, knownAt) }
	returns := func(child int, _ *market.EquityMarket, from, to *value.Date, _ *market.Adjust) int {
		return days(child+int(usualMembers*perComputedBar), from, to)
	}
	c.Sector.Returns = returns
	c.Query.SectorReturns = func(child int, _ string, m *market.EquityMarket, from, to *value.Date, adjust *market.Adjust) int {
		return returns(child, m, from, to, adjust)
	}
	indicators := func(child int, which []analytics.Indicator, periods []int, r *market.Resolution, adjust *market.Adjust) int {
		args := analytics.IndicatorArgs{Indicators: which, Periods: periods, Resolution: r, Adjust: adjust}
		if args.IsDefault() { // precomputed
			return 1 + child
		}
		return 1 + child + int(analytics.UsualHistory*perIndicatorBar)
	}
	c.Instrument.Indicators = indicators
	c.Query.Indicators = func(child int, _ string, which []analytics.Indicator, periods []int, r *market.Resolution,
		adjust *market.Adjust) int {
		return indicators(child, which, periods, r, adjust)
	}
	statement := many(usualLines)
	c.FinancialPeriod.Items = statement
	c.Filing.BalanceSheet, c.Filing.IncomeStatement, c.Filing.CashFlow = statement, statement, statement
	searching := func(q *string) int {
		if q == nil {
			return 0
		}
		return perSearch
	}
	c.Query.Disclosures = func(child int, _ *string, _ []string, _ *string, _ *kap.Type, _ *string, _ *kap.Reason, q *string,
		_, _ *kap.Bound, _ *value.SortOrder, _ *string, limit *int) int {
		return searching(q) + 1 + rows(limit, kap.ListLimit)*child
	}
	c.Instrument.Disclosures, c.CompanyProfile.Disclosures = edge, edge
	c.CompanyProfile.Instruments, c.Disclosure.Instruments, c.DisclosureDetail.Instruments = edge, edge, edge
	c.DisclosureDetail.Facts = many(usualFacts)
	c.Query.News = func(child int, _ *string, _, _ *value.Date, _ *string, limit *int) int {
		return 1 + rows(limit, news.Limit)*child
	}
	c.Query.Nodes = func(child int, ids []string) int { return 1 + len(ids)*child }
	part := func(child int, first, last *int, limit value.Limit) int {
		if first == nil {
			first = last
		}
		return 1 + rows(first, limit)*child
	}
	c.Query.DisclosuresConnection = func(child int, _ *string, _ []string, _ *string, _ *kap.Type, _ *string, _ *kap.Reason,
		q *string, _, _ *kap.Bound, _ *value.SortOrder, first *int, _ *string, last *int, _ *string) int {
		return searching(q) + part(child, first, last, kap.ListLimit)
	}
	c.Query.FilingsConnection = func(child int, _ string, _ *kap.FilingBasis, _ *kap.FilingUnit, _ *value.Month, _ *kap.Consolidation,
		_, _ *string, first *int, _ *string, last *int, _ *string, _ *value.Instant) int {
		return part(child, first, last, kap.FilingLimit)
	}
	c.Query.NewsConnection = func(child int, _ *string, _, _ *value.Date, first *int, _ *string, last *int, _ *string) int {
		return part(child, first, last, news.Limit)
	}
	c.Query.InstrumentsConnection = func(child int, _ *market.Market, _, _ *string, first *int, _ *string, last *int, _ *string,
		_ *value.Instant) int {
		return part(child, first, last, market.InstrumentLimit)
	}
	c.Query.DividendsConnection = func(child int, _ *market.EquityMarket, _, _ *value.Date, _ *fundamentals.DividendDateField,
		_ *fundamentals.DividendStatus, _ []string, first *int, _ *string, last *int, _ *string, _ *value.Instant) int {
		return part(child, first, last, fundamentals.DividendLimit)
	}
	// Lists without a limit, by their approximate length.
	c.IndexList.Indices, c.SectorList.Sectors = many(100), many(50)
	c.IndexConstituents.Constituents, c.SectorConstituents.Constituents = many(600), many(100)
	c.CalendarEventList.Items, c.Calendar.Items = many(2000), many(400)
	c.InflationSeries.Links, c.Restatement.Bridges = many(3), many(2)
	c.InflationSeries.Points, c.InvestorFlows.Points = many(300), many(250)
	c.FundHolders.Holders, c.IpoList.Ipos = many(500), many(300)
	c.DividendHistory.Dividends, c.CorporateActionHistory.CorporateActions = many(100), many(20)
	c.IndicatorSet.Values = many(usualFigures)
	c.IndicatorSet.Series = func(child int, last *int) int {
		each := perComputedBar + float64(child)/cheaperAsColumns
		return 1 + int(analytics.UsualHistory*perIndicatorBar+float64(usualFigures*rows(last, analytics.SeriesLimit))*each)
	}
	c.Usage.Operations, c.SourceList.Sources, c.WebhookList.Webhooks = many(300), many(20), many(100)
	c.CoverageRow.Gaps = many(usualGaps)
	c.Query.Coverage = func(child int, _ *market.Market, instrument *string, _ *bool, _ *string, limit *int) int {
		if instrument != nil {
			return 1 + usualKinds*child
		}
		return 1 + rows(limit, coverage.Limit)*child
	}
}

// perMoment is the cost of reading the store as of a moment: its catalog, companies and rates.
const perMoment = 1000

// then returns the cost of an answer as of a moment; nil: of now.
func then(knownAt *value.Instant, cost int) int {
	if knownAt == nil {
		return cost
	}
	return perMoment + cost
}

// cheaperAsColumns is how many times less a value costs in a column, or in a line of CSV, than
// in an object.
const cheaperAsColumns = 8

// perSearch is the cost of a text search: it looks at the words of a thousand disclosures, and
// queries the index.
const perSearch = 50_000

// AsColumns returns the cost of fields as values of columns, or of lines of CSV.
func AsColumns(fields int) int { return 1 + fields/cheaperAsColumns }

// The cost of computing from a bar: one value of a series; or, for bars that are read but not
// shown, all indicators that may be asked for.
const (
	perComputedBar  = 0.25
	perIndicatorBar = 1.5
)

// usualFigures is about how many figures of indicators may be asked for at once.
const usualFigures = 30

// usualFiles is about how many files hold all daily bars of a market with a long history.
const usualFiles = 12

// usualMembers is about how many members a sector has.
const usualMembers = 12

// usualLines is about how many lines a statement has.
const usualLines = 80

// usualGaps is about how many gaps a row of the coverage shows, and usualKinds how many rows
// an instrument has, one of them with all its gaps.
const usualGaps, usualKinds = 5, 30

// usualFacts is about how many facts a structured financial report has.
const usualFacts = 200

// rows returns how many rows a limit allows; an invalid limit is rejected later.
func rows(asked *int, limit value.Limit) int {
	if asked == nil {
		return limit.Default
	}
	return min(max(*asked, 1), limit.Max)
}

// fromMemory are the root fields of queries that are answered from memory.
var fromMemory = map[string]bool{
	"quote": true, "quotes": true, "watchlist": true, "instruments": true, "instrument": true, "parseInstrument": true, "logo": true,
	"marketStatus": true, "marketCalendar": true, "movers": true, "sectors": true, "sectorConstituents": true,
	"indices": true, "indexConstituents": true,
	"periodic": true, "periodicBatch": true, "indexPeriodic": true, "sectorPeriodic": true, "indicators": true, "usage": true,
	"sources": true, "bulkFiles": true,
}
