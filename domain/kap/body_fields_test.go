package kap_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/internal/problem"
	"piyasa/test/fixture/need"
)

// oneBody is a store with one disclosure, which has this body.
type oneBody struct {
	kap.Store
	content kap.Content
}

// DisclosureRecords implements kap.Store.
func (b oneBody) DisclosureRecords(_ context.Context, numbers []int) (map[int]*kap.Record, error) {
	record := &kap.Record{Disclosure: kap.Disclosure{DisclosureIndex: numbers[0], Type: kap.ODA},
		Body: &kap.Content{SourceFormat: b.content.SourceFormat, FileType: b.content.FileType}}
	return map[int]*kap.Record{numbers[0]: record}, nil
}

// Contents implements kap.Store.
func (b oneBody) Contents(_ context.Context, numbers []int) (map[int]*kap.Content, error) {
	return map[int]*kap.Content{numbers[0]: &b.content}, nil
}

// readBody asks the service for a body; cost is what it charged.
func readBody(container, content string, as kap.BodyFormat) (body *kap.Body, cost int64, err error) {
	s := &kap.Service{Store: oneBody{content: kap.Content{SourceFormat: container, FileType: "data", Content: json.RawMessage(content)}}}
	ctx, call := access.WithCall(context.Background(), &access.Key{Scopes: []access.Scope{access.KAP}})
	body, err = s.Body(ctx, 7, &as)
	return body, call.Units(), err
}

// fieldLine shows a field: group[row] key "label tr|label en" = "value tr|value en".
func fieldLine(f *kap.Field) string {
	text := func(s *string) string {
		if s == nil {
			return "-"
		}
		return strconv.Quote(*s)
	}
	place := ""
	if f.Group != nil {
		place = *f.Group
	}
	if f.Row != nil {
		place += fmt.Sprintf("[%d]", *f.Row)
	}
	return strings.TrimPrefix(fmt.Sprintf("%s %s %s|%s = %s|%s", place, f.Key, text(f.Label.TR), text(f.Label.EN), text(f.Value.TR),
		text(f.Value.EN)), " ")
}

