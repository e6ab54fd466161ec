package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/serve/server"
	"piyasa/test/fixture"
)

// planned returns a server and the id of a key on a plan of its own.
func planned(t *testing.T, plan access.Plan) (*fixture.Server, string) {
	t.Helper()
	a := fixture.New(t, func(s *fixture.Setup) { s.Settings.Plans["own"] = plan })
	own := fixture.Key("piyasa_live_own", access.Scopes...)
	own.Plan = "own"
	a.Keys(own, fixture.Key(fixture.All, access.Scopes...))
	return a, own.ID
}

// costOf returns extensions.cost of an answer: what was asked, granted and left.
func costOf(t *testing.T, res fixture.Answer) (asked, granted int, left any) {
	t.Helper()
	var body struct {
		Cost       *struct{ Asked, Granted int }
		Extensions struct {
			Cost struct {
				Asked, Granted int
				Left           any
			}
		}
	}
	if err := json.Unmarshal([]byte(res.Text), &body); err != nil {
		t.Fatalf("%v: %s", err, res.Text)
	}
	if body.Cost != nil {
		return body.Cost.Asked, body.Cost.Granted, nil
	}
	c := body.Extensions.Cost
	return c.Asked, c.Granted, c.Left
}

const thousandBars = `{ candles(id: "bist:DMOST", from: "2023-03-18", to: "2026-03-17") { bars { close } } }`

// A request says what it costs, and takes that from the bucket of work.
func TestCost(t *testing.T) {
	a, own := planned(t, access.Plan{Bucket: 100, RefillPerSec: 1, Work: 20_000, WorkPerSec: 0.001})
	asked, granted, left := costOf(t, a.Query(`{ marketStatus { state } }`, own))
	if asked != 602 || granted != 602 || left != 20_000.0-602 {
		t.Error(asked, granted, left)
	}
	asked, _, _ = costOf(t, a.Query(`{ a: quote(id: "bist:DMOST") { last } b: quote(id: "bist:DMALT") { last open } }`, own))
	if asked != 605 {
		t.Error("two quotes:", asked)
	}
	dear, _, _ := costOf(t, a.Query(thousandBars, own))
	if dear < 600+1600+1000 || dear > 8000 {
		t.Error("a thousand bars:", dear)
	}
	if asked, _, left := costOf(t, a.Query(`{ marketStatus { state } }`, own)); asked != 602 || left != 20_000.0-3*602-3-float64(dear) {
		t.Error(asked, left)
	}
	if _, _, left := costOf(t, a.Query(`{ marketStatus { state } }`, fixture.All)); left == nil {
		t.Error("the shipped plans have a bucket of work")
	}
}

