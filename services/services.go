// Package services is the composition root: it builds the services of all domains over one
// store, and lists the feeds of the log that keep them up to date. It is the only place where a
// domain is wired.
package services

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/db"
	"piyasa/domain/analytics"
	"piyasa/domain/coverage"
	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/ipo"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/internal/attachment"
	"piyasa/internal/epoch"
	"piyasa/internal/value"
	"piyasa/serve/bulk"
	"piyasa/serve/stream"
)

// Settings are the choices of an operator.
type Settings struct {
	BaseURL        string // start of absolute addresses, without a slash at its end
	Secret         []byte // signs cursors, links and tokens
	Clock          value.Clock
	Plans          access.Plans
	Name           string                 // unique name of this server
	Current        func(feed string) bool // whether a feed is applied up to its last stored row; nil: always
	FXMaxAge       time.Duration
	TestStocks     []market.ID // whose dividends a test key lists
	Lines          *fundamentals.Lines
	StatementCache int // how many bytes of statements are kept; 0: none
	HistoryCache   int // how many bytes of bars are kept; 0: none
}

// Services holds everything that answers requests: one service for each domain, the gate and
// the meter of keys, and the hubs of streams. Feeds says how new rows of the store reach them;
// resolvers, routes and streams only call them.
type Services struct {
	BaseURL string
	Signer  access.Signer
	Clock   value.Clock
	Gate    *access.Gate
	Meter   *usage.Meter
	Sharing *access.Sharing

	Market       *market.Service
	Fundamentals *fundamentals.Service
	Analytics    *analytics.Service
	Macro        *macro.Service
	Funds        *funds.Service
	IPO          *ipo.Service
	KAP          *kap.Service
	Webhooks     *kap.Webhooks
	News         *news.Service
	Coverage     *coverage.Service
	Bulk         *bulk.Service

	Disclosures *stream.Disclosures
	Prices      *stream.Quotes

	Epochs *epoch.View // as of the last Apply of any feed

	applied [64]atomic.Int64 // by place in db.Feeds: one more than the last applied number; 0: never
	current func(feed string) bool
	applies map[string]stream.Apply // by feed

	dividends *fundamentals.KeptDividends
	recent    *kap.Recent
	store     Store
	settings  Settings
	moments   *pastCache
}

// follows returns a function that reports whether a feed is followed.
func (s Settings) follows(feed string) func() bool {
	if s.Current == nil {
		return func() bool { return true }
	}
	return func() bool { return s.Current(feed) }
}