// checkOpens checks that content opens to fields with these lines.
func checkOpens(t *testing.T, container, content string, lines ...string) {
	t.Helper()
	body, cost, err := readBody(container, content, kap.AsFields)
	if err != nil {
		t.Fatalf("%s: %v", content, err)
	}
	got := []string{}
	for _, f := range body.Fields {
		got = append(got, fieldLine(f))
	}
	if kap.FieldsStatus(*body.FieldsStatus) != kap.FieldsOK || body.Fields == nil || cost != 1 || !slices.Equal(got, lines) {
		t.Errorf("%s\nis %s with\n%s\nwant ok with\n%s", content, *body.FieldsStatus, strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
	checkHandsOn(t, container, content)
}

// checkUnsupported checks that content is of no known structure, and handed on.
func checkUnsupported(t *testing.T, container, content string) {
	t.Helper()
	body, cost, err := readBody(container, content, kap.AsFields)
	if err != nil || kap.FieldsStatus(*body.FieldsStatus) != kap.FieldsUnsupported || body.Fields == nil ||
		len(body.Fields) != 0 || cost != 1 {
		t.Errorf("%s %.200s: %+v, %v; want unsupported", container, content, body, err)
	}
	checkHandsOn(t, container, content)
}

func checkHandsOn(t *testing.T, container, content string) {
	t.Helper()
	body, _, err := readBody(container, content, kap.AsKAP)
	if err != nil || string(body.Body) != content || *body.FileType != "data" {
		t.Errorf("%s %.200s is handed on as %+v, %v", container, content, body, err)
	}
}

// checkUnreadable checks that content is a body-unreadable, which costs
// nothing.
func checkUnreadable(t *testing.T, container, content string, as kap.BodyFormat) {
	t.Helper()
	body, cost, err := readBody(container, content, as)
	var e *problem.Error
	if !errors.As(err, &e) || e.Kind != problem.BodyUnreadable || body != nil || cost != 0 {
		t.Errorf("%s %.200q as %s: %+v, %v, cost %d; want unreadable for nothing", container, content, as, body, err, cost)
	} else if !strings.Contains(strings.ToLower(e.Detail), "retrying does not help") {
		t.Errorf("the detail %q does not say what to do", e.Detail)
	}
}

const (
	flat         = "flatData"
	presentation = "presentation"
	html         = "html"
)

func TestPlainFields(t *testing.T) {
	for _, c := range []struct {
		container, content string
		lines              []string
	}{
		{flat, `[]`, nil},
		{presentation, " [\n] ", nil},
		{flat, `[{"key":"k"}]`, []string{`k -|- = -|-`}},
		{flat, `[{"key":"k","label":null,"value":null,"group":null,"row":null,"note":null}]`, []string{`k -|- = -|-`}},
		{flat, `[{"key":"k","label":{},"value":{}}]`, []string{`k -|- = -|-`}},
		{flat, `[{"value":{"en":"No","tr":"Hayır (No)"},"label":{"tr":"Düzeltme mi"},"key":"is_correction"}]`,
			[]string{`is_correction "Düzeltme mi"|- = "Hayır (No)"|"No"`}},
		{flat, `[{"key":"a","value":{"tr":"1"},"group":"g","row":0},{"key":"a","value":{"en":"2"},"group":"g","row":1},{"key":"b","row":2},{"key":"c","group":"h"}]`,
			[]string{`g[0] a -|- = "1"|-`, `g[1] a -|- = -|"2"`, `[2] b -|- = -|-`, `h c -|- = -|-`}},
		// Values are the platform's own text.
		{flat, `[{"key":"k","value":{"tr":" <p>a&nbsp;<b>b</b>\n\t</p> ","en":""}}]`,
			[]string{`k -|- = " <p>a&nbsp;<b>b</b>\n\t</p> "|""`}},
		{flat, `[{"key":"k","value":{"tr":2.50,"en":-1.0E+400}}]`, []string{`k -|- = "2.50"|"-1.0E+400"`}},
		{flat, `[{"key":"k","value":{"tr":123456789012345678901234567890.10,"en":"007"}}]`,
			[]string{`k -|- = "123456789012345678901234567890.10"|"007"`}},
		{flat, `[{"key":"k","value":{"tr":true,"en":false}}]`, []string{`k -|- = "true"|"false"`}},
		{flat, `[{"key":"k","value":{"tr":"\u015f\ud83d\ude00\u0000","en":"\u003c"}}]`, []string{`k -|- = "ş😀\x00"|"<"`}},
		{presentation, `[{"key":"a","value":{"tr":"1"}},{"table":"t","rows":[[{"key":"x"},{"key":"y"}],[],[{"key":"x"}]]},{"table":"empty","rows":[]},{"table":null,"key":"b"}]`,
			[]string{`a -|- = "1"|-`, `t[0] x -|- = -|-`, `t[0] y -|- = -|-`, `t[2] x -|- = -|-`, `b -|- = -|-`}},
	} {
		checkOpens(t, c.container, c.content, c.lines...)
		asText, err := json.Marshal(c.content)
		need.NoError(t, err)
		checkOpens(t, c.container, string(asText), c.lines...)
		checkOpens(t, c.container, "\n "+string(asText)+"\t", c.lines...)
	}
}

func TestUnknownStructures(t *testing.T) {
	plain, vyk := `{"key":"k","value":{"tr":"1"}}`, `{"id":"oda-1","content":{}}`
	for _, content := range []string{
		`null`, `true`, `1`, `{}`, `"1"`, `"null"`, `"\"[]\""`, plain, `[null]`, `[[]]`, `["k"]`, `[1]`, `[{}]`, `[[` + plain + `]]`,
		`{"schema":"v9","nodes":{"a1":{"cells":[[1,2.50],[null,"ş"]]}}}`,
		// One unknown element is enough.
		`[` + plain + `,` + vyk + `]`, `[` + vyk + `,` + plain + `]`, `[` + plain + `,null]`, `[` + plain + `,{"kind":"note"}]`,
		`[` + plain + `,{"key":"k","note":"x"}]`, `[` + plain + `,{"label":{}}]`,
		// Members of another type.
		`[{"key":null}]`, `[{"key":""}]`, `[{"key":1}]`, `[{"key":["k"]}]`, `[{"key":"k","label":"l"}]`, `[{"key":"k","value":2.50}]`,
		`[{"key":"k","value":["v"]}]`,
		`[{"key":"k","value":{"tr":{}}}]`, `[{"key":"k","value":{"en":["v"]}}]`, `[{"key":"k","value":{"tr":"v","de":"v"}}]`,
		`[{"key":"k","label":{"tr":[]}}]`,
		// A name that is there twice.
		`[{"key":"k","key":"k"}]`, `[{"key":"k","value":{"tr":"1","tr":"2"}}]`, `"[{\"key\":\"a\",\"key\":\"b\"}]"`,
	} {
		checkUnsupported(t, flat, content)
		checkUnsupported(t, presentation, content)
	}
	for _, content := range []string{
		`[{"key":"k","group":1}]`, `[{"key":"k","group":""}]`, `[{"key":"k","row":"0"}]`, `[{"key":"k","row":-1}]`,
		`[{"key":"k","row":0.5}]`, `[{"key":"k","row":1e0}]`,
		`[{"key":"k","row":2147483648}]`, `[{"key":"k","row":99999999999999999999}]`, `[{"key":"k","row":true}]`,
		`[{"table":"t","rows":[]}]`,
	} {
		checkUnsupported(t, flat, content)
	}
	for _, content := range []string{
		`[{"key":"k","group":"g"}]`, `[{"key":"k","row":0}]`, `[{"table":"t"}]`, `[{"table":"","rows":[]}]`, `[{"table":1,"rows":[]}]`,
		`[{"table":"t","rows":null}]`,
		`[{"table":"t","rows":{}}]`, `[{"table":"t","rows":[null]}]`, `[{"table":"t","rows":[` + plain + `]}]`,
		`[{"table":"t","rows":[[null]]}]`, `[{"table":"t","rows":[[{}]]}]`,
		`[{"table":"t","rows":[],"key":"k"}]`, `[{"table":"t","rows":[[{"key":"k","row":0}]]}]`,
		`[{"table":"t","rows":[[{"table":"u","rows":[]}]]}]`,
	} {
		checkUnsupported(t, presentation, content)
	}
}

func TestUnreadableContent(t *testing.T) {
	for _, content := range []string{``, ` `, `[`, `[]]`, `{"key"}`, `[007]`, `nul`, `""`, `"   "`,
		`"[{\"key\": \"explanations\", \"label\": {\"tr\": \"A"`, `"[{\"key\": \"explanations\", \"lab"`, `"<p>text</p>"`, `"[] []"`,
		`"[\"\\ud800\"]"`, "[\"\xff\"]", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)} {
		for _, as := range []kap.BodyFormat{kap.AsFields, kap.AsKAP} {
			checkUnreadable(t, flat, content, as)
			checkUnreadable(t, presentation, content, as)
		}
	}
}

func TestDepthIsBounded(t *testing.T) {
	for depth, opens := range map[int]bool{0: true, 61: true, 62: false, 5000: false} {
		content, lines := `{}`, []string(nil)
		for i := range depth {
			content = `{"name":"n","ReportItem":` + content + `}`
			if i == 0 {
				content = `{"name":"n"}`
			}
			lines = append(lines, `n -|- = -|-`)
		}
		content = `[{"id":"oda-1","content":{"ReportItem":` + content + `}}]`
		if depth == 0 {
			content = `[{"id":"oda-1","content":{}}]`
		}
		if opens {
			checkOpens(t, flat, content, lines...)
		} else {
			checkUnsupported(t, flat, content)
		}
	}
}

// TestHugeDocuments would not end if anything took more than linear time.
func TestHugeDocuments(t *testing.T) {
	const n = 50_000
	many := func(element string) string {
		return strings.TrimSuffix(strings.Repeat(element+",", n), ",")
	}
	for _, content := range []string{
		`[` + many(`{"key":"k","value":{"tr":"1"}}`) + `]`,
		`[` + many(`{"id":"a","content":{"ReportItem":{"name":"n","Values":{"Value":{"value":"1"}}}}}`) + `]`,
		`[{"id":"a","content":{"ReportItem":{"name":"n","Values":{"Value":[` + many(`{"value":"1"}`) + `]}}}}]`,
		`[{"id":"a","content":{"ReportItem":[` + many(`{"name":"n","Values":{"Value":[{"value":"1","contextId":"c"}]}}`) + `]}}]`,
	} {
		body, _, err := readBody(flat, content, kap.AsFields)
		if err != nil || len(body.Fields) < n {
			t.Errorf("%.100s…: %v", content, err)
		}
	}
	var members []string
	for i := range n {
		members = append(members, fmt.Sprintf(`"m%d":"1"`, i))
	}
	checkUnsupported(t, flat, `[{`+strings.Join(members, ",")+`}]`)
	body, _, err := readBody(flat, `[{"id":"a","content":{"ReportItem":{"name":"n",`+strings.Join(members, ",")+`}}}]`, kap.AsFields)
	if err != nil || len(body.Fields) != n+1 {
		t.Errorf("an item with many attributes: %v", err)
	}
}

// TestAnyPlainDocumentOpens: a plain document opens to exactly the fields that
// it was written from, however it is written.
func TestAnyPlainDocumentOpens(t *testing.T) {
	texts := rapid.Custom(func(t *rapid.T) string {
		return cmp.Or(rapid.String().Draw(t, "text"), "x")
	})
	rapid.Check(t, func(rt *rapid.T) {
		var want []*kap.Field
		container := rapid.SampledFrom([]string{flat, presentation}).Draw(rt, "container")
		elements := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			if container == presentation && rapid.Bool().Draw(t, "table") {
				table := texts.Draw(t, "table name")
				rows := make([]string, rapid.IntRange(0, 3).Draw(t, "rows"))
				for row := range rows {
					cells := make([]string, rapid.IntRange(0, 3).Draw(t, "cells"))
					for i := range cells {
						f, members := drawField(t, texts)
						f.Group, f.Row = &table, &row
						want, cells[i] = append(want, f), written(t, members)
					}
					rows[row] = "[" + strings.Join(cells, ",") + "]"
				}
				return written(t, []string{`"table":` + quoted(t, table), `"rows":[` + strings.Join(rows, ", ") + `]`})
			}
			f, members := drawField(t, texts)
			if container == flat && rapid.Bool().Draw(t, "placed") {
				group, row := texts.Draw(t, "group"), rapid.IntRange(0, 1<<31-1).Draw(t, "row")
				f.Group, f.Row = &group, &row
				members = append(members, `"group":`+quoted(t, group), `"row":`+strconv.Itoa(row))
			}
			want = append(want, f)
			return written(t, members)
		}), 0, 5).Draw(rt, "elements")
		content := "[" + strings.Join(elements, ",") + "]"
		if rapid.Bool().Draw(rt, "as text") {
			content = quoted(rt, content)
		}
		body, _, err := readBody(container, content, kap.AsFields)
		if err != nil || kap.FieldsStatus(*body.FieldsStatus) != kap.FieldsOK {
			rt.Fatalf("%s: %+v, %v", content, body, err)
		}
		got, _ := json.Marshal(body.Fields)
		expected, _ := json.Marshal(slices.Concat([]*kap.Field{}, want))
		if len(want) > 0 && !bytes.Equal(got, expected) {
			rt.Fatalf("%s\nopens to %s\nwant     %s", content, got, expected)
		}
	})
}

