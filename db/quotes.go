package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
)

type quoteRow struct {
	bun.BaseModel `bun:"table:quotes"`
	market.Observation
	Seq int64
}

type observationRow struct {
	bun.BaseModel `bun:"table:observations"`
	market.Observation
}

var observationTable = bulkTable[market.Observation]{
	name: "observations",
	key:  []string{"instrument_id", "as_of"},
	columns: []bulkColumn[market.Observation]{
		{"instrument_id", "text", func(o *market.Observation) any { return string(o.InstrumentID) }},
		{"as_of", "timestamptz", func(o *market.Observation) any { return o.AsOf }},
		{"last", "numeric", func(o *market.Observation) any { return exact(o.Last) }},
		{"currency", "text", func(o *market.Observation) any { return optional(o.Currency, text) }},
		{"prev_close", "numeric", func(o *market.Observation) any { return exact(o.PrevClose) }},
		{"change", "numeric", func(o *market.Observation) any { return exact(o.Change) }},
		{"change_pct", "numeric", func(o *market.Observation) any { return exact(o.ChangePct) }},
		{"open", "numeric", func(o *market.Observation) any { return exact(o.Open) }},
		{"high", "numeric", func(o *market.Observation) any { return exact(o.High) }},
		{"low", "numeric", func(o *market.Observation) any { return exact(o.Low) }},
		{"bid", "numeric", func(o *market.Observation) any { return exact(o.Bid) }},
		{"ask", "numeric", func(o *market.Observation) any { return exact(o.Ask) }},
		{"volume", "numeric", func(o *market.Observation) any { return exact(o.Volume) }},
		{"turnover", "numeric", func(o *market.Observation) any { return exact(o.Turnover) }},
		{"limit_up", "numeric", func(o *market.Observation) any { return exact(o.LimitUp) }},
		{"limit_down", "numeric", func(o *market.Observation) any { return exact(o.LimitDown) }},
		{"market_cap", "numeric", func(o *market.Observation) any { return exact(o.MarketCap) }},
		{"data_delay_seconds", "integer", func(o *market.Observation) any { return optional(o.DataDelaySeconds, whole) }},
		{"current_until", "timestamptz", func(o *market.Observation) any { return moment(o.CurrentUntil) }},
	},
}

// quoteTable is the newest observation of each instrument, numbered.
var quoteTable = bulkTable[quoteRow]{
	name: "quotes",
	key:  []string{"instrument_id"},
	columns: append(
		columnsOf(observationTable, func(r *quoteRow) *market.Observation { return &r.Observation }),
		bulkColumn[quoteRow]{"seq", "bigint", func(r *quoteRow) any { return r.Seq }}),
}

// QuotesAfter returns the newest observations numbered above seq, without impossible figures.
func (s *Store) QuotesAfter(ctx context.Context, seq int64) ([]*market.Observation, error) {
	return after(ctx, s, seq, func(r *quoteRow) *market.Observation {
		r.LeaveOut()
		return &r.Observation
	})
}

// Observations returns the kept observations of an instrument by time.
func (s *Store) Observations(ctx context.Context, id market.ID) (_ []*market.Observation, err error) {
	ctx, done := s.reading(ctx, FeedQuotes)
	defer done(&err)
	var rows []*observationRow
	err = s.read.NewSelect().Model(&rows).Where("instrument_id = ?", id).Order("as_of").Scan(ctx)
	return records(rows, func(r *observationRow) *market.Observation { return &r.Observation }), err
}
