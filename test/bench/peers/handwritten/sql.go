package main

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// database reads with one prepared statement for each route, and takes values as
// the text in which Postgres writes them.
type database struct{ pool *pgxpool.Pool }

// connections is how many statements run at once, on the core that Postgres shares.
const connections = 8

var statements = map[string]string{
	"quote": `SELECT instrument_id, symbol, market, currency, last, prev_close, change, change_pct, open, high, low, bid, ask, volume, turnover,
		limit_up, limit_down, as_of, data_delay_seconds FROM quotes WHERE instrument_id = $1`,
	"candles": `SELECT t, open, high, low, close, volume, turnover, trade_count FROM bars
		WHERE instrument_id = $1 AND t >= $2::date AND t < $3::date + 1 ORDER BY t`,
	"currency": `SELECT currency FROM instruments WHERE instrument_id = $1`,
	"disclosures": `SELECT d.disclosure_index, d.type, d.class, array_to_json(d.symbols), array_to_json(d.filer_codes), d.filer_title,
		d.published_at, d.reason, d.related_index, d.subject_tr, d.subject_en, d.summary_tr, d.summary_en, d.link, d.attachment_count,
		d.year, d.period, d.consolidation
		FROM (
			SELECT published_at, disclosure_index FROM disclosure_symbols WHERE symbol = $1 AND (published_at, disclosure_index) < ($2, $3)
			ORDER BY published_at DESC, disclosure_index DESC LIMIT $4
		) s JOIN disclosures d USING (disclosure_index) ORDER BY s.published_at DESC, s.disclosure_index DESC`,
}

func openDatabase(ctx context.Context, url string) (*database, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = connections
	config.ConnConfig.RuntimeParams["TimeZone"] = "UTC"
	config.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		for name, statement := range statements {
			if _, err := c.PgConn().Prepare(ctx, name, statement, nil); err != nil {
				return err
			}
		}
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return &database{pool}, pool.Ping(ctx)
}

// each calls row with the texts of each row, which are valid until it returns.
func (d *database) each(ctx context.Context, statement string, row func(v [][]byte), parameters ...string) error {
	values := make([][]byte, len(parameters))
	for i, p := range parameters {
		values[i] = []byte(p)
	}
	c, err := d.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	result := c.Conn().PgConn().ExecPrepared(ctx, statement, values, nil, nil)
	for result.NextRow() {
		row(result.Values())
	}
	_, err = result.Close()
	return err
}

// appendInstant appends a timestamptz, which came as 2026-11-20 15:00:00+00.
func appendInstant(to []byte, name string, text []byte) []byte {
	to = append(append(to, name...), '"')
	to = append(append(append(to, text[:10]...), 'T'), text[11:19]...)
	return append(to, 'Z', '"')
}

func (d *database) quote(ctx context.Context, to []byte, id string) ([]byte, error) {
	found := false
	err := d.each(ctx, "quote", func(v [][]byte) {
		found = true
		to = appendMember(to, `{"instrument_id":`, v[0])
		to = appendMember(to, `,"symbol":`, v[1])
		to = append(to, `,"ticker":null`...)
		to = appendMember(to, `,"market":`, v[2])
		to = appendMember(to, `,"currency":`, v[3])
		for i, name := range []string{
			`,"last":`, `,"prev_close":`, `,"change":`, `,"change_pct":`, `,"open":`, `,"high":`, `,"low":`, `,"bid":`, `,"ask":`,
			`,"volume":`,
			`,"turnover":`, `,"limit_up":`, `,"limit_down":`,
		} {
			to = appendMember(to, name, v[4+i])
		}
		to = append(to, `,"market_cap":null`...)
		to = appendInstant(to, `,"as_of":`, v[17])
		to = append(appendBare(to, `,"data_delay_seconds":`, v[18]), '}')
	}, id)
	if err == nil && !found {
		err = errNotFound
	}
	return to, err
}

func (d *database) candles(ctx context.Context, to []byte, id, from, until string) ([]byte, error) {
	to = appendMember(to, `{"instrument_id":`, id)
	found := false
	if err := d.each(ctx, "currency", func(v [][]byte) {
		found = true
		to = appendMember(to, `,"resolution":"1d","currency":`, v[0])
	}, id); err != nil {
		return to, err
	}
	if !found {
		return to, errNotFound
	}
	to = append(to, `,"bars":[`...)
	count := 0
	err := d.each(ctx, "candles", func(v [][]byte) {
		if count > 0 {
			to = append(to, ',')
		}
		count++
		to = appendInstant(to, `{"t":`, v[0])
		for i, name := range []string{`,"open":`, `,"high":`, `,"low":`, `,"close":`, `,"volume":`, `,"turnover":`} {
			to = appendMember(to, name, v[1+i])
		}
		to = append(appendBare(to, `,"trade_count":`, v[7]), '}')
	}, id, from, until)
	return append(strconv.AppendInt(append(to, `],"count":`...), int64(count), 10), '}'), err
}

func (d *database) disclosures(ctx context.Context, to []byte, symbol string, after position, limit int) ([]byte, error) {
	if after.published == "" {
		after.published = "infinity"
	}
	to = append(to, `{"items":[`...)
	count := 0
	more := false
	var last position
	err := d.each(ctx, "disclosures", func(v [][]byte) {
		if count == limit {
			more = true
			return
		}
		if count > 0 {
			to = append(to, ',')
		}
		count++
		to = appendBare(to, `{"disclosure_index":`, v[0])
		to = appendMember(to, `,"type":`, v[1])
		to = appendMember(to, `,"class":`, v[2])
		to = appendBare(to, `,"symbols":`, v[3])
		to = appendBare(to, `,"filer_codes":`, v[4])
		to = appendMember(to, `,"filer_title":`, v[5])
		to = appendInstant(to, `,"published_at":`, v[6])
		to = appendMember(to, `,"reason":`, v[7])
		to = appendBare(to, `,"related_index":`, v[8])
		to = appendBoth(to, `,"subject":`, v[9], v[10])
		to = appendBoth(to, `,"summary":`, v[11], v[12])
		to = appendMember(to, `,"link":`, v[13])
		to = appendBare(to, `,"attachment_count":`, v[14])
		to = appendMember(to, `,"year":`, v[15])
		to = appendMember(to, `,"period":`, v[16])
		to = append(appendMember(to, `,"consolidation":`, v[17]), '}')
		if count == limit {
			last.published = string(v[6])
			last.index, _ = strconv.Atoi(string(v[0])) // a number of Postgres
		}
	}, symbol, after.published, strconv.Itoa(after.index), strconv.Itoa(limit+1))
	return appendPageEnd(to, count, more, last), err
}
