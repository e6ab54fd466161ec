package server_test

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/domain/kap"
	"piyasa/internal/attachment"
	"piyasa/internal/content"
	"piyasa/internal/value"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// archive is an API whose disclosure 77 has documents, kept at a place.
type archive struct {
	*fixture.Server
	now   value.Instant
	links []map[string]any // as the detail shows them
}

func newArchive(t *testing.T, place string, documents ...attachment.Document) *archive {
	t.Helper()
	a := &archive{now: fixture.Now}
	files, err := content.Open(place)
	need.NoError(t, err)
	a.Server = fixture.New(t, func(s *fixture.Setup) {
		s.Config.Attachments, s.Settings.Clock = files, func() value.Instant { return a.now }
	})
	b := new(db.Batch)
	for _, index := range []int{77, 78} {
		db.Put(b, &kap.Record{
			Disclosure: kap.Disclosure{DisclosureIndex: index, Type: kap.ODA, Class: "ODA", Symbols: []string{}, FilerCodes: []string{},
				AttachmentCount: len(documents)},
			Attachments: documents,
		}, new(db.Outcome))
	}
	need.NoError(t, a.Store.Store(t.Context(), b))
	detail := a.Get("/v1/kap-feed/disclosures/77", fixture.All)
	for _, link := range detail.JSON["attachments"].([]any) {
		a.links = append(a.links, link.(map[string]any))
	}
	return a
}

// link is the path of the nth link, counted from 0.
func (a *archive) link(n int) string {
	a.T.Helper()
	path, ok := strings.CutPrefix(a.links[n]["url"].(string), fixture.BaseURL)
	if !ok {
		a.T.Fatalf("link %v", a.links[n])
	}
	return path
}

func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		need.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return folder
}

// A link needs no key, works until its expires_at and not then, and only as it
// was given.
func TestLinksToAttachments(t *testing.T) {
	a := newArchive(t, folderOf(t, map[string]string{"a": "first", "b": "second"}),
		attachment.Document{Name: "a.pdf", Location: "a", ContentType: new("application/pdf"), SizeBytes: new(5)},
		attachment.Document{Name: "b", Location: "b"})
	if a.links[0]["expires_at"] != "2026-03-18T12:15:00Z" || a.links[0]["location"] != nil {
		t.Errorf("link %v", a.links[0])
	}
	for n, want := range []string{"first", "second"} {
		if res := a.Get(a.link(n), ""); res.StatusCode != 200 || res.Text != want {
			t.Errorf("document %d: %d %s", n+1, res.StatusCode, res.Text)
		}
	}
	first := a.link(0)
	u, _ := url.Parse(first)
	signature, expires := u.Query().Get("signature"), u.Query().Get("expires")
	changed := "A"
	if strings.HasSuffix(signature, "A") {
		changed = "B"
	}
	for name, path := range map[string]string{
		"another document":   strings.Replace(first, "/attachments/1?", "/attachments/2?", 1),
		"another disclosure": strings.Replace(first, "/disclosures/77/", "/disclosures/78/", 1),
		"a later end":        strings.Replace(first, expires, expires[:len(expires)-3]+"999", 1),
		"no signature":       strings.Replace(first, signature, "", 1),
		"half a signature":   strings.Replace(first, signature, signature[:11], 1),
		"a changed letter":   strings.Replace(first, signature, changed+signature[1:], 1),
		"a line break":       strings.Replace(first, signature, signature+"%0A", 1),
		"nothing":            u.Path, "no end": u.Path + "?signature=" + signature,
		"no number":         strings.Replace(first, "/attachments/1?", "/attachments/x?", 1),
		"number 0":          strings.Replace(first, "/attachments/1?", "/attachments/0?", 1),
		"a negative number": strings.Replace(first, "/attachments/1?", "/attachments/-1?", 1),
		"a great number":    strings.Replace(first, "/attachments/1?", "/attachments/99999999999999999999?", 1),
	} {
		if res := a.Get(path, ""); res.StatusCode != 404 {
			t.Errorf("%s: %d %s", name, res.StatusCode, res.Text)
		} else {
			res.WantProblem(t, 404, "not-found")
		}
		a.Get(path, fixture.All).WantProblem(t, 404, "not-found") // a key does not help
	}
	for _, letter := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" {
		if other := signature[:len(signature)-1] + string(letter); other != signature {
			a.Get(strings.Replace(first, signature, other, 1), "").WantProblem(t, 404, "not-found")
		}
	}
	a.now = fixture.Now.Add(15*time.Minute - time.Millisecond)
	if res := a.Get(first, ""); res.StatusCode != 200 {
		t.Errorf("a moment before its end: %d %s", res.StatusCode, res.Text)
	}
	for _, later := range []time.Duration{15 * time.Minute, 24 * time.Hour} {
		a.now = fixture.Now.Add(later)
		a.Get(first, "").WantProblem(t, 404, "not-found")
	}
}

