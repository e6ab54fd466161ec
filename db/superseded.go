package db

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// supersededRow is a version of a record that another replaced, or that was withdrawn. It was
// known from the commit of the number Version up to that of Until.
type supersededRow struct {
	bun.BaseModel `bun:"table:superseded"`
	OfTable       string
	Subject       string // value of the first column of the key
	Key           string
	Version       int64
	Until         int64
	Published     value.Instant // by its source; null: not stated
	Record        []byte        // the row in JSON, packed
}

// supersede stores rows that are being replaced or withdrawn in the current commit.
func (t table[T, R, K]) supersede(ctx context.Context, tx *numbered, rows []*R) error {
	if !t.remembered {
		return nil
	}
	kept, pack := make([]*supersededRow, len(rows)), newPacker()
	for i, row := range rows {
		key := keyOf(tx, row, t.columns)
		packed, err := pack.row(row)
		if err != nil {
			return err
		}
		kept[i] = &supersededRow{
			OfTable: tableOf[R](), Subject: fmt.Sprint(key[0]), Key: key.String(), Version: seqOf(tx, row),
			Until:     tx.next[t.feed] + 1, // the first number that the commit takes from now on
			Published: t.publishedAt(tx, row), Record: packed,
		}
	}
	return upsert(ctx, tx, kept, "of_table", "subject", "key", "version")
}

// markMoved records, for rows that pass to another id with rows of its own, that they are no
// first versions there: their publication does not say when they were known under that id.
func (t table[T, R, K]) markMoved(ctx context.Context, tx *numbered, rows, own []*R, to market.ID) error {
	has := map[string]bool{}
	for _, row := range own {
		has[keyOf(tx, row, t.columns).String()] = true
	}
	var marks []*supersededRow
	for _, row := range rows {
		key := keyOf(tx, row, t.columns)
		key[0] = to
		if !has[key.String()] {
			marks = append(marks, &supersededRow{OfTable: tableOf[R](), Subject: string(to), Key: key.String(), Record: []byte{}})
		}
	}
	return upsert(ctx, tx, marks, "of_table", "subject", "key", "version")
}

// publishedAt returns when the source published a row; null if not stated.
func (t table[T, R, K]) publishedAt(tx *numbered, row *R) value.Instant {
	if t.published == "" {
		return value.Instant{}
	}
	return keyOf(tx, row, []string{t.published})[0].(value.Instant)
}

// seqOf returns the number of a row.
func seqOf[R any](tx bun.IDB, row *R) int64 { return keyOf(tx, row, []string{"seq"})[0].(int64) }

// packer compresses rows, one at a time: lists such as the members of an index are long.
type packer struct {
	w      *flate.Writer
	packed bytes.Buffer
}

func newPacker() *packer {
	p := new(packer)
	p.w, _ = flate.NewWriter(&p.packed, flate.BestSpeed) // fails only for unknown levels
	return p
}

// row returns a row as compressed JSON.
func (p *packer) row(row any) ([]byte, error) {
	p.packed.Reset()
	p.w.Reset(&p.packed)
	if err := json.NewEncoder(p.w).Encode(row); err != nil {
		return nil, err
	}
	if err := p.w.Close(); err != nil {
		return nil, err
	}
	return bytes.Clone(p.packed.Bytes()), nil
}

// unpackRow returns the row from the bytes of a packer.
func unpackRow[R any](packed []byte) (*R, error) {
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		return nil, err
	}
	row := new(R)
	return row, json.Unmarshal(text, row)
}

// datedFeeds are the feeds whose commits are dated, because their rows can be read as of a
// moment.
var datedFeeds = map[string]bool{
	FeedCatalog: true, FeedCompanies: true, FeedDividends: true, FeedFilings: true, FeedInflation: true, FeedMetrics: true,
	FeedStatements: true,
}

// dateCommit returns a statement that dates the numbers of a feed in a commit: with a moment,
// or with that of the previous commit if the clock has gone back since.
func dateCommit(feed string, at value.Instant, first, last int64) (statement string, args []any) {
	return `INSERT INTO commits (feed, at, first, last) SELECT ?, CASE WHEN newest.at > ? THEN newest.at ELSE ? END, ?, ?
		FROM (SELECT MAX(at) AS at FROM commits WHERE feed = ?) AS newest WHERE TRUE
		ON CONFLICT (feed, at) DO UPDATE SET last = EXCLUDED.last`, []any{feed, at, at, first, last, feed}
}
