package services

import (
	"slices"
	"time"

	"piyasa/db"
)

// Reads are what an answer depends on besides its request: feeds of the log, and the clock. The
// zero value is for an answer that never changes.
type Reads struct {
	feeds uint64        // bits by place in db.Feeds
	clock time.Duration // how often the clock may change it; 0: never
}

// And returns the reads of an answer with both dependencies.
func (r Reads) And(other Reads) Reads {
	r.feeds |= other.feeds
	if r.clock == 0 || other.clock != 0 && other.clock < r.clock {
		r.clock = other.clock
	}
	return r
}

func from(feeds ...string) (r Reads) {
	for _, feed := range feeds {
		r.feeds |= 1 << slices.Index(db.Feeds, feed)
	}
	return r
}

// each returns r for an answer that the clock also changes, at multiples of every.
func (r Reads) each(every time.Duration) Reads { return r.And(Reads{clock: every}) }

// Parts of the table. A day of any market begins on a full minute.
var (
	shown      = from(db.FeedCatalog, db.FeedFunds, db.FeedLogos) // instruments as answers show them
	prices     = shown.And(from(db.FeedQuotes))
	rates      = prices.each(time.Second)                                         // of currencies, which become too old
	bars       = shown.And(from(db.FeedBars, db.FeedDividends)).each(time.Minute) // dividends may adjust bars
	filed      = shown.And(from(db.FeedStatements, db.FeedMetrics, db.FeedFilings)).each(time.Minute)
	paid       = shown.And(from(db.FeedDividends)).each(time.Minute)
	acted      = shown.each(time.Minute)
	events     = from(db.FeedCalendar).each(time.Minute)
	offerings  = rates.And(bars).And(from(db.FeedIPOs, db.FeedSources))
	announced  = shown.And(from(db.FeedDisclosures, db.FeedCompanies)) // found by all present and former codes of instruments
	detailed   = announced.And(from(db.FeedFilings)).each(time.Second) // links expire
	statements = announced.And(from(db.FeedFilings, db.FeedInflation)).each(time.Minute)
	articles   = shown.And(from(db.FeedNews, db.FeedCompanies))
	ofFunds    = rates.And(bars)
)

