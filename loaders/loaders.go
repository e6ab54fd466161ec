// Package loaders batches the edges of the graph: the siblings of one list ask
// one by one, and their answers come from one call.
//
// A batch goes out when the last sibling has asked; siblings are all parents at
// one place of the document, in whatever lists. How many there are is known,
// because the lists above them are resolved already; a short wait is only the
// fallback for siblings that turn out not to ask, and for lists that turn out
// to be empty. Loaders live as long as one response and are reached from edges
// only: REST calls the services itself.
package loaders

import (
	"context"
	"time"

	"piyasa/domain/analytics"
	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
)

// Services answer the edges.
type Services struct {
	Market       *market.Service
	Fundamentals *fundamentals.Service
	Analytics    *analytics.Service
	Macro        *macro.Service
	Funds        *funds.Service
	KAP          *kap.Service
}

// Set holds the loaders of one response.
type Set struct {
	quotes           edge[*market.Currency, *market.Quote]
	candles          edge[market.SeriesArgs, *market.CandleSeries]
	eod              edge[market.SeriesArgs, *market.EodSeries]
	periodic         edge[*market.Currency, *analytics.Periodic]
	indicators       edge[analytics.IndicatorArgs, *analytics.IndicatorSet]
	valuation        edge[*market.Currency, *fundamentals.Valuation]
	valuationHistory edge[fundamentals.ValuationHistoryArgs, *fundamentals.ValuationHistory]
	financials       edge[fundamentals.FinancialsArgs, *fundamentals.Financials]
	dividends        edge[*int, []*fundamentals.Dividend]
	sectorValuation  family[*market.SectorInfo, *market.EquityMarket, *analytics.SectorValuation]
	sectorReturns    family[*market.SectorInfo, analytics.SectorReturnsArgs, *analytics.SectorReturns]
	indexPeriodic    family[*market.IndexInfo, struct{}, *analytics.Periodic]
	calendarItems    family[*macro.CalendarEvent, macro.ItemsArgs, []*macro.CalendarItem]
	holders          edge[*int, []*funds.Holder]

	disclosures        edge[*int, []*kap.Disclosure]
	companyDisclosures family[*kap.CompanyProfile, *int, []*kap.Disclosure]
	related            family[*kap.Disclosure, struct{}, *kap.Disclosure]
	detail             family[*kap.Disclosure, struct{}, *kap.Detail]
	body               family[*kap.Detail, *kap.BodyFormat, *kap.Body]
}

// edge is the loaders of an edge of instruments.
type edge[A, V any] = family[*market.Instrument, A, V]

type setKey struct{}

// With returns a context that carries a new Set over the services.
func With(ctx context.Context, s Services) context.Context {
	return context.WithValue(ctx, setKey{}, &Set{
		quotes:           edge[*market.Currency, *market.Quote]{fetch: s.Market.QuotesOf, wait: shortWait},
		candles:          edge[market.SeriesArgs, *market.CandleSeries]{fetch: s.Market.CandlesOf, wait: longWait},
		eod:              edge[market.SeriesArgs, *market.EodSeries]{fetch: s.Market.EodOf, wait: longWait},
		periodic:         edge[*market.Currency, *analytics.Periodic]{fetch: s.Analytics.PeriodicOf, wait: longWait},
		indicators:       edge[analytics.IndicatorArgs, *analytics.IndicatorSet]{fetch: s.Analytics.IndicatorsOf, wait: longWait},
		valuation:        edge[*market.Currency, *fundamentals.Valuation]{fetch: s.Fundamentals.ValuationsOf, wait: longWait},
		valuationHistory: edge[fundamentals.ValuationHistoryArgs, *fundamentals.ValuationHistory]{fetch: s.Fundamentals.ValuationHistoryOf, wait: longWait},
		financials:       edge[fundamentals.FinancialsArgs, *fundamentals.Financials]{fetch: s.Fundamentals.FinancialsOf, wait: longWait},
		dividends:        edge[*int, []*fundamentals.Dividend]{fetch: s.Fundamentals.DividendsOf, wait: longWait},
		sectorValuation:  family[*market.SectorInfo, *market.EquityMarket, *analytics.SectorValuation]{fetch: s.Analytics.SectorValuationsOf, wait: longWait},
		sectorReturns:    family[*market.SectorInfo, analytics.SectorReturnsArgs, *analytics.SectorReturns]{fetch: s.Analytics.SectorReturnsOf, wait: longWait},
		indexPeriodic: family[*market.IndexInfo, struct{}, *analytics.Periodic]{wait: longWait, fetch: func(ctx context.Context, indices []*market.IndexInfo, _ struct{}) ([]*analytics.Periodic, []error) {
			return s.Analytics.IndexPeriodicOf(ctx, indices)
		}},
		calendarItems: family[*macro.CalendarEvent, macro.ItemsArgs, []*macro.CalendarItem]{fetch: s.Macro.ItemsOf, wait: longWait},
		holders:       edge[*int, []*funds.Holder]{fetch: s.Funds.HoldersOf, wait: longWait},

		disclosures:        edge[*int, []*kap.Disclosure]{fetch: s.KAP.DisclosuresOf, wait: longWait},
		companyDisclosures: family[*kap.CompanyProfile, *int, []*kap.Disclosure]{fetch: s.KAP.DisclosuresOfCompanies, wait: longWait},
		related:            family[*kap.Disclosure, struct{}, *kap.Disclosure]{fetch: plain(s.KAP.RelatedOf), wait: longWait},
		detail:             family[*kap.Disclosure, struct{}, *kap.Detail]{fetch: plain(s.KAP.DetailsOf), wait: longWait},
		body:               family[*kap.Detail, *kap.BodyFormat, *kap.Body]{fetch: s.KAP.BodiesOf, wait: longWait},
	})
}

