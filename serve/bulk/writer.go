package bulk

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"strconv"

	"piyasa/db"
	"piyasa/domain/market"
	"piyasa/ingest"
	"piyasa/internal/value"
)

// Format is the format of a file.
type Format = market.BulkFormat

// The formats.
const (
	Parquet = market.Parquet
	CSV     = market.CSV
	NDJSON  = market.NDJSON
)

// Writer writes changes of one kind of record to a file.
type Writer interface {
	// Write adds a change.
	Write(*db.Change) error
	// Flush writes what is in memory.
	Flush() error
	// Close ends the file.
	Close() error
}

// NewWriter returns a writer of a format to w. The error says which kinds there are.
func NewWriter(w io.Writer, kind string, f Format) (Writer, error) {
	l, err := layoutOf(kind)
	if err != nil {
		return nil, err
	}
	switch f {
	case NDJSON:
		return &lines{out: bufio.NewWriter(w)}, nil
	case CSV:
		return newTable(w, l.columns)
	case Parquet:
		return newParquet(w, kind, l.columns), nil
	}
	return nil, value.OneOf(string(f), value.EnumOf(reflect.TypeFor[Format]()))
}

// lines writes the lines of ingest.
type lines struct {
	out  *bufio.Writer
	line []byte
}

// Write implements Writer. It leaves out a change that moves all records of an id to another:
// ingest moves them itself when it reads the instrument's record.
func (l *lines) Write(c *db.Change) (err error) {
	if c.Moved {
		return nil
	}
	if l.line, err = AppendLine(l.line[:0], c); err != nil {
		return err
	}
	_, err = l.out.Write(append(l.line, '\n'))
	return err
}

// Flush implements Writer.
func (l *lines) Flush() error { return l.out.Flush() }

// Close implements Writer.
func (l *lines) Close() error { return l.Flush() }

// AppendLine appends a change as the line that ingest reads. A withdrawal states the key that it
// withdraws. A withdrawal of all records of an id states the id; ingest does not know this form.
func AppendLine(line []byte, c *db.Change) ([]byte, error) {
	if c.Record != nil {
		return ingest.AppendLine(line, c.Kind, c.Record)
	}
	l, err := layoutOf(c.Kind)
	if err != nil {
		return line, err
	}
	line = fmt.Appendf(line, `{"record":%q,"withdrawn":true`, c.Kind)
	for _, column := range l.columns {
		v, ok, err := column.cellOf(c)
		if err != nil {
			return line, err
		}
		if !ok {
			continue
		}
		line = fmt.Appendf(line, ",%q:", column.Name)
		if line, err = ingest.AppendJSON(line, v); err != nil {
			return line, err
		}
	}
	return append(line, '}'), nil
}

// table writes CSV.
type table struct {
	out     *csv.Writer
	columns []column
	row     []string
}

func newTable(w io.Writer, columns []column) (*table, error) {
	t := &table{out: csv.NewWriter(w), columns: columns}
	header := append([]string(nil), envelope...)
	for _, c := range columns {
		header = append(header, c.Name)
	}
	return t, t.out.Write(header)
}

// Write implements Writer.
func (t *table) Write(c *db.Change) error {
	key, _ := keyOf(c)
	if c.Moved {
		key = ""
	}
	t.row = append(t.row[:0], strconv.FormatInt(c.Number, 10), key, strconv.FormatBool(c.Record == nil), c.KnownFrom.String())
	for _, column := range t.columns {
		v, ok, err := column.cellOf(c)
		text := ""
		if ok {
			text, err = column.text(v)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", column.Name, err)
		}
		t.row = append(t.row, text)
	}
	return t.out.Write(t.row)
}

// Flush implements Writer.
func (t *table) Flush() error {
	t.out.Flush()
	return t.out.Error()
}

// Close implements Writer.
func (t *table) Close() error { return t.Flush() }
