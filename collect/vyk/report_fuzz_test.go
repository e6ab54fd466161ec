package vyk_test

import (
	"net/http"
	"slices"
	"testing"
)

// Whatever a report is: no panic, each fact has its context, and the filing is of the disclosure.
func FuzzRead(f *testing.F) {
	for _, presentation := range []string{
		`[{"id": "role_210015", "content": {"ContextList": {"Context": {"id": "c", "key": "CURR", "Period": {"instant": "2023-06-30"}}},
			"ReportItem": {"name": "a_Assets", "langs": {"lang": {"code": "TR", "value": "Varlıklar"}},
				"Values": {"Value": {"contextId": "c", "currency": "TRY", "rounding": 0, "value": "12345"}}}}},
		{"id": "role_310003", "content": {
			"ContextList": {"Context": [{"id": "d", "key": "CURR", "Period": {"startDate": "2023-01-01", "endDate": "2023-06-30"}}]},
			"ReportItem": [{"name": "a_Sales", "Values": {"Value": [{"currency": "TRY", "value": 5},
				{"contextId": "d", "value": "1", "Measures": {"Measure": {"measureName": "x", "measureValueName": "y"}}}]}}]}}]`,
		`[1]`, `{"id": "KPY41"}`,
	} {
		f.Add(presentation)
	}
	s := source(f, ``)
	f.Fuzz(func(t *testing.T, presentation string) {
		body := `{"disclosureIndex": 101, "disclosureType": "FR", "disclosureClass": "FR", "senderExchCodes": "ORN",
			"year": 2023, "period": {"en": "6 Months"}, "consolidation": "CS", "presentation": ` + presentation + `}`
		_, r, err := answer(t, s, waiting, at, http.StatusOK, body)
		if err != nil {
			return
		}
		if len(r.Records) == 0 {
			t.Fatalf("no records, and no error")
		}
		for _, r := range r.Records {
			if r.Fields["disclosure_index"] != int64(101) {
				t.Errorf("%v", r)
			}
			facts, _ := r.Fields["facts"].([]map[string]any)
			contexts, _ := r.Fields["contexts"].([]map[string]any)
			for _, fact := range facts {
				if !slices.ContainsFunc(contexts, func(c map[string]any) bool { return c["id"] == fact["context_id"] }) {
					t.Errorf("%v has no context in %v", fact, contexts)
				}
			}
		}
	})
}
