package command_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// disclosure is the line of a disclosure with these further members.
func disclosure(index int, members string) string {
	return fmt.Sprintf(`{"record":"disclosure","disclosure_index":%d,"class":"ODA",%s}`+"\n", index, members)
}

// ingest stores lines and returns what was refused.
func ingest(t *testing.T, url string, lines ...string) (refused string) {
	t.Helper()
	res := run(t, url, strings.Join(lines, "\n"), nil, "ingest", "-")
	if res.status != 0 && res.status != 3 {
		t.Fatalf("%d %s %s", res.status, res.stdout, res.err)
	}
	return res.err
}

// Codes are stored in capitals, the filer's own are among the symbols, and what
// belongs to other disclosures is not kept.
func TestDisclosuresAreCompletedWhenTheyAreStored(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		refused := ingest(t, url,
			disclosure(1, `"type":"ODA","symbols":["dmist","DMIST"],"filer_codes":["Dmist","dmosr"],"reason":"NEW","related_index":7`),
			disclosure(2, `"type":"ODA","symbols":[],"filer_codes":[],"reason":"CORR","related_index":1,"consolidation":"XX"`),
			disclosure(3, `"type":"FR","symbols":["DMIST"],"filer_codes":["DMIST"],"consolidation":"NC"`),
			disclosure(4, `"type":"FR","symbols":["DMIST"],"filer_codes":["DMIST"],"consolidation":"XX"`),
			disclosure(5, `"type":"FR","symbols":["DMIST"],"filer_codes":["DMIST"],"related_index":1`),
			`{"record":"company","company_id":"K1","codes":["dmist","DMOSR","DMIST"],"symbol":"dmist"}`,
			`{"record":"news","news_id":"n-1","title":"x","published_at":"2026-03-18T11:45:00Z","symbols":["dmist"]}`,
		)
		if !strings.Contains(refused, "consolidation: must be CS or NC") || strings.Count(refused, "stdin") > 1 {
			t.Errorf("refused: %s", refused)
		}
		key, _ := newKey(t, url, "--scopes", "all")
		s := start(t, url)
		for path, want := range map[string]map[string]any{
			"/v1/kap-feed/disclosures/1": {"symbols": []any{"DMIST", "DMOSR"},
				"filer_codes": []any{"DMIST", "DMOSR"}, "related_index": nil},
			"/v1/kap-feed/disclosures/2": {"symbols": []any{}, "filer_codes": []any{}, "related_index": 1.0,
				"consolidation": nil},
			"/v1/kap-feed/disclosures/3":                              {"consolidation": "NC"},
			"/v1/kap-feed/disclosures/5":                              {"consolidation": nil, "related_index": 1.0},
			"/v1/kap-feed/disclosures?symbol=dmosr&limit=1&order=asc": {"count": 1.0},
			"/v1/kap-feed/companies/DMIST":                            {"symbol": "DMIST"},
			"/v1/kap?symbol=DMOSR":                                    {"count": 1.0},
		} {
			status, body := s.get(path, key)
			for name, value := range want {
				if !reflect.DeepEqual(body[name], value) {
					t.Errorf("%s: %d, %s is %v, want %v", path, status, name, body[name], value)
				}
			}
		}
		if status, _ := s.get("/v1/kap-feed/disclosures/4", key); status != http.StatusNotFound {
			t.Errorf("the refused one: %d", status)
		}
		// Topics go by the codes that frames show, those of the filer among them.
		if codes := replayed(t, s, key, "symbol:DMOSR"); !slices.Equal(codes, []int{1}) {
			t.Errorf("the topic of a code of the filer: %v", codes)
		}
		if codes := replayed(t, s, key, "symbol:DMIST"); !slices.Equal(codes, []int{1, 3, 5}) {
			t.Errorf("the topic of a code that was listed: %v", codes)
		}
		// The same line again, in capitals or not, is the same disclosure.
		again := run(t, url, disclosure(1, `"type":"ODA","symbols":["DMIST"],"filer_codes":["DMIST","DMOSR"],"reason":"NEW"`), nil,
			"ingest", "--json", "-")
		if !strings.Contains(again.stdout, `"unchanged":1`) && !strings.Contains(again.stdout, `"unchanged": 1`) {
			t.Errorf("again: %s %s", again.stdout, again.err)
		}
	})
}

