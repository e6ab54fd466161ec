package kap_test

import (
	"encoding/json"
	"testing"

	"piyasa/domain/kap"
	"piyasa/test/fixture/need"
)

func TestHTMLIsTheDocumentAsText(t *testing.T) {
	for content, want := range map[string]string{
		`{}`:                                   `{"tr":null,"en":null}`,
		`{"tr":null,"en":null}`:                `{"tr":null,"en":null}`,
		`{"en":"<p>a&nbsp;b</p>\n","tr":null}`: `{"tr":null,"en":"<p>a&nbsp;b</p>\n"}`,
		`{"tr":" <h1>ğüşıöç \"\\ <\/h1>","en":""}`: `{"tr":" <h1>ğüşıöç \"\\ </h1>","en":""}`,
		`{"tr":"\u003cb\u003e","note":null}`:       `{"tr":"<b>","en":null}`,
	} {
		body, cost, err := readBody(html, content, kap.AsHTML)
		if err != nil || cost != 1 || body.FieldsStatus != nil || body.Body != nil {
			t.Errorf("%s: %+v, %v", content, body, err)
			continue
		}
		var expected kap.Localized
		need.NoError(t, json.Unmarshal([]byte(want), &expected))
		if got := (&kap.Field{Value: *body.HTML}); fieldLine(got) != fieldLine(&kap.Field{Value: expected}) {
			t.Errorf("%s is read as %s", content, fieldLine(got))
		}
		checkHandsOn(t, html, content)
	}
}

func TestHTMLHasNoFields(t *testing.T) {
	for _, content := range []string{`{"tr":"<p>","en":null}`, `[]`, `{"title":"x"}`} {
		body, _, err := readBody(html, content, kap.AsFields)
		if err != nil || kap.FieldsStatus(*body.FieldsStatus) != kap.FieldsUnavailable || body.Fields == nil || len(body.Fields) != 0 {
			t.Errorf("%s: %+v, %v", content, body, err)
		}
	}
}

func TestUnreadableHTML(t *testing.T) {
	for _, content := range []string{``, `{`, `null`, `[]`, `["a"]`, `[{"tr":"a"}]`, `"<p>text</p>"`, `1`, `{"tr":1}`, `{"tr":true}`,
		`{"tr":{}}`, `{"en":["a"]}`, `{"tr":"a","de":"b"}`, `{"title":"x"}`, `{"tr":"a","tr":"b"}`, `{} {}`} {
		checkUnreadable(t, html, content, kap.AsHTML)
	}
	checkUnreadable(t, html, `{"tr":"<p>"`, kap.AsKAP)
	checkHandsOn(t, html, `"<p>text</p>"`) // a string of an html container is itself
}

// FuzzOpenHTML: what is read is text of the source and can be encoded again.
func FuzzOpenHTML(f *testing.F) {
	for _, content := range []string{``, `{}`, `{"tr":"<p>","en":null}`, `{"tr":"\u003c\ud83d\ude00"}`, `{"tr":1}`, `"<p>"`,
		`{"tr":"\ud800"}`, `{"tr":"a","tr":"b"}`} {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content string) {
		body, _, err := readBody(html, content, kap.AsHTML)
		if err != nil {
			checkUnreadable(t, html, content, kap.AsHTML)
			return
		}
		checkHandsOn(t, html, content)
		encoded, err := json.Marshal(body.HTML)
		var again kap.Localized
		if err != nil || json.Unmarshal(encoded, &again) != nil ||
			fieldLine(&kap.Field{Value: again}) != fieldLine(&kap.Field{Value: *body.HTML}) {
			t.Errorf("%s, %v", encoded, err)
		}
		texts := scalarsOf(t, content, false)
		for _, text := range []*string{body.HTML.TR, body.HTML.EN} {
			if text != nil && !texts[*text] {
				t.Errorf("says %q, which the source does not", *text)
			}
		}
	})
}
