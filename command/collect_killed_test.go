package command_test

import (
	"database/sql"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// A collector that is killed at any point, again and again, has collected in the end what
// one has that never was: each record once, and the disclosures in the same order.
func TestKilledCollector(t *testing.T) {
	t.Parallel()
	said := demoUpstreams(t)["Print"]
	arguments := strings.Fields(said[1])
	file, secrets := arguments[len(arguments)-1], strings.Fields(said[0])
	began := time.Date(2026, 3, 18, 12, 0, 0, 0, time.UTC)
	collect := func(folder string, minute int) (database string, cmd *exec.Cmd) {
		database = "sqlite:" + filepath.Join(folder, "collected.db")
		cmd = exec.CommandContext(t.Context(), binary, "collect", "--once", file, "--database", database)
		cmd.Env = environment(t, "", append(secrets, "PIYASA_NOW="+began.Add(time.Duration(minute)*time.Minute).Format(time.RFC3339)))
		return database, cmd
	}
	fill := func(kills int) []string {
		folder := t.TempDir()
		database, _ := collect(folder, 0)
		if res := run(t, database, "", nil, "ingest", "-"); res.status != 0 {
			t.Fatalf("%+v", res)
		}
		stored, err := sql.Open("sqlite", filepath.Join(folder, "collected.db")+"?_pragma=busy_timeout(10000)")
		need.NoError(t, err)
		defer func() { _ = stored.Close() }()
		for n := range kills {
			_, cmd := collect(folder, n)
			need.NoError(t, cmd.Start())
			time.Sleep(100*time.Millisecond + rand.N(900*time.Millisecond))
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if _, err := stored.Exec("DELETE FROM collectors"); err != nil { // as if its claims had run out
				t.Fatal(err)
			}
		}
		for _, minute := range []int{60, 120, 180} { // what is missing is waited for, and then left out
			_, cmd := collect(folder, minute)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		if res := run(t, database, "", nil, "verify"); res.status != 0 {
			t.Errorf("%+v", res)
		}
		return collected(t, stored)
	}
	want, got := fill(0), fill(6)
	for i, line := range got[:min(len(got), len(want))] {
		if line != want[i] {
			t.Fatalf("killed: %s\nnever killed: %s", line, want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d rows, and %d without kills", len(got), len(want))
	}
}

// collected returns what is stored, without what depends on the moment at which it came.
func collected(t *testing.T, stored *sql.DB) (all []string) {
	t.Helper()
	for _, query := range []string{
		"SELECT disclosure_index, type, class, symbols, subject, summary, attachment_count, published_at FROM disclosures ORDER BY seq",
		"SELECT disclosure_index, attachments, facts, contexts, file_type, hex(content) FROM disclosure_parts",
		// of live quotes
		"SELECT instrument_id, resolution, t, open, high, low, close, volume FROM bars WHERE instrument_id NOT LIKE 'crypto:%'",
		"SELECT month, series_id, value, unit FROM inflation_points",
		"SELECT id, company, symbol, price, lots, demand_start, demand_end, documents FROM ipos",
		"SELECT event_id, time, actual, forecast, previous FROM calendar_items",
		"SELECT instrument_id, name, market, currency, source, segment, session FROM instruments",
	} {
		rows, err := stored.Query(query)
		need.NoError(t, err)
		names, err := rows.Columns()
		need.NoError(t, err)
		var lines []string
		for rows.Next() {
			row := make([]any, len(names))
			for i := range row {
				row[i] = new(sql.NullString)
			}
			need.NoError(t, rows.Scan(row...))
			var line []string
			for _, v := range row {
				line = append(line, v.(*sql.NullString).String)
			}
			lines = append(lines, strings.Join(line, "|"))
		}
		need.NoError(t, rows.Err())
		if len(lines) == 0 {
			t.Errorf("%s: nothing", query)
		}
		if !strings.Contains(query, "ORDER BY") {
			slices.Sort(lines)
		}
		all = append(all, lines...)
	}
	return all
}
