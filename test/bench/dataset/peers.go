package dataset

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

//go:embed peers.sql
var peerTables string

// Valuation is what piyasa computes of a company; peers store it.
type Valuation struct{ InstrumentID, MarketCap, PERatio, PBRatio, NetDebt, EV string }

// FillPeers makes the tables of the servers that read from Postgres and copies
// the data set into them.
func FillPeers(ctx context.Context, url string, valuations []Valuation) error {
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	if _, err := connection.Exec(ctx, peerTables); err != nil {
		return err
	}
	for _, table := range []struct {
		name string
		rows func(*rows)
	}{
		{"instruments", instrumentRows},
		{"quotes", quoteRows},
		{"valuations", func(r *rows) {
			for _, v := range valuations {
				r.add(v.InstrumentID, v.MarketCap, v.PERatio, v.PBRatio, v.NetDebt, v.EV)
			}
		}},
		{"bars", barRows},
		{"disclosures", disclosureRows},
		{"disclosure_symbols", symbolRows},
	} {
		var r rows
		table.rows(&r)
		if _, err := connection.PgConn().CopyFrom(ctx, &r.text, "COPY "+table.name+" FROM STDIN"); err != nil {
			return fmt.Errorf("filling %s: %w", table.name, err)
		}
	}
	return Vacuum(ctx, url)
}

// Vacuum does at once what Postgres would do by and by. A transaction of another
// process, such as autovacuum, can hold it back, so it looks and tries again; and few
// dead rows would stay without INDEX_CLEANUP.
func Vacuum(ctx context.Context, url string) error {
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	for range 20 {
		if _, err := connection.Exec(ctx, "VACUUM (FREEZE, ANALYZE, INDEX_CLEANUP ON)"); err != nil {
			return err
		}
		var left int
		if err := connection.QueryRow(ctx, `SELECT coalesce(sum(relpages - relallvisible), 0) FROM pg_class
			WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`).Scan(&left); err != nil {
			return err
		}
		if left == 0 {
			return nil
		}
		time.Sleep(time.Second)
	}
	return errors.New("VACUUM leaves pages that are not visible to all: something else uses the database")
}

// rows collects the lines of a COPY; an empty text is null.
type rows struct{ text bytes.Buffer }

func (r *rows) add(columns ...string) {
	for i, c := range columns {
		if i > 0 {
			r.text.WriteByte('\t')
		}
		if c == "" {
			c = `\N`
		}
		r.text.WriteString(c)
	}
	r.text.WriteByte('\n')
}

func instrumentRows(r *rows) {
	add := func(in Instrument) { r.add(in.ID, in.Symbol, in.Name, in.Market, in.Currency) }
	for n := range Stocks {
		add(Stock(n))
	}
	for n := range Charted {
		add(Chart(n))
	}
}

func quoteRows(r *rows) {
	for n := range Stocks {
		q := QuoteOf(n)
		in := q.Instrument
		r.add(in.ID, in.Symbol, "", in.Market, in.Currency, q.Last, q.PrevClose, q.Change, q.ChangePct, q.Open, q.High, q.Low, q.Bid, q.Ask,
			q.Volume, q.Turnover, q.LimitUp, q.LimitDown, "", q.AsOfText, "900")
	}
}

func barRows(r *rows) {
	for n := range Charted {
		for _, b := range BarsOf(n) {
			r.add(b.InstrumentID, b.T, b.Open, b.High, b.Low, b.Close, b.Volume, b.Turnover, strconv.Itoa(b.Trades))
		}
	}
}

func disclosureRows(r *rows) {
	list := func(words []string) string { return "{" + strings.Join(words, ",") + "}" }
	for n := range Disclosures {
		d := DisclosureOf(n)
		related := ""
		if d.RelatedIndex != 0 {
			related = strconv.Itoa(d.RelatedIndex)
		}
		r.add(strconv.Itoa(d.Index), d.Type, d.Type, list(d.Symbols), list(d.Symbols[:1]), d.FilerTitle, d.PublishedAt, d.Reason, related,
			d.SubjectTr, d.SubjectEn, d.SummaryTr, d.SummaryEn, d.Link, strconv.Itoa(d.AttachmentCount), d.Year, d.Period, d.Statement)
	}
}

func symbolRows(r *rows) {
	for n := range Disclosures {
		d := DisclosureOf(n)
		for _, symbol := range d.Symbols {
			r.add(symbol, d.PublishedAt, strconv.Itoa(d.Index))
		}
	}
}
