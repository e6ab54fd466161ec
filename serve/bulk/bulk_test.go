package bulk_test

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/demo"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/serve/bulk"
	"piyasa/test/fixture/need"
)

func TestMain(m *testing.M) { os.Exit(dbtest.Main(m)) }

func clock() value.Instant { return value.MustInstant("2026-03-18T11:45:00Z") }

// others are of kinds, and have what, the data of the demo has not.
const others = `{"record":"price_limits","instrument_id":"bist:DMNSC","date":"2026-03-18","limit_up":"13.20","limit_down":"10.80"}
{"record":"index_link","series_id":"YI_UFE","from_base":"2003=100","to_base":"2010=100","factor":"1.7","month":"2010-01"}
{"record":"bar","instrument_id":"us:ODD","resolution":"1d","t":"2026-03-17T00:00:00Z","close":"0.0000000000000000000000001","volume":"123456789012345678901234567890"}
{"record":"bar","instrument_id":"us:ADJ","resolution":"1d","t":"2026-03-16T00:00:00Z","close":"12.3400","adjustment":"adjusted"}
{"record":"dividend","instrument_id":"us:ODD","ex_date":"2026-03-02","dividend_id":"x|y","gross_per_share":"1","currency":"USD"}
{"record":"dividend","instrument_id":"us:ODD","ex_date":"2026-03-02","kind":"special","installment":2,"gross_per_share":"2","currency":"USD"}
{"record":"news","news_id":"n\"1","title":"<a> & \"b\", c;\nd","published_at":"2026-03-17T09:00:00.123Z","symbols":[]}
`

// withdrawals withdraw some of it.
const withdrawals = `{"record":"dividend","instrument_id":"us:ODD","ex_date":"2026-03-02","dividend_id":"x|y","withdrawn":true}
{"record":"dividend","instrument_id":"us:ODD","ex_date":"2026-03-02","kind":"special","installment":2,"withdrawn":true}
{"record":"bar","instrument_id":"us:ADJ","resolution":"1d","t":"2026-03-16T00:00:00Z","withdrawn":true}
{"record":"price_limits","instrument_id":"bist:DMNSC","date":"2026-03-18","withdrawn":true}
`

// records returns the data of the demo; where tests are short, with a tenth of the bars.
func records() string {
	lines, n := strings.SplitAfter(string(demo.New(clock).Records()), "\n"), 0
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		n++
		return testing.Short() && n%10 > 0 && strings.HasPrefix(line, `{"record":"bar"`)
	}), "")
}

func put(t *testing.T, s *db.Store, lines string) {
	t.Helper()
	summary, err := ingest.Run(t.Context(), s, ingest.Options{Paths: []string{ingest.Stdin}, Stdin: strings.NewReader(lines),
		Messages: t.Output(), BackFill: true, Now: clock})
	if err != nil || summary.Rejected > 0 {
		t.Fatalf("%+v, %v", summary, err)
	}
}

func open(t *testing.T, url string) *db.Store {
	t.Helper()
	s, err := db.Open(t.Context(), url, db.Timeout(20*time.Second))
	need.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// changesOf reads all changes after cursors, which it moves, by kind.
func changesOf(t *testing.T, s *db.Store, cursors map[string]db.Cursor) map[string][]db.Change {
	t.Helper()
	m, err := s.Look(t.Context())
	need.NoError(t, err)
	all := map[string][]db.Change{}
	for _, kind := range db.FollowedKinds() {
		feed := db.FeedOf(kind)
		for head := m.Heads[feed]; cursors[feed] != (db.Cursor{Number: head}); {
			changes, next, err := s.Changes(t.Context(), feed, cursors[feed], head, 500)
			need.NoError(t, err)
			for _, c := range changes {
				all[c.Kind] = append(all[c.Kind], c)
			}
			cursors[feed] = next
		}
	}
	return all
}

// written returns changes as a file, which is also what comes of a part.
func written(t *testing.T, f bulk.Format, kind string, changes []db.Change) []byte {
	t.Helper()
	var file, part, finished bytes.Buffer
	for _, to := range []struct {
		out  *bytes.Buffer
		make func(io.Writer, string, bulk.Format) (bulk.Writer, error)
	}{{&file, bulk.NewWriter}, {&part, bulk.NewPart}} {
		w, err := to.make(to.out, kind, f)
		need.NoError(t, err)
		for i := range changes {
			if err := w.Write(&changes[i]); err != nil {
				t.Fatalf("%s as %s: %v", kind, f, err)
			}
		}
		need.NoError(t, w.Close())
	}
	err := bulk.FinishPart(&finished, bytes.NewReader(part.Bytes()), kind, f)
	if err != nil || !bytes.Equal(finished.Bytes(), file.Bytes()) {
		t.Errorf("%s as %s: of a part comes another file: %v", kind, f, err)
	}
	if cut := part.Bytes(); f == bulk.Parquet && len(cut) > 0 {
		if err := bulk.FinishPart(io.Discard, bytes.NewReader(cut[:len(cut)-1]), kind, f); err == nil {
			t.Errorf("%s as %s: a part that was cut is taken for a whole one", kind, f)
		}
	}
	return file.Bytes()
}

// Files of every format state the same of every kind, of what is withdrawn, too.
func TestFormatsAgree(t *testing.T) {
	s, cursors := open(t, "sqlite:"+t.TempDir()+"/piyasa.db"), map[string]db.Cursor{}
	put(t, s, records()+others)
	for round := range 2 {
		all := changesOf(t, s, cursors)
		if round == 0 {
			for _, kind := range db.FollowedKinds() {
				if len(all[kind]) == 0 && kind != "filing" {
					t.Errorf("there is no %s", kind)
				}
			}
		}
		for kind, changes := range all {
			changes = changes[max(0, len(changes)-2000):]
			changes = slices.DeleteFunc(slices.Clone(changes), func(c db.Change) bool { return c.Moved })
			rows, err := csv.NewReader(bytes.NewReader(written(t, bulk.CSV, kind, changes))).ReadAll()
			need.NoError(t, err)
			lines := strings.Split(strings.TrimSuffix(string(written(t, bulk.NDJSON, kind, changes)), "\n"), "\n")
			columns := parquetRows(t, written(t, bulk.Parquet, kind, changes))
			if len(rows) != len(changes)+1 || len(lines) != len(changes) || len(columns) != len(changes) {
				t.Fatalf("%s: %d changes, %d rows, %d lines, %d rows of Parquet", kind, len(changes), len(rows)-1, len(lines), len(columns))
			}
			for i := range changes {
				sameRow(t, kind, rows[0], rows[i+1], lines[i], columns[i])
			}
		}
		put(t, s, withdrawals)
	}
}

// sameRow compares a row of CSV, a line and a row of Parquet.
func sameRow(t *testing.T, kind string, header, row []string, line string, columns map[string]string) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &members); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	for i, name := range header {
		stated := ""
		if text := members[name]; text != nil && text[0] == '"' {
			need.NoError(t, json.Unmarshal(text, &stated))
		} else if text != nil {
			stated = string(text)
		}
		if columns[name] != row[i] || i >= 4 && strings.Trim(stated, `"`) != strings.Trim(row[i], `"`) {
			t.Fatalf("%s of a %s: CSV %q, JSON %s, Parquet %q", name, kind, row[i], members[name], columns[name])
		}
		if exact, ok := columns[name+"_decimal"]; ok && exact != "" && value.MustDecimal(exact).Cmp(value.MustDecimal(row[i])) != 0 {
			t.Fatalf("%s of a %s is %s, and %s as a decimal", name, kind, row[i], exact)
		}
		delete(members, name)
	}
	delete(members, "record")
	if len(members) > 0 {
		t.Fatalf("%s: only a line states %v", kind, slices.Collect(maps.Keys(members)))
	}
}