// New builds the services over a store. They are empty until their feeds are applied.
func New(s Settings, store Store) *Services {
	signer, gate := access.Signer{Secret: s.Secret}, access.NewGate(s.Plans)
	gate.Current = s.follows(db.FeedKeys)
	meter := usage.NewMeter(s.Name, store, gate.Plan, s.Clock)
	meter.Servers = func() int { n, _ := gate.Shared(); return n }
	live, epochs := market.NewLive(), new(epoch.View)
	live.BaseURL = s.BaseURL

	quotes := &market.Service{Live: live, History: market.NewHistoryCache(store, s.HistoryCache, s.follows(db.FeedBars)), Logos: store,
		Now: s.Clock, FXMaxAge: s.FXMaxAge, Signer: signer, Epochs: epochs, TestStocks: s.TestStocks}
	dividends := fundamentals.KeepDividends(store, s.follows(db.FeedDividends))
	companies := &fundamentals.Service{
		Market: quotes, Store: dividends, Histories: fundamentals.NewHistoryCache(store, s.StatementCache, s.follows(db.FeedStatements)),
		Live:  fundamentals.NewLive(),
		Lines: s.Lines, Signer: signer, Epochs: epochs, TestStocks: s.TestStocks,
	}
	quotes.Dividends = companies.CashDividends
	economy := &macro.Service{Store: store, Live: macro.NewLive(), Now: s.Clock}
	recent := kap.NewRecent(store, s.follows(db.FeedDisclosures))
	disclosures := &kap.Service{Store: recent, Live: kap.NewLive(), Inflation: economy.Live, Signer: signer, Epochs: epochs, Now: s.Clock,
		BaseURL: s.BaseURL}
	disclosures.Actions = quotes.AnnouncedActions
	disclosures.Live.OtherCodes = func(code string) []string { return live.Snapshot().Catalog.OtherCodes(code) }
	all := &Services{
		BaseURL: s.BaseURL, Signer: signer, Clock: s.Clock, Gate: gate, Meter: meter, Sharing: access.NewSharing(gate, store, s.Name),

		Market:       quotes,
		Fundamentals: companies,
		Analytics:    &analytics.Service{Market: quotes, Fundamentals: companies, Store: store, Figures: analytics.NewFigureCache()},
		Macro:        economy,
		Funds:        &funds.Service{Market: quotes, Store: store, Live: funds.NewLive()},
		IPO: &ipo.Service{Market: quotes, Store: store, Live: ipo.NewLive(),
			Links: attachment.Links{Signer: signer, Now: s.Clock, BaseURL: s.BaseURL}},
		KAP:      disclosures,
		Webhooks: &kap.Webhooks{Store: store, Signer: signer, Plan: gate.Plan, Now: s.Clock},
		News:     &news.Service{Store: store, Companies: disclosures.Live, Signer: signer, Epochs: epochs},
		Coverage: &coverage.Service{Store: store, Live: live, Now: s.Clock, Signer: signer, Epochs: epochs},
		Bulk:     &bulk.Service{Market: quotes, Source: store, Plan: gate.Plan, BaseURL: s.BaseURL},

		Disclosures: stream.NewDisclosures(store),
		Prices:      stream.NewQuotes(quotes),

		Epochs: epochs,

		current:   func(feed string) bool { return s.follows(feed)() && (feed != db.FeedDisclosures || !recent.Behind()) },
		dividends: dividends,
		recent:    recent,
		store:     store,
		settings:  s,
		moments:   newPastCache(),
	}
	all.Bulk.Catalog = func() int64 { return all.Applied(db.FeedCatalog) }
	all.applies = all.counted()
	return all
}

// Feeds returns how the rows of each feed of the log are applied.
func (s *Services) Feeds() map[string]stream.Apply { return maps.Clone(s.applies) }

// counted makes the functions of feeds, one call of each at a time, count how far they have come.
func (s *Services) counted() map[string]stream.Apply {
	feeds := s.feeds()
	for i, name := range db.Feeds {
		apply, alone := feeds[name], new(sync.Mutex)
		feeds[name] = func(ctx context.Context, rows stream.Rows) error {
			alone.Lock()
			defer alone.Unlock()
			s.Epochs.Set(rows.Epochs)
			if apply != nil {
				if err := apply(ctx, rows); err != nil {
					return err
				}
			}
			s.applied[i].Store(max(rows.Head+1, s.applied[i].Load()))
			return nil
		}
	}
	return feeds
}