// reads lists what each field of a query reads in addition to its parent.
var reads = withInstruments(map[string]Reads{
	"Query.quote": prices, "Query.quotes": prices, "Query.movers": rates, "Query.marketStatus": from(db.FeedCatalog).each(time.Second),
	"Query.marketCalendar": from(db.FeedCatalog).each(time.Minute),
	"Query.sources":        from(db.FeedSources).each(time.Second),
	"Query.coverage":       shown.each(time.Second), // the clock renews the count
	"Query.watchlist":      shown,
	"Query.instruments":    shown, "Query.instrument": shown, "Query.parseInstrument": shown, "Query.logo": shown,
	"Query.candles": bars, "Query.candlesBatch": bars, "Query.eod": bars,
	"Query.indicators": bars, "Query.periodic": bars, "Query.periodicBatch": bars, "Query.indexPeriodic": bars,
	"Query.sectorPeriodic": bars, "Query.sectorReturns": bars,
	"Query.financials": filed, "Query.valuation": filed, "Query.valuations": filed, "Query.valuationHistory": filed,
	"Query.sectorValuation": filed,
	"Query.dividendHistory": paid, "Query.dividends": paid,
	"Query.corporateActionHistory": acted, "Query.corporateActions": acted,
	"Query.sectors": shown, "Query.sectorConstituents": rates, "Query.indices": shown, "Query.indexConstituents": rates,
	"Query.calendar": events, "Query.calendarEvents": events, "Query.calendarEvent": events,
	"Query.producerPriceIndex": from(db.FeedInflation).each(time.Minute),
	"Query.fundProfile":        ofFunds, "Query.fundRanking": ofFunds, "Query.fundInvestorFlows": ofFunds, "Query.fundHolders": ofFunds,
	"Query.fundHoldings": ofFunds,
	"Query.ipos":         offerings, "Query.ipo": offerings,
	"Query.disclosures": announced, "Query.disclosure": detailed, "Query.disclosureBody": detailed, "Query.filings": statements,
	"Query.company": announced,
	"Query.news":    articles, "Query.newsItem": articles,

	"Query.node": rates.And(announced).And(articles).And(events), "Query.nodes": rates.And(announced).And(articles).And(events),
	"Query.disclosuresConnection": announced, "Query.filingsConnection": statements, "Query.newsConnection": articles,
	"Query.dividendsConnection":   paid,
	"Query.instrumentsConnection": shown,

	"Instrument.id": {}, "Sector.id": {}, "BistIndex.id": {}, "CalendarEvent.id": {}, "Disclosure.id": {}, "CompanyProfile.id": {},
	"NewsItem.id": {}, "Instrument.meaningChanges": {},
	"Instrument.quote": prices, "Instrument.candles": bars, "Instrument.eod": bars, "Instrument.periodic": bars,
	"Instrument.indicators": bars, "IndicatorSet.series": bars,
	"Instrument.valuation": filed, "Instrument.valuationHistory": filed, "Instrument.financials": filed, "Instrument.dividends": paid,
	"Instrument.corporateActions": acted, "CorporateAction.disclosure": announced,
	"Instrument.sectorInfo": shown, "Instrument.logo": shown, "Instrument.indices": shown, "Instrument.holders": ofFunds,
	"Instrument.holdings":    ofFunds,
	"Instrument.disclosures": announced, "Instrument.company": announced,
	"Instrument.missingReason": prices.And(bars).And(filed).And(paid).And(ofFunds).And(announced),
	"BistIndex.constituents":   rates, "BistIndex.periodic": bars,
	"Sector.members": rates, "Sector.valuation": filed, "Sector.returns": bars,
	"CandleSeries.bars": bars, "CandleSeries.columns": bars,
	"BarColumns.t": {}, "BarColumns.open": {}, "BarColumns.high": {}, "BarColumns.low": {}, "BarColumns.close": {}, "BarColumns.volume": {},
	"BarColumns.turnover":   {},
	"BarColumns.tradeCount": {}, "BarColumns.fxRate": {}, "BarColumns.factor": {}, "BarColumns.date": {}, "BarColumns.complete": {},
	"CalendarEvent.items": events, "CalendarItem.event": events,
	"CompanyProfile.instruments": shown, "CompanyProfile.disclosures": announced,
	"Disclosure.instruments": shown, "Disclosure.company": announced, "Disclosure.related": announced, "Disclosure.detail": detailed,
	"Disclosure.corporateActions": shown,
	"DisclosureDetail.body":       detailed, "DisclosureDetail.instruments": shown, "DisclosureDetail.company": announced,
	"DisclosureDetail.related": announced,
}, "CandleSeries", "Constituent", "CorporateAction", "CorporateActionHistory", "Dividend", "DividendHistory", "EodSeries", "Financials",
	"FundHolders", "FundHolding", "FundHoldings", "FundPosition", "FundProfile",
	"IndicatorSet", "InvestorFlows",
	"Ipo", "IpoDetail", "Logo", "Mover", "ParsedInstrument", "Periodic", "Quote", "RankedFund", "SectorMember", "Valuation",
	"ValuationHistory")

// withInstruments adds the field instrument of types.
func withInstruments(reads map[string]Reads, types ...string) map[string]Reads {
	for _, of := range types {
		reads[of+".instrument"] = shown
	}
	return reads
}

// ReadsOf returns what a field reads, such as Query.quote or Instrument.candles; with
// converted, in another currency. ok is false for an unknown field.
func ReadsOf(field string, converted bool) (r Reads, ok bool) {
	if r, ok = reads[field]; ok && converted {
		r = r.And(rates).And(bars)
	}
	return r, ok
}

// Stamp identifies the state of what an answer reads: while the stamp is the same, so is the
// answer.
type Stamp struct {
	Epoch string
	Feeds uint64 // a digest of their numbers, since servers of one database may apply them in different orders
	Tick  int64
}

// Applied returns the number of the newest applied row of a feed; 0: none.
func (s *Services) Applied(feed string) int64 {
	return max(0, s.applied[slices.Index(db.Feeds, feed)].Load()-1)
}

// Stamp returns the present state of r; ok is false if it is not known because a feed is not
// followed.
func (s *Services) Stamp(r Reads) (stamp Stamp, ok bool) {
	stamp.Epoch = s.Epochs.Lineage().Current()
	for i, feed := range db.Feeds {
		if r.feeds&(1<<i) == 0 {
			continue
		}
		seq := s.applied[i].Load()
		if seq == 0 || !s.current(feed) {
			return stamp, false
		}
		stamp.Feeds = mixed(stamp.Feeds, uint64(seq))
	}
	if r.clock > 0 {
		stamp.Tick = s.Clock().Time().UnixNano() / int64(r.clock)
	}
	return stamp, true
}

// mixed adds a number to an order-sensitive digest (the finalizer of SplitMix64).
func mixed(digest, number uint64) uint64 {
	x := digest*0x9e3779b97f4a7c15 + number
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
