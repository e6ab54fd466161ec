package vyk_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/vyk"
	"piyasa/test/fixture/need"
)

const (
	none = `{"code":"ER005","message":"Bildirim bulunamadı. Disclosure not found."}`
	id   = "0123456789abcdef0123456789abcdef"
)

var at = time.Date(2031, 6, 30, 15, 10, 0, 0, time.UTC)

// source returns a source with a key.
func source(t testing.TB, settings string) collect.Source {
	t.Helper()
	t.Setenv("VYK_KEY", "a key")
	s, err := vyk.New([]byte(`{"key": {"env": "VYK_KEY"}` + settings + `}`))
	need.NoError(t, err)
	return s
}

// state is kept of a source that asked for the blocked disclosures just now.
func state(members string) json.RawMessage {
	return json.RawMessage(`{"block_at": "` + at.Format(time.RFC3339) + `"` + members + `}`)
}

var waiting = state(`, "last": 101, "next": 102, "sure": 101, "queue": [{"n": 101}]`)

// answer parses what is said to the next request.
func answer(t testing.TB, s collect.Source, kept json.RawMessage, now time.Time, status int, body string) (*collect.Request,
	*collect.Result, error) {
	t.Helper()
	asked, err := s.Ask(kept, now)
	if err != nil || asked == nil {
		t.Fatal(asked, err)
	}
	r, err := s.Parse(kept, asked, &collect.Answer{Status: status, At: now, Body: []byte(body)})
	return asked, r, err
}

// with returns a disclosure with more members.
func with(members string) string {
	return `{"disclosureIndex": "101", "disclosureType": "ODA", "disclosureClass": "ODA"` + members + `}`
}

