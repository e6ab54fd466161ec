package db

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"
)

// bun writes arguments into the text of a statement; these dialects define how.

// sqliteDialect writes instants as microseconds since 1970: as text, one moment would have two
// encodings, and so two rows.
type sqliteDialect struct{ *sqlitedialect.Dialect }

// AppendTime implements schema.Dialect.
func (sqliteDialect) AppendTime(b []byte, t time.Time) []byte {
	return fmt.Appendf(b, "%d", t.UnixMicro())
}

// AppendJSON writes JSON as it is: bun's own rewrites what looks like a NUL.
func (d sqliteDialect) AppendJSON(b, json []byte) []byte { return d.AppendString(b, string(json)) }

// postgresDialect writes text in a form in which no setting of a database changes the meaning
// of a backslash.
type postgresDialect struct{ *pgdialect.Dialect }

// AppendString implements schema.Dialect. In an E string a backslash is always
// the start of an escape.
func (d postgresDialect) AppendString(b []byte, text string) []byte {
	if strings.Contains(text, `\`) {
		b, text = append(b, " E"...), strings.ReplaceAll(text, `\`, `\\`)
	}
	return d.Dialect.AppendString(b, text)
}

// AppendBytes implements schema.Dialect.
func (d postgresDialect) AppendBytes(b, bytes []byte) []byte {
	if bytes == nil {
		return d.Dialect.AppendBytes(b, nil)
	}
	return append(hex.AppendEncode(append(b, ` E'\\x`...), bytes), '\'')
}

// AppendJSON writes JSON as it is.
func (d postgresDialect) AppendJSON(b, json []byte) []byte { return d.AppendString(b, string(json)) }

// reader is a dialect for statements that only read: text that no row can hold equals nothing.
// Writes reject such text.
type reader struct{ schema.Dialect }

// AppendString implements schema.Dialect.
func (d reader) AppendString(b []byte, text string) []byte {
	if !storable(text) {
		return append(b, "NULLIF('', '')"...) // a null, and no setting makes "= null" anything else
	}
	return d.Dialect.AppendString(b, text)
}

// isPostgres reports whether the transaction is on Postgres.
func (n *numbered) isPostgres() bool { return n.Dialect().Name() == dialect.PG }
