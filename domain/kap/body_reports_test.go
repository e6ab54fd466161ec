package kap_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"piyasa/domain/kap"
	"piyasa/test/fixture/need"
)

// emptyReport says nothing but its context.
const emptyReport = `[{"id":"oda-34000_Review","content":{"id":"oda-34000_Review","isMultiDimensional":"yes","ContextList":{"Context":{"id":"2026-03-18","key":"CURR","Period":{"instant":"2026-03-18"}}}}}]`

// formReport is a form: headings, statements, one left open.
const formReport = `[{
	"id": "oda-10000_General",
	"content": {
		"id": "oda-10000_General", "isMultiDimensional": "no",
		"ContextList": {"Context": {"id": "2026-03-18", "key": "CURR", "Period": {"instant": "2026-03-18"}}},
		"ReportItem": {
			"name": "oda_General", "abstract": "true", "langs": {"lang": [{"code": "tr", "value": "Genel"}, {"code": "en", "value": "General"}]},
			"ReportItem": [
				{"name": "oda_CorrectionFlag", "abstract": "false", "langs": {"lang": [{"code": "en", "value": "Correction"}, {"code": "tr", "value": "Düzeltme mi?"}]},
					"Values": {"Value": {"contextId": "2026-03-18", "currency": "", "rounding": "", "value": "Hayır (No)"}}},
				{"name": "oda_PreviousDate", "langs": {"lang": {"code": "tr", "value": "Önceki Tarih"}}, "Values": {"Value": {"contextId": "2026-03-18", "value": null}}},
				{"name": "oda_Section", "abstract": "true", "langs": {"lang": []},
					"ReportItem": {"name": "oda_Text", "Values": {"Value": {"contextId": "2026-03-18", "value": "<p>Pay&nbsp;alımı</p>\n  ."}}}},
				{"name": "oda_Open"},
				{"name": "oda_Amount", "Values": {"Value": {"contextId": "2026-03-18", "currency": "TRY", "rounding": "-3", "value": 1250.50}}}
			]
		}
	}
}]`

// tableReport is a table with typed rows: a hypercube with its dimension, and
// the lines beside it.
const tableReport = `[{
	"id": "oda-10400_Transactions",
	"content": {
		"ContextList": {"Context": [{"id": "c1", "key": "CURR", "Period": {"instant": "2026-03-18"}}]},
		"ReportItem": {
			"name": "oda_Transactions",
			"ReportItem": [
				{"name": "oda_Before", "Values": {"Value": {"contextId": "c1", "value": "b"}}},
				{"name": "oda_Table", "isHypercubeItem": "yes", "ReportItem": {"name": "oda_LineAxis", "isDimensionItem": "yes", "isTypedDomain": "yes", "langs": {"lang": {"code": "tr", "value": "Sıra"}}}},
				{"name": "oda_Lines", "ReportItem": [
					{"name": "oda_Date", "langs": {"lang": {"code": "en", "value": "Date"}}, "Values": {"Value": [
						{"contextId": "c1", "value": "17.03.2026", "Measures": {"Measure": {"measureName": "oda_LineAxis", "measureValueName": "1"}}},
						{"contextId": "c1", "value": "18.03.2026", "Measures": {"Measure": {"measureName": "oda_LineAxis", "measureValueName": "2"}}}]}},
					{"name": "oda_Nominal", "Values": {"Value": [
						{"contextId": "c1", "value": "007", "Measures": {"Measure": {"measureName": "oda_LineAxis", "measureValueName": "2"}}},
						{"contextId": "c1", "value": "1.250.000,50", "currency": "USD", "Measures": {"Measure": [{"measureName": "oda_LineAxis", "measureValueName": "1"}]}},
						{"contextId": "c1", "value": "9"}]}}
				]},
				{"name": "oda_After", "Values": {"Value": {"contextId": "c1", "value": "a"}}}
			]
		}
	}
}]`

