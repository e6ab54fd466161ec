package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/account/access"
	"piyasa/internal/value"
	"piyasa/services"
	"piyasa/test/fixture"
)

// usageOf returns what a key has used, as the API reports it.
func usageOf(t *testing.T, a *fixture.Server, key string) string {
	t.Helper()
	res := a.Get("/v1/usage", key)
	if res.StatusCode != 200 || res.Header.Get("X-Usage-Units") != "0" {
		t.Fatalf("%d %s", res.StatusCode, res.Text)
	}
	text := fmt.Sprint(res.JSON["units"], ":")
	for _, o := range res.JSON["operations"].([]any) {
		o := o.(map[string]any)
		text += fmt.Sprint(" ", o["operation"], " ", o["units"])
	}
	return text
}

// MT-01 to MT-08: what is shown as the cost of a request is what is metered, under its
// route, or the root fields of its document.
func TestUsage(t *testing.T) {
	for _, c := range []struct {
		name string
		ask  func(a *fixture.Server) fixture.Answer
		want string
	}{
		{"a quote", func(a *fixture.Server) fixture.Answer {
			return a.Get("/v1/quotes/bist:DMOST", fixture.All)
		}, "1: /v1/quotes/{instrument_id} 1"},
		{"several valuations", func(a *fixture.Server) fixture.Answer {
			return a.Get("/v1/valuation?ids=bist:DMOST,bist:DMBNK,bist:NOPE", fixture.All)
		}, "3: /v1/valuation 3"},
		{"not found", func(a *fixture.Server) fixture.Answer { return a.Get("/v1/quotes/bist:NOPE", fixture.All) }, "0:"},
		{"no such path", func(a *fixture.Server) fixture.Answer { return a.Get("/v1/nothing", fixture.All) }, "0:"},
		{"a legacy path", func(a *fixture.Server) fixture.Answer {
			return a.Get("/v1/kap/disclosures", fixture.All)
		}, "1: /v1/kap/disclosures 1"},
		{"GraphQL", func(a *fixture.Server) fixture.Answer {
			return a.Query(`{ a: quote(id: "bist:DMOST") { last } b: quote(id: "bist:DMALT") { last } marketStatus { state } bad: quote(id: "bist:NOPE") { last } }`, fixture.All)
		}, "3: /graphql:marketStatus 1 /graphql:quote 2"},
		{"relations", func(a *fixture.Server) fixture.Answer {
			return a.Query(`{ watchlist(ids: ["bist:DMOST", "bist:DMBNK"]) { valuation { instrumentId } } }`, fixture.All)
		}, "3: /graphql:watchlist 3"},
		{"a refused document", func(a *fixture.Server) fixture.Answer { return a.Query(`{ nothing }`, fixture.All) }, "0:"},
		{"a stream token", func(a *fixture.Server) fixture.Answer { return a.Get("/v1/stream-token", fixture.All) }, "0:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := fixture.New(t)
			c.ask(a)
			if got := usageOf(t, a, fixture.All); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if got := usageOf(t, a, fixture.None); got != "0:" {
				t.Errorf("another key: %s", got)
			}
		})
	}
}

