package db

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/funds"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

type fundRow struct {
	bun.BaseModel `bun:"table:funds"`
	funds.Fund
	Seq int64
}

type fundFlowRow struct {
	bun.BaseModel `bun:"table:fund_flows"`
	funds.Flow
	Seq int64
}

type fundHoldingRow struct {
	bun.BaseModel `bun:"table:fund_holdings"`
	funds.Holding
	Seq int64
}

// fundDay is the key of a flow.
type fundDay struct {
	code string
	date value.Date
}

// fundPosition is the key of a holding.
type fundPosition struct {
	code       string
	month      value.Month
	instrument market.ID
}

var fundProfiles = table[funds.Fund, fundRow, string]{
	feed:    FeedFunds,
	columns: []string{"code"},
	key:     func(r *funds.Fund) string { return r.Code },
	lookUp:  func(code string) any { return code },
	row:     func(r *funds.Fund, seq int64) *fundRow { return &fundRow{Fund: *r, Seq: seq} },
	record:  func(r *fundRow) *funds.Fund { return &r.Fund },
	asOf:    func(r *funds.Fund) value.Instant { return r.AsOf },
}

var fundFlows = table[funds.Flow, fundFlowRow, fundDay]{
	feed:    FeedFunds,
	columns: []string{"code", "date"},
	key:     func(r *funds.Flow) fundDay { return fundDay{r.Code, r.Date} },
	lookUp:  func(d fundDay) any { return d.code },
	narrow: func(q *bun.SelectQuery, entries []entry[funds.Flow]) {
		first, last := rangeOf(entries, func(r *funds.Flow) value.Date { return r.Date })
		q.Where("date BETWEEN ? AND ?", first, last)
	},
	row:    func(r *funds.Flow, seq int64) *fundFlowRow { return &fundFlowRow{Flow: *r, Seq: seq} },
	record: func(r *fundFlowRow) *funds.Flow { return &r.Flow },
}

var fundHoldings = table[funds.Holding, fundHoldingRow, fundPosition]{
	feed:    FeedFunds,
	columns: []string{"fund_code", "report_month", "instrument_id"},
	key:     func(r *funds.Holding) fundPosition { return fundPosition{r.FundCode, r.ReportMonth, r.InstrumentID} },
	lookUp:  func(p fundPosition) any { return p.code },
	narrow: func(q *bun.SelectQuery, entries []entry[funds.Holding]) {
		q.Where("report_month IN (?)", bun.List(distinct(entries, func(r *funds.Holding) value.Month { return r.ReportMonth })))
	},
	row:    func(r *funds.Holding, seq int64) *fundHoldingRow { return &fundHoldingRow{Holding: *r, Seq: seq} },
	record: func(r *fundHoldingRow) *funds.Holding { return &r.Holding },
}

// storeFunds stores the records of funds. It rejects a record in another currency than the
// stored prices, unless the catalog states since when.
func storeFunds(ctx context.Context, tx *numbered, w writing, entries []entry[funds.Fund]) error {
	ids := distinct(entries, func(r *funds.Fund) market.ID { return r.InstrumentID })
	meant := map[market.ID]string{}
	for _, table := range []string{"funds", "instruments"} { // the catalog takes precedence
		for some := range slices.Chunk(ids, upsertChunk) {
			var rows []struct {
				InstrumentID market.ID
				Currency     string
			}
			if err := tx.NewSelect().Table(table).Column("instrument_id", "currency").Where("instrument_id IN (?)", bun.List(some)).
				Scan(ctx, &rows); err != nil {
				return err
			}
			for _, r := range rows {
				meant[r.InstrumentID] = r.Currency
			}
		}
	}
	kept := entries[:0:0]
	for _, e := range entries {
		id, currency := e.record.InstrumentID, e.record.Currency
		if was := meant[id]; !e.withdrawn && was != "" && was != currency {
			last, err := lastPrice(ctx, tx, id)
			if err != nil {
				return err
			}
			if !last.IsNull() {
				*e.outcome = refused("currency", "prices of %s until now are in %s, and the record says %s. State the first day on which "+
					"they are so by valid_from of a record instrument", id, was, currency)
				continue
			}
			meant[id] = currency
		}
		kept = append(kept, e)
	}
	return fundProfiles.store(ctx, tx, w, kept)
}

// FundsAfter returns the funds numbered above seq.
func (s *Store) FundsAfter(ctx context.Context, seq int64) ([]*funds.Fund, error) {
	return after(ctx, s, seq, fundProfiles.record)
}

// Flows implements funds.Store.
func (s *Store) Flows(ctx context.Context, code string, first, last value.Date) (_ []*funds.Flow, err error) {
	ctx, done := s.reading(ctx, FeedFunds)
	defer done(&err)
	var rows []*fundFlowRow
	err = s.read.NewSelect().Model(&rows).Where("code = ? AND date BETWEEN ? AND ?", code, first, last).Order("date").Scan(ctx)
	return records(rows, fundFlows.record), err
}

// NewestFlow implements funds.Store.
func (s *Store) NewestFlow(ctx context.Context, code string, last value.Date) (newest value.Date, err error) {
	ctx, done := s.reading(ctx, FeedFunds)
	defer done(&err)
	err = s.read.NewSelect().TableExpr("fund_flows").ColumnExpr("max(date)").Where("code = ? AND date <= ?", code, last).Scan(ctx, &newest)
	return newest, err
}

// Holdings implements funds.Store with one statement.
func (s *Store) Holdings(ctx context.Context, codes []string) (_ map[string][]*funds.Holding, err error) {
	ctx, done := s.reading(ctx, FeedFunds)
	defer done(&err)
	held := make(map[string][]*funds.Holding, len(codes))
	if len(codes) == 0 {
		return held, nil
	}
	var rows []*fundHoldingRow
	if err := s.read.NewSelect().Model(&rows).
		Where("(fund_code, report_month) IN (SELECT fund_code, max(report_month) FROM fund_holdings WHERE fund_code IN (?) "+
			"GROUP BY fund_code)", bun.List(codes)).
		Scan(ctx); err != nil {
		return nil, err
	}
	for _, r := range rows {
		held[r.FundCode] = append(held[r.FundCode], &r.Holding)
	}
	return held, nil
}

// Holders implements funds.Store with one statement.
func (s *Store) Holders(ctx context.Context, ids []market.ID) (_ map[market.ID][]*funds.Holding, err error) {
	ctx, done := s.reading(ctx, FeedFunds)
	defer done(&err)
	held := make(map[market.ID][]*funds.Holding, len(ids))
	if len(ids) == 0 {
		return held, nil
	}
	var rows []*fundHoldingRow
	if err := s.read.NewSelect().Model(&rows).Where("instrument_id IN (?)", bun.List(ids)).
		Where("report_month = (SELECT max(newest.report_month) FROM fund_holdings AS newest WHERE newest.fund_code = " +
			"fund_holding_row.fund_code)").
		Scan(ctx); err != nil {
		return nil, err
	}
	for _, r := range rows {
		held[r.InstrumentID] = append(held[r.InstrumentID], &r.Holding)
	}
	return held, nil
}
