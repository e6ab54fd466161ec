package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// What two servers on one database count is one sum: while they run, after one was
// stopped, and in what the command prints.
func TestUsageOfTwoServers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, database string) {
		if res := run(t, database, instrument+first, nil, "ingest", "-"); res.status != 0 {
			t.Fatal(res)
		}
		secret, id := newKey(t, database, "--scopes", "all")
		one, two := start(t, database), start(t, database)
		for range 3 {
			for _, s := range []*service{one, two} {
				if status, body := s.get("/v1/quotes/bist:DMOST", secret); status != 200 {
					t.Fatal(status, body)
				}
			}
		}
		one.query(`{ quote(id: "bist:DMOST") { last } }`, secret)
		one.stop(os.Interrupt)
		two.eventually(deadline, "the units of both servers", func() bool {
			_, body := two.get("/v1/usage", secret)
			return fmt.Sprint(body["units"]) == "7"
		})
		two.stop(os.Interrupt)
		res := run(t, database, "", nil, "usage", "--month", "2026-03", "--by", "operation", "--format", "csv")
		if lines := strings.Split(res.stdout, "\n"); res.status != 0 || len(lines) != 4 || lines[0] != "month,key,operation,units" ||
			!strings.HasSuffix(lines[1], ","+id+",/graphql:quote,1") ||
			!strings.HasSuffix(lines[2], ","+id+",/v1/quotes/{instrument_id},6") {
			t.Error(res)
		}
		var sums []map[string]any
		res = run(t, database, "", nil, "usage", "--month", "2026-03", "--key", id, "--format", "json")
		if err := json.Unmarshal([]byte(res.stdout), &sums); err != nil || len(sums) != 1 || sums[0]["units"] != 7.0 || len(sums[0]) != 3 {
			t.Error(res, err)
		}
		if res := run(t, database, "", nil, "usage", "--key", "key_nobody"); res.status != 0 ||
			!strings.HasPrefix(res.stdout, "month  key  units") {
			t.Error(res)
		}
		if res := run(t, database, "", nil, "usage", "--month", "2026-13"); res.status != 2 ||
			!strings.Contains(res.err, "2026-03 (YYYY-MM)") {
			t.Error(res)
		}
	})
}

// A server obeys a file of plans that has changed, and not one with mistakes.
func TestPlansAreReadAgain(t *testing.T) {
	t.Parallel()
	database, file := "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"), filepath.Join(t.TempDir(), "plans.json")
	write := func(text string) {
		t.Helper()
		need.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	write(`{"enterprise": {"bucket": 1000, "refill_per_second": 100}}`)
	secret, _ := newKey(t, database, "--scopes", "all")
	s := start(t, database, "PIYASA_PLANS="+file)
	if status, body := s.get("/v1/markets/bist/status", secret); status != 200 {
		t.Fatal(status, body)
	}
	write(`{"enterprise": {"bucket": 0}}`)
	write(`{"enterprise": {"bucket": 1000, "refill_per_second": 100, "units_per_month": 1}}`)
	s.eventually(deadline, "the new plan to hold", func() bool {
		status, body := s.get("/v1/markets/bist/status", secret)
		return status == 429 && strings.HasSuffix(fmt.Sprint(body["type"]), "/quota-exceeded")
	})
}