// Answers that come from memory cost what they cost first, a 304 one unit.
func TestUsageOfAnswersAgain(t *testing.T) {
	a := followed(t)
	const query = `{ quote(id: "bist:DMOST") { last } marketStatus { state } }`
	tag := ""
	for range 3 {
		a.Query(query, fixture.All)
		tag = a.Get("/v1/quotes/bist:DMOST", fixture.All).Header.Get("ETag")
	}
	if res := a.Send("GET", "/v1/quotes/bist:DMOST", fixture.All, "", "If-None-Match", tag); res.StatusCode != 304 {
		t.Fatal(res.StatusCode)
	}
	byGet := "/graphql?query=" + url.QueryEscape(query)
	tag = a.Get(byGet, fixture.All).Header.Get("ETag")
	if res := a.Send("GET", byGet, fixture.All, "", "If-None-Match", tag); res.StatusCode != 304 {
		t.Fatal(res.StatusCode)
	}
	if got, want := usageOf(t, a, fixture.All),
		"13: /graphql 1 /graphql:marketStatus 4 /graphql:quote 4 /v1/quotes/{instrument_id} 4"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// RL-05, G-18.
func TestQuota(t *testing.T) {
	a := fixture.New(t, func(s *fixture.Setup) {
		s.Settings.Plans["few"] = access.Plan{Bucket: 100, RefillPerSec: 1, UnitsPerMonth: 2}
	})
	few := fixture.Key("piyasa_live_few", access.Scopes...)
	few.Plan = "few"
	a.Keys(few, fixture.Key(fixture.All, access.Scopes...))
	for _, path := range []string{"/v1/quotes/bist:DMOST", "/v1/quotes/bist:NOPE", "/v1/quotes/bist:DMOST"} {
		if res := a.Get(path, few.ID); res.StatusCode == 429 {
			t.Fatalf("%s: %s", path, res.Text)
		}
	}
	res := a.Get("/v1/quotes/bist:DMOST", few.ID)
	res.WantProblem(t, 429, "quota-exceeded")
	if got := res.Header.Get("Retry-After"); got != "1166400" { // from 18 March, noon, to 1 April
		t.Error(got)
	}
	if res.Header.Get("X-RateLimit-Remaining") != "96" || res.Header.Get("X-Usage-Units") != "0" {
		t.Error(res.Header)
	}
	if res := a.Query(`{ marketStatus { state } }`, few.ID); res.StatusCode != 429 || !strings.Contains(res.Text, "quota-exceeded") {
		t.Error(res.StatusCode, res.Text)
	}
	if got, want := usageOf(t, a, few.ID), "2: /v1/quotes/{instrument_id} 2"; got != want { // it costs nothing
		t.Errorf("%s, want %s", got, want)
	}
	if res := a.Get("/v1/quotes/bist:DMOST", fixture.All); res.StatusCode != 200 {
		t.Error("another key:", res.StatusCode)
	}
}

// A key learns how many requests it sent in the last minute, an operator's what all did.
func TestRequestRates(t *testing.T) {
	now := fixture.Now
	a := fixture.New(t, func(s *fixture.Setup) {
		s.Settings.Clock = func() value.Instant { return now }
		s.Settings.Plans["two"] = access.Plan{Bucket: 2, RefillPerSec: 0.001}
		s.Config.Batch = 3
	})
	few, operator := fixture.Key("piyasa_live_few"), fixture.Key("piyasa_live_operator", access.Operate)
	few.Plan = "two"
	a.Keys(few, operator, fixture.Key(fixture.All, access.Scopes...))
	later := func(seconds int) { now = now.Add(time.Duration(seconds) * time.Second) }
	want := func(key, own, all string) {
		t.Helper()
		res := a.Get("/v1/usage?month=2026-01", key)
		got := struct {
			Own json.RawMessage `json:"request_rate"`
			All json.RawMessage `json:"request_rate_of_all"`
		}{}
		if err := json.Unmarshal([]byte(res.Text), &got); err != nil || string(got.Own) != own || string(got.All) != all {
			t.Errorf("%s: %s; want %s and %s", key, res.Text, own, all)
		}
	}
	const none = `{"requests":0,"rate_limited":0,"per_second":"0"}`
	want(operator.ID, none, none)
	for range 4 {
		a.Get("/v1/quotes/bist:NOPE", few.ID)
	}
	a.Query(`{ marketStatus { state } }`, fixture.All)
	batch := httptest.NewRequest("POST", "/graphql",
		strings.NewReader(`[{"query":"{ marketStatus { state } }"},{"query":"{ marketStatus { state } }"}]`))
	batch.Header = http.Header{"X-Api-Key": {fixture.All}, "Content-Type": {"application/json"}}
	a.ServeHTTP(httptest.NewRecorder(), batch)
	a.Get("/v1/usage", "unknown key")
	later(1)
	want(fixture.All, `{"requests":3,"rate_limited":0,"per_second":"0.05"}`, "null")
	want(operator.ID, `{"requests":1,"rate_limited":0,"per_second":"0.02"}`, `{"requests":8,"rate_limited":2,"per_second":"0.13"}`)
	later(60)
	// what asked for usage
	want(operator.ID, `{"requests":1,"rate_limited":0,"per_second":"0.02"}`, `{"requests":2,"rate_limited":0,"per_second":"0.03"}`)
	later(1)
	if got := fmt.Sprint(a.Data(`{ usage { requestRate { requests rateLimited perSecond } requestRateOfAll { requests } } }`,
		operator.ID)["usage"]); got != "map[requestRate:map[perSecond:0.02 rateLimited:0 requests:1] requestRateOfAll:map[requests:1]]" {
		t.Error(got)
	}
	for _, back := range []int{-3, -600, 600} { // a clock that goes back loses counts, and counts on
		later(back)
		a.Get("/v1/usage", fixture.All)
	}
	later(1)
	want(fixture.All, `{"requests":1,"rate_limited":0,"per_second":"0.02"}`, "null")
}

// What a request will be charged is held before it runs, so that requests that come together
// cross the quota by no more than one of them alone. What ends without an answer gives it back.
func TestQuotaOfDearRequests(t *testing.T) {
	const (
		quota, burst = 100, 30
		document     = `{ news(limit: 1) { items { newsId } } watchlist(ids: [\"bist:DMOST\", \"bist:DMALTF\"]) { ` +
			`a: candles(from: \"2026-03-01\") { count } b: candles(from: \"2026-03-02\") { count } c: candles(from: \"2026-03-03\") { count } ` +
			`d: candles(from: \"2026-03-04\") { count } e: candles(from: \"2026-03-05\") { count } f: candles(from: \"2026-03-06\") { count } ` +
			`g: candles(from: \"2026-03-07\") { count } h: candles(from: \"2026-03-08\") { count } i: candles(from: \"2026-03-09\") { count } ` +
			`j: candles(from: \"2026-03-10\") { count } k: candles(from: \"2026-03-11\") { count } l: candles(from: \"2026-03-12\") { count } ` +
			`m: candles(from: \"2026-03-13\") { count } n: candles(from: \"2026-03-14\") { count } o: candles(from: \"2026-03-15\") { count } ` +
			`p: candles(from: \"2026-03-16\") { count } } }`
		dear = 1 + 1 + 2*16
	)
	post := func(path, body string, header ...string) func(*fixture.Server, string) {
		return func(a *fixture.Server, key string) {
			r := httptest.NewRequestWithContext(t.Context(), "POST", path, strings.NewReader(body))
			for i, h := 0, append([]string{"X-API-Key", key, "Content-Type", "application/json"}, header...); i < len(h); i += 2 {
				r.Header.Set(h[i], h[i+1])
			}
			a.ServeHTTP(httptest.NewRecorder(), r)
		}
	}
	for name, ask := range map[string]func(a *fixture.Server, key string){
		"GraphQL": post("/graphql", `{"query":"`+document+`"}`),
		"arrays":  post("/graphql", `[{"query":"`+document+`"},{"query":"`+document+`"}]`),
		"events":  post("/graphql", `{"query":"`+document+`"}`, "Accept", fixture.EventStream),
		"agents": post("/mcp",
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"graphql","arguments":{"query":"`+document+`"}}}`,
			"Accept", "application/json, "+fixture.EventStream),
		"sockets": func(a *fixture.Server, key string) {
			s := httptest.NewServer(a.Server)
			defer s.Close()
			dialer := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}}
			ws, _, err := dialer.Dial("ws"+strings.TrimPrefix(s.URL, "http")+"/graphql", nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer ws.Close()
			for _, text := range []string{
				`{"type":"connection_init","payload":{"X-API-Key":"` + key + `"}}`,
				`{"id":"1","type":"subscribe","payload":{"query":"` + document + `"}}`,
			} {
				_ = ws.WriteMessage(websocket.TextMessage, []byte(text))
			}
			for end := false; !end && err == nil; {
				var text []byte
				_, text, err = ws.ReadMessage()
				end = strings.Contains(string(text), `"complete"`) || strings.Contains(string(text), `"error"`)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := stuck{asked: make(chan struct{}, 10_000), ended: make(chan struct{})}
			a := fixture.New(t, func(s *fixture.Setup) {
				s.Settings.Plans["few"] = access.Plan{Bucket: 1000, RefillPerSec: 1, UnitsPerMonth: quota}
				s.Config.Batch = 2
				s.Wrap = func(whole services.Store) services.Store {
					store.Store = whole
					return store
				}
			})
			few := fixture.Key("piyasa_live_few", access.Scopes...)
			few.Plan = "few"
			a.Keys(few)
			var asking sync.WaitGroup
			var refused atomic.Int64
			for range burst {
				asking.Go(func() {
					ask(a, few.ID)
					refused.Add(1)
				})
			}
			fixture.Eventually(t, "all to be at work or refused", func() bool { return int(refused.Load())+len(store.asked) >= burst })
			res := a.Get("/v1/quotes/bist:DMOST", few.ID)
			res.WantProblem(t, 429, "quota-exceeded")
			if res.Header.Get("Retry-After") != "1" || !strings.Contains(res.Text, "at work") {
				t.Error("while they are at work:", res.Header.Get("Retry-After"), res.Text)
			}
			close(store.ended)
			asking.Wait()
			used, _, _ := strings.Cut(usageOf(t, a, few.ID), ":")
			if n, err := strconv.Atoi(used); err != nil || n < quota-dear || n >= quota+dear {
				t.Errorf("%s units were used of %d", used, quota)
			}
		})
	}
}

// slowReader is a client that takes no answer but a refusal before it is asked to.
type slowReader struct {
	*httptest.ResponseRecorder
	answered chan int
	takes    chan struct{}
}

// WriteHeader implements http.ResponseWriter.
func (s slowReader) WriteHeader(status int) {
	s.answered <- status
	if status == http.StatusOK {
		<-s.takes
	}
	s.ResponseRecorder.WriteHeader(status)
}

// What REST charges by the row, and answers that are given again, are held for until their
// clients have them; what fails is not charged.
func TestQuotaOfDearAnswers(t *testing.T) {
	ids := "bist:DMOST"
	for i := range 19 {
		ids += fmt.Sprint(",bist:NONE", i)
	}
	for name, target := range map[string]string{
		"REST": "/v1/valuation?ids=" + ids,
		"GraphQL": "/graphql?query=" +
			url.QueryEscape(`{ valuations(ids: ["`+strings.ReplaceAll(ids, ",", `","`)+`"]) { notFound { id } } }`),
	} {
		t.Run(name, func(t *testing.T) {
			a := followed(t, func(s *fixture.Setup) {
				s.Settings.Plans["few"] = access.Plan{Bucket: 1000, RefillPerSec: 1, UnitsPerMonth: 70}
			})
			few := fixture.Key("piyasa_live_few", access.Scopes...)
			few.Plan = "few"
			a.Keys(few)
			for range 4 {
				a.Get("/v1/valuation?ids=bist:A,"+ids+",crypto:1", few.ID)
				a.Get("/v1/dividends?limit=1000&symbols=,", few.ID)
			}
			a.Get(target, few.ID)
			const burst = 20
			answered, takes := make(chan int, burst), make(chan struct{})
			var asking sync.WaitGroup
			for range burst {
				asking.Go(func() {
					r := httptest.NewRequestWithContext(t.Context(), "GET", target, nil)
					r.Header.Set("X-API-Key", few.ID)
					a.ServeHTTP(slowReader{httptest.NewRecorder(), answered, takes}, r)
				})
			}
			refused := 0
			for range burst {
				if <-answered == http.StatusTooManyRequests {
					refused++
				}
			}
			close(takes)
			asking.Wait()
			used, _, _ := strings.Cut(usageOf(t, a, few.ID), ":")
			if n, err := strconv.Atoi(used); err != nil || n < 60 || n >= 90 || refused < burst-3 {
				t.Errorf("%s units were used of 70, and %d requests refused", used, refused)
			}
		})
	}
}
