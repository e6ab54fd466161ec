package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// dividendRow is a dividend. Its installment is part of the order, so it is 0 if the record has
// none.
type dividendRow struct {
	bun.BaseModel `bun:"table:dividends"`
	InstrumentID  market.ID
	ExDate        value.Date
	Occasion      string
	DividendID    *string
	Kind          *string
	Installment   int
	PaymentDate   value.Date
	GrossPerShare value.Decimal
	NetPerShare   value.Decimal
	Currency      string
	Seq           int64
}

// dividendKey is the key of a dividend.
type dividendKey struct {
	instrument market.ID
	exDate     value.Date
	occasion   string
}

var dividends = table[fundamentals.DividendRecord, dividendRow, dividendKey]{
	feed:    FeedDividends,
	columns: []string{"instrument_id", "ex_date", "occasion"}, // looked up by instrument: few dividends share one
	key: func(r *fundamentals.DividendRecord) dividendKey {
		return dividendKey{r.InstrumentID, r.ExDate, r.Occasion()}
	},
	lookUp:     func(k dividendKey) any { return k.instrument },
	remembered: true,
	row: func(r *fundamentals.DividendRecord, seq int64) *dividendRow {
		return &dividendRow{
			InstrumentID: r.InstrumentID, ExDate: r.ExDate, Occasion: r.Occasion(), DividendID: r.DividendID, Kind: r.Kind,
			Installment: r.Number(),
			PaymentDate: r.PaymentDate, GrossPerShare: r.GrossPerShare, NetPerShare: r.NetPerShare, Currency: r.Currency, Seq: seq,
		}
	},
	record: func(r *dividendRow) *fundamentals.DividendRecord {
		record := &fundamentals.DividendRecord{
			InstrumentID: r.InstrumentID, ExDate: r.ExDate, DividendID: r.DividendID, Kind: r.Kind, PaymentDate: r.PaymentDate,
			GrossPerShare: r.GrossPerShare, NetPerShare: r.NetPerShare, Currency: r.Currency,
		}
		if r.Installment != 0 {
			record.Installment = &r.Installment
		}
		return record
	},
}

// Dividends implements fundamentals.DividendStore with one statement.
func (s *Store) Dividends(ctx context.Context, ids []market.ID, first int) (_ map[market.ID][]*fundamentals.DividendRecord, err error) {
	ctx, done := s.reading(ctx, FeedDividends)
	defer done(&err)
	found := make(map[market.ID][]*fundamentals.DividendRecord, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	numbered := s.read.NewSelect().TableExpr("dividends").ColumnExpr("*").
		ColumnExpr("row_number() OVER (PARTITION BY instrument_id ORDER BY ex_date DESC, installment DESC, occasion DESC) AS place").
		Where("instrument_id IN (?)", bun.List(ids))
	var rows []*dividendRow
	err = s.read.NewSelect().Model(&rows).ModelTableExpr("(?) AS dividend_row", numbered).
		Where("place <= ?", first).Order("instrument_id", "place").Scan(ctx)
	for _, r := range rows {
		found[r.InstrumentID] = append(found[r.InstrumentID], dividends.record(r))
	}
	return found, err
}

// AllDividends implements fundamentals.DividendSource.
func (s *Store) AllDividends(ctx context.Context, ids []market.ID) (lists [][]*fundamentals.DividendRecord, head int64, err error) {
	ctx, done := s.reading(ctx, FeedDividends)
	defer done(&err)
	places := make(map[market.ID]int, len(ids))
	for i, id := range ids {
		places[id] = i
	}
	lists = make([][]*fundamentals.DividendRecord, len(ids))
	err = s.snapshot(ctx, FeedDividends, func(ctx context.Context, tx bun.Tx, last int64) error {
		head = last
		var rows []*dividendRow
		err := tx.NewSelect().Model(&rows).Where("instrument_id IN (?)",
			bun.List(ids)).OrderExpr("instrument_id, ex_date DESC, installment DESC, occasion DESC").Scan(ctx)
		for _, r := range rows {
			i := places[r.InstrumentID]
			lists[i] = append(lists[i], dividends.record(r))
		}
		return err
	})
	return lists, head, err
}

// DividendsAfter returns the instruments of dividends numbered above seq.
func (s *Store) DividendsAfter(ctx context.Context, seq int64) (ids []market.ID, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	err = s.follow.NewSelect().TableExpr("dividends").Distinct().Column("instrument_id").Where("seq > ?", seq).Scan(ctx, &ids)
	return ids, err
}

// dividendOrders are the columns that order a list: those of a unique index, so that no two
// dividends compare equal.
var dividendOrders = map[fundamentals.DividendDateField][]string{
	fundamentals.ByExDate:      {"ex_date", "instrument_id", "installment", "occasion"},
	fundamentals.ByPaymentDate: {"payment_date", "instrument_id", "installment", "ex_date", "occasion"},
}

// DividendPage implements fundamentals.DividendStore with one statement that follows the index
// of the chosen date.
func (s *Store) DividendPage(ctx context.Context, q fundamentals.DividendQuery) (_ []*fundamentals.StoredDividend, err error) {
	ctx, done := s.reading(ctx, FeedDividends)
	defer done(&err)
	if q.Instruments != nil && len(q.Instruments) == 0 {
		return nil, nil
	}
	columns, from, to := dividendOrders[q.DateField], q.From, q.To
	order, beyond := columns, "(?, instrument_id, installment, ex_date, occasion) > (?, ?, ?, ?, ?)"
	if q.Backward {
		order, beyond = make([]string, len(columns)), "(?, instrument_id, installment, ex_date, occasion) < (?, ?, ?, ?, ?)"
		for i, column := range columns {
			order[i] = column + " DESC"
		}
	}
	if q.After != nil && q.Backward {
		to = q.After.Date // where reading of the index begins
	} else if q.After != nil {
		from = q.After.Date
	}
	listed := s.read.NewSelect().TableExpr("instruments AS i").ColumnExpr("1").
		Where("i.instrument_id = dividend_row.instrument_id AND i.market = ?", q.Market)
	if q.AssetType != nil {
		listed = listed.Where("i.asset_type = ?", *q.AssetType)
	}
	var rows []*dividendRow
	sel := s.read.NewSelect().Model(&rows).Where("? BETWEEN ? AND ?", bun.Ident(columns[0]), from, to).Where("EXISTS (?)", listed)
	if q.Instruments != nil {
		sel = sel.Where("instrument_id IN (?)", bun.List(q.Instruments))
	}
	if q.Status != nil {
		settled := "coalesce(payment_date, ex_date) <= ?"
		if *q.Status == fundamentals.Upcoming {
			settled = "coalesce(payment_date, ex_date) > ?"
		}
		sel = sel.Where(settled, q.Today)
	}
	if q.After != nil {
		sel = sel.Where(beyond, bun.Ident(columns[0]), q.After.Date, q.After.InstrumentID, q.After.Installment, q.After.ExDate,
			q.After.Occasion)
	}
	err = sel.Order(order...).Limit(int64(q.Limit)).Scan(ctx)
	return records(rows, func(r *dividendRow) *fundamentals.StoredDividend {
		return &fundamentals.StoredDividend{DividendRecord: *dividends.record(r), Seq: r.Seq}
	}), err
}
