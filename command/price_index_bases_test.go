package command_test

import (
	"fmt"
	"strings"
	"testing"

	"piyasa/db/dbtest"
)

// A price index gets another base: amounts cross it over a link only, which the answer names, and
// each month says its base. A link that comes, is corrected and goes has its effect while a
// server runs.
func TestPriceIndexOfTwoBases(t *testing.T) {
	t.Parallel()
	point := func(month, level, unit string) string {
		return `{"record":"inflation_point","series_id":"YI_UFE","month":"` + month + `","value":"` + level + `","unit":"` + unit + `"}`
	}
	const bases = `{"record":"index_link","series_id":"YI_UFE","from_base":"2003 = 100","to_base":"2025=100"`
	dbtest.Each(t, func(t *testing.T, url string) {
		ingest(t, url, point("2025-06", "4300.00", "2003=100"), point("2025-09", "4500.00", "2003=100"),
			point("2025-12", "104.00", "2025=100"),
			`{"record":"company","company_id":"KR","codes":["REBA"],"identity":{"title":"R"}}`,
			disclosure(4001, `"type":"FR","symbols":["REBA"],"filer_codes":["REBA"],"company_id":"KR","reason":"NEW"`),
			`{"record":"filing","disclosure_index":4001,"symbol":"REBA","year":"2025","period":"6 Aylık","end_date":"2025-06-30","consolidation":"CS","currency":"TRY","template":"industrial","tms29_applied":true,"measuring_month":"2025-06","balance_sheet":[],"income_statement":[{"code":"rev","label":{"tr":"Hasılat"},"value":"1000000","value_type":"monetary"}],"cash_flow":[]}`)
		key, _ := newKey(t, url, "--scopes", "all")
		s := start(t, url)
		shows := func(what string, path string, texts ...string) {
			t.Helper()
			var body any
			s.eventually(deadline, what, func() bool {
				_, body = s.get(path, key)
				text := fmt.Sprint(body)
				for _, want := range texts {
					if wanted, not := strings.CutPrefix(want, "!"); strings.Contains(text, wanted) == not {
						return false
					}
				}
				return true
			})
		}
		const restated, series = "/v1/kap-feed/financials/REBA?basis=yiufe_adjusted", "/v1/inflation/yi-ufe"
		const changed = "meaning_changed:map[from:2003=100 on:2025-12-01 to:2025=100 what:base] null_reason:meaning_changed value:<nil>"
		shows("no link", restated, changed, "restatement:<nil>")
		shows("no link", restated+"&as_of=2025-09", "value:1046511.63", "!bridges", "!meaning_changed")
		shows("two bases", series, "unit:<nil>", "base:2003=100", "base:2025=100", "!links")
		shows("one base", series+"?from=2025-12", "unit:2025=100")

		for _, wrong := range []string{`,"factor":"43.215"}`, `,"factor":"0"}`, `,"factor":"1","divisor":"-1"}`} {
			refused := ingest(t, url, bases+wrong)
			if !strings.Contains(refused, "factor: must") && !strings.Contains(refused, "divisor: must") {
				t.Errorf("%s: %s", wrong, refused)
			}
		}
		ingest(t, url, bases+`,"factor":"0.02"}`)
		shows("a link", restated, "value:1209302.33", "bridges:[map[factor:0.02 kind:index_link on:2025-12-01 source:<nil>]]")
		ingest(t, url, bases+`,"factor":"100","divisor":"4321.5","source":"TÜİK"}`)
		shows("a correction", restated, "value:1045200", "factor:0.0231401133866", "source:TÜİK")
		shows("a link", series, "unit:<nil>",
			"links:[map[divisor:4321.5 factor:100 from_base:2003=100 month:<nil> source:TÜİK to_base:2025=100]]")
		refused := ingest(t, url,
			`{"record":"index_link","series_id":"YI_UFE","from_base":"2025=100","to_base":"2003=100","factor":"43.215"}`)
		if !strings.Contains(refused, "to_base: must be a base to which no link leads yet: one leads 2025=100 to 2003=100") {
			t.Errorf("back: %s", refused)
		}
		ingest(t, url, bases+`,"withdrawn":true}`)
		shows("withdrawn", restated, changed)
	})
}

// A correction replaces what it corrects, in whatever words and order; once it is cancelled or
// withdrawn, what it corrected stands again.
func TestCorrectionsOfFilings(t *testing.T) {
	t.Parallel()
	disclosed := func(index int, members string) string {
		return disclosure(index, `"type":"FR","symbols":["LABL"],"filer_codes":["LABL"],"company_id":"KL",`+members)
	}
	filing := func(index int, period, consolidation string) string {
		return fmt.Sprintf(`{"record":"filing","disclosure_index":%d,"symbol":"LABL","year":"2025","period":"%s","end_date":"2025-06-30",`+
			`"consolidation":"%s","currency":"TRY","template":"industrial","tms29_applied":true,`+
			`"balance_sheet":[],"income_statement":[],"cash_flow":[]}`, index, period, consolidation)
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		ingest(t, url, `{"record":"company","company_id":"KL","codes":["LABL"]}`,
			disclosed(5002, `"reason":"CORR","related_index":5001`), filing(5002, "6 Months", "CS")) // before what it corrects
		key, _ := newKey(t, url, "--scopes", "all")
		s := start(t, url)
		for _, step := range []struct {
			what  string
			lines []string
			want  map[string][]int // by the consolidation that is asked for
		}{
			{"a correction without what it corrects", nil, map[string][]int{"consolidated": {5002}, "NC": {}}},
			{"what it corrects", []string{disclosed(5001, `"reason":"NEW"`), filing(5001, "6 Aylık", "NC")},
				map[string][]int{"consolidated": {5002}, "solo": {5002}, "NC": {}}},
			{"a correction of the correction", []string{disclosed(5003, `"reason":"UPD","related_index":5002`),
				filing(5003, "Ara Dönem", "NC")},
				map[string][]int{"consolidated": {5003}, "CS": {}, "NC": {5003}}},
			{"solo beside it", []string{disclosed(5004, `"reason":"NEW"`), filing(5004, "6 AYLIK", "CS")},
				map[string][]int{"CS": {5004}, "NC": {5003}}},
			{"it is withdrawn", []string{`{"record":"filing","disclosure_index":5004,"withdrawn":true}`}, map[string][]int{"CS": {}}},
			{"the correction of the correction is cancelled", []string{disclosed(5005, `"reason":"CANC","related_index":5003`)},
				map[string][]int{"consolidated": {5002}, "NC": {}}},
			{"the correction is withdrawn", []string{`{"record":"filing","disclosure_index":5002,"withdrawn":true}`},
				map[string][]int{"consolidated": {5001}, "CS": {}}},
		} {
			ingest(t, url, step.lines...)
			for of, want := range step.want {
				var got []int
				s.eventually(deadline, fmt.Sprintf("%s: %v of %s", step.what, want, of), func() bool {
					_, body := s.get("/v1/kap-feed/financials/LABL?consolidation="+of, key)
					got = numbers(t, body)
					return fmt.Sprint(got) == fmt.Sprint(want)
				})
				asked := `{ filingsConnection(symbol: "LABL", consolidation: ` + strings.ToUpper(of) +
					`) { edges { node { disclosureIndex } } } }`
				s.eventually(deadline, fmt.Sprintf("%s: the connection of %s has %v", step.what, of, want), func() bool {
					answer := s.query(asked, key)
					return strings.Count(answer, "disclosureIndex") == len(want) &&
						(len(want) == 0 || strings.Contains(answer, fmt.Sprint(want[0])))
				})
			}
		}
	})
}