// periodReport has two contexts, in columns.
const periodReport = `[{
	"id": "oda-20000_Results",
	"content": {
		"ContextList": {"Context": [
			{"id": "c1", "key": "CURR", "Period": {"startDate": "2026-01-01", "endDate": "2026-03-31"}},
			{"id": "c2", "key": "PREV", "Period": {"startDate": "2025-01-01", "endDate": "2025-03-31"}}]},
		"ReportItem": [
			{"name": "oda_Income", "Values": {"Value": [{"contextId": "c1", "value": "10"}, {"contextId": "c2", "value": "8"}]}},
			{"name": "oda_Cost", "Values": {"Value": {"contextId": "c2", "value": "7"}}}
		]
	}
}]`

// repeatReport repeats an item's value without saying by what, in two reports
// with a table of one name.
const repeatReport = `[
	{"id": "a", "content": {"ReportItem": {"name": "oda_Coupons", "ReportItem": [
		{"name": "oda_Number", "Values": {"Value": [{"value": "1"}, {"value": "2"}]}},
		{"name": "oda_Rate", "Values": {"Value": [{"value": "12,34"}, {"value": "13.00"}]}}]}}},
	{"id": "b", "content": {"ReportItem": {"name": "oda_Coupons", "ReportItem": {"name": "oda_Number", "Values": {"Value": [{"value": "3"}, {"value": "4"}]}}}}}
]`

// bilingualReport states texts in two languages: a free text, and the cells of
// a table whose measures come in any order.
const bilingualReport = `[{
	"id": "oda-10300_News",
	"content": {
		"ContextList": {"Context": {"id": "c1", "key": "CURR", "Period": {"instant": "2026-03-18"}}},
		"ReportItem": [
			{"name": "oda_Explanation", "langs": {"lang": [{"code": "tr", "value": "Açıklama"}, {"code": "en", "value": "Explanation"}]},
				"Values": {"Value": [{"contextId": "c1", "value": "Sermaye artırımı"},
					{"contextId": "c1", "value": "Capital increase", "Measures": {"Measure": {"measureName": "oda_LanguageOptionAxis", "measureValueName": "oda_EnglishMember"}}}]}},
			{"name": "oda_Table", "isHypercubeItem": "yes"},
			{"name": "oda_Kind", "Values": {"Value": [
				{"contextId": "c1", "value": "Second", "Measures": {"Measure": [{"measureName": "LanguageOptionAxis", "measureValueName": "EnglishMember"}, {"measureName": "oda_LineAxis", "measureValueName": "2"}, {"measureName": "oda_GroupAxis", "measureValueName": "A"}]}},
				{"contextId": "c1", "value": "Birinci", "currency": "TRY", "Measures": {"Measure": [{"measureName": "oda_GroupAxis", "measureValueName": "A"}, {"measureName": "oda_LineAxis", "measureValueName": "1"}]}},
				{"contextId": "c1", "value": "İkinci", "Measures": {"Measure": [{"measureName": "oda_GroupAxis", "measureValueName": "A"}, {"measureName": "LanguageOptionAxis", "measureValueName": "TurkishMember"}, {"measureName": "oda_LineAxis", "measureValueName": "2"}]}},
				{"contextId": "c1", "value": "First", "currency": "TRY", "Measures": {"Measure": [{"measureName": "oda_LineAxis", "measureValueName": "1"}, {"measureName": "oda_GroupAxis", "measureValueName": "A"}, {"measureName": "LanguageOptionAxis", "measureValueName": "EnglishMember"}]}}]}},
			{"name": "oda_Amount", "Values": {"Value": [
				{"contextId": "c1", "value": "10", "Measures": {"Measure": [{"measureName": "oda_LineAxis", "measureValueName": "1"}, {"measureName": "oda_GroupAxis", "measureValueName": "A"}]}},
				{"contextId": "c1", "value": "20", "Measures": {"Measure": [{"measureName": "oda_GroupAxis", "measureValueName": "A"}, {"measureName": "oda_LineAxis", "measureValueName": "2"}]}}]}}
		]
	}
}]`

func reportSamples() []string {
	return []string{emptyReport, formReport, tableReport, periodReport, repeatReport, bilingualReport}
}

