package world

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of Postgres
	_ "modernc.org/sqlite"             // the driver of SQLite

	"piyasa/test/fixture/need"
	"piyasa/test/torture/history"
)

// recordStore records what the store at url holds.
func (w *World) recordStore(url string) {
	w.T.Helper()
	driver, source := "pgx", url
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		driver, source = "sqlite", path
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	store, err := sql.Open(driver, source)
	need.NoError(w.T, err)
	defer store.Close()
	rows, err := store.QueryContext(ctx, "SELECT disclosure_index, seq, type, CAST(symbols AS TEXT) FROM disclosures ORDER BY seq")
	need.NoError(w.T, err)
	defer rows.Close()
	for rows.Next() {
		e := history.Entry{Kind: history.Row, Position: &history.Position{}}
		var kind, symbols string
		var codes []string
		need.NoError(w.T, rows.Scan(&e.Number, &e.Position.Seq, &kind, &symbols))
		need.NoError(w.T, json.Unmarshal([]byte(symbols), &codes))
		e.Topics = []string{"type:" + kind}
		for _, code := range codes {
			e.Topics = append(e.Topics, "symbol:"+code)
		}
		w.Recorder.Record(e)
	}
	need.NoError(w.T, rows.Err())
}

// copySQLite copies a SQLite file while it is in use.
func (w *World) copySQLite(path, to string) {
	w.T.Helper()
	store, err := sql.Open("sqlite", path)
	need.NoError(w.T, err)
	defer store.Close()
	if _, err := store.ExecContext(w.T.Context(), "VACUUM INTO ?", to); err != nil {
		w.T.Fatal(err)
	}
}