// plain is a fetch of an edge without arguments.
func plain[K, V any](fetch func(context.Context, []K) ([]V, []error)) func(context.Context, []K, struct{}) ([]V, []error) {
	return func(ctx context.Context, keys []K, _ struct{}) ([]V, []error) { return fetch(ctx, keys) }
}

func of(ctx context.Context) *Set { return ctx.Value(setKey{}).(*Set) }

// Quote is the quote of in, or nil when it has no price.
func Quote(ctx context.Context, in *market.Instrument, currency *market.Currency) (*market.Quote, error) {
	return of(ctx).quotes.load(ctx, in, currency)
}

// Candles is the bars of in.
func Candles(ctx context.Context, in *market.Instrument, args market.SeriesArgs) (*market.CandleSeries, error) {
	return of(ctx).candles.load(ctx, in, args)
}

// Eod is the daily records of in.
func Eod(ctx context.Context, in *market.Instrument, args market.SeriesArgs) (*market.EodSeries, error) {
	return of(ctx).eod.load(ctx, in, args)
}

// Periodic is the windows of in, or nil when its market has none.
func Periodic(ctx context.Context, in *market.Instrument, currency *market.Currency) (*analytics.Periodic, error) {
	return of(ctx).periodic.load(ctx, in, currency)
}

// Indicators is the indicators of in, or nil outside bist.
func Indicators(ctx context.Context, in *market.Instrument, args analytics.IndicatorArgs) (*analytics.IndicatorSet, error) {
	return of(ctx).indicators.load(ctx, in, args)
}

// Valuation is the valuation of in, or nil when there is none.
func Valuation(ctx context.Context, in *market.Instrument, currency *market.Currency) (*fundamentals.Valuation, error) {
	return of(ctx).valuation.load(ctx, in, currency)
}

// ValuationHistory is the daily market cap and P/E of in, or nil when it is no
// stock of bist.
func ValuationHistory(ctx context.Context, in *market.Instrument, args fundamentals.ValuationHistoryArgs) (*fundamentals.ValuationHistory, error) {
	return of(ctx).valuationHistory.load(ctx, in, args)
}

// Financials is the statements of in, or nil outside bist and us.
func Financials(ctx context.Context, in *market.Instrument, args fundamentals.FinancialsArgs) (*fundamentals.Financials, error) {
	return of(ctx).financials.load(ctx, in, args)
}

// Dividends is the newest dividends of in.
func Dividends(ctx context.Context, in *market.Instrument, first *int) ([]*fundamentals.Dividend, error) {
	return of(ctx).dividends.load(ctx, in, first)
}

// SectorValuation is the medians of a sector.
func SectorValuation(ctx context.Context, sector *market.SectorInfo, m *market.EquityMarket) (*analytics.SectorValuation, error) {
	return of(ctx).sectorValuation.load(ctx, sector, m)
}

// SectorReturns is the return series of a sector.
func SectorReturns(ctx context.Context, sector *market.SectorInfo, args analytics.SectorReturnsArgs) (*analytics.SectorReturns, error) {
	return of(ctx).sectorReturns.load(ctx, sector, args)
}

// IndexPeriodic is the windows of an index.
func IndexPeriodic(ctx context.Context, index *market.IndexInfo) (*analytics.Periodic, error) {
	return of(ctx).indexPeriodic.load(ctx, index, struct{}{})
}

// CalendarItems is the occurrences of an event.
func CalendarItems(ctx context.Context, event *macro.CalendarEvent, args macro.ItemsArgs) ([]*macro.CalendarItem, error) {
	return of(ctx).calendarItems.load(ctx, event, args)
}

// Holders is the funds that hold in.
func Holders(ctx context.Context, in *market.Instrument, first *int) ([]*funds.Holder, error) {
	return of(ctx).holders.load(ctx, in, first)
}

// Disclosures is the newest disclosures of in.
func Disclosures(ctx context.Context, in *market.Instrument, first *int) ([]*kap.Disclosure, error) {
	return of(ctx).disclosures.load(ctx, in, first)
}

// CompanyDisclosures is the newest disclosures of a company.
func CompanyDisclosures(ctx context.Context, company *kap.CompanyProfile, first *int) ([]*kap.Disclosure, error) {
	return of(ctx).companyDisclosures.load(ctx, company, first)
}

// Related is the earlier disclosure that d changes, or nil.
func Related(ctx context.Context, d *kap.Disclosure) (*kap.Disclosure, error) {
	return of(ctx).related.load(ctx, d, struct{}{})
}

// Detail is everything about d but its body.
func Detail(ctx context.Context, d *kap.Disclosure) (*kap.Detail, error) {
	return of(ctx).detail.load(ctx, d, struct{}{})
}

// Body is what a disclosure says.
func Body(ctx context.Context, d *kap.Detail, format *kap.BodyFormat) (*kap.Body, error) {
	return of(ctx).body.load(ctx, d, format)
}

// How long a batch waits for siblings that never ask: longer where each batch
// costs statements, since a busy machine is slow to let a hundred of them ask.
const (
	shortWait = time.Millisecond
	longWait  = 25 * time.Millisecond
)