func TestDisclosures(t *testing.T) {
	attachments := `, "attachmentUrls": [{"url": "https://elsewhere.example/x/` + id + `", "fileName": "rapor.pdf"}]`
	for name, c := range map[string]struct{ body, want string }{
		"absent members are absent": {with(``), `{}`},
		"nulls are absent":          {with(`, "senderExchCodes": null, "subject": null, "year": null, "attachmentUrls": null`), `{}`},
		"numbers instead of texts": {`{"disclosureIndex": 101, "disclosureType": "ODA", "disclosureClass": "ODA", "senderId": 777}`,
			`{"company_id": "777"}`},
		"sender, behalf and related codes": {with(`, "senderExchCodes": ["A1"], "behalfSenderExchCodes": ["B1"], "relatedStocks": [{"code": "A1"}, {"code": "C1"}]`),
			`{"symbols": ["A1", "B1", "C1"], "filer_codes": ["A1"]}`},
		"behalf's codes where the sender has none": {with(`, "behalfSenderExchCodes": ["B1"]`),
			`{"symbols": ["B1"], "filer_codes": ["B1"]}`},
		"one element without brackets": {with(`, "senderExchCodes": "A1", "relatedStocks": {"code": "C1"}`),
			`{"symbols": ["A1", "C1"], "filer_codes": ["A1"]}`},
		"several codes in one text":    {with(`, "senderExchCodes": ["A1, A2"]`), `{"symbols": ["A1", "A2"], "filer_codes": ["A1", "A2"]}`},
		"the time is that of Istanbul": {with(`, "time": "30.06.2031 01:05:09"`), `{"published_at": "2031-06-29T22:05:09Z"}`},
		"a correction": {with(`, "disclosureReason": "CORR", "relatedDisclosureIndex": "44"`),
			`{"reason": "CORR", "related_index": 44}`},
		"texts and link": {with(`, "subject": {"tr": "Ö", "en": null}, "link": "https://k.example/101"`),
			`{"subject": {"tr": "Ö", "en": null}, "link": "https://k.example/101"}`},
		"a report has a period": {strings.Replace(with(`, "year": 2031, "period": {"tr": "6 Aylık", "en": "6 Months"}, "consolidation": "CS"`), `"ODA"`, `"FR"`, 1),
			`{"type": "FR", "year": "2031", "period": "6 Months", "consolidation": "CS"}`},
		"another disclosure has none":   {with(`, "year": "2031", "period": {"en": "6 Months"}, "consolidation": "CS"`), `{}`},
		"an attachment at another host": {with(attachments), `{"attachments": [{"name": "rapor.pdf", "location": "vyk/` + id + `"}]}`},
		"content untouched": {with(`, "presentation": [{"v":1.50,"a":"%9,9"}]`),
			`{"body": {"source_format": "presentation", "file_type": "data", "content": [{"v":1.50,"a":"%9,9"}]}}`},
		"a corporate action": {with(`, "flatData": {"id": "KPY49DTO"}`),
			`{"body": {"source_format": "flatData", "file_type": "data", "content": {"id": "KPY49DTO"}}}`},
		"personal data is not stored":      {with(`, "flatData": {"id": "tr.example.KPY41DTO"}`), `{}`},
		"blocked: no content, no document": {with(`, "blockedStatus": "Attachment", "presentation": [1]` + attachments), `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			want := map[string]any{"disclosure_index": 101, "type": "ODA", "class": "ODA", "symbols": []any{}, "filer_codes": []any{},
				"subject": nil, "summary": nil}
			var more map[string]any
			need.NoError(t, json.Unmarshal([]byte(c.want), &more))
			for member, v := range more {
				want[member] = v
			}
			_, r, err := answer(t, source(t, ``), waiting, at, http.StatusOK, c.body)
			if err != nil || len(r.Records) != 1 || !r.More {
				t.Fatal(r, err)
			}
			if got := again(t, r.Records[0].Fields); !reflect.DeepEqual(got, again(t, want)) {
				t.Errorf("%v; want %v", got, want)
			}
			if strings.Contains(c.body, "1.50") && !strings.Contains(fmt.Sprintf("%s", r.Records[0].Fields["body"]),
				`{"v":1.50,"a":"%9,9"}`) {
				t.Error("the digits of the content have changed")
			}
		})
	}
	t.Run("in the list of blocked ones", func(t *testing.T) {
		kept := state(`, "last": 101, "next": 102, "queue": [{"n": 101}], "blocked": [101]`)
		_, r, err := answer(t, source(t, ``), kept, at, http.StatusOK, with(`, "presentation": [1]`+attachments))
		if err != nil || r.Records[0].Fields["body"] != nil || r.Records[0].Fields["attachments"] != nil {
			t.Error(r, err)
		}
	})
}

// again returns a value as it is after JSON.
func again(t *testing.T, v any) (out any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil || json.Unmarshal(text, &out) != nil {
		t.Fatal(err)
	}
	return out
}

// Formats that have changed are errors that name what is wrong.
func TestChangedFormats(t *testing.T) {
	listing, polling := state(`, "last": 200, "next": 101, "polled": true`), state(`, "last": 100, "next": 101`)
	for name, c := range map[string]struct {
		kept       json.RawMessage
		status     int
		body, want string
	}{
		"another disclosure":  {waiting, 200, strings.Replace(with(``), "101", "102", 1), "it is the disclosure 102"},
		"no number":           {waiting, 200, `{"disclosureType": "ODA"}`, "disclosureIndex"},
		"a new type":          {waiting, 200, strings.Replace(with(``), `"ODA"`, `"XYZ"`, 1), "disclosureType"},
		"a new reason":        {waiting, 200, with(`, "disclosureReason": "X"`), "disclosureReason"},
		"a new consolidation": {waiting, 200, with(`, "consolidation": "X"`), "consolidation"},
		"another time":        {waiting, 200, with(`, "time": "2031-06-30T18:05:09"`), "time must be like"},
		"an attachment without id": {waiting, 200, with(`, "attachmentUrls": [{"url": "https://elsewhere.example/../rapor.pdf"}]`),
			"32 hexadecimal digits"},
		"text instead of an error": {waiting, 400, "getDisclosureById.fileType: must match", "must match"},
		"ER005 that says more":     {waiting, 400, `{"code":"ER005","message":"IP not verified"}`, "IP not verified"},
		"no right":                 {waiting, 400, `{"faultCode":"ER001","faultString":"No right."}`, "ER001"},
		"a list out of order":      {listing, 200, `[{"disclosureIndex": "102"}, {"disclosureIndex": "101"}]`, "row 2"},
		"a list from before":       {listing, 200, `[{"disclosureIndex": "100"}]`, "row 1"},
		"a list from far ahead":    {listing, 200, `[{"disclosureIndex": "101"}, {"disclosureIndex": "2000000000"}]`, "far beyond"},
		"a list that is an object": {listing, 200, `{"rows": []}`, "cannot unmarshal"},
		"no list":                  {listing, 200, `null`, "rows"},
		"no last number":           {polling, 200, `{"last": "5"}`, "lastDisclosureIndex"},
		"a last number with blank": {polling, 200, `{"lastDisclosureIndex": " 5"}`, "lastDisclosureIndex"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, r, err := answer(t, source(t, ``), c.kept, at, c.status, c.body); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, %v; want %s", r, err, c.want)
			}
		})
	}
}

// A listed disclosure without details is waited for; then the others go on, and it is asked
// for again, ever more seldom, for 30 days.
func TestLateDetail(t *testing.T) {
	for name, missing := range map[string]string{"as usual": none,
		"behind another policy": `{"fault":{"faultCode":"ER005","faultString":"Bildirim bulunamadı.","correlationId":"1"}}`} {
		t.Run(name, func(t *testing.T) {
			s, now, kept := source(t, ``), at, waiting
			step := func(status int, body, path string, records int, more bool) {
				t.Helper()
				asked, r, err := answer(t, s, kept, now, status, body)
				if err != nil || asked.Path != path || len(r.Records) != records || r.More != more {
					t.Fatalf("%+v, %+v, %v; want %s, %d records, %t", asked, r, err, path, records, more)
				}
				kept = r.Keep
			}
			poll := func() { t.Helper(); step(200, `{"lastDisclosureIndex": 101}`, "vyk/lastDisclosureIndex", 0, false) }
			step(400, missing, "vyk/disclosureDetail/101", 0, false)
			now = at.Add(59 * time.Second)
			step(400, missing, "vyk/disclosureDetail/101", 0, false)
			now = at.Add(time.Minute)
			step(400, missing, "vyk/disclosureDetail/101", 0, true)
			poll()
			now = now.Add(5 * time.Minute)
			before := kept
			step(400, missing, "vyk/disclosureDetail/101", 0, true)
			poll()
			kept = before
			step(200, with(``), "vyk/disclosureDetail/101", 1, true)
			poll()
			kept = before
			looks := 0
			warned := ""
			for ; now.Before(at.Add(40 * 24 * time.Hour)); now = now.Add(5 * time.Minute) {
				body, status := `{"lastDisclosureIndex": 101}`, 200
				asked, err := s.Ask(kept, now)
				need.NoError(t, err)
				switch asked.Path {
				case "vyk/blockedDisclosures":
					body = `[]`
				case "vyk/disclosureDetail/101":
					body, status = missing, 400
					looks++
				}
				_, r, err := answer(t, s, kept, now, status, body)
				need.NoError(t, err)
				kept, warned = r.Keep, warned+r.Warning
			}
			if looks < 30 || looks > 50 || !strings.Contains(warned, "disclosure 101 for 30 days") ||
				strings.Contains(string(kept), `"late"`) {
				t.Errorf("%d looks, %q, %s", looks, warned, kept)
			}
		})
	}
}

// head begins a frame; the length of the file follows.
const head = "\xac\xed\x00\x05ur\x00\x02[B\xac\xf3\x17\xf8\x06\x08T\xe0\x02\x00\x00xp"

func TestFrames(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"with a frame":             {head + "\x00\x00\x00\x04%PDF", "%PDF"},
		"without one":              {"PK\x03\x04 PK\x05\x06 and 17 bytes more", "PK\x03\x04 PK\x05\x06 and 17 bytes more"},
		"a file of 27 bytes":       {strings.Repeat("x", 27), strings.Repeat("x", 27)},
		"a part of the magic":      {head[:10] + "x", head[:10] + "x"},
		"the length is another":    {head + "\x00\x00\x00\x05%PDF", ""},
		"the length is missing":    {head, ""},
		"a page instead of a file": {" <!DOCTYPE html><html></html>", ""},
		"a firewall's page":        {`<head/><html lang="tr">Request Rejected`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := source(t, `, "attachments": {"folder": "f"}`)
			asked, r, err := answer(t, s, state(`, "last": 1, "next": 2, "files": ["`+id+`"]`), at, 200, c.body)
			if asked.Path != "vyk/downloadAttachment/"+id || err != nil {
				t.Fatal(asked, err)
			}
			if c.want == "" {
				if len(r.Files) != 0 || !strings.Contains(r.Warning, "does not come") || !strings.Contains(string(r.Keep), `"late"`) {
					t.Errorf("%+v, %q, %s", r.Files, r.Warning, r.Keep)
				}
			} else if len(r.Files) != 1 || string(r.Files[0].Body) != c.want || r.Files[0].Path != filepath.Join("f", "vyk", id) {
				t.Errorf("%+v", r.Files)
			}
		})
	}
}

func TestCredentials(t *testing.T) {
	login, _ := source(t, `, "scheme": "Bearer"`).(collect.Login)
	if r := login.Login(); r.Path != "auth/generateToken" || r.Query.Get("apiKey") != "a key" {
		t.Error(r)
	}
	jwt := "e30." + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"exp":%d}`, at.Unix())) + ".x"
	for token, until := range map[string]time.Time{jwt: at, "opaque": {}, "a.b.c": {}} {
		header, end, err := login.Credential(&collect.Answer{Status: 200, Body: []byte(`{"token":"` + token + `"}`)})
		if err != nil || header.Get("Authorization") != "Bearer "+token || !end.Equal(until) {
			t.Error(token, header, end, err)
		}
	}
	for _, body := range []string{`{}`, `x`, `{"token":"a\nb"}`} {
		if _, _, err := login.Credential(&collect.Answer{Status: 200, Body: []byte(body)}); err == nil {
			t.Error(body)
		}
	}
	for body, want := range map[string]bool{
		`{"code":"ER004"}`: true, `{"faultCode":"ER006"}`: true, `{"fault":{"faultCode":"ER007"}}`: true, `{"code":"ER008"}`: true,
		none: false, "text": false, `{"code":"ER001"}`: false,
	} {
		if got := login.Expired(&collect.Answer{Status: 400, Body: []byte(body)}); got != want {
			t.Error(body, got)
		}
	}
	if !login.Expired(&collect.Answer{Status: 401}) {
		t.Error("401")
	}
}

