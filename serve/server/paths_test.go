package server_test

import (
	"piyasa/test/fixture"
	"strconv"
	"strings"
	"testing"
)

func TestUnknownPathsAndMethods(t *testing.T) {
	a := fixture.New(t)
	for _, path := range []string{"/nope", "/quotes/bist:DMOST", "/v1/nope", "/v1/quotes/", "/v1/quotes/bist:DMOST/more",
		"/v2/quotes/bist:DMOST", "/problems/nope", "//v1/instruments", "/v1//instruments", "/v1/../v1/instruments"} {
		a.Get(path, "").WantProblem(t, 404, "not-found")
	}
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
		res := a.Send(method, "/v1/quotes/bist:DMOST", "", "")
		res.WantProblem(t, 405, "method-not-allowed")
		if got := res.Header.Get("Allow"); got != "GET, HEAD" {
			t.Errorf("%s: Allow %q", method, got)
		}
	}
	if res := a.Send("HEAD", "/v1/quotes/bist:DMOST", fixture.All, ""); res.StatusCode != 200 {
		t.Errorf("HEAD: %d", res.StatusCode)
	}
}

func TestHeaders(t *testing.T) {
	a := fixture.New(t)
	res := a.Get("/v1/quotes/bist:DMOST", fixture.All)
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Cache-Control": "private, no-store", "X-Usage-Units": "1", "X-Ratelimit-Limit": "1200",
		"X-Ratelimit-Remaining": "1199", "X-Ratelimit-Reset": "1",
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if other := a.Get("/v1/quotes/bist:DMOST", fixture.All); other.Header.Get("X-Request-Id") == res.Header.Get("X-Request-Id") {
		t.Error("two requests share an id")
	}
	for _, path := range []string{"/v1/quotes/bist:NOPE", "/v1/quotes/bist:DMOST?currency=GBP"} {
		if res := a.Get(path, fixture.All); res.Header.Get("X-Usage-Units") != "0" || res.Header.Get("X-Ratelimit-Limit") == "" {
			t.Errorf("%s: units %q, limit %q", path, res.Header.Get("X-Usage-Units"), res.Header.Get("X-Ratelimit-Limit"))
		}
	}
}

func TestWire(t *testing.T) {
	a := fixture.New(t)
	if res := a.Get("/v1/quotes/bist%3ADMOST", fixture.All); res.JSON["instrument_id"] != "bist:DMOST" {
		t.Errorf("percent-encoded colon: %s", res.Text)
	}
	if res := a.Get("/v1/instruments/index:SPX", fixture.All); !strings.Contains(res.Text, `"S&P 500 <index>"`) {
		t.Errorf("escaped: %s", res.Text)
	}
	if res := a.Get("/v1/instruments/bist:DMOST", fixture.All); !strings.Contains(res.Text, "Demo Otomotiv Şirketi") {
		t.Errorf("Turkish letters: %s", res.Text)
	}
	packed := a.Send("GET", "/v1/instruments", fixture.All, "", "Accept-Encoding", "gzip")
	if packed.Header.Get("Content-Encoding") != "gzip" || !strings.Contains(packed.Header.Get("Vary"), "Accept-Encoding") {
		t.Errorf("gzip: %v", packed.Header)
	}
	if length := packed.Header.Get("Content-Length"); length != "" && length != strconv.Itoa(len(packed.Text)) {
		t.Errorf("gzip: %s bytes are stated, and %d sent", length, len(packed.Text))
	}
	if res := a.Get("/v1/quotes/bist:DMOST?currency=USD&foo=1&foo=2&a;b=%zz&&=", fixture.All); res.JSON["last"] != "7.4" {
		t.Errorf("unknown parameters are ignored: %s", res.Text)
	}
}
