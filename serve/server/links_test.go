package server_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"piyasa/internal/value"
	"piyasa/test/fixture"
)

// linkTo makes a link with a key and returns it without the host.
func linkTo(t *testing.T, a *fixture.Server, body string) string {
	t.Helper()
	res := a.Send("POST", "/v1/links", fixture.All, body, "Content-Type", "application/json")
	link, _ := res.JSON["link"].(string)
	path, ours := strings.CutPrefix(link, fixture.BaseURL)
	if res.StatusCode != 200 || !ours || strings.Contains(link, fixture.All) || res.Header.Get("X-Usage-Units") != "0" {
		t.Fatalf("%s: %d %s", body, res.StatusCode, res.Text)
	}
	return path
}

func TestLinks(t *testing.T) {
	now := fixture.Now
	a := fixture.New(t, func(s *fixture.Setup) { s.Settings.Clock = func() value.Instant { return now } })
	const path = "/v1/candles?ids=bist:DMOST,fx:USDTRY&format=csv&currency=USD"
	link := linkTo(t, a, `{"address":"`+path+`","days":2}`)
	want := a.Get(path, fixture.All)
	if got := a.Get(link, ""); got.StatusCode != 200 || got.Text != want.Text || got.Header.Get("Warning") != "" ||
		got.Header.Get("X-RateLimit-Limit") == "" {
		t.Errorf("%s: %d %s", link, got.StatusCode, got.Text)
	}
	at, _ := url.Parse(link)
	query := at.Query()
	for name, c := range map[string]struct {
		target string
		status int
	}{
		"escaped otherwise": {"/v1/candles?link=" + query.Get("link") + "&currency=USD&format=csv&ids=bist%3ADMOST%2Cfx%3AUSDTRY",
			200},
		"another path":             {"/v1/quotes?link=" + query.Get("link") + "&ids=bist:DMOST", 401},
		"another value":            {strings.Replace(link, "USD&", "EUR&", 1), 401},
		"one more parameter":       {link + "&from=2026-01-01", 401},
		"damaged":                  {link + "x", 401},
		"nothing but the prefix":   {path + "&link=lk_", 401},
		"of another kind of token": {path + "&link=st_x", 401},
	} {
		if got := a.Get(c.target, ""); got.StatusCode != c.status {
			t.Errorf("%s: %s is %d %s", name, c.target, got.StatusCode, got.Text)
		}
	}
	if used := usageOf(t, a, fixture.All); used != "6: /v1/candles 2 /v1/candles by link 4" {
		t.Errorf("used %s", used)
	}
	strict := linkTo(t, a, `{"address":"`+fixture.BaseURL+`/v1/dividends?symbols=DMOST&dialect=excel-tr"}`)
	if got := a.Get(strict, ""); got.StatusCode != 200 || got.Header.Get("Content-Disposition") == "" {
		t.Errorf("a strict route: %d %s", got.StatusCode, got.Text)
	}
	now = now.Add(48 * time.Hour)
	if got := a.Get(link, ""); got.StatusCode != 401 || !strings.Contains(got.Text, "The link worked until") {
		t.Errorf("expired: %d %s", got.StatusCode, got.Text)
	}
	if got := a.Get(strict, ""); got.StatusCode != 200 {
		t.Errorf("after two days of thirty: %d %s", got.StatusCode, got.Text)
	}
	a.Keys(fixture.Key(fixture.None))
	if got := a.Get(strict, ""); got.StatusCode != 401 {
		t.Errorf("of a key that is revoked: %d %s", got.StatusCode, got.Text)
	}
}

// A link has the scopes of its key and no others.
func TestLinkOfAKeyWithoutScopes(t *testing.T) {
	a := fixture.New(t)
	res := a.Send("POST", "/v1/links", fixture.None, `{"address":"/v1/quotes/bist:DMOST"}`)
	link, _ := res.JSON["link"].(string)
	a.Get(strings.TrimPrefix(link, fixture.BaseURL), "").WantProblem(t, 403, "missing-scope")
}

func TestLinksThatCannotBe(t *testing.T) {
	a := fixture.New(t)
	for body, detail := range map[string]string{
		``:                          "must be a JSON object",
		`[]`:                        "must be a JSON object",
		`{"addres":"/v1"}`:          "must be a JSON object",
		`{}`:                        "address must be",
		`{"address":"/v1/nothing"}`: "address must be",
		`{"address":"/graphql?query={__typename}"}`:              "address must be",
		`{"address":"/v1/stream-token"}`:                         "address must be",
		`{"address":"/v1/links"}`:                                "address must be",
		`{"address":"https://elsewhere.example/v1/usage"}`:       "address must be",
		`{"address":"//elsewhere.example/v1/usage"}`:             "address must be",
		`{"address":"/v1/usage","days":0}`:                       "days must be from 1 to 366",
		`{"address":"/v1/usage","days":367}`:                     "days must be from 1 to 366",
		`{"address":"/v1/usage","days":"1"}`:                     "must be a JSON object",
		`{"address":"` + strings.Repeat("x", 17<<10) + `"}`:      "must be a JSON object",
		`{"address":"/v1/eod/bist:DMOST` + "\\u0000" + `"}`:      "address must be",
		`{"address":"/v1/instruments/../keys"}`:                  "address must be",
		`{"address":"/v1/quotes/bist:DMOST/../../../metrics"}`:   "address must be",
		`{"address":"/v1/kap-feed/disclosures/1/attachments/1"}`: "address must be",
	} {
		res := a.Send("POST", "/v1/links", fixture.All, body)
		if res.WantProblem(t, 422, "invalid-parameter"); !strings.Contains(res.Text, detail) {
			t.Errorf("%.80s: %s", body, res.Text)
		}
	}
	a.Send("POST", "/v1/links", "", `{"address":"/v1/usage"}`).WantProblem(t, 401, "unauthenticated")
	if got := a.Send("GET", "/v1/links", fixture.All, ""); got.StatusCode != 405 {
		t.Errorf("GET: %d", got.StatusCode)
	}
}
