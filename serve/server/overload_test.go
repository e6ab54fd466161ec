package server_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/news"
	"piyasa/services"
	"piyasa/test/fixture"
)

// stuck is a store whose news are not answered until the test ends.
type stuck struct {
	services.Store
	asked chan struct{}
	ended chan struct{}
}

// News implements news.Store.
func (s stuck) News(ctx context.Context, _ news.Query) ([]*news.Stored, error) {
	s.asked <- struct{}{}
	select {
	case <-s.ended:
	case <-ctx.Done():
	}
	return nil, ctx.Err()
}

// Asked for more than it can do, a server refuses what is heavy at once, with what was paid
// given back, and goes on with what is light.
func TestOverload(t *testing.T) {
	store := stuck{asked: make(chan struct{}, 10_000), ended: make(chan struct{})}
	a := fixture.New(t, func(s *fixture.Setup) {
		s.Settings.Plans["own"] = access.Plan{Bucket: 1000, RefillPerSec: 1, Work: 100_000_000, WorkPerSec: 0.001}
		s.Wrap = func(whole services.Store) services.Store {
			store.Store = whole
			return store
		}
	})
	own := fixture.Key("piyasa_live_own", access.Scopes...)
	own.Plan = "own"
	a.Keys(own)
	heavy := `{` + strings.Repeat(` x0: news(limit: 100) { items { newsId title } }`, 1)
	for i := range 15 {
		heavy += strings.Replace(` x: news(limit: 100) { items { newsId title } }`, "x", "x"+string(rune('a'+i)), 1)
	}
	heavy += ` }`
	before, granted, left := costOf(t, a.Send("POST", "/graphql", own.ID, `{"query": "`+heavy+`"}`, "Content-Type", "application/json",
		"X-Price-Only", "true"))
	if before < 20_000 || granted != access.BaseCost {
		t.Fatalf("it costs %d", before)
	}
	var wg sync.WaitGroup
	const all = 200
	refused := make(chan fixture.Answer, all)
	for range all {
		wg.Go(func() {
			if res := a.Query(heavy, own.ID); res.StatusCode != 200 {
				refused <- res
			}
		})
	}
	res := <-refused // while the first ones are still at work
	res.WantProblem(t, 503, "overloaded")
	if res.Header.Get("Retry-After") == "" || res.Header.Get("X-Usage-Units") == "1" {
		t.Error(res.Header)
	}
	if light := a.Get("/v1/quotes/bist:DMOST", own.ID); light.StatusCode != 200 {
		t.Errorf("a light one: %d %s", light.StatusCode, light.Text)
	}
	metrics := httptest.NewRecorder()
	a.Metrics().ServeHTTP(metrics, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if !strings.Contains(metrics.Body.String(), `piyasa_refused_total{key="piyasa_live_own",kind="overloaded"}`) {
		t.Error("the metrics know nothing of it")
	}
	close(store.ended)
	wg.Wait()
	ran := all - len(refused) - 1
	_, _, now := costOf(t, a.Query(`{ marketStatus { state } }`, own.ID))
	spent := left.(float64) - now.(float64)
	if want := float64(ran*before + (all-ran)*access.BaseCost + 600 + 602); spent < want-1000 || spent > want+1000 {
		t.Errorf("%d of %d ran, and %.0f was spent, want %.0f", ran, all, spent, want)
	}
}

// Heavy requests that wait for a store that hangs give their places away: what memory can
// answer goes on, heavy or light. With the store, everything comes back.
func TestHeavyRequestsWhileTheStoreHangs(t *testing.T) {
	store := stuck{asked: make(chan struct{}, 10_000), ended: make(chan struct{})}
	a := fixture.New(t, func(s *fixture.Setup) {
		s.Wrap = func(whole services.Store) services.Store {
			store.Store = whole
			return store
		}
	})
	a.Keys(fixture.Unlimited())
	of := func(n int, field string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, " x%d: %s", i, field)
		}
		return "{" + b.String() + " }"
	}
	hanging, fromMemory := of(16, "news(limit: 100) { items { newsId title } }"),
		of(4, "instruments(limit: 500) { instruments { symbol name market currency quote { last open high low bid ask "+
			"volume turnover } } }")
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() { a.Query(hanging, fixture.All) })
	}
	fixture.Eventually(t, "all turns to be taken", func() bool {
		metrics := httptest.NewRecorder()
		a.Metrics().ServeHTTP(metrics, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
		return strings.Contains(metrics.Body.String(), fmt.Sprintf("piyasa_work_running{lane=\"heavy\"} %d\n", runtime.GOMAXPROCS(0)))
	})
	if heavy := a.Query(fromMemory, fixture.All); heavy.StatusCode != 200 {
		t.Errorf("a heavy one: %d %s", heavy.StatusCode, heavy.Text)
	}
	if light := a.Query(`{ instruments(limit: 5) { instruments { symbol quote { last } } } }`, fixture.All); light.StatusCode != 200 {
		t.Errorf("a light one: %d %s", light.StatusCode, light.Text)
	}
	close(store.ended)
	wg.Wait()
	if res := a.Query(fromMemory, fixture.All); res.StatusCode != 200 {
		t.Errorf("when the store is back: %d %s", res.StatusCode, res.Text)
	}
}