func TestReports(t *testing.T) {
	for _, c := range []struct {
		content string
		lines   []string
	}{
		{emptyReport, nil},
		{formReport, []string{
			`oda_General "Genel"|"General" = -|-`,
			`oda_CorrectionFlag "Düzeltme mi?"|"Correction" = "Hayır (No)"|-`,
			`oda_PreviousDate "Önceki Tarih"|- = -|-`,
			`oda_Section -|- = -|-`,
			`oda_Text -|- = "<p>Pay&nbsp;alımı</p>\n  ."|-`,
			`oda_Open -|- = -|-`,
			`oda_Amount -|- = "1250.50"|-`,
			`oda_Amount.currency -|- = "TRY"|-`,
			`oda_Amount.rounding -|- = "-3"|-`,
		}},
		{tableReport, []string{
			`oda_Transactions -|- = -|-`,
			`oda_Before -|- = "b"|-`,
			`oda_Table -|- = -|-`,
			`oda_LineAxis "Sıra"|- = -|-`,
			`oda_Lines -|- = -|-`,
			`oda_Table[0] oda_LineAxis "Sıra"|- = "1"|-`,
			`oda_Table[0] oda_Date -|"Date" = "17.03.2026"|-`,
			`oda_Table[1] oda_LineAxis "Sıra"|- = "2"|-`,
			`oda_Table[1] oda_Date -|"Date" = "18.03.2026"|-`,
			`oda_Table[1] oda_Nominal -|- = "007"|-`,
			`oda_Table[0] oda_Nominal -|- = "1.250.000,50"|-`,
			`oda_Table[0] oda_Nominal.currency -|- = "USD"|-`,
			`oda_Table[2] oda_Nominal -|- = "9"|-`,
			`oda_After -|- = "a"|-`,
		}},
		{periodReport, []string{
			`oda-20000_Results[0] contextId -|- = "c1"|-`,
			`oda-20000_Results[0] key -|- = "CURR"|-`,
			`oda-20000_Results[0] startDate -|- = "2026-01-01"|-`,
			`oda-20000_Results[0] endDate -|- = "2026-03-31"|-`,
			`oda-20000_Results[0] oda_Income -|- = "10"|-`,
			`oda-20000_Results[1] contextId -|- = "c2"|-`,
			`oda-20000_Results[1] key -|- = "PREV"|-`,
			`oda-20000_Results[1] startDate -|- = "2025-01-01"|-`,
			`oda-20000_Results[1] endDate -|- = "2025-03-31"|-`,
			`oda-20000_Results[1] oda_Income -|- = "8"|-`,
			`oda-20000_Results[1] oda_Cost -|- = "7"|-`,
		}},
		{repeatReport, []string{
			`oda_Coupons -|- = -|-`,
			`oda_Coupons[0] oda_Number -|- = "1"|-`,
			`oda_Coupons[1] oda_Number -|- = "2"|-`,
			`oda_Coupons[0] oda_Rate -|- = "12,34"|-`,
			`oda_Coupons[1] oda_Rate -|- = "13.00"|-`,
			`oda_Coupons -|- = -|-`,
			`oda_Coupons[2] oda_Number -|- = "3"|-`,
			`oda_Coupons[3] oda_Number -|- = "4"|-`,
		}},
		{bilingualReport, []string{
			`oda_Explanation "Açıklama"|"Explanation" = "Sermaye artırımı"|"Capital increase"`,
			`oda_Table -|- = -|-`,
			`oda_Table[0] oda_LineAxis -|- = "2"|-`,
			`oda_Table[0] oda_GroupAxis -|- = "A"|-`,
			`oda_Table[0] oda_Kind -|- = "İkinci"|"Second"`,
			`oda_Table[1] oda_GroupAxis -|- = "A"|-`,
			`oda_Table[1] oda_LineAxis -|- = "1"|-`,
			`oda_Table[1] oda_Kind -|- = "Birinci"|"First"`,
			`oda_Table[1] oda_Kind.currency -|- = "TRY"|-`,
			`oda_Table[1] oda_Amount -|- = "10"|-`,
			`oda_Table[0] oda_Amount -|- = "20"|-`,
		}},
		// A text in one language alone, in a language that has no place of its own, and more of one language than of the other.
		{`[{"id":"a","content":{"ReportItem":{"name":"n","Values":{"Value":{"value":"only","Measures":{"Measure":{"measureName":"kap-fr:LanguageOptionAxis","measureValueName":"kap-fr:EnglishMember"}}}}}}}]`, []string{`n -|- = -|"only"`}},
		{`[{"id":"a","content":{"ReportItem":{"name":"n","Values":{"Value":{"value":"x","Measures":{"Measure":{"measureName":"LanguageOptionAxis","measureValueName":"DefaultMember"}}}}}}}]`,
			[]string{`n -|- = "x"|-`, `n.LanguageOptionAxis -|- = "DefaultMember"|-`}},
		{`[{"id":"a","content":{"ReportItem":{"name":"n","Values":{"Value":[{"value":"1"},{"value":"one","Measures":{"Measure":{"measureName":"LanguageOptionAxis","measureValueName":"EnglishMember"}}},{"value":"2"}]}}}}]`,
			[]string{`a[0] n -|- = "1"|"one"`, `a[1] n -|- = "2"|-`}},
		// What qualifies one language only goes with it.
		{`[{"id":"a","content":{"ReportItem":{"name":"n","Values":{"Value":[{"value":"1","unit":"pay"},{"value":"one","unit":"share","Measures":{"Measure":{"measureName":"LanguageOptionAxis","measureValueName":"EnglishMember"}}}]}}}}]`,
			[]string{`n -|- = "1"|"one"`, `n.unit -|- = "pay"|"share"`}},
		{`[{"id":"a","content":{"ReportItem":{"name":"n","Values":{"Value":[{"value":"one","unit":"share","Measures":{"Measure":{"measureName":"LanguageOptionAxis","measureValueName":"EnglishMember"}}},{"value":"1","unit":"pay"}]}}}}]`,
			[]string{`n -|- = "1"|"one"`, `n.unit -|- = "pay"|"share"`}},
		// What a measure says besides its member tells rows apart, whatever order it comes in.
		{`[{"id":"a","content":{"ReportItem":{"name":"n","Values":{"Value":[
			{"value":"1","Measures":{"Measure":[{"measureName":"A","measureValueName":"x","unit":"u","order":"1"},{"measureName":"B","measureValueName":"y"}]}},
			{"value":"2","Measures":{"Measure":[{"measureName":"A","measureValueName":"x"},{"measureName":"B","measureValueName":"y","unit":"u","order":"1"}]}}]}}}},
		  {"id":"b","content":{"ReportItem":[{"name":"n","Values":{"Value":{"value":"1","Measures":{"Measure":{"measureName":"A","measureValueName":"x","unit":"u","order":"1"}}}}},
			{"name":"o","Values":{"Value":{"value":"2","Measures":{"Measure":{"measureName":"A","measureValueName":"x","order":"1","unit":"u"}}}}}]}}]`,
			[]string{`a[0] A -|- = "x"|-`, `a[0] A.unit -|- = "u"|-`, `a[0] A.order -|- = "1"|-`, `a[0] B -|- = "y"|-`,
				`a[0] n -|- = "1"|-`,
				`a[1] A -|- = "x"|-`, `a[1] B -|- = "y"|-`, `a[1] B.unit -|- = "u"|-`, `a[1] B.order -|- = "1"|-`, `a[1] n -|- = "2"|-`,
				`b[0] A -|- = "x"|-`, `b[0] A.unit -|- = "u"|-`, `b[0] A.order -|- = "1"|-`, `b[0] n -|- = "1"|-`, `b[0] o -|- = "2"|-`}},
		// A report may be sent alone, without content, with nulls everywhere.
		{`{"id":"a","content":{"ReportItem":{"name":"n"}}}`, []string{`n -|- = -|-`}},
		{`[{"id":"a"},{"id":"b","content":null},{"id":"c","content":{"ContextList":null,"ReportItem":null}}]`, nil},
		{`[{"id":"a","content":{"ReportItem":[{"name":"n","langs":null,"Values":null,"ReportItem":null,"abstract":null}]}}]`,
			[]string{`n -|- = -|-`}},
		{`[{"id":"a","content":{"ReportItem":[{"name":"n","langs":{"lang":null},"Values":{"Value":null}},{"name":"m","Values":{},"langs":{"lang":{"code":"EN","value":null}}}]}}]`, []string{`n -|- = -|-`, `m -|- = -|-`}},
		// Members that nothing describes appear, too, if they have a value.
		{`[{"id":"a","content":{"ReportItem":{"name":"n","order":2.50,"isNew":"yes","Values":{"Value":{"value":true,"unit":"pay","note":null}}}}}]`,
			[]string{`n -|- = "true"|-`, `n.unit -|- = "pay"|-`, `n.order -|- = "2.50"|-`, `n.isNew -|- = "yes"|-`}},
		// A context that is not listed, and one that says no more.
		{`[{"id":"a","content":{"ReportItem":{"name":"n","Values":{"Value":{"contextId":"c9","value":"1"}}}}}]`,
			[]string{`a[0] contextId -|- = "c9"|-`, `a[0] n -|- = "1"|-`}},
		{`[{"id":"a","content":{"ContextList":{"Context":[{"id":"c"},{"id":"d"}]},"ReportItem":{"name":"n","Values":{"Value":{"contextId":"c","value":"1"}}}}}]`, []string{`a[0] contextId -|- = "c"|-`, `a[0] n -|- = "1"|-`}},
		{`[{"id":"a","content":{"ContextList":{"Context":{"id":"c"}},"ReportItem":{"name":"n","Values":{"Value":{"contextId":"","value":"1"}}}}}]`, []string{`n -|- = "1"|-`}},
		// Measures that read the same are not the same, and their labels are of their report.
		{`[{"id":"a","content":{"ReportItem":[{"name":"t","langs":{"lang":{"code":"tr","value":"l"}}},{"name":"n","Values":{"Value":{"value":"1","Measures":{"Measure":{"measureName":"t","measureValueName":"uv"}}}}},
			{"name":"o","Values":{"Value":{"value":"2","Measures":[{"Measure":{"measureName":"tu","measureValueName":"v"}}]}}}]}},
			{"id":"a","content":{"ReportItem":{"name":"n","Values":{"Value":{"value":"3","Measures":{"Measure":{"measureName":"t","measureValueName":"uv"}}}}}}}]`,
			[]string{`t "l"|- = -|-`, `a[0] t "l"|- = "uv"|-`, `a[0] n -|- = "1"|-`, `a[1] tu -|- = "v"|-`, `a[1] o -|- = "2"|-`,
				`a[2] t -|- = "uv"|-`, `a[2] n -|- = "3"|-`}},
		// Two tables side by side.
		{`[{"id":"a","content":{"ReportItem":{"name":"top","ReportItem":[{"name":"T1","isHypercubeItem":true},{"name":"x","Values":{"Value":[{"value":"1"},{"value":"2"}]}},{"name":"T2","isHypercubeItem":"true"},{"name":"y","Values":{"Value":[{"value":"3"},{"value":"4"}]}}]}}}]`,
			[]string{`top -|- = -|-`, `T1 -|- = -|-`, `T1[0] x -|- = "1"|-`, `T1[1] x -|- = "2"|-`, `T2 -|- = -|-`, `T2[0] y -|- = "3"|-`,
				`T2[1] y -|- = "4"|-`}},
	} {
		checkOpens(t, presentation, c.content, c.lines...)
		checkOpens(t, flat, c.content, c.lines...)
		checkNothingLost(t, c.content)
	}
}

