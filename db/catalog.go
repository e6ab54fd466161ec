package db

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

type instrumentRow struct {
	bun.BaseModel `bun:"table:instruments"`
	market.Instrument
	Seq int64
}

type sectorRow struct {
	bun.BaseModel `bun:"table:sectors"`
	market.Sector
	Seq int64
}

type indexRow struct {
	bun.BaseModel `bun:"table:bist_indices"`
	market.BistIndex
	Seq int64
}

type tradingDayRow struct {
	bun.BaseModel `bun:"table:trading_days"`
	market.TradingDay
	Seq int64
}

var instruments = table[market.Instrument, instrumentRow, market.ID]{
	feed:       FeedCatalog,
	columns:    []string{"instrument_id"},
	key:        func(r *market.Instrument) market.ID { return r.InstrumentID },
	lookUp:     func(id market.ID) any { return id },
	described:  ifAsked,
	row:        func(r *market.Instrument, seq int64) *instrumentRow { return &instrumentRow{Instrument: *r, Seq: seq} },
	record:     func(r *instrumentRow) *market.Instrument { return &r.Instrument },
	also:       recordChanged,
	remembered: true,
}

// recordChanged rebuilds the bars of instruments whose changed catalog records give them other
// days or prices: indices, whose sessions define their days, and instruments that were observed
// in another currency before they were in the catalog.
func recordChanged(ctx context.Context, tx *numbered, changed, gone []*market.Instrument) error {
	var ids, others []market.ID
	for _, in := range slices.Concat(changed, gone) {
		switch id := in.InstrumentID; {
		case id.Market() == market.Index:
			ids = append(ids, id)
		case id.Market().Recorded():
			others = append(others, id)
		}
	}
	if len(others) > 0 {
		var contradicted []market.ID
		if err := tx.NewRaw(`SELECT DISTINCT o.instrument_id FROM observations o JOIN instruments i ON i.instrument_id = o.instrument_id
			WHERE o.instrument_id IN (?) AND o.currency <> i.currency`, bun.List(others)).Scan(ctx, &contradicted); err != nil {
			return err
		}
		ids = append(ids, contradicted...)
	}
	return recordAgain(ctx, tx, ids)
}

var sectors = table[market.Sector, sectorRow, string]{
	feed:       FeedCatalog,
	columns:    []string{"code"},
	key:        func(r *market.Sector) string { return r.Code },
	lookUp:     func(code string) any { return code },
	row:        func(r *market.Sector, seq int64) *sectorRow { return &sectorRow{Sector: *r, Seq: seq} },
	record:     func(r *sectorRow) *market.Sector { return &r.Sector },
	remembered: true,
}

var indices = table[market.BistIndex, indexRow, string]{
	feed:       FeedCatalog,
	columns:    []string{"code"},
	key:        func(r *market.BistIndex) string { return r.Code },
	lookUp:     func(code string) any { return code },
	row:        func(r *market.BistIndex, seq int64) *indexRow { return &indexRow{BistIndex: *r, Seq: seq} },
	record:     func(r *indexRow) *market.BistIndex { return &r.BistIndex },
	asOf:       func(r *market.BistIndex) value.Instant { return r.SyncedAt },
	asOfIs:     "synced_at",
	remembered: true,
	published:  "synced_at",
}

// marketDay is the key of a trading day.
type marketDay struct {
	market market.Market
	date   value.Date
}

var tradingDays = table[market.TradingDay, tradingDayRow, marketDay]{
	feed:    FeedCatalog,
	columns: []string{"date", "market"}, // looked up by date: few markets share one
	key:     func(r *market.TradingDay) marketDay { return marketDay{r.Market, r.Date} },
	lookUp:  func(k marketDay) any { return k.date },
	row:     func(r *market.TradingDay, seq int64) *tradingDayRow { return &tradingDayRow{TradingDay: *r, Seq: seq} },
	record:  func(r *tradingDayRow) *market.TradingDay { return &r.TradingDay },
	also:    recordDays,
	touches: []string{FeedQuotes, FeedBars},
}

// recordDays rebuilds the bars of instruments whose market has other trading days than before.
// The daily bars of bist are ingested, and coins have no exceptions.
func recordDays(ctx context.Context, tx *numbered, changed, gone []*market.TradingDay) error {
	since := map[market.Market]value.Date{}
	for _, d := range slices.Concat(changed, gone) {
		if first, known := since[d.Market]; d.Market != market.BIST && d.Market.Recorded() && (!known || d.Date.Before(first)) {
			since[d.Market] = d.Date
		}
	}
	var ids []market.ID
	for m, first := range since {
		var some []market.ID
		// In any zone, and with a session that begins the evening before, the day begins at
		// most two days before that of UTC.
		if err := tx.NewRaw("SELECT DISTINCT instrument_id FROM observations WHERE instrument_id > ? AND instrument_id < ? AND as_of >= ?",
			string(m)+":", string(m)+";", first.AddDays(-2).Start(time.UTC)).Scan(ctx, &some); err != nil {
			return err
		}
		ids = append(ids, some...)
	}
	return recordAgain(ctx, tx, ids)
}

// exceptions returns the trading days of all markets.
func exceptions(ctx context.Context, tx bun.IDB) (market.Exceptions, error) {
	var rows []*tradingDayRow
	err := tx.NewSelect().Model(&rows).Scan(ctx)
	return market.Exceptions{}.With(records(rows, func(r *tradingDayRow) *market.TradingDay { return &r.TradingDay })), err
}

// InstrumentsAfter returns the instruments whose number in the catalog is above
// seq.
func (s *Store) InstrumentsAfter(ctx context.Context, seq int64) ([]*market.Instrument, error) {
	return after(ctx, s, seq, instruments.record)
}

// TradingDaysAfter returns the trading days whose number in the catalog is above
// seq.
func (s *Store) TradingDaysAfter(ctx context.Context, seq int64) ([]*market.TradingDay, error) {
	return after(ctx, s, seq, tradingDays.record)
}

// Sectors returns all sectors by code.
func (s *Store) Sectors(ctx context.Context) ([]*market.Sector, error) {
	return all(ctx, s, sectors.record)
}

// Indices returns all indices of the Istanbul exchange by code, with unverified ones.
func (s *Store) Indices(ctx context.Context) ([]*market.BistIndex, error) {
	return all(ctx, s, indices.record)
}
