package db

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/ipo"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/domain/news"
)

// Result says what became of a record.
type Result int

// The results.
const (
	Stored    Result = iota // new, or newer than what was there
	Unchanged               // already there, digit for digit
	Stale                   // older than what is there; the newest stays
	Refused                 // against a rule that only the store can see
)

// Outcome is the result of one record; a refused one says why.
type Outcome struct {
	Result        Result
	Field, Reason string // of a refused record
}

func refused(field, reason string) Outcome { return Outcome{Refused, field, reason} }

// Batch collects records to be stored in one transaction, in the order they
// were put in. Each put names where the record's outcome is to be written.
type Batch struct {
	instruments    []entry[market.Instrument]
	observations   []entry[market.Observation]
	sectors        []entry[market.Sector]
	indices        []entry[market.BistIndex]
	tradingDays    []entry[market.TradingDay]
	bars           []entry[market.Bar]
	indexBars      []entry[market.IndexBar]
	companies      []entry[kap.CompanyRecord]
	disclosures    []entry[kap.Record]
	filings        []entry[kap.FilingRecord]
	news           []entry[news.Item]
	inflation      []entry[macro.Point]
	dividends      []entry[fundamentals.DividendRecord]
	sources        []entry[market.SourceStatus]
	calendarEvents []entry[macro.CalendarEvent]
	calendarItems  []entry[macro.CalendarRecord]
	funds          []entry[funds.Fund]
	fundFlows      []entry[funds.Flow]
	fundHoldings   []entry[funds.Holding]
	ipos           []entry[ipo.Record]
	statements     []entry[fundamentals.Statement]
	metrics        []entry[fundamentals.Metrics]
	logos          []entry[market.LogoRecord]
	BackFill       bool // disclosures are not published to streams
}

// entry is a record and the place of its outcome.
type entry[T any] struct {
	record  *T
	outcome *Outcome
}

// PutInstrument adds a catalog record.
func (b *Batch) PutInstrument(r *market.Instrument, out *Outcome) {
	b.instruments = append(b.instruments, entry[market.Instrument]{r, out})
}

// PutObservation adds an observation of a quote.
func (b *Batch) PutObservation(r *market.Observation, out *Outcome) {
	b.observations = append(b.observations, entry[market.Observation]{r, out})
}

// PutSector adds a sector with its whole membership.
func (b *Batch) PutSector(r *market.Sector, out *Outcome) {
	b.sectors = append(b.sectors, entry[market.Sector]{r, out})
}

// PutIndex adds an index with its whole membership.
func (b *Batch) PutIndex(r *market.BistIndex, out *Outcome) {
	b.indices = append(b.indices, entry[market.BistIndex]{r, out})
}

// PutTradingDay adds an exception to a weekly session.
func (b *Batch) PutTradingDay(r *market.TradingDay, out *Outcome) {
	b.tradingDays = append(b.tradingDays, entry[market.TradingDay]{r, out})
}

// PutBar adds a bar of an instrument.
func (b *Batch) PutBar(r *market.Bar, out *Outcome) {
	b.bars = append(b.bars, entry[market.Bar]{r, out})
}

// PutIndexBar adds a day of an index.
func (b *Batch) PutIndexBar(r *market.IndexBar, out *Outcome) {
	b.indexBars = append(b.indexBars, entry[market.IndexBar]{r, out})
}

// PutCompany adds who files disclosures under some codes.
func (b *Batch) PutCompany(r *kap.CompanyRecord, out *Outcome) {
	b.companies = append(b.companies, entry[kap.CompanyRecord]{r, out})
}

// PutDisclosure adds a disclosure, or what a stored one lacked.
func (b *Batch) PutDisclosure(r *kap.Record, out *Outcome) {
	b.disclosures = append(b.disclosures, entry[kap.Record]{r, out})
}

// PutFiling adds the statements of a disclosure.
func (b *Batch) PutFiling(r *kap.FilingRecord, out *Outcome) {
	b.filings = append(b.filings, entry[kap.FilingRecord]{r, out})
}

// PutNews adds a piece of news.
func (b *Batch) PutNews(r *news.Item, out *Outcome) {
	b.news = append(b.news, entry[news.Item]{r, out})
}

// PutInflationPoint adds a month of a price index.
func (b *Batch) PutInflationPoint(r *macro.Point, out *Outcome) {
	b.inflation = append(b.inflation, entry[macro.Point]{r, out})
}

// PutDividend adds a dividend, or one installment of it.
func (b *Batch) PutDividend(r *fundamentals.DividendRecord, out *Outcome) {
	b.dividends = append(b.dividends, entry[fundamentals.DividendRecord]{r, out})
}

// PutSource adds whether a source is up.
func (b *Batch) PutSource(r *market.SourceStatus, out *Outcome) {
	b.sources = append(b.sources, entry[market.SourceStatus]{r, out})
}

