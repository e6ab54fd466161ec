package command

import (
	"context"

	"piyasa/access"
	"piyasa/db"
	"piyasa/domain/analytics"
	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/ipo"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/stream"
)

// domains are the services of a server.
type domains struct {
	market       *market.Service
	fundamentals *fundamentals.Service
	analytics    *analytics.Service
	macro        *macro.Service
	funds        *funds.Service
	ipo          *ipo.Service
	kap          *kap.Service
	news         *news.Service
}

func newDomains(v service, signer access.Signer) *domains {
	d := &domains{market: &market.Service{Live: market.NewLive(), History: v.store, Logos: v.store, Now: v.clock, FXMaxAge: v.fxMaxAge}}
	d.market.Live.BaseURL = v.BaseURL
	d.fundamentals = &fundamentals.Service{
		Market: d.market, Store: v.store, Histories: fundamentals.NewHistoryCache(v.store, v.statementCache), Live: fundamentals.NewLive(),
		Lines: v.lines, Signer: signer, TestStocks: v.testStocks,
	}
	d.analytics = &analytics.Service{Market: d.market, Fundamentals: d.fundamentals, Store: v.store, Computed: analytics.NewComputed()}
	d.macro = &macro.Service{Store: v.store, Live: macro.NewLive(), Now: v.clock}
	d.funds = &funds.Service{Market: d.market, Store: v.store, Live: funds.NewLive()}
	d.ipo = &ipo.Service{Market: d.market, Store: v.store, Live: ipo.NewLive(), Links: kap.Links{Signer: signer, Now: v.clock, BaseURL: v.BaseURL}}
	d.kap = &kap.Service{Store: v.store, Live: kap.NewLive(), Inflation: d.macro.Live, Signer: signer, Now: v.clock, BaseURL: v.BaseURL}
	d.news = &news.Service{Store: v.store, Companies: d.kap.Live, Signer: signer}
	return d
}

// follow is what a server takes in from the log.
func follow(store *db.Store, d *domains, disclosures *stream.Disclosures, prices *stream.Prices, gate *access.Gate) map[string]stream.Apply {
	return map[string]stream.Apply{
		db.FeedBars: func(ctx context.Context, after, _ int64) error {
			return take(func(subjects []string) {
				d.analytics.DailyBarsChanged(subjects)
				d.ipo.Live.DailyBarsChanged(subjects)
			})(store.DailyBarsAfter(ctx, after))
		},
		db.FeedCatalog: func(ctx context.Context, after, _ int64) error {
			if err := followCatalog(ctx, store, d, after); err != nil {
				return err
			}
			prices.CatalogChanged()
			return nil
		},
		db.FeedQuotes: func(ctx context.Context, after, _ int64) error {
			observations, err := store.QuotesAfter(ctx, after)
			if err != nil {
				return err
			}
			prices.Changed(d.market.Live.PutQuotes(observations))
			return nil
		},
		db.FeedStatements: func(ctx context.Context, after, _ int64) error {
			all := func([]fundamentals.HistoryKey) { d.fundamentals.Histories.InvalidateAll() }
			return changed(ctx, store, db.FeedStatements, after, store.HistoriesAfter, d.fundamentals.Histories.Invalidate, all)
		},
		db.FeedMetrics: func(ctx context.Context, after, _ int64) error {
			return changed(ctx, store, db.FeedMetrics, after, store.NewestMetrics, d.fundamentals.Live.PutMetrics, d.fundamentals.Live.SetMetrics)
		},
		db.FeedLogos: func(ctx context.Context, after, _ int64) error {
			return changed(ctx, store, db.FeedLogos, after, store.LogosAfter, d.market.Live.PutLogos, d.market.Live.SetLogos)
		},
		db.FeedCompanies: func(ctx context.Context, _, _ int64) error {
			companies, err := store.Companies(ctx)
			if err != nil {
				return err
			}
			return take(func(held []kap.CodeHeld) { d.kap.Live.PutCompanies(companies, held...) })(store.CodesHeld(ctx))
		},
		db.FeedCalendar: func(ctx context.Context, _, _ int64) error {
			return take(d.macro.Live.PutEvents)(store.CalendarEvents(ctx))
		},
		db.FeedFunds: func(ctx context.Context, after, _ int64) error {
			err := changed(ctx, store, db.FeedFunds, after, store.FundsAfter, d.funds.Live.PutFunds, d.funds.Live.SetFunds)
			if err == nil {
				d.market.Live.PutFunds(d.funds.Live.Instruments())
			}
			return err
		},
		db.FeedIPOs: func(ctx context.Context, after, _ int64) error {
			return changed(ctx, store, db.FeedIPOs, after, store.IPOsAfter, d.ipo.Live.PutRecords, d.ipo.Live.SetRecords)
		},
		db.FeedSources: func(ctx context.Context, _, _ int64) error { return take(d.ipo.Live.PutSources)(store.Sources(ctx)) },
		db.FeedInflation: func(ctx context.Context, _, _ int64) error {
			return take(d.macro.Live.PutPoints)(store.InflationPoints(ctx))
		},
		db.FeedDisclosures: disclosures.Apply,
		db.FeedKeys:        func(ctx context.Context, _, _ int64) error { return take(gate.Replace)(store.Keys(ctx)) },
	}
}

// take hands on what was read, unless reading failed.
func take[T any](put func([]T)) func([]T, error) error {
	return func(read []T, err error) error {
		if err == nil {
			put(read)
		}
		return err
	}
}

// changed applies the rows stored after a number. If any row of the feed has been
// withdrawn since, it reads them all again, and set replaces what was known. A
// row withdrawn between the two reads has a number that the next pass sees.
func changed[T any](ctx context.Context, store *db.Store, feed string, after int64, read func(context.Context, int64) ([]T, error), put, set func([]T)) error {
	withdrew, err := store.Withdrew(ctx, feed, after)
	if err != nil {
		return err
	}
	if withdrew {
		after, put = 0, set
	}
	return take(put)(read(ctx, after))
}

// followCatalog takes in the catalog. Sectors and indices are few: they come
// whole.
func followCatalog(ctx context.Context, store *db.Store, d *domains, after int64) error {
	withdrew, err := store.Withdrew(ctx, db.FeedCatalog, after)
	if err != nil {
		return err
	}
	live := d.market.Live
	put := live.PutCatalog
	if withdrew {
		after, put = 0, live.SetCatalog
	}
	instruments, err := store.InstrumentsAfter(ctx, after)
	if err != nil {
		return err
	}
	days, err := store.TradingDaysAfter(ctx, after)
	if err != nil {
		return err
	}
	sectors, err := store.Sectors(ctx)
	if err != nil {
		return err
	}
	indices, err := store.Indices(ctx)
	if err != nil {
		return err
	}
	put(instruments, days)
	live.PutSectors(sectors)
	live.PutIndices(indices)
	d.analytics.CatalogChanged(instruments)
	return nil
}
