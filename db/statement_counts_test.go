package db_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/serve/server"
	"piyasa/services"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// counting is a server over a store that tells its reading statements.
type counting struct {
	t          testing.TB
	handler    *server.Server
	reopen     func() // the store, which has then read nothing
	forget     func() // what the server has kept
	mu         sync.Mutex
	statements []string
}

// How many companies there are, in how many sectors.
const (
	countedCompanies = 120
	countedSectors   = 12
)

// newCounting has companies with a statement, some days, metrics and
// dividends.
func newCounting(t testing.TB, url string) *counting {
	c := &counting{t: t}
	store := open(t, url)
	d := value.MustDecimal
	var instruments []*market.Instrument
	var metrics []*fundamentals.Metrics
	var observations []*market.Observation
	sectors := make([]*market.Sector, countedSectors)
	for i := range sectors {
		sectors[i] = &market.Sector{Code: fmt.Sprintf("s%02d", i), Name: "S"}
	}
	b := new(db.Batch)
	for i := range countedCompanies {
		in := stock(fmt.Sprintf("S%03d", i))
		id := in.InstrumentID
		instruments = append(instruments, in)
		sectors[i%countedSectors].Members = append(sectors[i%countedSectors].Members, id)
		observations = append(observations, price(id, "2026-03-18T11:45:00Z", fmt.Sprint(100+i)))
		m := &fundamentals.Metrics{InstrumentID: id, Date: value.MustDate("2026-03-17"), MarketCap: d("1000000"),
			PeRatio: d(fmt.Sprint(5 + i)), AsOf: fixture.Now}
		metrics = append(metrics, m)
		instruments = append(instruments, &market.Instrument{InstrumentID: market.FundID(in.Symbol), Symbol: in.Symbol, Name: in.Symbol,
			Market: market.Fund, AssetType: market.FundUnit, Currency: "TRY"})
		db.Put(b, holding(in.Symbol, "2026-02", id, "1"), new(db.Outcome))
		db.Put(b, in, new(db.Outcome))
		db.Put(b, m, new(db.Outcome))
		db.Put(b, &fundamentals.DividendRecord{InstrumentID: id, ExDate: value.MustDate("2026-04-01"), GrossPerShare: d("1"),
			Currency: "TRY"}, new(db.Outcome))
		db.Put(b, &fundamentals.Statement{
			Heading: fundamentals.Heading{
				InstrumentID: id, FiscalYear: 2025, FiscalMonth: 12, Currency: "TRY", EndDate: value.MustDate("2025-12-31"),
				Basis:    fundamentals.InflationAdjusted,
				Template: fundamentals.Industrial, FiledAt: fixture.Now,
			},
			Items: []fundamentals.Item{{Line: fundamentals.Line{Code: "2O", LabelTr: "Özkaynak", Group: fundamentals.BalanceSheet,
				Kind: fundamentals.Stock}, Value: d("500000")}},
		}, new(db.Outcome))
		for day := range 5 {
			db.Put(b, &market.Bar{InstrumentID: id, Resolution: market.Day, T: value.MustDate("2026-03-13").AddDays(day).TurkeyStart(),
				Close: d(fmt.Sprint(100 + i + day))}, new(db.Outcome))
		}
	}
	need.NoError(t, store.Store(t.Context(), b))
	var watched *db.Store
	c.reopen = func() {
		watched = open(t, url).Watched(func(statement string) {
			if statement == "BEGIN" || statement == "COMMIT" || strings.Contains(statement, `FROM "heads"`) {
				return // the frame of a read of one moment
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			c.statements = append(c.statements, statement)
		})
	}
	c.forget = func() {
		root := services.New(fixture.Settings(), watched)
		root.Market.Live.PutCatalog(instruments, nil)
		root.Market.Live.PutSectors(sectors)
		root.Market.Live.PutQuotes(observations)
		root.Fundamentals.Live.PutMetrics(metrics)
		root.Fundamentals.Histories.Forget(0)
		root.Gate.Replace([]*access.Key{fixture.Unlimited()})
		c.handler = server.New(server.Config{Services: root})
	}
	c.reopen()
	c.forget()
	return c
}

// ids returns those of the first companies.
func (c *counting) ids(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("bist:S%03d", i)
	}
	return all
}

// ask sends a request and returns the statements it took.
func (c *counting) ask(method, target, body string) []string {
	c.t.Helper()
	c.mu.Lock()
	c.statements = nil
	c.mu.Unlock()
	r := httptest.NewRequestWithContext(c.t.Context(), method, target, strings.NewReader(body))
	r.Header.Set("X-API-Key", fixture.All)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	if text := w.Body.String(); w.Code != 200 || strings.Contains(text, `"errors"`) {
		c.t.Fatalf("%s %s: %d %.500s", method, target, w.Code, text)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.statements)
}

// query is ask for a document.
func (c *counting) query(document string) []string {
	c.t.Helper()
	body, err := json.Marshal(map[string]string{"query": document})
	need.NoError(c.t, err)
	return c.ask("POST", "/graphql", string(body))
}

// attempts are enough for one in which no batch leaves before its last sibling
// has asked, as happens on a busy machine.
const attempts = 25