// An answer that was made for another request costs half of a request and a 64th of what is sent of
// it, whether its server has it in memory or only knows its tag.
func TestCostOfAnswersAgain(t *testing.T) {
	for name, path := range map[string]string{
		"GraphQL": "/graphql?query=" + url.QueryEscape(thousandBars),
		"REST":    "/v1/candles/bist:DMOST?from=2023-03-18&to=2026-03-17",
	} {
		t.Run(name, func(t *testing.T) {
			a, own := planned(t, access.Plan{Bucket: 100, RefillPerSec: 1, Work: 100_000, WorkPerSec: 0.001})
			follow(t, a)
			key := fixture.Key(own, access.Scopes...)
			key.Plan = "own"
			taken := func(on http.Handler, tag string, status int) (*httptest.ResponseRecorder, int) {
				before := a.Services.Gate.Debit(key, 0, time.Now()).Left
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
				r.Header.Set("X-API-Key", own)
				r.Header.Set("If-None-Match", tag)
				w := httptest.NewRecorder()
				on.ServeHTTP(w, r)
				if w.Code != status {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
				return w, int(before - a.Services.Gate.Debit(key, 0, time.Now()).Left)
			}
			first, cost := taken(a.Server, "", http.StatusOK)
			if cost < 2000 {
				t.Errorf("the first costs %d", cost)
			}
			again, cost := taken(a.Server, "", http.StatusOK)
			if most := access.BaseCost + again.Body.Len()/64; cost > most || cost <= access.BaseCost {
				t.Errorf("from memory: %d, want at most %d", cost, most)
			}
			tag := first.Header().Get("Etag")
			if _, cost := taken(a.Server, tag, http.StatusNotModified); cost != access.BaseCost {
				t.Errorf("not modified: %d", cost)
			}
			if _, cost := taken(server.New(a.Config), tag, http.StatusNotModified); cost != access.BaseCost {
				t.Errorf("not modified, on a server that has not made it: %d", cost)
			}
		})
	}
}

// What does not fit into the bucket of work is refused before it runs, and says when to
// come again; what is cheap passes until the bucket is empty.
func TestWorkRunsOut(t *testing.T) {
	for name, c := range map[string]struct {
		metered string
		ask     func(a *fixture.Server, key string) fixture.Answer
	}{
		"GraphQL": {"/graphql:candles", func(a *fixture.Server, key string) fixture.Answer { return a.Query(thousandBars, key) }},
		"REST": {"/v1/candles/{instrument_id}", func(a *fixture.Server, key string) fixture.Answer {
			return a.Get("/v1/candles/bist:DMOST?from=2023-03-18&to=2026-03-17", key)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a, own := planned(t, access.Plan{Bucket: 100, RefillPerSec: 1, Work: 50_000, WorkPerSec: 10})
			answered := 0
			res := c.ask(a, own)
			for ; res.StatusCode == 200; res = c.ask(a, own) {
				if answered++; answered > 30 {
					t.Fatal("it never ends")
				}
			}
			res.WantProblem(t, 429, "rate-limited")
			if answered == 0 || res.Header.Get("Retry-After") == "" || res.Header.Get("X-RateLimit-Remaining") == "0" {
				t.Error(answered, res.Header)
			}
			for a.Get("/v1/quotes/bist:DMOST", own).StatusCode == 200 { // what is cheap goes on until there is nothing left
			}
			if res := a.Get("/v1/quotes/bist:DMOST", fixture.All); res.StatusCode != 200 {
				t.Errorf("another key: %d %s", res.StatusCode, res.Text)
			}
			a.Services.Gate.SetPlans(access.Plans{"own": {Bucket: 100, RefillPerSec: 1}})
			if got := usageOf(t, a, own); !strings.Contains(got, fmt.Sprint(c.metered, " ", answered)) {
				t.Errorf("%d answers: %s", answered, got)
			}
		})
	}
}

// A request can be priced without running it, at the price that it has when it runs.
func TestPriceOnly(t *testing.T) {
	a := fixture.New(t)
	price := func(method, target, body string) fixture.Answer {
		return a.Send(method, target, fixture.All, body, "Content-Type", "application/json", "X-Price-Only", "true")
	}
	body := fmt.Sprintf(`{"query": %q}`, thousandBars)
	for range 2 { // also when its answer is known
		res := price("POST", "/graphql", body)
		asked, granted, _ := costOf(t, res)
		if res.StatusCode != 200 || granted != access.BaseCost || !strings.Contains(res.Text, `"data":null`) {
			t.Errorf("%d %s", res.StatusCode, res.Text)
		}
		if ran, _, _ := costOf(t, a.Query(thousandBars, fixture.All)); ran != asked {
			t.Errorf("priced at %d, and ran at %d", asked, ran)
		}
	}
	few := price("GET", "/v1/candles/bist:DMOST?from=2026-03-10&to=2026-03-17", "")
	many := price("GET", "/v1/candles/bist:DMOST?from=2023-03-10&to=2026-03-17", "")
	cheap, _, _ := costOf(t, few)
	dear, _, _ := costOf(t, many)
	if few.StatusCode != 200 || few.Header.Get("X-Usage-Units") != "0" || cheap < 2200 || dear < cheap+5000 {
		t.Errorf("%d %s, and more bars: %s", few.StatusCode, few.Text, many.Text)
	}
	if res := price("GET", "/v1/candles/bist:DMOST?from=x", ""); res.StatusCode != 200 {
		t.Errorf("parameters are checked when it runs: %d %s", res.StatusCode, res.Text)
	}
	if res := price("POST", "/graphql", `{"query": "{ nothing }"}`); !strings.Contains(res.Text, "GRAPHQL_VALIDATION_FAILED") {
		t.Errorf("%d %s", res.StatusCode, res.Text)
	}
	if got := usageOf(t, a, fixture.All); got != "2: /graphql:candles 2" {
		t.Error(got)
	}
}

// Each route has a price.
func TestRoutesHavePrices(t *testing.T) {
	a, own := planned(t, access.Plan{Bucket: 1000, RefillPerSec: 1})
	for _, twin := range fixture.Counterparts {
		res := a.Send("GET", twin.Path, own, "", "X-Price-Only", "true")
		if asked, _, _ := costOf(t, res); asked <= 600 && twin.Pattern != "/v1/logos/{id}" {
			t.Errorf("%s costs %d", twin.Path, asked)
		}
	}
}

// A refusal says how long lists may be: one row more would be too many.
func TestWhatFits(t *testing.T) {
	a, own := planned(t, access.Plan{Bucket: 100, RefillPerSec: 1, CostPerDocument: 2_800})
	ids := slices.Repeat([]string{`"bist:DMOST"`}, 100)
	for name, document := range map[string]func(rows int) string{
		"ids": func(rows int) string {
			return `{ quotes(ids: [` + strings.Join(ids[:rows], ",") + `]) { quotes { instrument { dividends(first: 9) { exDate } } } } }`
		},
		"rows": func(rows int) string {
			return fmt.Sprintf(`{ instruments(limit: %d) { instruments { name symbol market currency unit region slug session { open } } } }`, rows*100)
		},
	} {
		res := a.Query(document(100), own)
		var fits int
		if _, said, _ := strings.Cut(res.Text, "it fits with at most "); said == "" {
			t.Fatal(name, res.Text)
		} else if _, err := fmt.Sscan(said, &fits); err != nil || fits < 1 {
			t.Fatal(name, said)
		}
		if name == "rows" {
			continue // by the hundred
		}
		if res := a.Query(document(fits), own); strings.Contains(res.Text, "COMPLEXITY_LIMIT") {
			t.Errorf("%s: %d: %s", name, fits, res.Text)
		}
		if res := a.Query(document(fits+1), own); !strings.Contains(res.Text, "COMPLEXITY_LIMIT") {
			t.Errorf("%s: %d fit, too", name, fits+1)
		}
	}
	if res := a.Query(thousandBars, own); !strings.Contains(res.Text, "ask for fewer fields or days") {
		t.Log(res.Text)
	}
}

// CSV costs what columns cost, which is less than bars.
func TestCostOfTables(t *testing.T) {
	a, own := planned(t, access.Plan{Bucket: 1000, RefillPerSec: 1})
	asked := func(path string) int {
		n, _, _ := costOf(t, a.Send("GET", path, own, "", "X-Price-Only", "true"))
		return n
	}
	const path = "/v1/candles/bist:DMOST?from=2020-01-01"
	if json, csv := asked(path), asked(path+"&format=csv"); csv*3 > json || csv < json/12 {
		t.Errorf("JSON costs %d, CSV %d", json, csv)
	}
	if csv, dialect := asked(path+"&format=csv"), asked(path+"&dialect=excel-tr"); csv != dialect {
		t.Errorf("CSV costs %d, and in a dialect %d", csv, dialect)
	}
}

// What a plan does not allow is refused before it runs.
func TestPlansOfDocuments(t *testing.T) {
	for name, c := range map[string]struct {
		plan           access.Plan
		passes, fails  string
		code, mentions string
	}{
		"cost": {
			access.Plan{Bucket: 100, RefillPerSec: 1, CostPerDocument: 700}, `{ quote(id: "bist:DMOST") { last } }`, thousandBars,
			"COMPLEXITY_LIMIT_EXCEEDED", "exceeds the limit of 700",
		},
		"depth": {
			access.Plan{Bucket: 100, RefillPerSec: 1, Depth: 2},
			`{ quote(id: "bist:DMOST") { last } __schema { types { fields { name } } } }`,
			`query { quote(id: "bist:DMOST") { ...deep } } fragment deep on Quote { instrument { name } }`,
			"GRAPHQL_VALIDATION_FAILED", "3 nested fields (its depth); the plan of this key allows 2",
		},
		"introspection": {
			access.Plan{Bucket: 100, RefillPerSec: 1, NoIntrospection: true}, `{ __typename quote(id: "bist:DMOST") { __typename } }`,
			`{ __type(name: "Quote") { name } }`,
			"FORBIDDEN", "does not allow introspection",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, own := planned(t, c.plan)
			follow(t, a)
			if res := a.Query(c.passes, own); strings.Contains(res.Text, `"errors"`) {
				t.Error(res.Text)
			}
			if res := a.Query(c.fails, own); !strings.Contains(res.Text, c.code) || !strings.Contains(res.Text, c.mentions) {
				t.Error(res.Text)
			}
			if res := a.Query(c.fails, fixture.All); strings.Contains(res.Text, `"errors"`) {
				t.Error("another plan:", res.Text)
			}
			if res := a.Query(c.fails, own); !strings.Contains(res.Text, c.code) {
				t.Error("after a key of another plan had the answer:", res.Text)
			}
		})
	}
}