// Whatever an answer is: no panic, the number that was asked for, and a state that can be
// read again.
func FuzzParse(f *testing.F) {
	for _, body := range []string{
		`[{"id": 777, "stockCode": "A1"}]`, `[{"key": "kpy41_acc2_sektor", "value": {"text": "X"}}]`,
		`[{"member": {"id": 777}, "securities": []}]`, `[{"fundId": 1, "fundCode": "ORN", "fundType": "EYF", "fundState": "Y"}]`,
		with(`, "senderExchCodes": "A1", "presentation": [1], "time": "30.06.2031 18:05:09"`), none, `[{"disclosureIndex": 101}]`, `[]`,
		`{"lastDisclosureIndex": "101"}`, "x",
	} {
		f.Add(body, 200)
		f.Add(body, 400)
	}
	s := source(f, `, "attachments": {"folder": "f"}, "companies": true, "funds": true`)
	f.Fuzz(func(t *testing.T, body string, status int) {
		kept := state(`, "last": 200, "next": 101, "sure": 150, "queue": [{"n": 101}], "files": ["` + id +
			`"], "gaps": [{"from": 20, "to": 40}], "catalog": {"firms": [{"id": "777", "codes": ["A"]}]}`)
		for _, path := range []string{"lastDisclosureIndex", "disclosures", "disclosureDetail/101", "downloadAttachment/" + id,
			"blockedDisclosures", "members", "memberSecurities", "memberDetail/777", "funds", "disclosures?"} {
			asked := &collect.Request{Path: "vyk/" + strings.TrimSuffix(path, "?"),
				Query: url.Values{"disclosureIndex": {"101"}, "fileType": {"data"}}}
			if strings.HasSuffix(path, "?") {
				asked.Query.Set("disclosureIndex", "20")
			}
			r, err := s.Parse(kept, asked, &collect.Answer{Status: status, At: at, Body: []byte(body)})
			if err != nil {
				continue
			}
			for _, record := range r.Records {
				if n, ok := record.Fields["disclosure_index"]; record.Kind == "disclosure" && (!ok || n != int64(101)) {
					t.Errorf("%s: %v", path, record)
				}
			}
			for _, file := range r.Files {
				if file.Path != filepath.Join("f", "vyk", id) {
					t.Error(file.Path)
				}
			}
			if _, err := s.Ask(r.Keep, at); err != nil {
				t.Error(path, err)
			}
		}
	})
}
