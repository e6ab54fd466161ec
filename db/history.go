package db

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// On SQLite, the bars of each span come as one text of words, because its driver is slower at
// handing over a value than SQLite at joining it to others. Postgres is slower at joining them.
// The rows of bar_changes for their series come along, as of the same moment: on Postgres in
// one row for each span, without a bar.
const (
	spansOnPostgres   = `unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) WITH ORDINALITY AS s(id, first, last, place)`
	settledOnPostgres = `
	SELECT s.place, c.settled, c.corrected, NULL::timestamptz, NULL::numeric, NULL::numeric, NULL::numeric, NULL::numeric, NULL::numeric, NULL::numeric, NULL::integer
	FROM ` + spansOnPostgres + `
	LEFT JOIN LATERAL (SELECT settled, corrected FROM bar_changes WHERE subject = s.id AND resolution = $1 LIMIT 1) AS c ON true
	UNION ALL
	SELECT s.place, NULL, NULL, `
	barsOnPostgres = settledOnPostgres + `b.t, b.open, b.high, b.low, b.close, b.volume, b.turnover, b.trade_count
	FROM ` + spansOnPostgres + `
	JOIN bars AS b ON b.instrument_id = s.id AND b.resolution = $1 AND b.t BETWEEN s.first AND s.last`
	barsOnSQLite = `
		SELECT string_agg(concat(b.t / 1000, ' ', b.open, ' ', b.high, ' ', b.low, ' ', b.close, ' ', b.volume, ' ', b.turnover, ' ', b.trade_count, ' '), '')
		FROM bars AS b WHERE b.instrument_id = s.value ->> 0 AND b.resolution = ?1 AND b.t BETWEEN s.value ->> 1 AND s.value ->> 2`
)

// onSQLite returns the statement that reads a text of words for each span.
func onSQLite(words string) string {
	return `
	SELECT s.key + 1, c.settled, c.corrected, (` + words + `)
	FROM json_each(?2) AS s LEFT JOIN bar_changes AS c ON c.subject = s.value ->> 0 AND c.resolution = ?1`
}

// statementOf returns the statement that reads spans of a resolution.
func (s *Store) statementOf(r market.Resolution) string {
	postgres, sqlite := barsOnPostgres, barsOnSQLite
	switch r {
	case market.ObservedRates:
		postgres, sqlite = observedOnPostgres, observedOnSQLite
	case market.HeldRates:
		postgres, sqlite = heldOnPostgres, heldOnSQLite
	}
	if s.isPostgres() {
		return postgres
	}
	return onSQLite(sqlite)
}

// barWords is the number of words of a bar, each followed by a space; a null is an empty word.
const barWords = 8

// Bars implements market.History with one statement.
func (s *Store) Bars(ctx context.Context, resolution market.Resolution, spans []market.Span) (_ []market.StoredBars, err error) {
	ctx, done := s.reading(ctx, FeedBars)
	defer done(&err)
	answers, texts := make([]market.StoredBars, len(spans)), make([]string, len(spans))
	if len(spans) == 0 {
		return answers, nil
	}
	read := s.barsOnSQLite
	if s.isPostgres() {
		read = s.barsOnPostgres
	}
	if err := read(ctx, resolution, spans, answers, texts); err != nil {
		return nil, err
	}
	for i, span := range spans {
		if answers[i].Bars, err = readBars(span, resolution, texts[i]); err != nil {
			return nil, fmt.Errorf("the bars of %s: %w", span.ID, err)
		}
	}
	return answers, nil
}

func (s *Store) barsOnSQLite(ctx context.Context, resolution market.Resolution, spans []market.Span, answers []market.StoredBars,
	texts []string) error {
	list := make([][]any, len(spans))
	for i, span := range spans {
		list[i] = []any{span.ID, span.First.Time().UnixMicro(), span.Last.Time().UnixMicro()}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	rows, err := s.hot.query(ctx, s.statementOf(resolution), string(resolution), string(text))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var place int
		var settled value.Instant
		var corrected sql.NullInt64
		var text sql.NullString
		if err := rows.Scan(&place, &settled, &corrected, &text); err != nil {
			return err
		}
		answers[place-1].Settled, answers[place-1].Corrected, texts[place-1] = settled, corrected.Int64, text.String
	}
	return rows.Err()
}

func (s *Store) barsOnPostgres(ctx context.Context, resolution market.Resolution, spans []market.Span, answers []market.StoredBars,
	texts []string) error {
	ids, first, last := make([]string, len(spans)), make([]time.Time, len(spans)), make([]time.Time, len(spans))
	for i, span := range spans {
		ids[i], first[i], last[i] = string(span.ID), span.First.Time(), span.Last.Time()
	}
	const number, text = pgx.BinaryFormatCode, pgx.TextFormatCode
	formats := pgx.QueryResultFormats{number, number, number, number, text, text, text, text, text, text, text}
	words := make([][]byte, len(spans))
	err := s.hot.rows(ctx, s.statementOf(resolution), formats, []any{string(resolution), ids, first, last}, func(row [][]byte) {
		place := binary.BigEndian.Uint64(row[0]) - 1
		if row[3] == nil {
			of := &answers[place]
			of.Settled, of.Corrected = value.Instant{}, 0
			if row[1] != nil {
				of.Settled = value.At(instantOf(row[1]))
			}
			if row[2] != nil {
				of.Corrected = int64(binary.BigEndian.Uint64(row[2]))
			}
			return
		}
		w := append(strconv.AppendInt(words[place], instantOf(row[3]).UnixMilli(), 10), ' ')
		for _, figure := range row[4:] {
			w = append(append(w, figure...), ' ')
		}
		words[place] = w
	})
	for i := range words {
		texts[i] = string(words[i])
	}
	return err
}

// instantOf reads a binary timestamptz: microseconds since the year 2000.
func instantOf(text []byte) time.Time {
	const epoch = 946_684_800_000_000
	return time.UnixMicro(int64(binary.BigEndian.Uint64(text)) + epoch)
}

// FirstBars implements market.History with one statement.
func (s *Store) FirstBars(ctx context.Context, resolution market.Resolution, ids []market.ID,
	since value.Instant) (_ map[market.ID]value.Instant, err error) {
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

// readBars parses the words of the bars of a span.
func readBars(span market.Span, resolution market.Resolution, text string) ([]*market.Bar, error) {
	n := strings.Count(text, " ") / barWords
	if n == 0 {
		return nil, nil
	}
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
				if *figure, err = value.StoredDecimal(w); err != nil {
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
		b.LeaveOut()
		found[i] = b
	}
	// They come in the order of the key, but no store guarantees it.
	slices.SortFunc(found, func(a, b *market.Bar) int { return a.T.Compare(b.T) })
	return found, nil
}