// applyMoved applies the feeds whose rows the catalog may have moved to other ids. It runs
// before the new catalog is shown, so that no row of one instrument is shown as another's that
// now has its id.
func (s *Services) applyMoved(ctx context.Context, epochs epoch.Lineage) error {
	m, err := s.store.Look(ctx)
	if err != nil || m.Epochs.Current() != epochs.Current() {
		return err
	}
	for _, feed := range db.MovedFeeds {
		begun := s.applied[slices.Index(db.Feeds, feed)].Load() > 0
		after, head := s.Applied(feed), m.Heads[feed]
		if !begun || head <= after {
			continue
		}
		if err := s.applies[feed](ctx, stream.Rows{After: after, Head: head, Epochs: m.Epochs}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Services) feeds() map[string]stream.Apply {
	store := s.store
	return map[string]stream.Apply{
		db.FeedBars: func(ctx context.Context, rows stream.Rows) error {
			return apply(func(changes []market.BarChange) {
				s.barsChanged(rows.Rebuild, changes)
			})(store.BarsAfter(ctx, rows.After))
		},
		db.FeedCatalog: s.applyCatalog,
		db.FeedQuotes: func(ctx context.Context, rows stream.Rows) error {
			put := s.Market.Live.PutQuotes
			if rows.Rebuild {
				put = s.Market.Live.SetQuotes
			}
			return apply(func(observations []*market.Observation) {
				s.Prices.Changed(put(observations))
			})(store.QuotesAfter(ctx, rows.After))
		},
		db.FeedStatements: func(ctx context.Context, rows stream.Rows) error {
			kept := s.Fundamentals.Histories
			return changed(ctx, store, db.FeedStatements, rows, store.HistoriesAfter, kept.Changed, kept.Forget)
		},
		db.FeedFilings: func(ctx context.Context, rows stream.Rows) error {
			kept := s.Fundamentals.Histories
			return changed(ctx, store, db.FeedFilings, rows, store.PublishedAfter, kept.Published, kept.ForgetPublished)
		},
		db.FeedMetrics: func(ctx context.Context, rows stream.Rows) error {
			live := s.Fundamentals.Live
			return applyChanges(ctx, store, db.FeedMetrics, rows, store.NewestMetrics, live.PutMetrics, live.SetMetrics)
		},
		db.FeedLogos: func(ctx context.Context, rows stream.Rows) error {
			live := s.Market.Live
			return applyChanges(ctx, store, db.FeedLogos, rows, store.LogosAfter, live.PutLogos, live.SetLogos)
		},
		db.FeedCompanies: func(ctx context.Context, _ stream.Rows) error {
			companies, err := store.Companies(ctx)
			if err != nil {
				return err
			}
			return apply(func(held []kap.CodeHeld) { s.KAP.Live.PutCompanies(companies, held...) })(store.CodesHeld(ctx))
		},
		db.FeedCalendar: func(ctx context.Context, _ stream.Rows) error {
			return apply(s.Macro.Live.PutEvents)(store.CalendarEvents(ctx))
		},
		db.FeedInflation: func(ctx context.Context, _ stream.Rows) error {
			points, err := store.InflationPoints(ctx)
			if err != nil {
				return err
			}
			return apply(func(links []*macro.IndexLink) { s.Macro.Live.PutPoints(points, links...) })(store.IndexLinks(ctx))
		},
		db.FeedFunds: func(ctx context.Context, rows stream.Rows) error {
			live := s.Funds.Live
			err := applyChanges(ctx, store, db.FeedFunds, rows, store.FundsAfter, live.PutFunds, live.SetFunds)
			if err == nil {
				s.Market.Live.PutFunds(live.Instruments())
				s.Prices.Changed(s.Market.Live.PutFundPrices(live.Prices()))
			}
			return err
		},
		db.FeedIPOs: func(ctx context.Context, rows stream.Rows) error {
			live := s.IPO.Live
			return applyChanges(ctx, store, db.FeedIPOs, rows, store.IPOsAfter, live.PutRecords, live.SetRecords)
		},
		db.FeedSources: func(ctx context.Context, _ stream.Rows) error {
			return apply(func(all []*market.SourceStatus) {
				s.Market.Sources.Set(all)
				s.IPO.Live.PutSources(all)
			})(store.Sources(ctx))
		},
		db.FeedDividends: func(ctx context.Context, rows stream.Rows) error {
			return changed(ctx, store, db.FeedDividends, rows, store.DividendsAfter, s.dividends.Changed, s.dividends.Forget)
		},
		db.FeedDisclosures: func(ctx context.Context, rows stream.Rows) error { // lists must have what streams announce
			if err := s.recent.Apply(ctx, rows.Head, rows.Rebuild); err != nil {
				return err
			}
			return s.Disclosures.Apply(ctx, rows)
		},
		db.FeedKeys: func(ctx context.Context, _ stream.Rows) error { return apply(s.Gate.Replace)(store.Keys(ctx)) },
	}
}

// barsChanged notifies everything derived from bars that some bars, or with all any, have
// changed. The cache of bars comes first, because figures are made from it.
func (s *Services) barsChanged(all bool, changes []market.BarChange) {
	if all {
		s.Market.History.AllChanged()
		s.Analytics.AllBarsChanged()
		s.IPO.Live.AllBarsChanged()
	}
	s.Market.History.Changed(changes)
	var daily []string
	for _, c := range changes {
		if c.Resolution == market.Day {
			daily = append(daily, c.Subject)
		}
	}
	s.Analytics.DailyBarsChanged(daily)
	s.IPO.Live.DailyBarsChanged(daily)
}

// apply returns a function that passes rows to put unless reading them failed.
func apply[T any](put func([]T)) func([]T, error) error {
	return func(read []T, err error) error {
		if err == nil {
			put(read)
		}
		return err
	}
}

// applyChanges applies rows. If any row of the feed has been withdrawn since, or the store may
// have gone back, it reads all rows again, and set replaces the known ones. A row withdrawn
// between the two reads has a number that the next pass finds.
func applyChanges[T any](ctx context.Context, store Store, feed string, rows stream.Rows, read func(context.Context, int64) ([]T, error),
	put, set func([]T)) error {
	all, err := replaces(ctx, store, feed, rows)
	if err != nil {
		return err
	}
	if all {
		rows.After, put = 0, set
	}
	return apply(put)(read(ctx, rows.After))
}

// changed tells a cache of a feed's values which keys have changed up to the head of rows, or
// that any may have.
func changed[K any](ctx context.Context, store Store, feed string, rows stream.Rows, read func(context.Context, int64) ([]K, error),
	change func(head int64, keys []K), forget func(head int64)) error {
	all, err := replaces(ctx, store, feed, rows)
	if err != nil {
		return err
	}
	if all || rows.After == 0 {
		forget(rows.Head)
		return nil
	}
	return apply(func(keys []K) { change(rows.Head, keys) })(read(ctx, rows.After))
}

// replaces reports whether rows replace everything known of a feed.
func replaces(ctx context.Context, store Store, feed string, rows stream.Rows) (bool, error) {
	if rows.Rebuild {
		return true, nil
	}
	return store.Withdrew(ctx, feed, rows.After)
}

// applyCatalog applies the catalog. Sectors, indices and facts of identity are few, so they are
// read as a whole.
func (s *Services) applyCatalog(ctx context.Context, rows stream.Rows) error {
	all, err := replaces(ctx, s.store, db.FeedCatalog, rows)
	if err != nil {
		return err
	}
	live := s.Market.Live
	put := live.PutCatalog
	if all {
		rows.After, put = 0, live.SetCatalog
	}
	instruments, err := s.store.InstrumentsAfter(ctx, rows.After)
	if err != nil {
		return err
	}
	days, err := s.store.TradingDaysAfter(ctx, rows.After)
	if err != nil {
		return err
	}
	sectors, err := s.store.Sectors(ctx)
	if err != nil {
		return err
	}
	indices, err := s.store.Indices(ctx)
	if err != nil {
		return err
	}
	adjustments, err := s.store.AdjustmentsAfter(ctx, rows.After)
	if err != nil {
		return err
	}
	limits, err := s.store.PriceLimitsAfter(ctx, rows.After)
	if err != nil {
		return err
	}
	meanings, err := s.store.FormerMeanings(ctx)
	if err != nil {
		return err
	}
	renames, err := s.store.Renames(ctx)
	if err != nil {
		return err
	}
	if !rows.Rebuild && (all || len(instruments) > 0) {
		if err := s.applyMoved(ctx, rows.Epochs); err != nil {
			return err
		}
	}
	live.PutIdentities(meanings, renames) // before the records: no price is shown with a newer meaning
	actions, err := s.store.ActionsAfter(ctx, rows.After)
	if err != nil {
		return err
	}
	before := live.Snapshot()
	otherDays := put(instruments, days)
	if all {
		live.SetPriceLimits(limits)
		live.SetAdjustments(adjustments)
		live.SetActions(actions)
	} else {
		live.PutPriceLimits(limits)
		live.PutAdjustments(adjustments)
		live.PutActions(actions)
	}
	live.PutSectors(sectors)
	live.PutIndices(indices)
	s.Analytics.CatalogChanged(instruments)
	s.Analytics.DailyBarsChanged(live.Snapshot().OtherBoundaries(before)) // the bars are the same, but figures have another meaning
	s.Prices.CatalogChanged()
	s.barsChanged(false, s.shownOtherwise(instruments, otherDays, indices))
	return nil
}

// shownOtherwise returns the series whose shown bars have changed: those of markets with other
// trading days, and of world indices, whose records state their sessions.
func (s *Services) shownOtherwise(changed []*market.Instrument, days []*market.TradingDay,
	indices []*market.BistIndex) (changes []market.BarChange) {
	add := func(instruments []*market.Instrument) {
		for _, in := range instruments {
			for _, r := range []market.Resolution{market.FiveMinutes, market.Day} {
				changes = append(changes, market.BarChange{Subject: string(in.InstrumentID), Resolution: r, Corrected: true})
			}
		}
	}
	begun, markets := value.TurkeyDay(s.Clock()).AddDays(1), map[market.Market]bool{market.Index: false}
	for _, d := range days {
		if (!begun.Before(d.Date) || d.Market == market.BIST) && !markets[d.Market] { // the first day of bist makes its calendar known
			markets[d.Market] = true
			add(s.Market.Live.Snapshot().Catalog.Of(d.Market))
		}
	}
	if !markets[market.Index] {
		add(slices.DeleteFunc(slices.Clone(changed), func(in *market.Instrument) bool { return in.Market != market.Index }))
	}
	if markets[market.BIST] {
		for _, index := range indices {
			changes = append(changes, market.BarChange{Subject: index.Code, Resolution: market.Day, Corrected: true})
		}
	}
	return changes
}

// Store is what the services read; db.Store implements it.
type Store interface {
	market.History
	market.LogoStore
	fundamentals.DividendSource
	fundamentals.StatementStore
	analytics.Store
	macro.Store
	funds.Store
	ipo.Store
	kap.RecentStore
	kap.WebhookStore
	news.Store
	coverage.Store
	stream.DisclosureStore
	usage.Store
	access.SharedStore
	bulk.Source
	log

	// At returns the store as it could have answered at a moment.
	At(ctx context.Context, at value.Instant, described bool) (*db.Past, error)
}

// log is the rows that feeds read: those numbered above seq, or all.
type log interface {
	Withdrew(ctx context.Context, feed string, seq int64) (bool, error)
	BarsAfter(ctx context.Context, seq int64) ([]market.BarChange, error)
	InstrumentsAfter(ctx context.Context, seq int64) ([]*market.Instrument, error)
	TradingDaysAfter(ctx context.Context, seq int64) ([]*market.TradingDay, error)
	AdjustmentsAfter(context.Context, int64) ([]*market.HistoryAdjustment, error)
	FormerMeanings(context.Context) ([]*market.FormerMeaning, error)
	Renames(context.Context) ([]*market.Rename, error)
	PriceLimitsAfter(context.Context, int64) ([]*market.PriceLimits, error)
	ActionsAfter(context.Context, int64) ([]*market.StoredAction, error)
	Sectors(context.Context) ([]*market.Sector, error)
	Indices(context.Context) ([]*market.BistIndex, error)
	QuotesAfter(ctx context.Context, seq int64) ([]*market.Observation, error)
	LogosAfter(ctx context.Context, seq int64) ([]*market.LogoTag, error)
	HistoriesAfter(ctx context.Context, seq int64) ([]fundamentals.HistoryKey, error)
	PublishedAfter(ctx context.Context, seq int64) ([]fundamentals.HistoryKey, error)
	DividendsAfter(ctx context.Context, seq int64) ([]market.ID, error)
	NewestMetrics(ctx context.Context, seq int64) ([]*fundamentals.Metrics, error)
	Companies(context.Context) ([]*kap.CompanyRecord, error)
	CodesHeld(context.Context) ([]kap.CodeHeld, error)
	CalendarEvents(context.Context) ([]*macro.CalendarEvent, error)
	InflationPoints(context.Context) ([]*macro.Point, error)
	IndexLinks(context.Context) ([]*macro.IndexLink, error)
	FundsAfter(ctx context.Context, seq int64) ([]*funds.Fund, error)
	IPOsAfter(ctx context.Context, seq int64) ([]*ipo.Record, error)
	Sources(context.Context) ([]*market.SourceStatus, error)
	Keys(context.Context) ([]*access.Key, error)
}

var _ Store = (*db.Store)(nil)