// PutCalendarEvent adds the definition of an event.
func (b *Batch) PutCalendarEvent(r *macro.CalendarEvent, out *Outcome) {
	b.calendarEvents = append(b.calendarEvents, entry[macro.CalendarEvent]{r, out})
}

// PutCalendarItem adds an occurrence of an event.
func (b *Batch) PutCalendarItem(r *macro.CalendarRecord, out *Outcome) {
	b.calendarItems = append(b.calendarItems, entry[macro.CalendarRecord]{r, out})
}

// PutFund adds what a fund says about itself.
func (b *Batch) PutFund(r *funds.Fund, out *Outcome) {
	b.funds = append(b.funds, entry[funds.Fund]{r, out})
}

// PutFundFlow adds a day of a fund's flows.
func (b *Batch) PutFundFlow(r *funds.Flow, out *Outcome) {
	b.fundFlows = append(b.fundFlows, entry[funds.Flow]{r, out})
}

// PutFundHolding adds a position of a fund.
func (b *Batch) PutFundHolding(r *funds.Holding, out *Outcome) {
	b.fundHoldings = append(b.fundHoldings, entry[funds.Holding]{r, out})
}

// PutIPO adds a public offering.
func (b *Batch) PutIPO(r *ipo.Record, out *Outcome) {
	b.ipos = append(b.ipos, entry[ipo.Record]{r, out})
}

// PutStatement adds a filing of a company's statements.
func (b *Batch) PutStatement(r *fundamentals.Statement, out *Outcome) {
	b.statements = append(b.statements, entry[fundamentals.Statement]{r, out})
}

// PutMetrics adds what the data distributor says about a company on a day.
func (b *Batch) PutMetrics(r *fundamentals.Metrics, out *Outcome) {
	b.metrics = append(b.metrics, entry[fundamentals.Metrics]{r, out})
}

// PutLogo adds the logo of an instrument or a founder.
func (b *Batch) PutLogo(r *market.LogoRecord, out *Outcome) {
	b.logos = append(b.logos, entry[market.LogoRecord]{r, out})
}

// Store stores a batch: all of it, or, with an error, nothing. Outcomes are
// valid once it returns nil.
func (s *Store) Store(ctx context.Context, b *Batch) error {
	var feeds []string
	if len(b.instruments)+len(b.sectors)+len(b.indices)+len(b.tradingDays) > 0 {
		feeds = append(feeds, FeedCatalog)
	}
	if len(b.observations) > 0 {
		feeds = append(feeds, FeedQuotes)
	}
	if len(b.bars)+len(b.indexBars)+len(b.observations) > 0 { // observations become bars
		feeds = append(feeds, FeedBars)
	}
	if len(b.companies) > 0 {
		feeds = append(feeds, FeedCompanies)
	}
	if len(b.disclosures) > 0 {
		feeds = append(feeds, FeedDisclosures)
	}
	if len(b.filings) > 0 {
		feeds = append(feeds, FeedFilings)
	}
	if len(b.news) > 0 {
		feeds = append(feeds, FeedNews)
	}
	if len(b.inflation) > 0 {
		feeds = append(feeds, FeedInflation)
	}
	if len(b.dividends) > 0 {
		feeds = append(feeds, FeedDividends)
	}
	if len(b.sources) > 0 {
		feeds = append(feeds, FeedSources)
	}
	if len(b.calendarEvents)+len(b.calendarItems) > 0 {
		feeds = append(feeds, FeedCalendar)
	}
	if len(b.funds)+len(b.fundFlows)+len(b.fundHoldings) > 0 {
		feeds = append(feeds, FeedFunds)
	}
	if len(b.ipos) > 0 {
		feeds = append(feeds, FeedIPOs)
	}
	if len(b.statements) > 0 {
		feeds = append(feeds, FeedStatements)
	}
	if len(b.metrics) > 0 {
		feeds = append(feeds, FeedMetrics)
	}
	if len(b.logos) > 0 {
		feeds = append(feeds, FeedLogos)
	}
	if len(feeds) == 0 {
		return nil
	}
	return s.inFeeds(ctx, feeds, func(ctx context.Context, tx *numbered) error {
		for _, store := range []func() error{
			func() error { return instruments.store(ctx, tx, b.instruments) },
			func() error { return sectors.store(ctx, tx, b.sectors) },
			func() error { return indices.store(ctx, tx, b.indices) },
			func() error { return tradingDays.store(ctx, tx, b.tradingDays) },
			func() error { return storeObservations(ctx, tx, s.isPostgres(), b.observations) },
			func() error { return storeBars(ctx, tx, s.isPostgres(), b.bars) },
			func() error { return storeIndexBars(ctx, tx, b.indexBars) },
			func() error { return companies.store(ctx, tx, b.companies) },
			func() error { return storeDisclosures(ctx, tx, b.disclosures, !b.BackFill) },
			func() error { return filings.store(ctx, tx, b.filings) },
			func() error { return newsItems.store(ctx, tx, b.news) },
			func() error { return inflationPoints.store(ctx, tx, b.inflation) },
			func() error { return dividends.store(ctx, tx, b.dividends) },
			func() error { return sources.store(ctx, tx, b.sources) },
			func() error { return calendarEvents.store(ctx, tx, b.calendarEvents) },
			func() error { return calendarItems.store(ctx, tx, b.calendarItems) },
			func() error { return fundProfiles.store(ctx, tx, b.funds) },
			func() error { return fundFlows.store(ctx, tx, b.fundFlows) },
			func() error { return fundHoldings.store(ctx, tx, b.fundHoldings) },
			func() error { return ipos.store(ctx, tx, b.ipos) },
			func() error { return storeStatements(ctx, tx, b.statements) },
			func() error { return marketMetrics.store(ctx, tx, b.metrics) },
			func() error { return storeLogos(ctx, tx, b.logos) },
		} {
			if err := store(); err != nil {
				return err
			}
		}
		return nil
	})
}

