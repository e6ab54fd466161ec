package db_test

import (
	"bytes"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

var update = flag.Bool("update", false, "record what upgrades leave")

// releasedRows returns statements of testdata/rows, which has what a version stored in the
// tables and columns of its newest migration, in the file of that name. There at is an
// instant, and bytes are bytes in hex.
func releasedRows(t testing.TB, url, migration string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/rows/" + migration + ".sql")
	if os.IsNotExist(err) {
		return nil
	}
	need.NoError(t, err)
	at := func(instant string) (string, error) {
		when, err := time.Parse(time.RFC3339Nano, instant)
		return fmt.Sprint(when.UnixMicro()), err
	}
	blob := func(digits string) string { return "X'" + digits + "'" }
	if dbtest.IsPostgres(url) {
		at = func(instant string) (string, error) { return "'" + instant + "'", nil }
		blob = func(digits string) string { return `'\x` + digits + "'" }
	}
	var rows strings.Builder
	parsed, err := template.New(migration).Funcs(template.FuncMap{"at": at, "bytes": blob}).Parse(string(text))
	if err == nil {
		err = parsed.Execute(&rows, nil)
	}
	need.NoError(t, err)
	return strings.SplitAfter(strings.TrimSpace(rows.String()), ";\n")
}

// grow takes a database to what the version left whose newest migration this is, with rows.
func grow(t testing.TB, url, last string) {
	t.Helper()
	if err := db.GrowTo(t.Context(), url, last[:4], func(migration string) []string {
		return releasedRows(t, url, migration)
	}); err != nil {
		t.Fatal(err)
	}
}

// another returns the address of another place for tables beside url: on Postgres a schema,
// because a database takes longer to make.
func another(t testing.TB, url, name string) string {
	t.Helper()
	if !dbtest.IsPostgres(url) {
		return url + name
	}
	if _, err := dbtest.Raw(t, url).Exec("CREATE SCHEMA s" + name); err != nil {
		t.Fatal(err)
	}
	return url + "&search_path=s" + name
}

// columns returns the columns of every table, each with the expression that makes it the
// same text on both stores.
func columns(t testing.TB, url string, raw *sql.DB) map[string]map[string]string {
	t.Helper()
	query := "SELECT m.name, c.name, '' FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name " +
		"NOT LIKE 'sqlite_%'"
	if dbtest.IsPostgres(url) {
		query = "SELECT table_name, column_name, udt_name FROM information_schema.columns WHERE table_schema = current_schema()"
	}
	rows, err := raw.Query(query)
	need.NoError(t, err)
	defer rows.Close()
	all := map[string]map[string]string{}
	for rows.Next() {
		var table, column, kind string
		need.NoError(t, rows.Scan(&table, &column, &kind))
		if strings.HasPrefix(table, "bun_") || strings.HasPrefix(table, "disclosure_search") { // the index of words of SQLite
			continue
		}
		if all[table] == nil {
			all[table] = map[string]string{}
		}
		all[table][column] = `"` + column + `"`
		switch kind {
		case "timestamptz":
			all[table][column] = fmt.Sprintf(`(EXTRACT(EPOCH FROM "%s") * 1000000)::bigint`, column)
		case "bool":
			all[table][column] = fmt.Sprintf(`"%s"::int`, column)
		case "numeric", "date", "jsonb":
			all[table][column] = fmt.Sprintf(`"%s"::text`, column)
		}
	}
	need.NoError(t, rows.Err())
	if all["epochs"] != nil { // a new epoch, which a copy begins, skips numbers
		all["heads"]["seq"] = "seq - COALESCE((SELECT max(skip) FROM epochs WHERE number > 1), 0)"
	}
	return all
}

// made are rows that each database makes for itself.
var made = map[string]string{"epochs": "id <> 'before'", "secrets": "secret NOT LIKE 'WiabH%'"}

// contents returns every row but those as a line: its table, and its columns but for nulls.
func contents(t testing.TB, url string) (lines []string) {
	t.Helper()
	raw := dbtest.Raw(t, url)
	defer raw.Close()
	for table, expressions := range columns(t, url, raw) {
		names := slices.Sorted(maps.Keys(expressions))
		selected := make([]string, len(names))
		for i, name := range names {
			selected[i] = expressions[name]
		}
		query := "SELECT " + strings.Join(selected, ", ") + " FROM " + table
		if made[table] != "" {
			query += " WHERE NOT (" + made[table] + ")"
		}
		rows, err := raw.Query(query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		for rows.Next() {
			values, into := make([]any, len(names)), make([]any, len(names))
			for i := range values {
				into[i] = &values[i]
			}
			need.NoError(t, rows.Scan(into...))
			line := table
			for i, name := range names {
				if values[i] != nil {
					line += " " + name + "=" + shown(values[i])
				}
			}
			lines = append(lines, line)
		}
		need.NoError(t, rows.Err())
		_ = rows.Close()
	}
	slices.Sort(lines)
	return lines
}

// shown returns a value as the same text on both stores. JSON loses its spaces and the order
// of members, which JSONB does not keep.
func shown(v any) string {
	switch v := v.(type) {
	case []byte:
		return hex.EncodeToString(v)
	case bool:
		return map[bool]string{true: "1", false: "0"}[v]
	case string:
		var parsed any
		decoder := json.NewDecoder(strings.NewReader(v))
		decoder.UseNumber()
		if strings.ContainsAny(v[:min(1, len(v))], "[{") && decoder.Decode(&parsed) == nil {
			text, _ := json.Marshal(parsed) // it was JSON before
			return string(text)
		}
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}

// A database of every version, with what that version stored, becomes one of this version
// and loses nothing: its rows are those of testdata/upgraded.txt, which says from which
// schemas on each row comes. A row that changes on its way has two lines there.
func TestUpgradeFromEverySchema(t *testing.T) {
	t.Parallel()
	all := migrationNames(t)
	from := all
	if testing.Short() && !*update {
		from = nil
		for i := 0; i < len(all); i += 6 {
			from = append(from, all[i])
		}
	}
	left := map[string]map[string][]string{} // rows by store and schema
	dbtest.EachEmpty(t, func(t *testing.T, url string) {
		_, store, _ := strings.Cut(t.Name(), "/")
		left[store] = map[string][]string{}
		for _, migration := range from {
			upgraded := another(t, url, migration[:4])
			grow(t, upgraded, migration)
			if _, err := db.Migrate(t.Context(), upgraded); err != nil {
				t.Fatalf("from %s: %v", migration, err)
			}
			if _, err := db.Verify(t.Context(), upgraded, func(f db.Finding) { t.Errorf("from %s: %+v", migration, f) }); err != nil {
				t.Errorf("from %s: %v", migration, err)
			}
			left[store][migration[:4]] = contents(t, upgraded)
		}
	})
	if *update {
		writeUpgraded(t, all, left["sqlite"])
	}
	text, err := os.ReadFile("testdata/upgraded.txt")
	need.NoError(t, err)
	for store, rows := range left {
		for _, migration := range from {
			schema := migration[:4]
			var want []string
			for line := range strings.Lines(string(text)) {
				schemas, row, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
				if first, last, _ := strings.Cut(schemas, "-"); first <= schema && (last == "" || schema <= last) {
					want = append(want, row)
				}
			}
			differ(t, store+" from "+schema, want, rows[schema])
		}
	}
}

// writeUpgraded records the rows that upgrades from all schemas leave.
func writeUpgraded(t *testing.T, all []string, left map[string][]string) {
	t.Helper()
	comesFrom := map[string][]string{}
	for _, migration := range all {
		for _, row := range left[migration[:4]] {
			comesFrom[row] = append(comesFrom[row], migration[:4])
		}
	}
	var text bytes.Buffer
	for _, row := range slices.Sorted(maps.Keys(comesFrom)) {
		from := comesFrom[row]
		until := from[len(from)-1]
		if len(from) != index(all, until)-index(all, from[0])+1 {
			t.Errorf("comes from some schemas only, %v: %s", from, row)
		}
		if until == all[len(all)-1][:4] {
			until = "" // so that another migration changes no line
		}
		fmt.Fprintf(&text, "%s-%s %s\n", from[0], until, row)
	}
	need.NoError(t, os.WriteFile("testdata/upgraded.txt", text.Bytes(), 0o644))
}

func index(all []string, number string) int {
	return slices.IndexFunc(all, func(name string) bool { return name[:4] == number })
}

// differ reports lines that only one of two lists has.
func differ(t *testing.T, what string, want, got []string) {
	t.Helper()
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("%s lacks %s", what, line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("%s has %s", what, line)
		}
	}
}

// A migration that makes a table or a column comes with rows that have values in all of its
// columns, or no test would see what later ones do to them.
func TestEveryColumnIsUpgraded(t *testing.T) {
	t.Parallel()
	url := "sqlite:" + t.TempDir() + "/grown.db"
	for _, migration := range migrationNames(t) {
		grow(t, url, migration)
		raw := dbtest.Raw(t, url)
		for table, names := range columns(t, url, raw) {
			for column := range names {
				var has bool
				if err := raw.QueryRow(fmt.Sprintf(`SELECT EXISTS (SELECT 1 FROM "%s" WHERE "%s" IS NOT NULL)`,
					table, column)).Scan(&has); err != nil {
					t.Fatal(err)
				}
				if !has {
					t.Errorf("after %s no row has the column %s of %s: add one to testdata/rows/%s.sql",
						migration, column, table, migration)
				}
			}
		}
		_ = raw.Close()
	}
}
