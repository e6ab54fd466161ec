package command_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// What its source takes back a running server forgets, which had answered with
// it before: over REST and GraphQL alike, whatever it keeps in memory.
func TestServeForgetsWhatIsWithdrawn(t *testing.T) {
	t.Parallel()
	stock := func(code string) string {
		return `{"record":"instrument","instrument_id":"bist:` + code + `","symbol":"` + code + `","name":"` + code +
			`","market":"bist","asset_type":"STOCK","currency":"TRY"}`
	}
	bar := func(day, price string) string {
		return `{"record":"bar","instrument_id":"bist:DMOST","resolution":"1d","t":"` + day + `T21:00:00Z","close":"` + price + `"}`
	}
	const statement = `{"record":"statement","instrument_id":"bist:DMOST","fiscal_year":2025,"fiscal_month":12,"currency":"TRY","filed_at":"2026-03-05T15:00:00Z","end_date":"2025-12-31","basis":"nominal","template":"industrial","items":[{"code":"3C","label_tr":"Hasılat","group":"income_statement","kind":"flow","value":"77123","role":"revenue"}]}`
	const filing = `{"record":"filing","disclosure_index":3,"symbol":"DMOST","year":"2024","period":"Annual","end_date":"2024-12-31","consolidation":"CS","currency":"TRY","template":"bank","tms29_applied":false,"balance_sheet":[],"income_statement":[],"cash_flow":[]}`
	background := strings.Join([]string{
		stock("LIMIT"), `{"record":"quote","instrument_id":"bist:LIMIT","as_of":"2026-03-18T11:45:00Z","last":"300"}`,
		stock("DMOST"), bar("2026-03-15", "300"), bar("2025-09-10", "100"),
		`{"record":"instrument","instrument_id":"fund:DMF","symbol":"DMF","name":"Demo Fon","market":"fund","asset_type":"FUND","currency":"TRY"}`,
		`{"record":"instrument","instrument_id":"fund:DMG","symbol":"DMG","name":"Demo Fon","market":"fund","asset_type":"FUND","currency":"TRY"}`,
		`{"record":"fund","code":"DMG","instrument_id":"fund:DMG","name":"Demo","currency":"TRY"}`,
		`{"record":"company","company_id":"K1","codes":["DMOST"]}`,
		`{"record":"calendar_event","event_id":1,"name":"Other","country":{"name":"Türkiye","code":"TR"},"currency":"TRY","importance":1,"is_speaking":false}`,
		`{"record":"index","code":"XU100","name":"BIST 100","verified":true,"synced_at":"2026-03-01T00:00:00Z","members":[]}`,
		`{"record":"index_bar","code":"XU100","date":"2026-03-09","close":"9000"}`,
		`{"record":"index_bar","code":"XU100","date":"2025-03-10","close":"8000"}`,
		`{"record":"statement","instrument_id":"bist:DMOST","fiscal_year":2024,"fiscal_month":12,"currency":"TRY","filed_at":"2025-03-05T15:00:00Z","end_date":"2024-12-31","basis":"nominal","template":"industrial","items":[{"code":"3C","label_tr":"Hasılat","group":"income_statement","kind":"flow","value":"5","role":"revenue"}]}`,
		`{"record":"market_metrics","instrument_id":"bist:DMOST","date":"2026-03-16","market_cap":"111000","as_of":"2026-03-16T15:00:00Z"}`,
		`{"record":"inflation_point","series_id":"YI_UFE","month":"2025-12","value":"4000"}`,
	}, "\n")
	asks := func(path, shows string) [2]string { return [2]string{path, shows} }
	cases := []struct {
		line  string
		key   string // its members, for the withdrawal
		back  string // replaced in the line that brings it back: what orders it
		shown [][2]string
	}{
		{stock("WDRWN"), `"instrument_id":"bist:WDRWN"`, "", [][2]string{
			asks("/v1/instruments/bist:WDRWN", "WDRWN"), asks("/v1/instruments?q=WDRWN", `"bist:WDRWN"`),
			asks(`{ instrument(id: "bist:WDRWN") { name } }`, `"name":"WDRWN"`),
		}},
		{`{"record":"trading_day","market":"bist","date":"2026-03-18"}`, `"market":"bist","date":"2026-03-18"`, "",
			[][2]string{asks("/v1/markets/bist/status", `"holiday"`)}},
		{`{"record":"price_limits","instrument_id":"bist:LIMIT","date":"2026-03-18","limit_up":"987.65","limit_down":"12.34"}`,
			`"instrument_id":"bist:LIMIT","date":"2026-03-18"`, "", [][2]string{
				asks("/v1/quotes/bist:LIMIT", "987.65"), asks("/v1/quotes?ids=bist:LIMIT", "987.65"),
				asks(`{ quote(id: "bist:LIMIT") { limitUp limitDown } }`, `"limitDown":"12.34"`),
			}},
		{`{"record":"sector","code":"wdrwn","name":"Wdrwn","members":["bist:DMOST"]}`, `"code":"wdrwn"`, "", [][2]string{
			asks("/v1/sectors", `"wdrwn"`), asks("/v1/sectors/wdrwn/constituents", "DMOST"), asks("/v1/instruments/bist:DMOST", "Wdrwn"),
			asks(`{ instrument(id: "bist:DMOST") { sector } }`, "Wdrwn"),
		}},
		{`{"record":"index","code":"XWDRW","name":"BIST W","verified":true,"synced_at":"2026-03-17T00:00:00Z","members":[{"symbol":"DMOST"}]}`, `"code":"XWDRW"`, "2026-03-17T00:00:00Z", [][2]string{
			asks("/v1/indices", "XWDRW"), asks("/v1/indices/XWDRW/constituents", "DMOST"),
			asks(`{ instrument(id: "bist:DMOST") { indices { code } } }`, "XWDRW"),
		}},
		{bar("2026-03-16", "333.25"), `"instrument_id":"bist:DMOST","resolution":"1d","t":"2026-03-16T21:00:00Z"`, "", [][2]string{
			asks("/v1/eod/bist:DMOST?from=2026-03-10", "333.25"), asks("/v1/periodic/bist:DMOST", "333.25"),
			asks(`{ instrument(id: "bist:DMOST") { eod(from: "2026-03-10") { records { close } } } }`, "333.25"),
		}},
		{`{"record":"index_bar","code":"XU100","date":"2026-03-16","close":"9999.75"}`, `"code":"XU100","date":"2026-03-16"`, "",
			[][2]string{asks("/v1/indices/XU100/periodic", "9999.75")}},
		{`{"record":"market_metrics","instrument_id":"bist:DMOST","date":"2026-03-17","market_cap":"777000","as_of":"2026-03-17T15:00:00Z"}`, `"instrument_id":"bist:DMOST","date":"2026-03-17"`, "2026-03-17T15:00:00Z", [][2]string{
			asks("/v1/stocks/bist:DMOST/valuation", "777000"), asks("/v1/valuation?ids=bist:DMOST", "777000"),
		}},
		{statement, `"instrument_id":"bist:DMOST","fiscal_year":2025,"fiscal_month":12,"currency":"TRY","filed_at":"2026-03-05T15:00:00Z"`,
			"", [][2]string{
				asks("/v1/stocks/bist:DMOST/financials", "77123"),
			}},
		{`{"record":"dividend","instrument_id":"bist:DMOST","ex_date":"2026-05-04","gross_per_share":"7.77","currency":"TRY"}`,
			`"instrument_id":"bist:DMOST","ex_date":"2026-05-04"`, "", [][2]string{
				asks("/v1/dividends", "7.77"), asks("/v1/stocks/bist:DMOST/dividends", "7.77"),
				asks(`{ instrument(id: "bist:DMOST") { dividends { grossPerShare } } }`, "7.77"),
			}},
		{`{"record":"dividend","instrument_id":"bist:DMOST","ex_date":"2026-05-04","installment":2,"gross_per_share":"8.88","currency":"TRY"}`, `"instrument_id":"bist:DMOST","ex_date":"2026-05-04","installment":2`, "", [][2]string{asks("/v1/dividends", "8.88")}},
		{`{"record":"calendar_event","event_id":42,"name":"Payrolls","country":{"name":"United States","code":"US"},"currency":"USD","importance":3,"is_speaking":false}`, `"event_id":42`, "", [][2]string{
			asks("/v1/calendar/events", "Payrolls"), asks("/v1/calendar/events/42", "Payrolls"),
			asks(`{ calendarEvent(eventId: 42) { name } }`, "Payrolls"),
		}},
		{`{"record":"calendar_item","event_id":1,"time":"2026-03-19T12:30:00Z","forecast":1234.50}`,
			`"event_id":1,"time":"2026-03-19T12:30:00Z"`, "", [][2]string{
				asks("/v1/calendar", "1234.5"), asks(`{ calendar { items { forecast } } }`, "1234.5"),
			}},
		{`{"record":"inflation_point","series_id":"YI_UFE","month":"2026-01","value":"4321.09"}`, `"series_id":"YI_UFE","month":"2026-01"`,
			"", [][2]string{asks("/v1/inflation/yi-ufe", "4321.09")}},
		{`{"record":"index_link","series_id":"YI_UFE","from_base":"2003=100","to_base":"2025=100","factor":"1.0101","month":"2026-01"}`,
			`"series_id":"YI_UFE","from_base":"2003=100","to_base":"2025=100"`, "", [][2]string{
				asks("/v1/inflation/yi-ufe", "1.0101"), asks(`{ producerPriceIndex { links { factor } } }`, "1.0101"),
			}},
		{`{"record":"company","company_id":"K2","codes":["WCOMP"],"symbol":"WCOMP"}`, `"company_id":"K2"`, "", [][2]string{
			asks("/v1/kap-feed/companies/WCOMP", `"K2"`), asks(`{ company(symbol: "WCOMP") { symbol } }`, `"symbol":"WCOMP"`),
		}},
		{filing, `"disclosure_index":3`, "", [][2]string{asks("/v1/kap-feed/financials/DMOST", `"2024"`),
			asks(`{ filings(symbol: "DMOST") { items { year } } }`, `"2024"`)}},
		{`{"record":"news","news_id":"n-1","title":"Haber","published_at":"2026-03-18T11:45:00Z","symbols":["DMOST"]}`, `"news_id":"n-1"`,
			"", [][2]string{
				asks("/v1/kap", "Haber"), asks("/v1/kap?symbol=DMOST", "Haber"), asks("/v1/kap/n-1", "Haber"),
				asks(`{ newsItem(newsId: "n-1") { title } }`, "Haber"),
			}},
		{`{"record":"fund","code":"DMF","instrument_id":"fund:DMF","name":"Takip","founder":"Kurucu","currency":"TRY","as_of":"2026-03-17T15:00:00Z","returns":{"1m":"12.34"}}`, `"code":"DMF"`, "2026-03-17T15:00:00Z", [][2]string{
			asks("/v1/funds/DMF/profile", "Kurucu"), asks("/v1/funds/ranking?period=1m", "DMF"),
			asks(`{ fundProfile(code: "DMF") { founder } }`, "Kurucu"),
		}},
		{`{"record":"fund_flow","code":"DMG","date":"2026-03-17","net_flow":"98765"}`, `"code":"DMG","date":"2026-03-17"`, "",
			[][2]string{asks("/v1/funds/DMG/investor-flows", "98765")}},
		{`{"record":"fund_holding","fund_code":"DMG","report_month":"2026-02","instrument_id":"bist:DMOST","weight_pct":"3.21"}`,
			`"fund_code":"DMG","report_month":"2026-02","instrument_id":"bist:DMOST"`, "", [][2]string{
				asks("/v1/funds/holders-of/bist:DMOST", "3.21"), asks("/v1/funds/DMG/holdings", "3.21"),
			}},
		{`{"record":"ipo","id":"w-1","company":"Halka Arz","currency":"TRY","as_of":"2026-03-17T15:00:00Z"}`, `"id":"w-1"`,
			"2026-03-17T15:00:00Z", [][2]string{
				asks("/v1/ipo?state=all", "Halka Arz"), asks("/v1/ipo/w-1", "Halka Arz"),
				asks(`{ ipo(id: "w-1") { company } }`, "Halka Arz"),
			}},
		{`{"record":"logo","instrument_id":"bist:DMOST","png":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADklEQVR4nGJiAAQAAP//AAYAA/rQWa4AAAAASUVORK5CYII="}`, `"instrument_id":"bist:DMOST"`, "", [][2]string{
			asks("/v1/instruments/bist:DMOST", "/v1/logos/"), asks(`{ instrument(id: "bist:DMOST") { logoUrl } }`, "/v1/logos/"),
		}},
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		if refused := ingest(t, url, background); strings.Contains(refused, "stdin") {
			t.Fatal(refused)
		}
		key, _ := newKey(t, url, "--scopes", "all")
		s := start(t, url)
		answer := func(ask string) string {
			if strings.HasPrefix(ask, "{") {
				return s.query(ask, key)
			}
			_, body := s.get(ask, key)
			delete(body, "detail") // of a problem, which says what was asked for
			delete(body, "instance")
			text, err := json.Marshal(body)
			need.NoError(t, err)
			return string(text)
		}
		var stored, withdrawn, back []string
		for _, c := range cases {
			kind := strings.Split(c.line, `"`)[3]
			stored = append(stored, c.line)
			withdrawn = append(withdrawn, fmt.Sprintf(`{"record":"%s",%s,"withdrawn":true}`, kind, c.key))
			if c.back == "" {
				back = append(back, c.line)
			} else {
				back = append(back, strings.ReplaceAll(c.line, c.back, "2026-03-18T10:00:00Z"))
			}
		}
		for _, step := range []struct {
			what   string
			lines  []string
			showed bool
		}{{"stored", stored, true}, {"withdrawn", withdrawn, false}, {"back", back, true}, {"withdrawn again", withdrawn, false}} {
			res := run(t, url, strings.Join(step.lines, "\n"), nil, "ingest", "--json", "-")
			if res.status != 0 || !strings.Contains(strings.ReplaceAll(res.stdout, " ", ""),
				fmt.Sprintf(`"stored":%d,"unchanged":0,"stale":0,"rejected":0,"seconds"`, len(cases))) {
				t.Fatalf("%s: %d %s %s", step.what, res.status, res.stdout, res.err)
			}
			for _, c := range cases {
				for _, ask := range c.shown {
					s.eventually(deadline, fmt.Sprintf("%s: %s %v in %s", step.what, ask[1], step.showed, ask[0]), func() bool {
						return strings.Contains(answer(ask[0]), ask[1]) == step.showed
					})
				}
			}
		}
		// A server that starts now knows no more.
		s = start(t, url)
		for _, c := range cases {
			for _, ask := range c.shown {
				if text := answer(ask[0]); strings.Contains(text, ask[1]) {
					t.Errorf("after a start %s shows %s", ask[0], text)
				}
			}
		}
	})
}
