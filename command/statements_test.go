package command_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/test/fixture"
)

// filing is a line about a statement of net profit, of the period with this label.
func filing(code, year, month, end, profit, more string) string {
	return fmt.Sprintf(`{"record":"statement","instrument_id":"bist:%s","fiscal_year":%s,"fiscal_month":%s,"currency":"TRY","end_date":"%s",`+
		`"basis":"nominal","template":"industrial","filed_at":"2025-12-01T15:00:00Z",%s"items":[{"code":"np","label_tr":"Kâr",`+
		`"group":"income_statement","kind":"flow","value":"%s","role":"net_profit_parent"}]}`, code, year, month, end, more, profit)
}

// What statements say of the days that they cover and of whose they are is stored and shown,
// and what cannot be combined for it is null and says what changed: over REST and GraphQL.
func TestStatementsKeepWhatTheyMean(t *testing.T) {
	t.Parallel()
	stock := func(code string) string {
		return `{"record":"instrument","instrument_id":"bist:` + code + `","symbol":"` + code + `","name":"` + code +
			`","market":"bist","asset_type":"STOCK","currency":"TRY"}`
	}
	lines := []string{
		stock("MOVES"), stock("SOLO"), stock("BANKA"),
		filing("MOVES", "2021", "3", "2021-03-31", "10", ""), filing("MOVES", "2021", "12", "2021-12-31", "40", ""),
		filing("MOVES", "2022", "3", "2022-03-31", "11", ""),
		filing("MOVES", "2022", "5", "2022-05-31", "19", `"start_date":"2022-01-01",`),
		filing("MOVES", "2023", "3", "2022-08-31", "12", ""),
		filing("SOLO", "2025", "3", "2025-03-31", "10", `"consolidation":"NC","start_date":"2025-01-01",`),
		filing("SOLO", "2025", "6", "2025-06-30", "900", `"consolidation":"CS","start_date":"2025-01-01",`),
		filing("SOLO", "2025", "6", "2025-06-30", "22", `"consolidation":"NC","start_date":"2025-01-01",`),
		filing("SOLO", "2025", "9", "2025-09-30", "990", `"consolidation":"CS","start_date":"2025-01-01",`),
		filing("BANKA", "2024", "9", "2024-09-30", "30", ""), filing("BANKA", "2024", "12", "2024-12-31", "50", ""),
		`{"record":"market_metrics","instrument_id":"bist:MOVES","date":"2026-03-17","market_cap":"5000","pe_ratio":"10","as_of":"2026-03-17T15:00:00Z"}`,
	}
	const toMay = "map[from:12-31 on:2022-01-01 to:05-31 what:fiscal_calendar]"
	dbtest.Each(t, func(t *testing.T, url string) {
		if refused := ingest(t, url, lines...); strings.Contains(refused, "stdin") {
			t.Fatal(refused)
		}
		key, _ := newKey(t, url, "--scopes", "all")
		s := start(t, url)
		for path, want := range map[string][]string{
			"/v1/stocks/bist:MOVES/financials?timeframe=annual": {"5M 2022-01-01 2022-05-31 19", "FY  2021-12-31 40"},
			"/v1/stocks/bist:MOVES/financials?timeframe=ttm": {
				"Q1  2022-08-31 meaning_changed " + toMay, "5M  2022-05-31 meaning_changed " + toMay, "Q1  2022-03-31 41",
				"Q4  2021-12-31 40", "Q1  2021-03-31 missing_input_period"},
			"/v1/stocks/bist:MOVES/financials?timeframe=quarterly_standalone&limit=3": {
				"Q1  2022-08-31 12", "5M  2022-05-31 meaning_changed " + toMay, "Q1  2022-03-31 11"},
			"/v1/stocks/bist:SOLO/financials?timeframe=quarterly": {"Q3 2025-01-01 2025-09-30 990 CS", "Q2 2025-01-01 2025-06-30 900 CS",
				"Q1 2025-01-01 2025-03-31 10 NC"},
			"/v1/stocks/bist:SOLO/financials?timeframe=quarterly&consolidation=NC": {"Q2 2025-01-01 2025-06-30 22 NC",
				"Q1 2025-01-01 2025-03-31 10 NC"},
			"/v1/stocks/bist:SOLO/financials?timeframe=quarterly_standalone": {"Q3 2025-07-01 2025-09-30 90 CS",
				"Q2  2025-06-30 CS meaning_changed map[from:NC on:2025-04-01 to:CS what:consolidation]", "Q1 2025-01-01 2025-03-31 10 NC"},
			"/v1/stocks/bist:SOLO/financials?timeframe=quarterly_standalone&consolidation=solo": {"Q3 2025-07-01 2025-09-30 90 CS",
				"Q2 2025-04-01 2025-06-30 12 NC", "Q1 2025-01-01 2025-03-31 10 NC"},
			"/v1/stocks/bist:BANKA/financials?timeframe=quarterly_standalone&limit=1": {"Q4  2024-12-31 20"},
		} {
			status, body := s.get(path, key)
			if status != http.StatusOK {
				t.Errorf("%s: %d %v", path, status, body)
				continue
			}
			var got []string
			for _, one := range body["periods"].([]any) {
				got = append(got, inShort(one.(map[string]any)))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s\ngot  %q\nwant %q", path, got, want)
			}
		}
		_, valued := s.get("/v1/stocks/bist:MOVES/valuation", key)
		for _, name := range []string{"ebitda_ttm", "ev_ebitda", "eps_growth_pct", "peg"} {
			m, _ := valued[name].(map[string]any)
			if m == nil || m["value"] != nil || m["null_reason"] != "meaning_changed" || fmt.Sprint(m["meaning_changed"]) != toMay {
				t.Errorf("%s: %v", name, m)
			}
		}
		answer := s.query(`{ financials(id: "bist:SOLO", timeframe: QUARTERLY_STANDALONE, consolidation: CONSOLIDATED) { periods {
			endDate startDate consolidation filedAt nullReason meaningChanged { what from to on } } } }`, key)
		if !strings.Contains(answer, `{"endDate":"2025-06-30","startDate":null,"consolidation":"CS","filedAt":"2025-12-01T15:00:00Z",`+
			`"nullReason":"meaning_changed","meaningChanged":{"what":"CONSOLIDATION","from":"NC","to":"CS","on":"2025-04-01"}}`) {
			t.Error(answer)
		}
		if status, _ := s.get("/v1/stocks/bist:SOLO/financials?consolidation=group", key); status != http.StatusUnprocessableEntity {
			t.Errorf("another consolidation: %d", status)
		}
		// What is withdrawn is one of the two.
		if refused := ingest(t, url, `{"record":"statement","withdrawn":true,"instrument_id":"bist:SOLO","fiscal_year":2025,"fiscal_month":6,`+
			`"currency":"TRY","filed_at":"2025-12-01T15:00:00Z","consolidation":"CS"}`); strings.Contains(refused, "stdin") {
			t.Fatal(refused)
		}
		fixture.Eventually(t, "the company's own is left", func() bool {
			_, body := s.get("/v1/stocks/bist:SOLO/financials?timeframe=quarterly", key)
			return inShort(body["periods"].([]any)[1].(map[string]any)) == "Q2 2025-01-01 2025-06-30 22 NC"
		})
	})
}

// inShort is a period in one line.
func inShort(p map[string]any) string {
	words := []string{fmt.Sprint(p["fiscal_period"]), "", fmt.Sprint(p["end_date"])}
	if first, ok := p["start_date"]; ok {
		words[1] = fmt.Sprint(first)
	}
	for _, item := range p["items"].(map[string]any) {
		words = append(words, fmt.Sprint(item.(map[string]any)["value"]))
	}
	for _, name := range []string{"consolidation", "null_reason", "meaning_changed"} {
		if said := p[name]; said != nil {
			words = append(words, fmt.Sprint(said))
		}
	}
	return strings.Join(words, " ")
}
