package rest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/coverage"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/serve/stream"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// applied is how often put has applied lines.
var applied int64

// put ingests lines and applies them, as servers do.
func put(t testing.TB, a *fixture.Server, lines ...string) *ingest.Summary {
	t.Helper()
	summary, err := ingest.Run(t.Context(), a.Store,
		ingest.Options{Now: func() value.Instant { return fixture.Now }, Paths: []string{ingest.Stdin},
			Stdin: strings.NewReader(strings.Join(lines, "\n")), Messages: t.Output()})
	need.NoError(t, err)
	applied++
	for name, apply := range a.Services.Feeds() {
		if err := apply(t.Context(), stream.Rows{Head: applied}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	a.Keys(fixture.Unlimited())
	return summary
}

func stock(id string) string {
	return fmt.Sprintf(`{"record":"instrument","instrument_id":"bist:%s","symbol":"%s","name":"%s","market":"bist","asset_type":"STOCK","currency":"TRY"}`,
		id, id, id)
}

// daily returns the bar of a day of bist.
func daily(id, day, last, adjustment string) string {
	said := ""
	if adjustment != "" {
		said = `,"adjustment":"` + adjustment + `"`
	}
	return fmt.Sprintf(`{"record":"bar","instrument_id":"bist:%s","resolution":"1d","t":"%s","close":"%s","volume":"1000"%s}`,
		id, value.MustDate(day).TurkeyStart(), last, said)
}

// weekdays returns the days of the Istanbul exchange from one to another.
func weekdays(from, to string) (days []string) {
	for d := value.MustDate(from); !value.MustDate(to).Before(d); d = d.AddDays(1) {
		if !d.IsWeekend() {
			days = append(days, d.String())
		}
	}
	return days
}

// splitStock returns the lines of a stock that was split 10 for 1 on 2026-03-02, and of one
// that was not, in one sector.
func splitStock(adjustment string) []string {
	lines := []string{stock("SPLT"), stock("CALM"),
		`{"record":"sector","code":"deneme","name":"Deneme","members":["bist:SPLT","bist:CALM"]}`}
	for _, day := range weekdays("2025-02-03", "2026-03-17") {
		last := "400.00"
		if day >= "2026-03-02" {
			last = "40.00"
		}
		lines = append(lines, daily("SPLT", day, last, adjustment), daily("CALM", day, "100.00", "adjusted"))
	}
	return lines
}

const theSplit = `{"record":"corporate_action","instrument_id":"bist:SPLT","kind":"split","ex_date":"2026-03-02","new":"10","old":"1","disclosure_index":7}`

// at returns what a path of names and numbers leads to in an answer.
func memberAt(t testing.TB, a *fixture.Server, target, path string) string {
	t.Helper()
	res := a.Get(target, fixture.All)
	if res.StatusCode != 200 {
		t.Fatalf("%s: %d %s", target, res.StatusCode, res.Text)
	}
	var v any
	d := json.NewDecoder(strings.NewReader(res.Text))
	d.UseNumber()
	need.NoError(t, d.Decode(&v))
	for _, step := range strings.Split(path, ".") {
		switch of := v.(type) {
		case map[string]any:
			v = of[step]
		case []any:
			n := 0
			_, _ = fmt.Sscan(step, &n)
			if n < 0 {
				n += len(of)
			}
			if n < 0 || n >= len(of) {
				return "out of range"
			}
			v = of[n]
		}
	}
	text, err := json.Marshal(v)
	need.NoError(t, err)
	return string(text)
}

// findings returns what verify finds in the database at url.
func findings(t *testing.T, url string) (found []string) {
	t.Helper()
	if _, err := db.Verify(t.Context(), url, func(f db.Finding) {
		found = append(found, f.Check+" "+f.Subject+": "+f.Problem)
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// missingActions returns the corporate actions of SPLT that coverage misses.
func missingActions(t *testing.T, a *fixture.Server) string {
	t.Helper()
	of := a.Services.Coverage // which has counted before
	a.Services.Coverage = &coverage.Service{Store: of.Store, Live: of.Live, Now: of.Now, Signer: of.Signer, Epochs: of.Epochs}
	var found []string
	for _, row := range a.Get("/v1/coverage?instrument=bist:SPLT", fixture.All).JSON["rows"].([]any) {
		if row := row.(map[string]any); row["kind"] == "corporate_action" && row["gaps"] != nil {
			for _, gap := range row["gaps"].([]any) {
				gap := gap.(map[string]any)
				found = append(found, fmt.Sprint(gap["from"], " ", gap["reason"]))
			}
		}
	}
	return strings.Join(found, ", ")
}

type look struct{ target, path, want string }

func checkLooks(t *testing.T, a *fixture.Server, looks []look) {
	t.Helper()
	for _, l := range looks {
		if got := memberAt(t, a, l.target, l.path); got != l.want {
			t.Errorf("%s: %s is %s, want %s", l.target, l.path, got, l.want)
		}
	}
}

func TestSplitThatIsKnown(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := fixture.New(t, fixture.On(url))
		put(t, a, splitStock("unadjusted")...)
		checkLooks(t, a, []look{ // as the market traded, and said
			{"/v1/periodic/bist:SPLT", "windows.5.change_pct", `"-90"`},
			{"/v1/periodic/bist:SPLT", "adjustment", `"unadjusted"`},
			{"/v1/stocks/bist:SPLT/indicators", "adjustment", `"unadjusted"`},
			{"/v1/sectors/deneme/periodic", "adjustment", `"unadjusted"`},
			{"/v1/sectors/deneme/returns", "adjustment", `"unadjusted"`},
			{"/v1/periodic/bist:CALM", "adjustment", "null"},
		})
		const missing = "actions bist:SPLT: a corporate action seems to be missing on 2026-03-02: its series is " +
			"unadjusted, and the close " +
			"goes from 400.00, of 2026-02-27, to 40.00"
		if found := findings(t, url); !slices.Contains(found, missing) {
			t.Errorf("%q", found)
		}
		if gaps := missingActions(t, a); gaps != "2026-03-02 action_missing" {
			t.Error(gaps)
		}
		put(t, a, theSplit)
		bridge := `{"factor":"0.1","kind":"corporate_action","on":"2026-03-02","source":"bist:SPLT split"}`
		checkLooks(t, a, []look{
			{"/v1/periodic/bist:SPLT", "windows.5.change_pct", `"0"`},
			{"/v1/periodic/bist:SPLT", "windows.5.start_price", `"40"`},
			{"/v1/periodic/bist:SPLT", "windows.5.high", `"40"`},
			{"/v1/periodic/bist:SPLT", "windows.5.bridges.0", bridge},
			{"/v1/periodic/bist:SPLT", "windows.0.bridges", "null"},
			{"/v1/periodic/bist:SPLT?currency=USD", "windows.5.change_pct", `"0"`},
			{"/v1/periodic/bist:SPLT?adjust=none", "windows.5.null_reason", `"meaning_changed"`},
			{"/v1/periodic/bist:SPLT?adjust=none", "windows.5.meaning_changed", `{"from":"1","on":"2026-03-02","to":"10","what":"share"}`},
			{"/v1/periodic/bist:SPLT?adjust=none", "windows.0.change_pct", `"0"`},
			// it never moved
			{"/v1/stocks/bist:SPLT/indicators?indicators=rsi,sma,obv&periods=20,400", "values.0.null_reason", `"non_positive_base"`},
			{"/v1/stocks/bist:SPLT/indicators?indicators=rsi,sma,obv&periods=20,200", "values.2.value", `"40"`},
			{"/v1/stocks/bist:SPLT/indicators?indicators=rsi,sma,obv", "bridges.0", bridge},
			{"/v1/stocks/bist:SPLT/indicators", "bridges.0", bridge},
			{"/v1/stocks/bist:SPLT/indicators?indicators=sma&periods=5,200&adjust=none", "values.0.value", `"40"`},
			{"/v1/stocks/bist:SPLT/indicators?indicators=sma&periods=5,200&adjust=none", "values.1.null_reason", `"meaning_changed"`},
			{"/v1/stocks/bist:SPLT/indicators?indicators=sma&periods=5,200&adjust=none", "values.1.meaning_changed.what", `"share"`},
			{"/v1/sectors/deneme/periodic", "windows.5.change_pct", `"0"`},
			{"/v1/sectors/deneme/periodic", "windows.5.bridges.0", bridge},
			{"/v1/sectors/deneme/returns", "points.-1.value", `"100"`},
			{"/v1/sectors/deneme/returns", "bridges.0", bridge},
			{"/v1/candles/bist:SPLT", "bars.0.close", `"400.00"`},
			{"/v1/candles/bist:SPLT?adjust=none", "factors", "null"},
			{"/v1/candles/bist:SPLT?adjust=splits", "bars.0.close", `"40"`},
			{"/v1/candles/bist:SPLT?adjust=splits", "bars.0.volume", `"10000"`},
			{"/v1/candles/bist:SPLT?adjust=splits", "bars.-1.close", `"40.00"`},
			{"/v1/candles/bist:SPLT?adjust=splits", "factors.0",
				`{"action_id":null,"ex_date":"2026-03-02","factor":"0.1","kind":"split","null_reason":null,"volume_factor":"10"}`},
			{"/v1/candles/bist:SPLT?adjust=splits&to=2026-02-20", "bars.-1.close", `"40"`},
			{"/v1/candles/bist:CALM?adjust=splits", "adjust_note", `"already_adjusted"`},
			{"/v1/candles?ids=bist:SPLT,fx:USDTRY&adjust=all", "series.0.bars.0.close", `"40"`},
			{"/v1/candles?ids=bist:SPLT,fx:USDTRY&adjust=all", "series.1.adjust_note", `"not_adjustable"`},
			{"/v1/eod/bist:SPLT?adjust=splits", "records.0.close", `"40"`},
			{"/v1/stocks/bist:SPLT/corporate-actions", "corporate_actions.0.factor", `"0.1"`},
			{"/v1/corporate-actions", "corporate_actions.0.instrument_id", `"bist:SPLT"`},
			{"/v1/corporate-actions?symbols=CALM", "count", `0`},
			{"/v1/corporate-actions?kind=merger", "count", `0`},
		})
		csv := a.Get("/v1/periodic/bist:SPLT?format=csv", fixture.All).Text
		if !strings.Contains(csv, ",bridges,adjustment\n") || !strings.Contains(csv, `"[{""kind"":""corporate_action"",""on"":""2026-03-02"",`) {
			t.Error(csv)
		}
		csv = a.Get("/v1/periodic/bist:SPLT?adjust=none&format=csv", fixture.All).Text
		if !strings.Contains(csv, ",share,1,10,2026-03-02,none,unadjusted\n") || strings.Contains(csv, "bridges") {
			t.Error(csv)
		}
		if found := findings(t, url); slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, "actions") }) {
			t.Errorf("%q", found)
		}
		if gaps := missingActions(t, a); gaps != "" {
			t.Error(gaps)
		}
		csv = a.Get("/v1/candles/bist:SPLT?adjust=splits&from=2026-02-27&to=2026-03-02&format=csv", fixture.All).Text
		if want := "instrument_id,t,open,high,low,close,volume,turnover,trade_count,currency,factor,date,complete\n" +
			"bist:SPLT,2026-02-26T21:00:00Z,,,,40,10000,,,TRY,0.1,2026-02-27,true\n" +
			"bist:SPLT,2026-03-01T21:00:00Z,,,,40.00,1000,,,TRY,1,2026-03-02,true\n"; csv != want {
			t.Errorf("%s", csv)
		}
		put(t, a, `{"record":"corporate_action","withdrawn":true,"instrument_id":"bist:SPLT","kind":"split","ex_date":"2026-03-02"}`)
		checkLooks(t, a, []look{
			{"/v1/periodic/bist:SPLT", "windows.5.change_pct", `"-90"`},
			{"/v1/corporate-actions", "count", `0`},
		})
	})
}

// Whether the prices of a series are adjusted already is not guessed.
func TestSplitOfASeriesThatDoesNotSay(t *testing.T) {
	a := fixture.New(t)
	put(t, a, append(splitStock(""), theSplit)...)
	checkLooks(t, a, []look{
		{"/v1/periodic/bist:SPLT", "windows.5.null_reason", `"meaning_changed"`},
		{"/v1/periodic/bist:SPLT", "windows.0.change_pct", `"0"`},
		{"/v1/candles/bist:SPLT?adjust=splits", "factors.0.null_reason", `"adjustment_not_stated"`},
		{"/v1/candles/bist:SPLT?adjust=splits", "bars.0.close", `"400.00"`},
	})
	b := fixture.New(t)
	put(t, b, append(splitStock("adjusted"), theSplit)...)
	checkLooks(t, b, []look{
		{"/v1/periodic/bist:SPLT", "windows.5.change_pct", `"-90"`}, // what an adjusted series says counts
		{"/v1/candles/bist:SPLT?adjust=all", "factors", `[]`},
	})
}