// table stores records that replace their predecessor by key. R is the row of
// record T.
type table[T, R any, K comparable] struct {
	feed    string
	columns []string // of the key
	key     func(*T) K
	lookUp  func(K) any // the value of the first column
	row     func(*T, int64) *R
	record  func(*R) *T
	narrow  func(q *bun.SelectQuery, entries []entry[T])                // what else bounds the rows looked up, or nil
	refuse  func(stored, next *T) *Outcome                              // a rule between versions, or nil
	also    func(ctx context.Context, tx *numbered, changed []*T) error // what else a change touches, or nil
}

// store compares each entry with what is stored, in order, and writes the
// last version of every key that changed, numbered.
func (t table[T, R, K]) store(ctx context.Context, tx *numbered, entries []entry[T]) error {
	if len(entries) == 0 {
		return nil
	}
	current, err := t.stored(ctx, tx, entries)
	if err != nil {
		return err
	}
	changed := changes(entries, current, t.key, func(a, b *T) bool { return reflect.DeepEqual(a, b) }, t.refuse)
	rows := make([]*R, len(changed))
	for i, r := range changed {
		rows[i] = t.row(r, tx.number(t.feed))
	}
	if err := upsert(ctx, tx, rows, t.columns...); err != nil || t.also == nil {
		return err
	}
	return t.also(ctx, tx, changed)
}

// changes compares entries with what is stored, in order, says what became of
// each, and returns the last version of every record that changed. refuse is a
// rule between versions, or nil.
func changes[T any, K comparable](entries []entry[T], stored map[K]*T, key func(*T) K, same func(a, b *T) bool, refuse func(stored, next *T) *Outcome) []*T {
	at := map[K]int{}
	var changed []*T
	for _, e := range entries {
		k := key(e.record)
		if old := stored[k]; old != nil {
			if same(old, e.record) {
				*e.outcome = Outcome{Result: Unchanged}
				continue
			}
			if refuse != nil {
				if why := refuse(old, e.record); why != nil {
					*e.outcome = *why
					continue
				}
			}
		}
		*e.outcome = Outcome{Result: Stored}
		stored[k] = e.record
		if i, ok := at[k]; ok {
			changed[i] = e.record
			continue
		}
		at[k] = len(changed)
		changed = append(changed, e.record)
	}
	return changed
}

// stored loads what is there under the keys of entries.
func (t table[T, R, K]) stored(ctx context.Context, tx *numbered, entries []entry[T]) (map[K]*T, error) {
	current := make(map[K]*T, len(entries))
	keys := make([]any, 0, len(entries))
	for _, e := range entries {
		key := t.key(e.record)
		if _, ok := current[key]; !ok {
			current[key] = nil
			keys = append(keys, t.lookUp(key))
		}
	}
	var rows []*R
	query := tx.NewSelect().Model(&rows).Where("? IN (?)", bun.Ident(t.columns[0]), bun.List(keys))
	if t.narrow != nil {
		t.narrow(query, entries)
	}
	if err := query.Scan(ctx); err != nil {
		return nil, err
	}
	for _, r := range rows {
		rec := t.record(r)
		current[t.key(rec)] = rec
	}
	return current, nil
}

// upsertChunk bounds the rows of one statement; its text has to be parsed.
const upsertChunk = 500

// upsert inserts rows, or replaces the ones with the same key columns.
func upsert[R any](ctx context.Context, tx bun.IDB, rows []*R, key ...string) error {
	var set []string
	for _, f := range tx.Dialect().Tables().Get(reflect.TypeFor[R]()).Fields {
		if !slices.Contains(key, f.Name) {
			set = append(set, string(f.SQLName)+" = EXCLUDED."+string(f.SQLName))
		}
	}
	for chunk := range slices.Chunk(rows, upsertChunk) {
		if _, err := tx.NewInsert().Model(&chunk).
			On("CONFLICT (" + strings.Join(key, ", ") + ") DO UPDATE").
			Set(strings.Join(set, ", ")).Returning("NULL").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