// fewest returns how many statements a document takes at least, and those of the
// last attempt; before is called ahead of each.
func (c *counting) fewest(expected int, document string, before func()) (n int, last []string) {
	n = math.MaxInt
	for i := 0; i < attempts && n != expected; i++ {
		before()
		last = c.query(document)
		n = min(n, len(last))
	}
	return n, last
}

// A watchlist of 100 costs as many statements as one of 10, whatever it asks
// for, and a list of sectors as many as one sector.
func TestStatementsOfEdges(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		c := newCounting(t, url)
		c.query(`{ valuation(id: "bist:S000") { currency } }`) // reads the lines of statements, which a store reads once
		for _, e := range []struct {
			edges      string
			cold, warm int
		}{
			{"quote { last } valuation { peRatio { value } } dividends { exDate }", 2, 1},
			{"valuation { pbRatio { value } }", 1, 0},
			{"financials { count }", 1, 0},
			{"periodic { count }", 1, 0},
			{"indicators { count }", 1, 0},
			{"indicators(indicators: [SMA]) { count }", 1, 1},
			{"indicators(resolution: M5) { count }", 1, 1},
			{"indicators { series(last: 5) { value } }", 2, 1},
			{"indicators(indicators: [SMA]) { series(last: 5) { value } }", 1, 1},
			{"valuationHistory { count }", 1, 1},
			{"dividends(first: 3) { exDate instrument { name } }", 1, 1},
			{"sectorInfo { valuation { memberCount } }", 1, 0},
			{"sectorInfo { returns { count } }", 1, 1},
			{"quote { last } periodic { count } candles { count } valuation { currency } dividends { exDate }", 4, 1},
		} {
			most := 100
			if strings.Contains(e.edges, "series(") { // of which no plan allows as many
				most = 50
			}
			for _, n := range []int{10, most} {
				document := `{ watchlist(ids: ["` + strings.Join(c.ids(n), `", "`) + `"]) { instrumentId ` + e.edges + " } }"
				if got, statements := c.fewest(e.cold, document, c.forget); got != e.cold {
					t.Errorf("%d of %s: %d statements, want %d:\n%s", n, e.edges, got, e.cold, shortened(statements))
				}
				if got, statements := c.fewest(e.warm, document, func() {}); got != e.warm {
					t.Errorf("%d of %s again: %d statements, want %d:\n%s", n, e.edges, got, e.warm, shortened(statements))
				}
			}
		}
		for _, n := range []int{10, 100} {
			ids := strings.ReplaceAll(strings.Join(c.ids(n), `", "`), "bist:", "fund:")
			document := `{ watchlist(ids: ["` + ids + `"]) { holdings { instrument { holders { fundCode } } } } }`
			if got, statements := c.fewest(2, document, c.forget); got != 2 {
				t.Errorf("%d funds: %d statements:\n%s", n, got, shortened(statements))
			}
		}
		for edges, want := range map[string]int{
			"valuation { memberCount peRatio { median } } returns { count }":                                   2,
			"members(first: 100) { instrument { valuation { peRatio { value } } } } valuation { memberCount }": 2,
		} {
			document := "{ sectors { sectors { code " + edges + " } } }"
			if got, statements := c.fewest(want, document, c.forget); got > want {
				t.Errorf("sectors { %s }: %d statements, want %d:\n%s", edges, got, want, shortened(statements))
			}
		}
	})
}

// shortened returns the start of each statement.
func shortened(statements []string) string {
	all := make([]string, len(statements))
	for i, s := range statements {
		all[i] = s[:min(120, len(s))]
	}
	return strings.Join(all, "\n")
}

// A batch of 100 valuations reads the statements once, and nothing the second
// time.
func TestStatementsOfValuations(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		c := newCounting(t, url)
		putDisclosures(t, open(t, url), false, saying(1, "Pay", "", ""), saying(2, "Paylar", "", ""))
		for _, r := range []struct {
			path       string
			cold, warm int
		}{
			{"/v1/valuation?ids=" + strings.Join(c.ids(1), ","), 2, 0},
			{"/v1/valuation?ids=" + strings.Join(c.ids(100), ","), 2, 0},
			{"/v1/periodic?ids=" + strings.Join(c.ids(100), ","), 1, 0},
			{"/v1/stocks/bist:S000/financials", 2, 0},
			{"/v1/stocks/bist:S000/dividends", 1, 1},
			{"/v1/dividends", 1, 1},
			{"/v1/stocks/bist:S000/valuation/history", 1, 1},
			{"/v1/sectors/s00/valuation", 2, 0},
			{"/v1/sectors/s00/returns", 1, 1},
			{"/v1/sectors/s00/periodic", 1, 0},
			{"/v1/sectors/s00/constituents", 0, 0},
			{"/v1/sectors", 0, 0},
			{"/v1/kap-feed/disclosures?q=pay", 3, 3},
		} {
			c.reopen()
			c.forget()
			for i, want := range []int{r.cold, r.warm} {
				if got := c.ask("GET", r.path, ""); len(got) != want {
					t.Errorf("%.60s, time %d: %d statements, want %d:\n%s", r.path, i+1, len(got), want, shortened(got))
				}
			}
		}
	})
}
