package deliver

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// DuckDB, Polars and hyparquet read what is delivered, and the query of docs/warehouse.md finds the
// bars that are stored, digit for digit.
func TestOtherProgramsReadFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("the engines are large: `make test-all` installs them")
	}
	if _, err := os.Stat("readers/node_modules"); err != nil {
		t.Fatal("npm ci in serve/deliver/readers installs the engines: ", err)
	}
	s, lake := openStore(t, "sqlite:"+t.TempDir()+"/piyasa.db"), t.TempDir()
	sink := fmt.Sprintf(`{"to": "folder", "folder": %q, "kinds": ["bar", "dividend"]}`, lake)
	w := newWriter(s, 11)
	for i := range 30 {
		w.step(t)
		if i == 15 { // another id for the same company, and a figure that no decimal column has
			b, renamed := new(db.Batch), new(db.Outcome)
			for _, symbol := range []string{"S1", "NEW"} {
				in := &market.Instrument{InstrumentID: market.ID("bist:" + symbol), Symbol: symbol, Name: symbol, Market: market.BIST,
					AssetType: market.Stock, Currency: "TRY"}
				if symbol == "NEW" {
					in.Predecessor, in.RenamedOn = new(market.ID("bist:S1")), value.MustDate("2026-03-10")
				}
				db.Put(b, in, renamed)
			}
			db.Put(b, &market.Bar{InstrumentID: "us:ODD", Resolution: market.Day, T: value.MustInstant("2026-01-05T00:00:00Z"),
				Close: value.MustDecimal("0.00000000000000000000000010")}, new(db.Outcome))
			if err := s.Store(t.Context(), b); err != nil || renamed.Result != db.Stored {
				t.Fatal(err, renamed.Why)
			}
		}
		allDone(t, deliverOnce(t, s, configOf(t, sink), "a"))
	}
	node := exec.CommandContext(t.Context(), "node", "read.mjs", lake)
	node.Dir, node.Stderr = "readers", t.Output()
	out, err := node.Output()
	need.NoError(t, err)
	var found struct {
		DuckDB []struct {
			Key, Close string
			Exact      *string
		}
		Typed     []struct{ Same bool }
		Rows      int64
		Polars    int
		Hyparquet int64
	}
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	closes := map[string]string{}
	for _, row := range found.DuckDB {
		closes[row.Key] = row.Close
		if row.Exact == nil != strings.HasPrefix(row.Key, "us:ODD") ||
			row.Exact != nil && value.MustDecimal(*row.Exact).Cmp(value.MustDecimal(row.Close)) != 0 {
			t.Errorf("%+v", row)
		}
	}
	stored := map[string]string{}
	for key, line := range logged(t, s, "bar").newest {
		var bar struct{ Close string }
		need.NoError(t, json.Unmarshal([]byte(line), &bar))
		words := strings.Fields(strings.NewReplacer("[", " ", "]", " ", "{", " ", "}", " ").Replace(key))
		stored[words[2]+"|"+words[4]+"|"+words[6]] = bar.Close
	}
	if len(stored) < 100 || !maps.Equal(closes, stored) {
		t.Errorf("DuckDB finds %d bars, %d are stored: %v\n%v", len(closes), len(stored), closes, stored)
	}
	m, _ := os.ReadFile(lake + "/" + manifestName)
	var manifest Manifest
	need.NoError(t, json.Unmarshal(m, &manifest))
	var rows int64
	for _, s := range manifest.Files {
		if s.Kind == "bar" {
			rows += s.Rows
		}
	}
	if found.Rows != rows || found.Hyparquet != rows || len(found.Typed) != 1 || !found.Typed[0].Same {
		t.Errorf("%d rows: Polars has %d, hyparquet %d; %+v", rows, found.Rows, found.Hyparquet, found.Typed)
	}
	if found.Polars != len(stored) {
		t.Errorf("Polars finds %d bars, %d are stored", found.Polars, len(stored))
	}
}
