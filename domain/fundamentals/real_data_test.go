package fundamentals_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/test/fixture/need"
)

// realStatements are the statements of a folder of real data; without one the
// test is skipped.
func realStatements(t *testing.T) map[fundamentals.HistoryKey][]*fundamentals.Statement {
	t.Helper()
	folder := os.Getenv("PIYASA_REAL_DATA")
	if folder == "" {
		t.Skip("PIYASA_REAL_DATA names no folder")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*statements*.ndjson.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no statements in %s: %v", folder, err)
	}
	all := map[fundamentals.HistoryKey][]*fundamentals.Statement{}
	for _, name := range files {
		file, err := os.Open(name)
		need.NoError(t, err)
		unpacked, err := gzip.NewReader(file)
		need.NoError(t, err)
		lines := bufio.NewScanner(unpacked)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var s fundamentals.Statement
			if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			k := fundamentals.HistoryKey{Company: s.InstrumentID, Currency: s.Currency}
			all[k] = append(all[k], &s)
		}
		need.NoError(t, lines.Err())
		_ = file.Close()
	}
	return all
}

// Every derived period of real statements obeys the rule; the quarters of
// nominal years add up, and from 2024 just the periods that FS-15 names are
// derived.
func TestRealStatements(t *testing.T) {
	all := realStatements(t)
	a := newFixture(t)
	var catalog []*market.Instrument
	for k := range all {
		catalog = append(catalog, &market.Instrument{InstrumentID: k.Company, Symbol: k.Company.Symbol(), Market: k.Company.Market(),
			AssetType: market.Stock, Currency: "TRY"})
	}
	a.Market.Live.PutCatalog(catalog, nil)
	var filings, periods, sums, values int
	reasons := map[string]int{}
	for k, statements := range all {
		filings += len(statements)
		a.reads(shelve(statements...))
		for _, timeframe := range []fundamentals.Timeframe{fundamentals.QuarterlyStandalone, fundamentals.TTM} {
			args := asked(timeframe)
			args.Currency = new(market.Currency(k.Currency))
			f := a.series(t, string(k.Company), args)
			checkDerived(t, f, statements)
			periods += f.Count
			if timeframe == fundamentals.QuarterlyStandalone {
				sums += checkYears(t, f, statements)
			}
			for _, p := range f.Periods {
				reasons[string(timeframe)+" "+or(p.NullReason)]++
				values += len(p.Items)
				if p.FiscalYear >= 2024 {
					checkAdjusted(t, k, timeframe, p, standing(statements))
				}
			}
		}
		// In the money of its statements, so that there is something to value.
		in := *a.Market.ByID(k.Company)
		in.Currency = k.Currency
		a.Market.Live.PutCatalog([]*market.Instrument{&in}, nil)
		checkMetrics(t, a.value(t, string(k.Company)))
	}
	t.Logf("%d companies, %d filings, %d derived periods with %d lines, %d annual figures equal to the sum of their quarters",
		len(all), filings, periods, values, sums)
	for reason, n := range reasons {
		t.Logf("%6d %s", n, reason)
	}
}

// checkAdjusted is FS-15 for a period of 2024 or later.
func checkAdjusted(t *testing.T, k fundamentals.HistoryKey, timeframe fundamentals.Timeframe, p *fundamentals.FinancialPeriod,
	known map[[2]int]*fundamentals.Statement) {
	t.Helper()
	yearEnd := p.FiscalPeriod == "Q4"
	reason := or(p.NullReason)
	if (timeframe == fundamentals.QuarterlyStandalone) == yearEnd { // is never derived
		if reason != fundamentals.MeasuringUnitMismatch && reason != fundamentals.MissingInputPeriod || len(p.Items) > 0 {
			t.Errorf("%s %s %s %d: %s with %d lines", k.Company, timeframe, p.FiscalPeriod, p.FiscalYear, reason, len(p.Items))
		}
		return
	}
	if reason == "-" && len(p.Items) > 0 {
		return
	}
	before := known[[2]int{p.FiscalYear, map[string]int{"Q2": 3, "Q3": 6}[p.FiscalPeriod]}]
	if reason != fundamentals.MissingInputPeriod || before != nil {
		t.Errorf("%s %s %s %d: %s with %d lines", k.Company, timeframe, p.FiscalPeriod, p.FiscalYear, reason, len(p.Items))
	}
}
