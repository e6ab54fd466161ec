package files_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"piyasa/collect/files"
	"piyasa/test/fixture/need"
)

// A file that would fill the memory is refused before it does.
func TestHostileParquet(t *testing.T) {
	files.BoundColumns(t, 1<<20)
	group := parquet.Group{"close": parquet.Decimal(1_000_000_000, 18, parquet.Int64Type),
		"code": parquet.Compressed(parquet.String(), &parquet.Snappy)}
	schema := parquet.NewSchema("rows", group)
	for member, c := range map[string]struct {
		code string
		says string
	}{
		`"close": "close"`:        {"A", "1000000000 digits after the point"},
		`"instrument_id": "code"`: {strings.Repeat("A", 2<<20), "write smaller groups"},
	} {
		var file bytes.Buffer
		out := parquet.NewWriter(&file, schema)
		if _, err := out.WriteRows([]parquet.Row{{parquet.Int64Value(1).Level(0, 0, 0),
			parquet.ByteArrayValue([]byte(c.code)).Level(0, 0, 1)}}); err != nil {
			t.Fatal(err)
		}
		need.NoError(t, out.Close())
		w := newWorld(t)
		w.put("a.parquet", file.Bytes())
		if o := w.collect(`{"format": "parquet", "record": "bar", "members": {` + member + `}}`); o.Warning == nil ||
			!strings.Contains(o.Warning.Error(), c.says) {
			t.Errorf("%s: %+v", member, o)
		}
	}
}