// drawField draws a field and its members as JSON.
func drawField(t *rapid.T, texts *rapid.Generator[string]) (*kap.Field, []string) {
	f := &kap.Field{Key: texts.Draw(t, "key")}
	members := []string{`"key":` + quoted(t, f.Key)}
	for name, to := range map[string]*kap.Localized{"label": &f.Label, "value": &f.Value} {
		var languages []string
		for language, text := range map[string]**string{"tr": &to.TR, "en": &to.EN} {
			switch rapid.IntRange(0, 4).Draw(t, name+" "+language) {
			case 0: // missing
			case 1:
				languages = append(languages, `"`+language+`":null`)
			case 2:
				number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?|true|false`).Draw(t, "scalar")
				*text, languages = &number, append(languages, `"`+language+`":`+number)
			default:
				s := rapid.String().Draw(t, "text")
				*text, languages = &s, append(languages, `"`+language+`":`+quoted(t, s))
			}
		}
		if len(languages) > 0 || rapid.Bool().Draw(t, "empty "+name) {
			members = append(members, `"`+name+`":`+written(t, languages))
		}
	}
	return f, members
}

// written is an object with its members in some order.
func written(t *rapid.T, members []string) string {
	return "{ " + strings.Join(rapid.Permutation(members).Draw(t, "order"), " ,\n") + "}"
}

// quoted spells text in JSON, with or without escapes that need not be.
func quoted(t *rapid.T, text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(rapid.Bool().Draw(t, "escaped"))
	need.NoError(t, enc.Encode(text))
	return strings.TrimSpace(b.String())
}

// FuzzOpenFields: whatever is stored, it is readable in both formats or in
// none; what is open can be encoded again, and all its values are texts of the
// source.
func FuzzOpenFields(f *testing.F) {
	for _, content := range slices.Concat(reportSamples(), []string{
		``, `null`, `[]`, `"[]"`, `"[{"`, `[{"key":"k","label":{"tr":"l"},"value":{"tr":"1.50","en":null},"group":"g","row":0}]`,
		`[{"key":"k","value":{"tr":2.50,"en":true}}]`,
		`[{"table":"t","rows":[[{"key":"k"}],[]]},{"key":"k"}]`, `[{"key":"k","key":"k"}]`, `"[{\"key\":\"k\"}]"`, `[[[[[[[[`,
		`{"id":"a","content":null}`,
	}) {
		f.Add(content, false)
		f.Add(content, true)
	}
	f.Fuzz(func(t *testing.T, content string, presented bool) {
		container := flat
		if presented {
			container = presentation
		}
		body, _, err := readBody(container, content, kap.AsFields)
		whole, _, wholeErr := readBody(container, content, kap.AsKAP)
		if (err == nil) != (wholeErr == nil) {
			t.Fatalf("as fields %v, as it is %v", err, wholeErr)
		}
		if err != nil {
			checkUnreadable(t, container, content, kap.AsFields)
			return
		}
		if string(whole.Body) != content {
			t.Fatalf("handed on as %s", whole.Body)
		}
		if kap.FieldsStatus(*body.FieldsStatus) != kap.FieldsOK {
			checkUnsupported(t, container, content)
			return
		}
		encoded, err := json.Marshal(body.Fields)
		var again []*kap.Field
		if err != nil || json.Unmarshal(encoded, &again) != nil || len(again) != len(body.Fields) {
			t.Fatalf("%s, %v", encoded, err)
		}
		texts := scalarsOf(t, content, true)
		for i, field := range body.Fields {
			if fieldLine(field) != fieldLine(again[i]) {
				t.Errorf("%s comes back as %s", fieldLine(field), fieldLine(again[i]))
			}
			if field.Key == "" || (field.Group != nil && *field.Group == "") || (field.Row != nil && *field.Row < 0) {
				t.Errorf("%s has no key or an odd place", fieldLine(field))
			}
			for _, text := range []*string{field.Label.TR, field.Label.EN, field.Value.TR, field.Value.EN} {
				if text != nil && !texts[*text] {
					t.Errorf("%s says %q, which the source does not", fieldLine(field), *text)
				}
			}
		}
	})
}

// scalarsOf are the texts of all strings, numbers and booleans of content; of
// a document as text, of that document.
func scalarsOf(t *testing.T, content string, document bool) map[string]bool {
	dec := json.NewDecoder(strings.NewReader(content))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		t.Fatalf("what is readable is not JSON: %v", err)
	}
	if text, ok := doc.(string); ok && document {
		return scalarsOf(t, text, false)
	}
	texts := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, v := range v {
				walk(v)
			}
		case []any:
			for _, v := range v {
				walk(v)
			}
		case nil:
		default:
			texts[fmt.Sprint(v)] = true
		}
	}
	walk(doc)
	return texts
}
