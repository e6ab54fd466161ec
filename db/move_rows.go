package db

import (
	"context"
	"fmt"
	"strings"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// ownRows says where the rows of an instrument are in a table.
type ownRows struct {
	table, column string
	key           []string // the other columns of its key; nil: rows of several instruments never share a key
	feed          string   // whose numbers the rows have; empty: none
	ofFunds       bool     // the column has the code of a fund

	// remember stores the rows for questions about the past; it may be nil.
	remember func(ctx context.Context, tx *numbered, from, to market.ID) error
}

// remember returns a function that stores the rows of an instrument in a table before they
// change. They get the id to unless it is empty.
func remember[T, R any, K comparable](t table[T, R, K]) func(ctx context.Context, tx *numbered, from, to market.ID) error {
	return func(ctx context.Context, tx *numbered, from, to market.ID) error {
		var rows, own []*R
		if err := tx.NewSelect().Model(&rows).Where("instrument_id = ?", from).Scan(ctx); err != nil {
			return err
		}
		if err := t.supersede(ctx, tx, rows); err != nil || to == "" {
			return err
		}
		if err := tx.NewSelect().Model(&own).Where("instrument_id = ?", to).Scan(ctx); err != nil {
			return err
		}
		return t.markMoved(ctx, tx, rows, own, to)
	}
}

// rowsOfInstruments lists the stored rows of an instrument, other than its catalog record, its
// bars and its quote.
var rowsOfInstruments = []ownRows{
	{table: "observations", column: "instrument_id", key: []string{"as_of"}},
	{table: "recordings", column: "instrument_id", key: []string{}},
	{table: "former_meanings", column: "instrument_id", key: formerMeaningFacts.columns[1:], feed: FeedCatalog,
		remember: remember(formerMeaningFacts)},
	{table: "adjustments", column: "instrument_id", key: []string{}, feed: FeedCatalog},
	{table: "price_limits", column: "instrument_id", key: []string{"date"}, feed: FeedCatalog},
	{table: "corporate_actions", column: "instrument_id", key: corporateActions.columns[1:], feed: FeedCatalog,
		remember: remember(corporateActions)},
	{table: "statements", column: "instrument_id", key: statements.columns[1:], feed: FeedStatements, remember: remember(statements)},
	{table: "market_metrics", column: "instrument_id", key: marketMetrics.columns[1:], feed: FeedMetrics,
		remember: remember(marketMetrics)},
	{table: "dividends", column: "instrument_id", key: dividends.columns[1:], feed: FeedDividends, remember: remember(dividends)},
	{table: "logos", column: "instrument_id", key: []string{"founder"}, feed: FeedLogos},
	{table: "fund_holdings", column: "instrument_id", key: []string{"fund_code", "report_month"}, feed: FeedFunds},
	{table: "ipos", column: "instrument_id", feed: FeedIPOs},
	{table: "funds", column: "code", key: []string{}, feed: FeedFunds, ofFunds: true},
	{table: "fund_flows", column: "code", key: []string{"date"}, feed: FeedFunds, ofFunds: true},
	{table: "fund_holdings", column: "fund_code", key: []string{"report_month", "instrument_id"}, feed: FeedFunds, ofFunds: true},
}

// MovedFeeds are the feeds in which moveRows numbers rows.
var MovedFeeds = []string{FeedQuotes, FeedBars, FeedStatements, FeedMetrics, FeedDividends, FeedLogos, FeedFunds, FeedIPOs}

// moveRows moves all stored rows of an instrument to another id, whose own rows win where both
// have one. It reports whether there were any, and numbers the changes for followers.
func moveRows(ctx context.Context, tx *numbered, from, to market.ID) (some bool, err error) {
	some, err = moveBars(ctx, tx, from, to)
	if err != nil {
		return some, err
	}
	moved, err := moveQuote(ctx, tx, from, to)
	some = some || moved
	for _, rows := range rowsOfInstruments {
		if err != nil {
			break
		}
		if rows.ofFunds && from.Market() != market.Fund {
			continue
		}
		moved, err = rows.move(ctx, tx, from, to)
		some = some || moved
	}
	return some, err
}

// move moves the rows of one table.
func (r ownRows) move(ctx context.Context, tx *numbered, from, to market.ID) (bool, error) {
	was, now := string(from), string(to)
	if r.ofFunds {
		was, now = from.Symbol(), to.Symbol()
	}
	if r.remember != nil {
		if err := r.remember(ctx, tx, from, to); err != nil {
			return false, err
		}
	}
	moves := fmt.Sprintf("SELECT %%s FROM %[1]s AS old WHERE old.%[2]s = ?0", r.table, r.column)
	if r.key != nil {
		same := []string{fmt.Sprintf("own.%s = ?1", r.column)}
		for _, column := range r.key {
			same = append(same, fmt.Sprintf("own.%[1]s = old.%[1]s", column))
		}
		moves += fmt.Sprintf(" AND NOT EXISTS (SELECT 1 FROM %s AS own WHERE %s)", r.table, strings.Join(same, " AND "))
	}
	set := r.column + " = ?1"
	if r.table == "funds" {
		set += ", instrument_id = CASE WHEN instrument_id IS NULL THEN NULL ELSE ?3 END"
	}
	statement := fmt.Sprintf("UPDATE %[1]s SET %[2]s WHERE %[3]s = ?0", r.table, set, r.column)
	if r.feed != "" {
		statement = fmt.Sprintf("UPDATE %[1]s SET %[2]s, seq = ?2 + moved.place FROM (%[3]s) AS moved WHERE %[1]s.%[4]s = ?0 AND "+
			"%[1]s.seq = moved.was", r.table, set, fmt.Sprintf(moves,
			"old.seq AS was, row_number() OVER (ORDER BY old.seq) AS place"), r.column)
	} else if len(r.key) > 0 {
		statement += fmt.Sprintf(" AND %s IN (%s)", r.key[0], fmt.Sprintf(moves, "old."+r.key[0]))
	} else if r.key != nil {
		statement += fmt.Sprintf(" AND EXISTS (%s)", fmt.Sprintf(moves, "1"))
	}
	result, err := tx.NewRaw(statement, was, now, tx.next[r.feed], string(to)).Exec(ctx)
	if err != nil {
		return false, err
	}
	moved, err := result.RowsAffected()
	if err != nil {
		return false, err
	}
	result, err = tx.NewRaw(fmt.Sprintf("DELETE FROM %s WHERE %s = ?", r.table, r.column), was).Exec(ctx)
	if err != nil {
		return false, err
	}
	rest, err := result.RowsAffected()
	if err != nil || r.feed == "" || moved+rest == 0 && r.remember == nil { // remembered rows record a changed owner
		return moved+rest > 0, err
	}
	tx.next[r.feed] += moved
	note := &withdrawnRow{OfTable: r.table, Key: rowKey{was}.String(), Feed: r.feed, Seq: tx.number(r.feed)}
	return moved+rest > 0, upsert(ctx, tx, []*withdrawnRow{note}, "of_table", "key")
}

// moveBars moves bars, and records the change of both series.
func moveBars(ctx context.Context, tx *numbered, from, to market.ID) (bool, error) {
	var all []struct {
		Resolution  market.Resolution
		First, Last value.Instant
	}
	if err := tx.NewRaw("SELECT resolution, min(t) AS first, max(t) AS last FROM bars WHERE instrument_id = ? GROUP BY resolution",
		from).Scan(ctx, &all); err != nil || len(all) == 0 {
		return false, err
	}
	seq, changes := tx.number(FeedBars), map[series]*barChange{}
	for _, a := range all {
		for _, id := range []market.ID{from, to} {
			of := series{id, a.Resolution}
			changes[of] = &barChange{of, seq, a.First, a.Last}
		}
	}
	if _, err := tx.NewRaw("UPDATE bars SET instrument_id = ?1, seq = ?2 WHERE instrument_id = ?0 AND "+
		"NOT EXISTS (SELECT 1 FROM bars AS own WHERE own.instrument_id = ?1 AND own.resolution = bars.resolution AND own.t = bars.t)",
		from, to, seq).Exec(ctx); err != nil {
		return false, err
	}
	if _, err := tx.NewDelete().Model((*barRow)(nil)).Where("instrument_id = ?", from).Exec(ctx); err != nil {
		return false, err
	}
	note := &withdrawnRow{OfTable: "bars", Key: rowKey{from}.String(), Feed: FeedBars, Seq: tx.number(FeedBars)}
	if err := upsert(ctx, tx, []*withdrawnRow{note}, "of_table", "key"); err != nil {
		return false, err
	}
	return true, noteChanges(ctx, tx, tx.isPostgres(), changes)
}

// moveQuote moves a quote to another id, unless that has a newer one.
func moveQuote(ctx context.Context, tx *numbered, from, to market.ID) (bool, error) {
	var rows []*quoteRow
	if err := tx.NewSelect().Model(&rows).Where("instrument_id IN (?, ?)", from, to).Scan(ctx); err != nil {
		return false, err
	}
	var quote, own *market.Observation
	for _, r := range rows {
		if r.InstrumentID == from {
			quote = &r.Observation
		} else {
			own = &r.Observation
		}
	}
	if quote == nil || quote.Same(market.NeverObserved(from)) {
		return false, nil
	}
	changed := []*quoteRow{{Observation: *market.NeverObserved(from), Seq: tx.number(FeedQuotes)}}
	if own == nil || own.AsOf.Before(quote.AsOf) {
		moved := *quote
		moved.InstrumentID = to
		changed = append(changed, &quoteRow{Observation: moved, Seq: tx.number(FeedQuotes)})
	}
	return true, quoteTable.upsert(ctx, tx, tx.isPostgres(), changed)
}
