package attachment_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/internal/attachment"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

// A link works from when it is made until its end, not then, and only for the
// document and by the server that it was made for and by.
func TestLinks(t *testing.T) {
	at := value.MustInstant("2026-03-18T12:00:00.123Z")
	links := attachment.Links{Signer: access.Signer{Secret: []byte("s")}, Now: func() value.Instant { return at },
		BaseURL: "https://a.test/base"}
	made := links.To("/v1/x/1", []attachment.Document{{Name: "a", ContentType: new("text/plain"), SizeBytes: new(3), Location: "secret"},
		{Name: "b"}})
	if len(made) != 2 || made[0].Name != "a" || *made[0].ContentType != "text/plain" || *made[0].SizeBytes != 3 ||
		made[1].ContentType != nil || made[1].ExpiresAt.String() != "2026-03-18T12:15:00Z" {
		t.Fatalf("%+v", made)
	}
	if none := links.To("/v1/x/1", nil); none == nil || len(none) != 0 {
		t.Errorf("of no documents: %v", none)
	}
	type part struct {
		path               string
		n                  int
		expires, signature string
	}
	parts := func(n int) part {
		u, err := url.Parse(made[n-1].URL)
		if err != nil || !strings.HasPrefix(made[n-1].URL, "https://a.test/base/v1/x/1/"+strconv.Itoa(n)+"?") {
			t.Fatalf("%s, %v", made[n-1].URL, err)
		}
		return part{"/v1/x/1", n, u.Query().Get("expires"), u.Query().Get("signature")}
	}
	first, other := parts(1), parts(2)
	works := func(p part) error { return links.Check(p.path, p.n, p.expires, p.signature) }
	for _, p := range []part{first, other} {
		if err := works(p); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
	for name, p := range map[string]part{
		"another document":  {first.path, 2, first.expires, first.signature},
		"another path":      {"/v1/x/2", 1, first.expires, first.signature},
		"a later end":       {first.path, 1, first.expires[:len(first.expires)-1] + "9", first.signature},
		"another encoding":  {first.path, 1, "0" + first.expires, first.signature + "="},
		"no end":            {first.path, 1, "", first.signature},
		"an end in words":   {first.path, 1, "tomorrow", first.signature},
		"a great end":       {first.path, 1, "99999999999999999999", first.signature},
		"no signature":      {first.path, 1, first.expires, ""},
		"half a signature":  {first.path, 1, first.expires, first.signature[:10]},
		"another signature": {first.path, 1, first.expires, other.signature},
	} {
		if calls.KindOf(works(p)) != problem.NotFound {
			t.Errorf("%s: %v", name, works(p))
		}
	}
	stranger := links
	stranger.Signer.Secret = []byte("t")
	if err := stranger.Check(first.path, 1, first.expires, first.signature); calls.KindOf(err) != problem.NotFound {
		t.Errorf("of another server: %v", err)
	}
	made0 := made[0].ExpiresAt.Add(-15 * time.Minute)
	for after, want := range map[time.Duration]bool{0: true, 15*time.Minute - time.Millisecond: true, 15 * time.Minute: false,
		24 * time.Hour: false} {
		if at = made0.Add(after); (works(first) == nil) != want {
			t.Errorf("%s later: %v", after, works(first))
		}
	}
}