// checkNothingLost checks that every text that a report states is reported.
func checkNothingLost(t *testing.T, content string) {
	t.Helper()
	body, _, err := readBody(presentation, content, kap.AsFields)
	need.NoError(t, err)
	told := map[string]bool{}
	for _, f := range body.Fields {
		told[f.Key] = true
		for _, text := range []*string{f.Label.TR, f.Label.EN, f.Value.TR, f.Value.EN} {
			if text != nil {
				told[*text] = true
			}
		}
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, v := range v {
				walk(v)
			}
		case map[string]any:
			for name, v := range v {
				if slices.Contains([]string{"name", "value", "currency", "rounding", "measureName", "measureValueName", "unit",
					"order"}, name) {
					if text := fmt.Sprint(v); v != nil && text != "" && !told[text] && !namesLanguage(text) {
						t.Errorf("%s\nstates %q, which no field does", content, text)
					}
				} else {
					walk(v)
				}
			}
		}
	}
	var doc any
	dec := json.NewDecoder(strings.NewReader(content))
	dec.UseNumber()
	need.NoError(t, dec.Decode(&doc))
	walk(doc)
}

// namesLanguage reports whether text only says which language a value is in,
// which is seen from where the value stands.
func namesLanguage(text string) bool {
	for _, name := range []string{"LanguageOptionAxis", "EnglishMember", "TurkishMember"} {
		if strings.HasSuffix(text, name) {
			return true
		}
	}
	return false
}

