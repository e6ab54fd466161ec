package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"piyasa/test/fixture"
)

// What is wrong with a question about the coverage is reported with what is allowed, and any key
// may ask.
func TestCoverageRefuses(t *testing.T) {
	a := fixture.New(t)
	for query, c := range map[string]struct {
		status     int
		kind, says string
	}{
		"market=nyse":                       {422, "invalid-parameter", "must be one of bist, crypto"},
		"market=BIST":                       {422, "invalid-parameter", "must be one of bist, crypto"},
		"market=bist&market=us":             {400, "repeated-parameter", "market"},
		"limit=0":                           {422, "invalid-parameter", "a whole number from 1 to 500"},
		"limit=501":                         {422, "invalid-parameter", "a whole number from 1 to 500"},
		"gaps=yes":                          {422, "invalid-parameter", "must be true or false"},
		"gaps=":                             {422, "invalid-parameter", "must be true or false"},
		"gaps=1":                            {422, "invalid-parameter", "must be true or false"},
		"gaps=true&gaps=true":               {400, "repeated-parameter", "gaps"},
		"limit=1e3":                         {422, "invalid-parameter", "limit"},
		"market=bist&instrument=bist:DMOST": {400, "conflicting-parameters", "an instrument belongs to one market"},
		"instrument=bist:NOPE":              {404, "not-found", "bist:NOPE"},
		"instrument=%00":                    {404, "not-found", "must start with a market"},
		"instrument=crypto:ONE":             {400, "ambiguous-ticker", "crypto:"},
		"cursor=x":                          {400, "invalid-cursor", "next_cursor"},
		"format=xml":                        {422, "invalid-parameter", "must be one of json, csv"},
	} {
		res := a.Get("/v1/coverage?"+query, fixture.All)
		res.WantProblem(t, c.status, c.kind)
		if !strings.Contains(res.Text, c.says) {
			t.Errorf("%s does not say %q: %s", query, c.says, res.Text)
		}
	}
	if res := a.Get("/v1/coverage", fixture.None); res.StatusCode != http.StatusOK {
		t.Error(res.Text)
	}
	if res := a.Get("/v1/coverage", ""); res.StatusCode != http.StatusUnauthorized {
		t.Error(res.Text)
	}
	first := a.Get("/v1/coverage?market=bist&limit=1", fixture.All)
	next, _ := first.JSON["next_cursor"].(string)
	if res := a.Get("/v1/coverage?market=us&limit=1&cursor="+next, fixture.All); next == "" || res.StatusCode != 400 {
		t.Errorf("the cursor of another market: %q, %s", next, res.Text)
	}
	if res := a.Get("/v1/coverage?market=bist&limit=1&format=csv", fixture.All); !strings.Contains(res.Header.Get("Link"), `rel="next"`) ||
		!strings.HasPrefix(res.Text, "kind,market,instrument_id,") {
		t.Errorf("%q %s", res.Header.Get("Link"), res.Text)
	}
}
