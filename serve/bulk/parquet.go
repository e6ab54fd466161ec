package bulk

import (
	"fmt"
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"

	"piyasa/db"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// decimalScale is the scale of columns of decimals. A figure that has more decimals, or more than
// twenty digits before the point, is null in it; the column of text beside it has all digits.
const decimalScale = 18

// epochDay is the day from which columns of days count.
var epochDay = value.NewDate(1970, 1, 1)

// rowsOfGroup is how many rows a row group has; the writer keeps one row group in memory.
const rowsOfGroup = 50_000

// parquetFile writes Parquet. A decimal has two columns: one of text, which keeps its digits, and
// one to compute with, whose name ends with "_decimal".
type parquetFile struct {
	out     *parquet.GenericWriter[any]
	columns []column
	row     parquet.Row
	held    int    // rows in memory
	packed  []byte // the row of a part that is read
}

func newParquet(w io.Writer, kind string, columns []column) *parquetFile {
	schema := parquet.NewSchema(kind, parquet.SchemaOf(reflect.New(structOf(columns)).Interface()))
	return &parquetFile{columns: columns, out: parquet.NewGenericWriter[any](w, schema, parquet.Compression(&parquet.Zstd),
		parquet.CreatedBy("piyasa", "", ""), parquet.KeyValueMetadata("kind", kind))}
}

// structOf returns a struct type whose fields are the columns, in their order.
func structOf(columns []column) reflect.Type {
	fields := []reflect.StructField{
		fieldOf(0, reflect.TypeFor[int64](), "number,delta"), fieldOf(1, reflect.TypeFor[string](), "key,optional"),
		fieldOf(2, reflect.TypeFor[bool](), "withdrawn"),
		fieldOf(3, reflect.TypeFor[int64](), "known_from,optional,timestamp(millisecond)"),
	}
	add := func(t reflect.Type, tag string) { fields = append(fields, fieldOf(len(fields), t, tag)) }
	for _, c := range columns {
		switch tag := c.Name + ",optional"; c.is {
		case decimalColumn:
			add(reflect.TypeFor[string](), tag)
			add(reflect.TypeFor[[16]byte](), fmt.Sprintf("%s_decimal,optional,decimal(%d:%d)", c.Name, decimalScale, value.MaxFixedDigits))
		case instantColumn:
			add(reflect.TypeFor[int64](), tag+",timestamp(millisecond)")
		case dateColumn:
			add(reflect.TypeFor[int32](), tag+",date")
		case wholeColumn:
			add(reflect.TypeFor[int64](), tag)
		case boolColumn:
			add(reflect.TypeFor[bool](), tag)
		case bytesColumn:
			add(reflect.TypeFor[[]byte](), tag)
		default:
			if c.word {
				tag += ",dict"
			}
			add(reflect.TypeFor[string](), tag)
		}
	}
	return reflect.StructOf(fields)
}

func fieldOf(i int, t reflect.Type, tag string) reflect.StructField {
	return reflect.StructField{Name: fmt.Sprint("F", i), Type: t, Tag: reflect.StructTag(`parquet:"` + tag + `"`)}
}

// Write implements Writer.
func (p *parquetFile) Write(c *db.Change) error {
	if err := p.read(c); err != nil {
		return err
	}
	return p.writeRow()
}

// writeRow writes p.row.
func (p *parquetFile) writeRow() error {
	if _, err := p.out.WriteRows([]parquet.Row{p.row}); err != nil {
		return err
	}
	if p.held++; p.held == rowsOfGroup {
		return p.Flush()
	}
	return nil
}

// read sets p.row from a change.
func (p *parquetFile) read(c *db.Change) error {
	p.row = append(p.row[:0], parquet.Int64Value(c.Number).Level(0, 0, 0))
	key, whole := keyOf(c)
	p.add(parquet.ByteArrayValue([]byte(key)), whole)
	p.row = append(p.row, parquet.BooleanValue(c.Record == nil).Level(0, 0, 2))
	p.add(parquet.Int64Value(c.KnownFrom.Time().UnixMilli()), !c.KnownFrom.IsNull())
	for _, column := range p.columns {
		v, ok, err := column.cellOf(c)
		if err == nil {
			err = p.addCell(&column, v, ok)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", column.Name, err)
		}
	}
	return nil
}

// add appends the value of the next column, or null if ok is false.
func (p *parquetFile) add(v parquet.Value, ok bool) {
	if ok {
		v = v.Level(0, 1, len(p.row))
	} else {
		v = parquet.NullValue().Level(0, 0, len(p.row))
	}
	p.row = append(p.row, v)
}

func (p *parquetFile) addCell(c *column, v reflect.Value, ok bool) error {
	if !ok {
		p.add(parquet.Value{}, false)
		if c.is == decimalColumn {
			p.add(parquet.Value{}, false)
		}
		return nil
	}
	switch c.is {
	case decimalColumn:
		d := v.Interface().(value.Decimal)
		p.add(parquet.ByteArrayValue([]byte(d.String())), true)
		fixed, exact := d.Fixed(decimalScale)
		p.add(parquet.FixedLenByteArrayValue(fixed[:]), exact)
	case instantColumn:
		p.add(parquet.Int64Value(v.Interface().(value.Instant).Time().UnixMilli()), true)
	case dateColumn:
		p.add(parquet.Int32Value(int32(epochDay.DaysUntil(v.Interface().(value.Date)))), true)
	case wholeColumn:
		p.add(parquet.Int64Value(v.Int()), true)
	case boolColumn:
		p.add(parquet.BooleanValue(v.Bool()), true)
	case bytesColumn:
		p.add(parquet.ByteArrayValue(v.Interface().(market.PNG)), true)
	default:
		text, err := c.text(v)
		p.add(parquet.ByteArrayValue([]byte(text)), true)
		return err
	}
	return nil
}

// Flush implements Writer.
func (p *parquetFile) Flush() error {
	if p.held == 0 {
		return nil
	}
	p.held = 0
	return p.out.Flush()
}

// Close implements Writer.
func (p *parquetFile) Close() error { return p.out.Close() }