// TestAListOfOneNeedsNoBrackets: the platform sends a list of one as its
// element, and may send it as a list.
func TestAListOfOneNeedsNoBrackets(t *testing.T) {
	for _, content := range reportSamples() {
		var doc []any
		need.NoError(t, json.Unmarshal([]byte(content), &doc))
		for _, change := range []func(any) any{
			func(v any) any { // without
				if list, ok := v.([]any); ok && len(list) == 1 {
					return list[0]
				}
				return v
			},
			func(v any) any { // with
				if _, ok := v.(map[string]any); ok {
					return []any{v}
				}
				return v
			},
		} {
			var walk func(any) any
			walk = func(v any) any {
				switch v := v.(type) {
				case []any:
					for i := range v {
						v[i] = walk(v[i])
						if again, ok := v[i].([]any); ok && len(again) == 1 { // no list of lists
							v[i] = again[0]
						}
					}
				case map[string]any:
					for name := range v {
						if v[name] = walk(v[name]); name == "content" || name == "Period" { // never lists
							if list, ok := v[name].([]any); ok {
								v[name] = list[0]
							}
						}
					}
				}
				return change(v)
			}
			changed, err := json.Marshal(walk(doc))
			need.NoError(t, err)
			// The order of members is lost on the way, which the fields of a
			// report do not depend on but for attributes and periods.
			if got, want := sortedLines(t, string(changed)), sortedLines(t, content); !slices.Equal(got, want) {
				t.Errorf("%s\nopens to\n%s\nwant\n%s", changed, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			need.NoError(t, json.Unmarshal([]byte(content), &doc))
		}
	}
}

func sortedLines(t *testing.T, content string) []string {
	t.Helper()
	body, _, err := readBody(presentation, content, kap.AsFields)
	if err != nil || kap.FieldsStatus(*body.FieldsStatus) != kap.FieldsOK {
		t.Fatalf("%s: %+v, %v", content, body, err)
	}
	var lines []string
	for _, f := range body.Fields {
		lines = append(lines, strings.ReplaceAll(fieldLine(f), `"1250.5"`, `"1250.50"`)) // the test's own re-encoding drops the zero
	}
	slices.Sort(lines)
	return lines
}

func TestUnknownReports(t *testing.T) {
	for _, content := range []string{
		`[{"id":null,"content":{}}]`, `[{"id":"","content":{}}]`, `[{"id":1,"content":{}}]`, `[{"content":{}}]`,
		`[{"id":"a","content":[]}]`, `[{"id":"a","content":"x"}]`,
		`[{"id":"a","content":{},"more":"x"}]`, `[{"id":"a","content":{"more":"x"}}]`, `[[{"id":"a"}]]`, `[{"id":"a"},null]`,
		`[{"id":"a"},{}]`,
		// The platform's rendering of its own objects, which nobody has described.
		`[{"id":"tr.com.example.KPYDTO","content":{"version":"1.8","object":{"void":[{"property":"a","string":"b"}]}}}]`,
	} {
		checkUnsupported(t, flat, content)
		checkUnsupported(t, presentation, content)
	}
	for _, content := range []string{
		`"ReportItem":"x"`, `"ReportItem":1`, `"ReportItem":[null]`, `"ReportItem":[[{"name":"n"}]]`, `"ReportItem":{}`,
		`"ReportItem":{"name":1}`, `"ReportItem":{"name":""}`,
		`"ReportItem":{"name":"n","langs":"x"}`, `"ReportItem":{"name":"n","langs":{"lang":"x"}}`,
		`"ReportItem":{"name":"n","langs":{"lang":{"code":"de","value":"x"}}}`,
		`"ReportItem":{"name":"n","langs":{"lang":{"value":"x"}}}`, `"ReportItem":{"name":"n","langs":{"lang":{"code":"tr","value":[]}}}`,
		`"ReportItem":{"name":"n","langs":{"lang":[null]}}`,
		`"ReportItem":{"name":"n","langs":{"lang":[{"code":"tr","value":"x"},{"code":"tr","value":"y"}]}}`,
		`"ReportItem":{"name":"n","langs":{"lang":{"code":"tr","value":"x","role":"y"}}}`,
		`"ReportItem":{"name":"n","langs":{"other":"x"}}`, `"ReportItem":{"name":"n","":"x"}`, `"ReportItem":{"name":"n","more":{}}`,
		`"ReportItem":{"name":"n","more":[]}`,
		`"ReportItem":{"name":"n","Values":"x"}`, `"ReportItem":{"name":"n","Values":{"Value":"x"}}`,
		`"ReportItem":{"name":"n","Values":{"Value":[null]}}`, `"ReportItem":{"name":"n","Values":{"other":"x"}}`,
		`"ReportItem":{"name":"n","Values":{"Value":{"value":{}}}}`, `"ReportItem":{"name":"n","Values":{"Value":{"value":["x"]}}}`,
		`"ReportItem":{"name":"n","Values":{"Value":{"value":"x","more":{}}}}`,
		`"ReportItem":{"name":"n","Values":{"Value":{"value":"x","contextId":{}}}}`,
		`"ReportItem":{"name":"n","Values":{"Value":{"value":"x","Measures":"x"}}}`,
		`"ReportItem":{"name":"n","Values":{"Value":{"value":"x","Measures":{"Measure":{"measureName":"m"}}}}}`,
		`"ReportItem":{"name":"n","Values":{"Value":{"value":"x","Measures":{"Measure":[null]}}}}`,
		`"ReportItem":{"name":"n","Values":{"Value":{"value":"x","Measures":{"other":1}}}}`,
		`"ReportItem":{"name":"n","Values":{"Value":{"value":"x","Measures":{"Measure":{"measureName":"m","measureValueName":"v","more":{}}}}}}`,
		`"ContextList":"x"`, `"ContextList":{"Context":"x"}`, `"ContextList":{"Context":[{"key":"CURR"}]}`,
		`"ContextList":{"Context":[{"id":"c"},{"id":"c"}]}`,
		`"ContextList":{"Context":[{"id":"c"},{"id":"d","Period":"x"}]},"ReportItem":{"name":"n","Values":{"Value":{"value":"x","contextId":"d"}}}`,
		`"ContextList":{"Context":[{"id":"c"},{"id":"d","Scenario":{}}]},"ReportItem":{"name":"n","Values":{"Value":{"value":"x","contextId":"d"}}}`,
	} {
		checkUnsupported(t, presentation, `[{"id":"a","content":{`+content+`}}]`)
		checkUnsupported(t, presentation, `[{"id":"before","content":{"ReportItem":{"name":"n"}}},{"id":"a","content":{`+content+`}}]`)
	}
}
