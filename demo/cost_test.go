package demo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/serve/server"
	"piyasa/services"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// served returns a server over all of the demonstration's data, whose key has no limits but
// that of a document.
func served(tb testing.TB) *server.Server {
	tb.Helper()
	store, err := db.Open(tb.Context(), "sqlite:"+filepath.Join(tb.TempDir(), "demo.db"))
	need.NoError(tb, err)
	tb.Cleanup(func() { _ = store.Close() })
	at := value.MustInstant("2026-03-18T12:00:00Z")
	clock := func() value.Instant { return at }
	if _, err := ingest.Run(tb.Context(), store, ingest.Options{
		Paths: []string{ingest.Stdin}, Stdin: bytes.NewReader(New(clock).Records()), Messages: new(bytes.Buffer), Now: clock,
	}); err != nil {
		tb.Fatal(err)
	}
	settings := fixture.Settings()
	settings.Clock = clock
	root := services.New(settings, store)
	fixture.Apply(tb, root)
	root.Gate.Replace([]*access.Key{fixture.Unlimited()})
	return server.New(server.Config{Services: root})
}

// documents ask for everything, each for one thing: root fields, and relations of many
// instruments.
func documents() (all []string) {
	var ids []string
	for _, sector := range sectorTable {
		for _, member := range sector.stocks {
			ids = append(ids, "bist:"+member.symbol)
		}
	}
	list := `"` + strings.Join(ids[:min(len(ids), 20)], `", "`) + `"`
	for _, twin := range fixture.Counterparts {
		if !strings.HasPrefix(twin.Path, "/v1/usage") {
			all = append(all, twin.Field+" "+fixture.Selection(fixture.RootField(twin.Field).Type.Name()))
		}
	}
	for _, relation := range []string{
		"quote { last change changePct volume }", `candles(from: "2024-03-18") { bars { t open high low close volume } }`,
		`candles(from: "2024-03-18") { columns { t close } }`,
		"indices { code name }", "indicators { values { indicator value } }",
		"indicators(indicators: [SMA, RSI, MACD]) { values { indicator value } }",
		"indicators(indicators: [SMA, RSI, MACD]) { series(last: 200) { indicator t value nullReason } }",
		"periodic { windows { window changePct } }", "valuation { peRatio { value } pbRatio { value } }",
		"financials(limit: 8) { periods { items { code value labelTr } } }",
		"dividends { exDate }", "disclosures(first: 20) { disclosureIndex summary { tr } }", "holders(first: 20) { name weightPct }",
		"logo { url }", "sectorInfo { name }",
	} {
		all = append(all, `watchlist(ids: [`+list+`]) { `+relation+` }`)
	}
	return all
}

// asked answers a document that nobody has asked before, and returns what it cost; no body
// for one that asks for what there is not.
func asked(tb testing.TB, s http.Handler, document string, n int) (cost int, body []byte) {
	tb.Helper()
	text, _ := json.Marshal(map[string]string{"query": fmt.Sprintf("{ %s } #%d", document, n)})
	r := httptest.NewRequestWithContext(tb.Context(), http.MethodPost, "/graphql", bytes.NewReader(text))
	r.Header.Set("X-API-Key", fixture.All)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	var answer struct {
		Extensions struct{ Cost access.Cost }
		Errors     []struct{ Message string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK ||
		strings.HasPrefix(w.Body.String(), `{"errors":[{"message":"Cannot`) {
		tb.Fatalf("%.300s: %d %.300s", document, w.Code, w.Body)
	}
	if len(answer.Errors) > 0 {
		return 0, nil
	}
	return answer.Extensions.Cost.Asked, w.Body.Bytes()
}

// leaves counts the values of an answer.
func leaves(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		for _, below := range v {
			n += leaves(below)
		}
	case []any:
		for _, below := range v {
			n += leaves(below)
		}
	default:
		return 1
	}
	return n
}

// Nothing is written for less than a tenth of its price.
func TestAnswersHaveTheirPrice(t *testing.T) {
	s, answered := served(t), 0
	for _, document := range documents() {
		cost, body := asked(t, s, document, 0)
		if body == nil {
			continue
		}
		answered++
		var answer map[string]any
		need.NoError(t, json.Unmarshal(body, &answer))
		if n := leaves(answer["data"]); n > 10*(cost-600) {
			t.Errorf("%.200s costs %d, and has %d values", document, cost, n)
		}
	}
	if answered < 30 {
		t.Errorf("only %d documents were answered", answered)
	}
}

// BenchmarkCostIsWork compares what documents cost with the time that they take: spread is
// how many times as long what is cheapest for its work takes as what is dearest, which is
// mostly a list that is shorter than it might be.
func BenchmarkCostIsWork(b *testing.B) {
	s := served(b)
	type measured struct {
		each     float64 // nanoseconds for a cost of 1
		document string
		cost     int
	}
	var all []measured
	n := 0
	for b.Loop() {
		all = all[:0]
		for _, document := range documents() {
			least, cost := time.Duration(math.MaxInt64), 0
			for range 15 {
				n++
				began := time.Now()
				cost, _ = asked(b, s, document, n)
				least = min(least, time.Since(began))
			}
			if cost == 0 {
				continue
			}
			all = append(all, measured{float64(least.Nanoseconds()) / float64(cost), document, cost})
		}
	}
	slices.SortFunc(all, func(x, y measured) int { return cmp.Compare(y.each, x.each) })
	for _, m := range all[:8] {
		b.Logf("%6.1f ns × %6d  %.60s … %s", m.each, m.cost, m.document, m.document[max(0, len(m.document)-60):])
	}
	b.ReportMetric(all[0].each/all[len(all)-1].each, "spread")
}
