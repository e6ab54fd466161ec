package vyk_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect/collecttest"
	"piyasa/collect/standin"
)

// reported returns what a financial report with a presentation becomes.
func reported(t *testing.T, presentation string) (facts, contexts, filing any, warning string) {
	t.Helper()
	body := strings.ReplaceAll(with(`, "senderExchCodes": ["A1"], "year": "2031", "period": {"en": "6 Months"}, "consolidation": "CS", "presentation": `+presentation), `"ODA"`, `"FR"`)
	_, r, err := answer(t, source(t, ``), waiting, at, http.StatusOK, body)
	if err != nil || len(r.Records) == 0 || r.Records[0].Fields["body"] == nil {
		t.Fatal(r, err)
	}
	if len(r.Records) == 2 {
		filing = again(t, r.Records[1].Fields)
	}
	return again(t, r.Records[0].Fields["facts"]), again(t, r.Records[0].Fields["contexts"]), filing, r.Warning
}

func parsed(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err, text)
	}
	return v
}

const (
	ends    = `{"id": "2031-06-30", "key": "CURR", "Period": {"instant": "2031-06-30"}}`
	runs    = `{"id": "2031-01-012031-06-30", "key": "CURR", "Period": {"startDate": "2031-01-01", "endDate": "2031-06-30"}}`
	before  = `{"id": "2030-12-31", "key": "PREV", "Period": {"instant": "2030-12-31"}}`
	general = `[{"id": "fr-210015_x", "content": {"ContextList": {"Context": [` + ends + `,` + before +
		`]}, "ReportItem": {"name": "kap_Assets", "abstract": "true", "ReportItem": [
		{"name": "ifrs-full_Cash", "langs": {"lang": {"code": "tr", "value": "Nakit"}}, "Values": {"Value": [
			{"contextId": "2031-06-30", "currency": "TRY", "rounding": "-3", "value": "1250000"}, {"contextId": "2030-12-31", "currency": "TRY", "value": "1.50"}]}}]}}},
		{"id": "fr-310003_x", "content": {"ContextList": {"Context": ` + runs + `}, "ReportItem": [
			{"name": "ifrs-full_Revenue", "Values": {"Value": {"contextId": "2031-01-012031-06-30", "currency": "TRY", "value": "-7"}}},
			{"name": "ifrs-full_GainsLossesOnNetMonetaryPosition", "Values": {"Value": {"contextId": "2031-01-012031-06-30", "currency": "TRY", "value": "NET"}}},
			{"name": "kap_EarningsPerShare", "Values": {"Value": {"currency": "TRY", "value": "0.125"}}}]}}]`
)

func TestFactsOfReports(t *testing.T) {
	facts, contexts, filing, warning := reported(t, strings.Replace(general, "NET", "3", 1))
	if want := parsed(t, `[
		{"concept": "ifrs-full_Cash", "label": {"tr": "Nakit"}, "value": "1250000", "unit": "TRY", "decimals": "-3", "context_id": "2031-06-30"},
		{"concept": "ifrs-full_Cash", "label": {"tr": "Nakit"}, "value": "1.50", "unit": "TRY", "context_id": "2030-12-31"},
		{"concept": "ifrs-full_Revenue", "value": "-7", "unit": "TRY", "context_id": "2031-01-012031-06-30"},
		{"concept": "ifrs-full_GainsLossesOnNetMonetaryPosition", "value": "3", "unit": "TRY", "context_id": "2031-01-012031-06-30"},
		{"concept": "kap_EarningsPerShare", "value": "0.125", "unit": "TRY", "context_id": "2031-01-012031-06-30"}]`); !reflect.DeepEqual(facts, want) || warning != "" {
		t.Errorf("%v, %q; want %v", facts, warning, want)
	}
	if want := parsed(t, `[
		{"id": "2031-06-30", "period_type": "instant", "instant": "2031-06-30", "dimensions": []}, {"id": "2030-12-31", "period_type": "instant", "instant": "2030-12-31", "dimensions": []},
		{"id": "2031-01-012031-06-30", "period_type": "duration", "start_date": "2031-01-01", "end_date": "2031-06-30", "dimensions": []}]`); !reflect.DeepEqual(contexts, want) {
		t.Errorf("%v; want %v", contexts, want)
	}
	if want := parsed(t,
		`{"disclosure_index": 101, "symbol": "A1", "year": "2031", "period": "6 Months", "end_date": "2031-06-30", "consolidation": "CS", "currency": "TRY",
		"template": "industrial", "tms29_applied": true, "measuring_month": "2031-06", "balance_sheet": [{"code": "ifrs-full_Cash", "label": {"tr": "Nakit"}, "value": "1250000", "value_type": "monetary"}],
		"income_statement": [{"code": "ifrs-full_Revenue", "label": {}, "value": "-7", "value_type": "monetary"},
			{"code": "ifrs-full_GainsLossesOnNetMonetaryPosition", "label": {}, "value": "3", "value_type": "monetary"},
			{"code": "kap_EarningsPerShare", "label": {}, "value": "0.125", "value_type": "per_share"}], "cash_flow": []}`); !reflect.DeepEqual(filing, want) {
		t.Errorf("%v; want %v", filing, want)
	}
}