// What the bytes are is said as the platform said it; a browser keeps them
// apart from our pages. HEAD says the same.
func TestHeadersOfAttachments(t *testing.T) {
	names := []string{"report.pdf", "Faaliyet Raporu – Şubat İĞÜ.pdf", `a "quoted" \ name.pdf`, "two\r\nlines: x", "", ".htaccess",
		"../up/a;b=c.pdf", strings.Repeat("ş", 300)}
	kinds := []*string{new("application/pdf"), new("text/html; charset=utf-8"), nil, new("nonsense"), new(""),
		new("text/html\r\nSet-Cookie: a=b"), new("image/svg+xml"), new("a/b; c=\"ğ\"")}
	var documents []attachment.Document
	for i, name := range names {
		documents = append(documents, attachment.Document{Name: name, ContentType: kinds[i], Location: "a"})
	}
	a := newArchive(t, folderOf(t, map[string]string{"a": "<script>"}), documents...)
	for i, name := range names {
		get, head := a.Get(a.link(i), ""), a.Send("HEAD", a.link(i), "", "")
		if get.StatusCode != 200 || get.Text != "<script>" || head.StatusCode != 200 || head.Text != "" {
			t.Errorf("%q: %d %q, HEAD %d %q", name, get.StatusCode, get.Text, head.StatusCode, head.Text)
		}
		for header, want := range map[string]string{"X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox", "Cache-Control": "private, no-store",
			"Content-Length": "8"} {
			if get.Header.Get(header) != want || head.Header.Get(header) != want {
				t.Errorf("%q: %s: %q, HEAD %q", name, header, get.Header.Get(header), head.Header.Get(header))
			}
		}
		if h := get.Header.Get("Content-Type"); h != head.Header.Get("Content-Type") || strings.ContainsAny(h, "\r\n") {
			t.Errorf("%q: type %q, HEAD %q", name, h, head.Header.Get("Content-Type"))
		}
		disposition, params, err := mime.ParseMediaType(get.Header.Get("Content-Disposition"))
		if disposition != "attachment" || err != nil || params["filename"] != name {
			t.Errorf("%q: %q %v", name, get.Header.Get("Content-Disposition"), err)
		}
	}
	res := a.Send("POST", a.link(0), "", "")
	res.WantProblem(t, 405, "method-not-allowed")
	if res.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("allowed: %s", res.Header.Get("Allow"))
	}
}

// A document that is not there is not found, a store that is not there is
// unavailable: both as problems, and without the location.
func TestMissingDocuments(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	a := newArchive(t, gone.URL, attachment.Document{Name: "a", Location: "very/secret"})
	res := a.Get(a.link(0), "")
	res.WantProblem(t, 404, "not-found")
	gone.Close()
	down := a.Get(a.link(0), "")
	down.WantProblem(t, 503, "content-store-unavailable")
	if strings.Contains(res.Text+down.Text, "secret") || strings.Contains(down.Text, "127.0.0.1") {
		t.Errorf("told: %s %s", res.Text, down.Text)
	}
	newArchive(t, "", attachment.Document{Name: "a", Location: "a"}).Get(a.link(0), "").WantProblem(t, 404, "not-found")
}

// A document that breaks off on its way to us breaks off at the client, too,
// whether its size is known or not, packed or not: a part never looks whole.
func TestDocumentThatBreaksOff(t *testing.T) {
	half := strings.Repeat("half ", 1000)
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/sized" {
			w.Header().Set("Content-Length", "10000")
		}
		_, _ = io.WriteString(w, half)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer store.Close()
	a := newArchive(t, store.URL, attachment.Document{Name: "a", Location: "sized", ContentType: new("text/plain")},
		attachment.Document{Name: "b", Location: "unsized", ContentType: new("text/plain")})
	front := httptest.NewServer(a)
	defer front.Close()
	for n := range a.links {
		for _, packed := range []bool{false, true} {
			client := &http.Client{Transport: &http.Transport{DisableCompression: !packed}}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			r, _ := http.NewRequestWithContext(ctx, "GET", front.URL+a.link(n), nil)
			res, err := client.Do(r)
			if err == nil {
				var text []byte
				if text, err = io.ReadAll(res.Body); err == nil {
					t.Errorf("document %d, packed %v: %d bytes look whole", n+1, packed, len(text))
				}
				_ = res.Body.Close()
			}
			if errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("document %d, packed %v: %v", n+1, packed, err)
			}
			cancel()
			client.CloseIdleConnections()
		}
	}
}
