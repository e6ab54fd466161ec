package db

import (
	"context"
	"errors"
	"slices"

	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/ipo"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/internal/value"
)

// Result says what happened to a record.
type Result int

// The results.
const (
	Stored    Result = iota // new, or newer than the stored record
	Unchanged               // already stored, digit for digit
	Stale                   // older than the stored record, which stays
	Refused                 // breaks a rule that only the store can check
)

// Outcome is the result of one record.
type Outcome struct {
	Result Result
	Why    *value.Invalid // why a record is refused or stale; nil for other results
	OffDay bool           // the bar is of a day without trading: stored but not shown
}

func refused(member, format string, args ...any) Outcome {
	return Outcome{Result: Refused, Why: value.Invalidf(member, format, args...)}
}

func stale(member, format string, args ...any) Outcome {
	return Outcome{Result: Stale, Why: value.Invalidf(member, format, args...)}
}

// Record is a type of record that a batch stores: one for each row of kinds.
type Record interface {
	market.Instrument | market.Sector | market.BistIndex | market.TradingDay | market.PriceLimits |
		market.CorporateAction | market.Observation | market.Bar | market.IndexBar |
		market.SourceStatus | market.SourceState | market.LogoRecord | kap.CompanyRecord |
		kap.Record | kap.FilingRecord | news.Item | macro.Point | macro.IndexLink |
		macro.CalendarEvent | macro.CalendarRecord | funds.Fund | funds.Flow | funds.Holding | ipo.Record |
		fundamentals.DividendRecord | fundamentals.Statement | fundamentals.Metrics
}

// Batch collects records to be stored in one transaction. Records of one kind are stored in the
// order in which they were put. Fill it with Put and Withdraw, then call Store.
type Batch struct {
	records  map[any]any // by a nil *T: the *[]entry[T] of record type T
	BackFill bool        // disclosures are not published to streams

	// Horizon is the moment after which no observation can be valid yet, or null. A withdrawal
	// after it deletes the future observation.
	Horizon value.Instant

	// Recorded is when the batch is stored, by the caller's clock; null: by the machine's.
	Recorded value.Instant

	// Before is called once all outcomes are known and before the commit, and again if the
	// transaction is repeated. Its error undoes the batch. It may be nil.
	Before func() error
}

// Put adds a record. Store writes its outcome to out.
func Put[T Record](b *Batch, record *T, out *Outcome) { add(b, entry[T]{record, false, out}) }

// Withdraw adds the withdrawal of the stored record with the key of record. Besides the key,
// record states at most the member that orders its versions. Withdrawing a record that is not
// stored changes nothing.
func Withdraw[T Record](b *Batch, record *T, out *Outcome) { add(b, entry[T]{record, true, out}) }

// entry is a record, whether it is a withdrawal, and where its outcome goes.
type entry[T any] struct {
	record    *T
	withdrawn bool
	outcome   *Outcome
}

func add[T any](b *Batch, e entry[T]) {
	all, _ := b.records[(*T)(nil)].(*[]entry[T])
	if all == nil {
		if b.records == nil {
			b.records = map[any]any{}
		}
		all = new([]entry[T])
		b.records[(*T)(nil)] = all
	}
	*all = append(*all, e)
}

// writing is how a batch is stored.
type writing struct {
	postgres, backFill bool
	horizon            value.Instant
}

// kind is a type of record and how records of the type are stored.
type kind interface {
	in(b *Batch) bool          // whether the batch has any
	numbers(b *Batch) []string // the feeds whose numbers they take
	store(ctx context.Context, tx *numbered, w writing, b *Batch) error
}

// kinds holds the kinds in the order in which a batch stores them: observations make bars,
// which loaded bars then replace.
var kinds = []kind{
	by(storeInstruments, append(slices.Clone(MovedFeeds), FeedCatalog)...),
	inTable(sectors),
	inTable(indices),
	inTable(tradingDays),
	inTable(priceLimits),
	by(storeActions, FeedCatalog),
	by(storeObservations, FeedQuotes, FeedBars),
	kindOf[market.Bar]{write: storeBars, feeds: []string{FeedBars}, some: changesAdjustment, another: FeedCatalog},
	by(storeIndexBars, FeedBars),
	by(storeCompanies, FeedCompanies),
	by(storeDisclosures, FeedDisclosures),
	inTable(filings),
	inTable(newsItems),
	by(storeInflation, FeedInflation),
	by(storeIndexLinks, FeedInflation),
	inTable(dividends),
	inTable(sources),
	inTable(sourceStates),
	inTable(calendarEvents),
	inTable(calendarItems),
	by(storeFunds, FeedFunds),
	inTable(fundFlows),
	inTable(fundHoldings),
	by(storeIPOs, FeedIPOs),
	by(storeStatements, FeedStatements),
	inTable(marketMetrics),
	by(storeLogos, FeedLogos),
}

// kindOf is the kind of records of type T.
type kindOf[T any] struct {
	write func(context.Context, *numbered, writing, []entry[T]) error
	feeds []string // whose numbers the records take

	some    func(entry[T]) bool // the records that also take numbers of another feed; may be nil
	another string
}

// by returns a kind that write stores, with numbers of feeds.
func by[T Record](write func(context.Context, *numbered, writing, []entry[T]) error, feeds ...string) kind {
	return kindOf[T]{write: write, feeds: feeds}
}

// inTable returns a kind that is written to a table of versions.
func inTable[T Record, R any, K comparable](t table[T, R, K]) kind {
	return kindOf[T]{write: t.store, feeds: append(slices.Clone(t.touches), t.feed)}
}

func (k kindOf[T]) in(b *Batch) bool { return b.records[(*T)(nil)] != nil }

func (k kindOf[T]) numbers(b *Batch) []string {
	if k.some != nil && slices.ContainsFunc(k.of(b), k.some) {
		return append(slices.Clone(k.feeds), k.another)
	}
	return k.feeds
}

// of returns the records of the kind. There must be some.
func (k kindOf[T]) of(b *Batch) []entry[T] { return *b.records[(*T)(nil)].(*[]entry[T]) }

func (k kindOf[T]) store(ctx context.Context, tx *numbered, w writing, b *Batch) error {
	entries, err := underPresentIDs(ctx, tx, k.of(b))
	if err != nil {
		return err
	}
	return k.write(ctx, tx, w, entries)
}

// Store stores a whole batch or, if it returns an error, nothing. Outcomes are valid only if it
// returns nil.
func (s *Store) Store(ctx context.Context, b *Batch) error {
	var brought []kind
	var feeds []string
	for _, k := range kinds {
		if k.in(b) {
			brought, feeds = append(brought, k), append(feeds, k.numbers(b)...)
		}
	}
	if len(brought) < len(b.records) {
		return errors.New("a batch holds records of a type that kinds does not list")
	}
	if len(brought) == 0 {
		return b.before()
	}
	slices.Sort(feeds)
	recorded := b.Recorded
	if recorded.IsNull() {
		recorded = value.SystemClock()
	}
	return s.inFeeds(ctx, slices.Compact(feeds), func(ctx context.Context, tx *numbered) error {
		tx.at = recorded
		for _, k := range brought {
			if err := k.store(ctx, tx, writing{s.isPostgres(), b.BackFill, b.Horizon}, b); err != nil {
				return err
			}
		}
		return b.before()
	})
}

func (b *Batch) before() error {
	if b.Before == nil {
		return nil
	}
	return b.Before()
}
