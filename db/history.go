package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/value"
)

// The bars of each span come as one text of words: a driver takes longer to hand
// over a value than a store to join it to others. With them comes what bar_changes
// says of their series, as of the same moment.
const (
	barsOnPostgres = `
	SELECT s.place, c.settled, c.corrected, (
		SELECT string_agg(concat((date_part('epoch', b.t) * 1000)::bigint, ' ', b.open, ' ', b.high, ' ', b.low, ' ', b.close, ' ', b.volume, ' ', b.turnover, ' ', b.trade_count), ' ')
		FROM bars AS b WHERE b.instrument_id = s.id AND b.resolution = $1 AND b.t BETWEEN s.first AND s.last)
	FROM unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) WITH ORDINALITY AS s(id, first, last, place)
	LEFT JOIN bar_changes AS c ON c.subject = s.id AND c.resolution = $1`
	barsOnSQLite = `
	SELECT s.key + 1, c.settled, c.corrected, (
		SELECT string_agg(concat(b.t / 1000, ' ', b.open, ' ', b.high, ' ', b.low, ' ', b.close, ' ', b.volume, ' ', b.turnover, ' ', b.trade_count), ' ')
		FROM bars AS b WHERE b.instrument_id = s.value ->> 0 AND b.resolution = ?1 AND b.t BETWEEN s.value ->> 1 AND s.value ->> 2)
	FROM json_each(?2) AS s LEFT JOIN bar_changes AS c ON c.subject = s.value ->> 0 AND c.resolution = ?1`
)

// barWords is how many words are made of a bar; a null is an empty one.
const barWords = 8

// Bars implements market.History with one statement.
func (s *Store) Bars(ctx context.Context, resolution market.Resolution, spans []market.Span) (_ []market.StoredBars, err error) {
	ctx, done := s.reading(ctx, FeedBars)
	defer done(&err)
	answers := make([]market.StoredBars, len(spans))
	if len(spans) == 0 {
		return answers, nil
	}
	rows, err := s.queryBars(ctx, resolution, spans)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var place int
		var settled value.Instant
		var corrected sql.NullInt64
		var text sql.NullString
		if err := rows.Scan(&place, &settled, &corrected, &text); err != nil {
			return nil, err
		}
		of := &answers[place-1]
		of.Settled, of.Corrected = settled, corrected.Int64
		if !text.Valid {
			continue
		}
		span := spans[place-1]
		if of.Bars, err = readBars(span, resolution, text.String); err != nil {
			return nil, fmt.Errorf("the bars of %s: %w", span.ID, err)
		}
	}
	return answers, rows.Err()
}

func (s *Store) queryBars(ctx context.Context, resolution market.Resolution, spans []market.Span) (*sql.Rows, error) {
	if s.isPostgres() {
		ids, first, last := make([]string, len(spans)), make([]time.Time, len(spans)), make([]time.Time, len(spans))
		for i, span := range spans {
			ids[i], first[i], last[i] = string(span.ID), span.First.Time(), span.Last.Time()
		}
		return s.hot.query(ctx, barsOnPostgres, string(resolution), ids, first, last)
	}
	list := make([][]any, len(spans))
	for i, span := range spans {
		list[i] = []any{span.ID, span.First.Time().UnixMicro(), span.Last.Time().UnixMicro()}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	return s.hot.query(ctx, barsOnSQLite, string(resolution), string(text))
}

// FirstBars implements market.History with one statement.
func (s *Store) FirstBars(ctx context.Context, resolution market.Resolution, ids []market.ID, since value.Instant) (_ map[market.ID]value.Instant, err error) {
	ctx, done := s.reading(ctx, FeedBars)
	defer done(&err)
	query := s.read.NewSelect().TableExpr("bars").ColumnExpr("instrument_id, min(t) AS t").
		Where("instrument_id IN (?) AND resolution = ?", bun.List(ids), resolution).GroupExpr("instrument_id")
	if !since.IsNull() {
		query.Where("t >= ?", since)
	}
	var rows []struct {
		InstrumentID market.ID
		T            value.Instant
	}
	if err := query.Scan(ctx, &rows); err != nil {
		return nil, err
	}
	firsts := make(map[market.ID]value.Instant, len(rows))
	for _, r := range rows {
		firsts[r.InstrumentID] = r.T
	}
	return firsts, nil
}

// readBars reads the bars of a span from the words that were made of them.
func readBars(span market.Span, resolution market.Resolution, text string) ([]*market.Bar, error) {
	n := (strings.Count(text, " ") + 1) / barWords
	bars, counts, found := make([]market.Bar, n), make([]int, n), make([]*market.Bar, n)
	word := func() (w string) {
		w, text, _ = strings.Cut(text, " ")
		return w
	}
	for i := range bars {
		b := &bars[i]
		ms, err := strconv.ParseInt(word(), 10, 64)
		if err != nil {
			return nil, err
		}
		b.InstrumentID, b.Resolution, b.T = span.ID, resolution, value.At(time.UnixMilli(ms))
		for _, figure := range []*value.Decimal{&b.Open, &b.High, &b.Low, &b.Close, &b.Volume, &b.Turnover} {
			if w := word(); w != "" {
				if *figure, err = value.ParseDecimal(w); err != nil {
					return nil, err
				}
			}
		}
		if w := word(); w != "" {
			b.TradeCount = &counts[i]
			if counts[i], err = strconv.Atoi(w); err != nil {
				return nil, err
			}
		}
		found[i] = b
	}
	// The key's order is theirs already, but no store promises it.
	slices.SortFunc(found, func(a, b *market.Bar) int { return a.T.Compare(b.T) })
	return found, nil
}
