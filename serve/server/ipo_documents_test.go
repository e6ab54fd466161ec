package server_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"piyasa/domain/ipo"
	"piyasa/internal/attachment"
	"piyasa/internal/content"
	"piyasa/internal/value"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// A document takes its link and nothing else, until the link ends; where it
// comes from is shown to nobody.
func TestDocumentsOfIpos(t *testing.T) {
	at := fixture.Now
	files, err := content.Open(folderOf(t, map[string]string{"one": "first", "two": "second"}))
	need.NoError(t, err)
	a := fixture.New(t, func(s *fixture.Setup) {
		s.Config.Attachments, s.Settings.Clock = files, func() value.Instant { return at }
	})
	a.Services.IPO.Live.PutRecords([]*ipo.Record{
		{Facts: ipo.Facts{ID: "a/b ç?", Company: "x", Currency: "TRY"}, Documents: []attachment.Document{{Name: "a", Location: "two"}}},
		{Facts: ipo.Facts{ID: "gone", Company: "x", Currency: "TRY"},
			Documents: []attachment.Document{{Name: "a", Location: "secret/gone"}}},
	})
	links := func(id string) []string {
		var paths []string
		res := a.Get("/v1/ipo/"+url.PathEscape(id), fixture.All)
		for _, d := range res.JSON["documents"].([]any) {
			d := d.(map[string]any)
			path, ok := strings.CutPrefix(d["url"].(string), fixture.BaseURL)
			if !ok || d["expires_at"] != at.Add(15*time.Minute).String() || len(d) != 5 {
				t.Fatalf("%v", d)
			}
			paths = append(paths, path)
		}
		return paths
	}
	both := links("dmipo-2026")
	for i, want := range []string{"first", "second"} {
		res := a.Get(both[i], "")
		if res.StatusCode != 200 || res.Text != want || res.Header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(res.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("document %d: %d %v %s", i+1, res.StatusCode, res.Header, res.Text)
		}
	}
	if res := a.Get(links("a/b ç?")[0], ""); res.StatusCode != 200 || res.Text != "second" {
		t.Errorf("of an odd id: %d %s", res.StatusCode, res.Text)
	}
	for _, res := range []fixture.Answer{a.Get("/v1/ipo/gone", fixture.All), a.Get(links("gone")[0], ""),
		a.Query(`{ ipo(id: "gone") { documents { name url } } }`, fixture.All)} {
		if strings.Contains(res.Text, "secret") {
			t.Errorf("tells where it is: %s", res.Text)
		}
	}
	a.Get(links("gone")[0], "").WantProblem(t, 404, "not-found")
	first := both[0]
	query := first[strings.IndexByte(first, '?'):]
	for name, path := range map[string]string{
		"another document": "/v1/ipo/dmipo-2026/documents/2" + query, "another offering": "/v1/ipo/gone/documents/1" + query,
		"an unknown offering":    "/v1/ipo/nope/documents/1" + query,
		"a document of the feed": "/v1/kap-feed/disclosures/1505/attachments/1" + query,
		"no signature":           first[:strings.Index(first, "&signature=")], "nothing": strings.TrimSuffix(first, query),
		"a longer life": strings.Replace(first, "expires=1", "expires=2", 1), "a damaged signature": first[:len(first)-4] + "AAAA",
		"no number": "/v1/ipo/dmipo-2026/documents/x" + query, "number 0": "/v1/ipo/dmipo-2026/documents/0" + query,
	} {
		for _, secret := range []string{"", fixture.All} {
			if res := a.Get(path, secret); res.StatusCode != 404 || res.JSON["type"] != fixture.BaseURL+"/problems/not-found" {
				t.Errorf("%s: %d %s", name, res.StatusCode, res.Text)
			}
		}
	}
	a.Send("POST", first, "", "").WantProblem(t, 405, "method-not-allowed")
	at = fixture.Now.Add(15*time.Minute - time.Millisecond)
	if res := a.Get(first, ""); res.StatusCode != 200 {
		t.Errorf("a moment before its end: %s", res.Text)
	}
	at = fixture.Now.Add(15 * time.Minute)
	a.Get(first, "").WantProblem(t, 404, "not-found")
}
