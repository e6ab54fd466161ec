package command_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"piyasa/db/dbtest"
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
		key, _ := newKey(t, url, "--scopes", "kap,news")
		s := start(t, url)
		for path, want := range map[string]map[string]any{
			"/v1/kap-feed/disclosures/1": {"symbols": []any{"DMIST", "DMOSR"}, "filer_codes": []any{"DMIST", "DMOSR"}, "related_index": nil},
			"/v1/kap-feed/disclosures/2": {"symbols": []any{}, "filer_codes": []any{}, "related_index": 1.0, "consolidation": nil},
			"/v1/kap-feed/disclosures/3": {"consolidation": "NC"},
			"/v1/kap-feed/disclosures/5": {"consolidation": nil, "related_index": 1.0},
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
		// The same line again, in capitals or not, is the same disclosure.
		again := run(t, url, disclosure(1, `"type":"ODA","symbols":["DMIST"],"filer_codes":["DMIST","DMOSR"],"reason":"NEW"`), nil, "ingest", "--json", "-")
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