// What a filing must say and the report does not is not made up.
func TestFilings(t *testing.T) {
	for name, c := range map[string]struct {
		change []string // pairs
		files  bool
	}{
		"nothing of the standard, of late": {[]string{"NET", ""}, false},
		"a position of zero says nothing":  {[]string{"NET", "0"}, false},
		"before the standard":              {[]string{"NET", "", "2031-", "2023-"}, true},
		"the first day of the standard":    {[]string{"NET", "", "2031-06-30", "2023-12-31"}, false},
		"a taxonomy of others":             {[]string{"NET", "3", "210015", "210031"}, false},
		"two currencies":                   {[]string{"NET", "3", `"TRY", "value": "-7"`, `"USD", "value": "-7"`}, false},
		"thousands or thousandths":         {[]string{"NET", "3", "1250000", "1.250"}, false},
		"points between thousands":         {[]string{"NET", "3", "1250000", "1.250.000"}, false},
		"statements of different periods":  {[]string{"NET", "3", `"endDate": "2031-06-30"`, `"endDate": "2031-03-31"`}, false},
		"an empty value":                   {[]string{"NET", "3", `"value": "-7"`, `"value": ""`}, true},
		"without a current day": {[]string{"NET", "3", `"key": "CURR", "Period": {"instant"`,
			`"key": "PREV", "Period": {"instant"`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			facts, _, filing, warning := reported(t, strings.NewReplacer(c.change...).Replace(general))
			if (filing != nil) != c.files || facts == nil || warning != "" {
				t.Errorf("%v, %v, %q; want a filing: %t", filing, facts, warning, c.files)
			}
		})
	}
}

// A report whose structure is not known is stored without facts, and that is reported.
func TestOddReports(t *testing.T) {
	block := func(context, values string) string {
		return `[{"id": "fr-1", "content": {"ContextList": {"Context": ` + context + `}, "ReportItem": {"name": "a", "Values": {"Value": ` +
			values + `}}}}]`
	}
	for name, c := range map[string]struct{ presentation, want string }{
		"a context that is no period": {block(`{"id": "x", "Period": {"startDate": "2031-01-01"}}`, `[]`), "neither a day nor a period"},
		"a context that is no date":   {block(`{"id": "x", "Period": {"instant": "30.06.2031"}}`, `[]`), "neither a day nor a period"},
		"a context twice": {block(`[`+ends+`,`+strings.Replace(ends, `"instant": "2031`, `"instant": "2030`, 1)+`]`,
			`[]`), "twice"},
		"an unknown context":        {block(ends, `{"contextId": "y", "value": "1"}`), "unknown context"},
		"no context of several":     {block(`[`+ends+`,`+before+`]`, `{"value": "1"}`), "unknown context"},
		"an unknown measure":        {block(ends, `{"value": "1", "Measures": {"Measure": {"measureName": "a"}}}`), "unknown measure"},
		"a value that is an object": {block(ends, `{"value": {}}`), "cannot unmarshal"},
		"too deep": {`[{"id": "x", "content": {"ReportItem": ` + strings.Repeat(`{"name": "a", "ReportItem": `, 61) +
			`[]` + strings.Repeat(`}`, 61) + `}}]`, "too deeply"},
	} {
		t.Run(name, func(t *testing.T) {
			facts, contexts, filing, warning := reported(t, c.presentation)
			if facts != nil || contexts != nil || filing != nil || !strings.Contains(warning, "disclosure 101 is stored without facts") ||
				!strings.Contains(warning, c.want) {
				t.Errorf("%v, %v, %v, %q; want %s", facts, contexts, filing, warning, c.want)
			}
		})
	}
}

// What the stand-in reports is accepted by ingest, with the languages of a text as dimensions.
func TestReportsAreAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin()
		w := newWorld(t, fmt.Sprintf(`, "from": %d, "type": "FR"`, standin.VYKNewest(time.Now())-40))
		w.run(2 * time.Minute)
		filings, facts := 0, 0
		for _, l := range w.store.Lines() {
			if all, _ := l.Fields["facts"].([]any); len(all) > 3 &&
				strings.Contains(l.Text, `"dimensions":[{"axis":"kap_LanguageOptionAxis","member":"kap_EnglishMember"}]`) {
				facts++
			}
			if l.Kind == "filing" {
				filings++
			}
		}
		if filings < 2 || facts < 4 {
			t.Errorf("%d filings, %d with facts", filings, facts)
		}
		collecttest.Ingest(t, time.Now(), w.store.All())
	})
}