// parquetRows reads a file with the columns as text.
func parquetRows(t *testing.T, file []byte) (rows []map[string]string) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	need.NoError(t, err)
	var fields []parquet.Field
	fields = append(fields, f.Schema().Fields()...)
	for _, group := range f.RowGroups() {
		reader := group.Rows()
		for buffer := make([]parquet.Row, 100); ; {
			n, err := reader.ReadRows(buffer)
			for _, row := range buffer[:n] {
				columns := map[string]string{}
				for i, v := range row {
					columns[fields[i].Name()] = textOf(fields[i], v)
				}
				rows = append(rows, columns)
			}
			if err != nil {
				break
			}
		}
		_ = reader.Close()
	}
	return rows
}

func textOf(f parquet.Field, v parquet.Value) string {
	logical := f.Type().LogicalType()
	switch {
	case v.IsNull():
		return ""
	case f.Name() == "png":
		return base64.StdEncoding.EncodeToString(v.ByteArray())
	case logical == nil:
		return v.String()
	case logical.Timestamp != nil:
		return value.At(time.UnixMilli(v.Int64())).String()
	case logical.Date != nil:
		return value.NewDate(1970, time.January, 1).AddDays(int(v.Int32())).String()
	case logical.Decimal != nil:
		return decimalOf(v.ByteArray(), int32(logical.Decimal.Scale))
	}
	return v.String()
}

// What lines say makes another store that says the same.
func TestLinesMakeTheSameStore(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		from, to := open(t, url), open(t, "sqlite:"+t.TempDir()+"/copy.db")
		read, copied := map[string]db.Cursor{}, map[string]db.Cursor{}
		latest := [2]map[string]string{{}, {}}
		records := records()
		at := 0
		for _, change := range []string{`"predecessor"`, `"valid_from"`} { // what changes is known before
			to := strings.LastIndex(records[:strings.Index(records, change)], "\n") + 1
			put(t, from, records[at:max(at, to)])
			at = max(at, to)
		}
		for round, lines := range []string{records[at:] + others, withdrawals} {
			put(t, from, lines)
			all, text := changesOf(t, from, read), []string{}
			for _, kind := range slices.SortedFunc(maps.Keys(all), inOrderOfIngest) {
				note(latest[0], all[kind])
				text = append(text, string(written(t, bulk.NDJSON, kind, all[kind])))
			}
			put(t, to, strings.Join(text, ""))
			for _, changes := range changesOf(t, to, copied) {
				note(latest[1], changes)
			}
			if !maps.Equal(latest[0], latest[1]) || len(latest[0]) < 5_000 {
				for key, was := range latest[0] {
					if latest[1][key] != was {
						t.Errorf("round %d: %s\n%s\n%s", round, key, was, latest[1][key])
					}
				}
				t.Fatalf("round %d: %d records, %d copied", round, len(latest[0]), len(latest[1]))
			}
		}
	})
}

// inOrderOfIngest puts instruments first: what they mean decides how others are read.
func inOrderOfIngest(a, b string) int {
	rank := func(kind string) string { return fmt.Sprint(kind != "instrument", kind != "company", kind) }
	return strings.Compare(rank(a), rank(b))
}

// note keeps the newest state of each record.
func note(latest map[string]string, changes []db.Change) {
	for _, c := range changes {
		key := fmt.Sprint(c.Kind, c.Key)
		if delete(latest, key); c.Record != nil {
			line, _ := ingest.AppendLine(nil, c.Kind, c.Record)
			latest[key] = string(line)
		}
	}
}
