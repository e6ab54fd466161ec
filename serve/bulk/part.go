package bulk

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"piyasa/db"
)

// NewPart returns a writer of a part, which FinishPart turns into a file. It needs little memory,
// so that many can be open at once; a Parquet writer holds pages of every column.
func NewPart(w io.Writer, kind string, f Format) (Writer, error) {
	if f != Parquet {
		return NewWriter(w, kind, f)
	}
	l, err := layoutOf(kind)
	if err != nil {
		return nil, err
	}
	return &packer{parquetFile{columns: l.columns}, bufio.NewWriterSize(w, 1<<12), nil}, nil
}

// FinishPart reads a part that NewPart wrote for the same kind and format, and writes the file.
func FinishPart(w io.Writer, part io.Reader, kind string, f Format) error {
	if f != Parquet {
		_, err := io.Copy(w, part)
		return err
	}
	l, err := layoutOf(kind)
	if err != nil {
		return err
	}
	file := newParquet(w, kind, l.columns)
	in := bufio.NewReaderSize(part, 1<<16)
	for {
		if err := file.unpack(in); errors.Is(err, io.EOF) {
			return file.Close()
		} else if err != nil {
			return fmt.Errorf("the part of a file: %w", err)
		}
		if err := file.writeRow(); err != nil {
			return err
		}
	}
}

// packer writes Parquet rows one after the other: the row's length in bytes, and for each value its
// kind, its definition level, the number of its bytes and the bytes.
type packer struct {
	row    parquetFile
	out    *bufio.Writer
	packed []byte
}

// Write implements Writer.
func (p *packer) Write(c *db.Change) error {
	if err := p.row.read(c); err != nil {
		return err
	}
	p.packed = p.packed[:0]
	for _, v := range p.row.row {
		p.packed = append(p.packed, byte(v.Kind()), byte(v.DefinitionLevel()))
		switch v.Kind() {
		case parquet.Boolean, parquet.Int32, parquet.Int64:
			n := v.Int64()
			if v.Kind() == parquet.Boolean && v.Boolean() {
				n = 1
			}
			p.packed = binary.AppendVarint(p.packed, n)
		case parquet.ByteArray, parquet.FixedLenByteArray:
			p.packed = binary.AppendUvarint(p.packed, uint64(len(v.ByteArray())))
			p.packed = append(p.packed, v.ByteArray()...)
		default: // null
		}
	}
	var size [binary.MaxVarintLen64]byte
	if _, err := p.out.Write(size[:binary.PutUvarint(size[:], uint64(len(p.packed)))]); err != nil {
		return err
	}
	_, err := p.out.Write(p.packed)
	return err
}

// Flush implements Writer.
func (p *packer) Flush() error { return p.out.Flush() }

// Close implements Writer.
func (p *packer) Close() error { return p.out.Flush() }

// unpack reads a row that a packer has written. The next call reuses its memory. The error is
// io.EOF after the last row.
func (p *parquetFile) unpack(in *bufio.Reader) error {
	size, err := binary.ReadUvarint(in)
	if err != nil {
		return err
	}
	p.packed = slices.Grow(p.packed[:0], int(size))[:size]
	if _, err := io.ReadFull(in, p.packed); err != nil {
		return fmt.Errorf("a row is not whole: %v", err) // never io.EOF, which means that there are no more rows
	}
	p.row = p.row[:0]
	for rest := p.packed; len(rest) > 1; {
		v, kind, level := parquet.NullValue(), parquet.Kind(int8(rest[0])), int(rest[1])
		rest = rest[2:]
		switch kind {
		case parquet.Boolean, parquet.Int32, parquet.Int64:
			n, taken := binary.Varint(rest)
			rest = rest[max(taken, 0):]
			switch kind {
			case parquet.Boolean:
				v = parquet.BooleanValue(n == 1)
			case parquet.Int32:
				v = parquet.Int32Value(int32(n))
			default:
				v = parquet.Int64Value(n)
			}
		case parquet.ByteArray, parquet.FixedLenByteArray:
			n, taken := binary.Uvarint(rest)
			bytes := rest[max(taken, 0):]
			if uint64(len(bytes)) < n {
				return errors.New("a value is not whole")
			}
			if rest, bytes = bytes[n:], bytes[:n]; kind == parquet.ByteArray {
				v = parquet.ByteArrayValue(bytes)
			} else {
				v = parquet.FixedLenByteArrayValue(bytes)
			}
		default: // null
		}
		p.row = append(p.row, v.Level(0, level, len(p.row)))
	}
	return nil
}