// numbers are the disclosures of a list.
func numbers(t *testing.T, body map[string]any) (got []int) {
	t.Helper()
	items, ok := body["items"].([]any)
	if !ok {
		t.Fatalf("no list: %v", body)
	}
	for _, item := range items {
		got = append(got, int(item.(map[string]any)["disclosure_index"].(float64)))
	}
	slices.Sort(got)
	return got
}

// A code reads the disclosures of its company: by every code that it has or
// had, and by its id. A code that passed to another company is the other's,
// but for what the former one filed under it.
func TestDisclosuresOfARenamedCompany(t *testing.T) {
	t.Parallel()
	company := func(id, codes string) string {
		return `{"record":"company","company_id":"` + id + `","codes":[` + codes + `]}`
	}
	of := func(id string, symbols ...string) string {
		filed := `"type":"FR","reason":"NEW","symbols":["` + strings.Join(symbols, `","`) +
			`"],"filer_codes":[],"published_at":"2026-03-18T05:00:00Z"`
		if filed = strings.Replace(filed, `[""]`, `[]`, 1); id != "" {
			filed += `,"company_id":"` + id + `"`
		}
		return filed
	}
	filing := func(index int, symbol, year string) string {
		return fmt.Sprintf(`{"record":"filing","disclosure_index":%d,"symbol":"%s","year":"%s","period":"Annual","end_date":"%s-12-31","consolidation":"CS","currency":"TRY","template":"bank","tms29_applied":false,"balance_sheet":[],"income_statement":[],"cash_flow":[]}`, index, symbol, year, year)
	}
	stock := func(code string) string {
		return `{"record":"instrument","instrument_id":"bist:` + code + `","symbol":"` + code + `","name":"` + code +
			`","market":"bist","asset_type":"STOCK","currency":"TRY"}`
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		refused := ingest(t, url, company("K1", `"ALDCD"`), company("K2", `"OTHER"`), stock("NEWCD"), stock("ALDCD"), stock("OTHER"),
			disclosure(1, of("K1", "ALDCD")), disclosure(2, of("", "ALDCD")), disclosure(3, of("K1")),
			disclosure(4, of("K9", "ALDCD", "OTHER")), disclosure(5, of("K2")),
			disclosure(6, of("")), filing(1, "ALDCD", "2023"), filing(3, "ZZZ", "2024"), filing(5, "OTHER", "2023"))
		if refused != "" && strings.Contains(refused, "stdin:") {
			t.Fatal(refused)
		}
		key, _ := newKey(t, url, "--scopes", "kap")
		s := start(t, url)
		list := func(query string) []int {
			t.Helper()
			status, body := s.get("/v1/kap-feed/disclosures?"+query, key)
			if status != http.StatusOK {
				t.Fatalf("%s: %d %v", query, status, body)
			}
			return numbers(t, body)
		}
		check := func(what string, got []int, want ...int) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		check("a code", list("symbol=ALDCD"), 1, 2, 3, 4)
		check("a company", list("companyId=K1"), 1, 3)
		_, first := s.get("/v1/kap-feed/disclosures?symbol=ALDCD&limit=2", key)

		// The company takes another name, and files under it.
		ingest(t, url, company("K1", `"NEWCD"`), disclosure(7, of("K1", "NEWCD")), disclosure(8, of("", "NEWCD")),
			filing(7, "NEWCD", "2025"))
		s.eventually(deadline, "the new code is known", func() bool { return len(list("symbol=NEWCD")) == 6 })
		for _, query := range []string{"symbol=NEWCD", "symbol=aldcd", "symbols=ALDCD,bist:NEWCD", "symbol=NEWCD&order=asc"} {
			check(query, list(query), 1, 2, 3, 4, 7, 8)
		}
		check("with others", list("symbols=NEWCD,OTHER"), 1, 2, 3, 4, 5, 7, 8)
		check("narrowed", list("symbol=NEWCD&companyId=K1&type=FR&reason=NEW&from=2026-03-18"), 1, 3, 7)
		// A walk that began under the former name ends as it began.
		status, rest := s.get("/v1/kap-feed/disclosures?symbol=ALDCD&limit=100&cursor="+first["next_cursor"].(string), key)
		if status != http.StatusOK {
			t.Errorf("the rest of a walk: %d %v", status, rest)
		} else {
			check("a walk", slices.Sorted(slices.Values(append(numbers(t, first), numbers(t, rest)...))), 1, 2, 3, 4)
		}
		for _, code := range []string{"NEWCD", "ALDCD", "bist:ALDCD"} {
			if _, profile := s.get("/v1/kap-feed/companies/"+code, key); profile["symbol"] != "NEWCD" {
				t.Errorf("the company of %s: %v", code, profile)
			}
			_, filed := s.get("/v1/kap-feed/financials/"+code+"?limit=12", key)
			check("filings of "+code, numbers(t, filed), 1, 3, 7)
		}
		graph := func(query string) string {
			t.Helper()
			return s.query(query, key)
		}
		for query, want := range map[string]string{
			`{ instrument(id: "bist:NEWCD") { disclosures { disclosureIndex } company { symbol } } }`: `{"data":{"instrument":{"disclosures":[{"disclosureIndex":8},{"disclosureIndex":7},{"disclosureIndex":4},{"disclosureIndex":3},{"disclosureIndex":2},{"disclosureIndex":1}],"company":{"symbol":"NEWCD"}}}}`,
			`{ company(symbol: "ALDCD") { symbol disclosures(first: 2) { disclosureIndex } } }`:       `{"data":{"company":{"symbol":"NEWCD","disclosures":[{"disclosureIndex":8},{"disclosureIndex":7}]}}}`,
			`{ disclosure(index: 2) { company { symbol } } }`:                                         `{"data":{"disclosure":{"company":null}}}`,
		} {
			if got := graph(query); !strings.HasPrefix(got, strings.TrimSuffix(want, "}")) {
				t.Errorf("%s\n%s, want %s", query, got, want)
			}
		}

		// Another company takes the code that is free.
		ingest(t, url, company("K2", `"OTHER","ALDCD"`), disclosure(9, of("K2", "ALDCD")), disclosure(10, of("", "ALDCD")),
			filing(9, "ALDCD", "2024"))
		s.eventually(deadline, "the code passes", func() bool {
			return slices.Contains(list("symbol=ALDCD"), 5) && slices.Contains(list("symbol=ALDCD"), 10)
		})
		check("the code's company", list("symbol=ALDCD"), 2, 4, 5, 9, 10) // 1 is K1's, by its id
		check("who had it", list("symbol=NEWCD"), 1, 3, 7, 8)
		check("both", list("symbols=NEWCD,OTHER"), 1, 2, 3, 4, 5, 7, 8, 9, 10)
		_, filed := s.get("/v1/kap-feed/financials/ALDCD?limit=12", key)
		check("its filings", numbers(t, filed), 5, 9)
		_, filed = s.get("/v1/kap-feed/financials/NEWCD?limit=12", key)
		check("filings of who had it", numbers(t, filed), 1, 3, 7)
		if got, want := graph(`{ instrument(id: "bist:ALDCD") { disclosures { disclosureIndex } company { symbol } } }`),
			`{"data":{"instrument":{"disclosures":[{"disclosureIndex":10},{"disclosureIndex":9},{"disclosureIndex":5},{"disclosureIndex":4},{"disclosureIndex":2}],"company":{"symbol":"OTHER"}}}`; !strings.HasPrefix(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
		// And gives it up: nobody has it now, the last one had it.
		ingest(t, url, company("K2", `"OTHER"`))
		check("of nobody now", list("symbol=ALDCD"), 2, 4, 5, 9, 10)
		// A server that starts now says the same.
		again := start(t, url)
		_, body := again.get("/v1/kap-feed/disclosures?symbol=ALDCD", key)
		check("after a start", numbers(t, body), 2, 4, 5, 9, 10)
	})
}

// replayed are the disclosures that a topic replays, in order.
func replayed(t *testing.T, s *service, key, topic string) (got []int) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), deadline)
	defer stop()
	events, err := openGraphQLSocket("lastSeenIndex")(ctx, s.base, key, []string{topic}, 0)
	need.NoError(t, err)
	for e := range events {
		if e.done {
			return got
		}
		got = append(got, e.number)
	}
	t.Fatalf("%s: the replay ended early, after %v", topic, got)
	return nil
}
