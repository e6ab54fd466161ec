package files

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
)

// mostScale is the most decimals of a decimal, as a protection against files made to fill the
// memory.
const mostScale = 100

// mostColumnBytes is the largest uncompressed size of a column in a row group, in bytes.
var mostColumnBytes int64 = 256 << 20

// shortest is the setting by which floats of Parquet may be read.
const shortest = "shortest"

// parquetRows are the rows of a Parquet file, in the mapped columns.
type parquetRows struct {
	groups []parquet.RowGroup // the current one and those after it
	rows   parquet.Rows       // of the first group; nil: not begun
	cells  map[int]func(parquet.Value) (string, error)
	places map[int]int // of columns in a row
	buffer [64]parquet.Row
	ready  []parquet.Row // of the buffer, not returned yet
}

// beginParquet opens the columns of a file.
func (s *source) beginParquet(r *reader) (err error) {
	defer recovered(&err)
	file, err := parquet.OpenFile(io.NewSectionReader(r.disk, 0, r.Size), r.Size) // offsets beyond it are no fault of the disk
	if err != nil {
		return fmt.Errorf("it is not Parquet: %w", err)
	}
	p := &parquetRows{groups: file.RowGroups(), cells: map[int]func(parquet.Value) (string, error){}, places: map[int]int{}}
	wanted := s.columns()
	var all []string
	for _, column := range file.Schema().Columns() {
		name := column[0]
		all = append(all, name)
		leaf, ok := file.Schema().Lookup(column...)
		if !ok || !slices.Contains(wanted, name) {
			continue
		}
		if len(column) > 1 || leaf.Node.Repeated() {
			return fmt.Errorf("the column %q is nested", name)
		}
		if p.cells[leaf.ColumnIndex], err = s.cellOf(leaf.Node.Type()); err != nil {
			return fmt.Errorf("the column %q %w", name, err)
		}
		for _, group := range file.Metadata().RowGroups {
			if n := group.Columns[leaf.ColumnIndex].MetaData.TotalUncompressedSize; n > mostColumnBytes {
				return fmt.Errorf("the column %q has %d bytes in a group of rows, more than %d; write smaller groups",
					name, n, mostColumnBytes)
			}
		}
		p.places[leaf.ColumnIndex] = len(r.header)
		r.header = append(r.header, name)
	}
	r.row = p.next
	return s.hasColumns(r.header, all)
}

// recovered turns a panic caused by an invalid file into an error.
func recovered(err *error) {
	if wrong := recover(); wrong != nil {
		*err = fmt.Errorf("it is not as Parquet should be: %v", wrong)
	}
}

// next returns the cells of the next row.
func (p *parquetRows) next() (cells []string, err error) {
	defer recovered(&err)
	for len(p.ready) == 0 {
		if len(p.groups) == 0 {
			return nil, io.EOF
		}
		if p.rows == nil {
			p.rows = p.groups[0].Rows()
		}
		n, err := p.rows.ReadRows(p.buffer[:])
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		p.ready = p.buffer[:n]
		if err != nil || n == 0 {
			if err := p.rows.Close(); err != nil {
				return nil, err
			}
			p.rows, p.groups = nil, p.groups[1:]
		}
	}
	row := p.ready[0]
	p.ready = p.ready[1:]
	cells = make([]string, len(p.places))
	for _, v := range row {
		i, mapped := p.places[v.Column()]
		if !mapped || v.IsNull() {
			continue
		}
		if cells[i], err = p.cells[v.Column()](v); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// cellOf returns a function that writes values of a type exactly, or an error if that is not
// possible.
func (s *source) cellOf(t parquet.Type) (func(parquet.Value) (string, error), error) {
	kind, logical := t.Kind(), t.LogicalType()
	switch {
	case logical != nil && logical.Decimal != nil:
		scale := int(logical.Decimal.Scale)
		if scale < 0 || scale > mostScale {
			return nil, fmt.Errorf("has decimals with %d digits after the point, and at most %d are read", scale, mostScale)
		}
		return func(v parquet.Value) (string, error) { return decimal(unscaled(v), scale), nil }, nil
	case logical != nil && logical.Timestamp != nil:
		return s.timeOf(logical.Timestamp.Unit.Micros != nil, logical.Timestamp.Unit.Nanos != nil, logical.Timestamp.IsAdjustedToUTC), nil
	case logical != nil && logical.Date != nil:
		return func(v parquet.Value) (string, error) {
			return time.Unix(int64(v.Int32())*24*60*60, 0).UTC().Format(time.DateOnly), nil
		}, nil
	case logical != nil && (logical.Time != nil || logical.UUID != nil):
		return nil, fmt.Errorf("has the type %s, which is not read", t)
	case kind == parquet.Float || kind == parquet.Double:
		if s.Floats != shortest {
			return nil, errors.New(`has floats, which are not exact; the setting "floats": "shortest" reads them as the shortest decimals that are these floats`)
		}
		return func(v parquet.Value) (string, error) {
			if kind == parquet.Float {
				return strconv.FormatFloat(float64(v.Float()), 'f', -1, 32), nil
			}
			return strconv.FormatFloat(v.Double(), 'f', -1, 64), nil
		}, nil
	case kind == parquet.Int32 || kind == parquet.Int64:
		return wholeOf(kind, logical != nil && logical.Integer != nil && !logical.Integer.IsSigned), nil
	case kind == parquet.Boolean:
		return func(v parquet.Value) (string, error) { return strconv.FormatBool(v.Boolean()), nil }, nil
	case kind == parquet.ByteArray:
		return func(v parquet.Value) (string, error) {
			text := string(v.ByteArray())
			if !utf8.ValidString(text) {
				return "", errors.New("it has bytes that are not text")
			}
			return text, nil
		}, nil
	}
	return nil, fmt.Errorf("has the type %s, which is not read", t)
}

// timeOf returns a function that writes timestamps. A timestamp without a zone is in the
// configured one.
func (s *source) timeOf(micros, nanos, utc bool) func(parquet.Value) (string, error) {
	return func(v parquet.Value) (string, error) {
		at := time.UnixMilli(v.Int64()).UTC()
		switch {
		case micros:
			at = time.UnixMicro(v.Int64()).UTC()
		case nanos:
			at = time.Unix(0, v.Int64()).UTC()
		}
		if !utc { // a local time
			at = time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), s.zone)
		}
		return at.UTC().Format(time.RFC3339Nano), nil
	}
}

func wholeOf(kind parquet.Kind, unsigned bool) func(parquet.Value) (string, error) {
	return func(v parquet.Value) (string, error) {
		switch {
		case unsigned && kind == parquet.Int32:
			return strconv.FormatUint(uint64(v.Uint32()), 10), nil
		case unsigned:
			return strconv.FormatUint(v.Uint64(), 10), nil
		case kind == parquet.Int32:
			return strconv.FormatInt(int64(v.Int32()), 10), nil
		}
		return strconv.FormatInt(v.Int64(), 10), nil
	}
}

// unscaled returns the digits of a decimal.
func unscaled(v parquet.Value) *big.Int {
	switch v.Kind() {
	case parquet.Int32:
		return big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		return big.NewInt(v.Int64())
	}
	b := v.ByteArray() // big-endian, in two's complement
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// decimal returns digits with a point before the last scale ones.
func decimal(digits *big.Int, scale int) string {
	text := new(big.Int).Abs(digits).String()
	if scale > 0 {
		text = strings.Repeat("0", max(0, scale+1-len(text))) + text
		text = text[:len(text)-scale] + "." + text[len(text)-scale:]
	}
	if digits.Sign() < 0 {
		text = "-" + text
	}
	return text
}
