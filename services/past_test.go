package services_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/serve/server"
	"piyasa/services"
	"piyasa/test/fixture"
)

// recording is a line and when it was recorded.
type recording struct {
	at   value.Instant
	line string
}

// record ingests lines, each at its moment.
func record(t failing, store *db.Store, lines []recording) {
	for _, one := range lines {
		var messages bytes.Buffer
		_, err := ingest.Run(t.Context(), store, ingest.Options{Paths: []string{ingest.Stdin}, Stdin: strings.NewReader(one.line + "\n"),
			Messages: &messages, Now: func() value.Instant { return one.at }})
		if err != nil || messages.Len() > 0 && !strings.Contains(messages.String(), "is not newer") {
			t.Fatalf("%s: %v %s", one.line, err, messages.String())
		}
	}
}

// serving returns a server over a store at a moment.
func serving(t *testing.T, store *db.Store, at value.Instant) *server.Server {
	settings := fixture.Settings()
	settings.Clock = func() value.Instant { return at }
	root := services.New(settings, store)
	fixture.Apply(t, root)
	key := fixture.Key(fixture.All, access.Scopes...)
	key.Plan = "unlimited"
	root.Gate.Replace([]*access.Key{key})
	ready := func() (server.Readiness, error) { return server.Readiness{}, nil }
	return server.New(server.Config{Version: "test", Services: root, Ready: ready})
}

// filedAt is what REST states only where known_at is asked for.
var filedAt = regexp.MustCompile(`,"filed_at":"[^"]*"`)

// answer returns the status and the body of a request.
func answer(s *server.Server, method, target, body string) string {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("X-API-Key", fixture.All)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	text := w.Body.String()
	if _, id, ok := strings.Cut(text, `"request_id":"`); ok {
		id, _, _ = strings.Cut(id, `"`)
		text = strings.ReplaceAll(text, id, "ID")
	}
	return fmt.Sprint(w.Code, " ", filedAt.ReplaceAllString(text, ""))
}

var (
	pastPaths = []string{
		"/v1/stocks/bist:AAA/financials?timeframe=quarterly", "/v1/stocks/bist:AAA/financials?timeframe=ttm&limit=20",
		"/v1/stocks/bist:AAA/financials?timeframe=quarterly_standalone",
		"/v1/stocks/bist:AAA/financials?timeframe=annual&basis=as_reported",
		"/v1/stocks/bist:AAA/valuation", "/v1/valuation?ids=bist:AAA,bist:BBB", "/v1/stocks/bist:AAA/valuation/history",
		"/v1/stocks/bist:AAA/dividends", "/v1/dividends?from=2026-01-01&to=2026-12-31",
		"/v1/dividends?from=2026-01-01&to=2026-12-31&limit=1",
		"/v1/dividends?from=2026-01-01&to=2026-12-31&date_field=payment&status=upcoming",
		"/v1/stocks/bist:AAA/corporate-actions", "/v1/corporate-actions?from=2026-01-01&to=2026-12-31",
		"/v1/indices/XTEST/constituents", "/v1/sectors/deneme/constituents", "/v1/instruments/bist:AAA", "/v1/instruments/bist:BBB",
		"/v1/instruments", "/v1/instruments?search=new", "/v1/sectors", "/v1/sectors/deneme/valuation", "/v1/indices",
		"/v1/kap-feed/financials/AAA", "/v1/kap-feed/financials/ZZZ?consolidation=solo", "/v1/kap-feed/financials/NEW",
		"/v1/instruments/bist:OLD", "/v1/stocks/bist:OLD/financials?timeframe=quarterly", "/v1/stocks/bist:OLD/valuation/history",
		"/v1/stocks/bist:OLD/dividends", "/v1/stocks/bist:OLD/corporate-actions",
		"/v1/instruments/bist:NEW", "/v1/stocks/bist:NEW/financials?timeframe=quarterly", "/v1/stocks/bist:NEW/valuation/history",
		"/v1/stocks/bist:NEW/dividends", "/v1/stocks/bist:NEW/corporate-actions",
	}
	pastFields = []string{
		`financials(id: "bist:AAA", timeframe: QUARTERLY%s) { periods { fiscalYear endDate items { code value } } }`,
		`valuation(id: "bist:AAA"%s) { marketCap { value nullReason } pbRatio { value nullReason } }`,
		`dividends(from: "2026-01-01", to: "2026-12-31"%s) { dividends { instrumentId exDate grossPerShare status } }`,
		`indexConstituents(code: "XTEST"%s) { memberCount constituents { instrumentId } }`,
		`instrument(id: "bist:AAA"%s) { name }`, `instrument(id: "bist:NEW"%s) { name predecessor renamedOn validFrom }`,
		`instruments(market: BIST%s) { count instruments { instrumentId name currency } }`, `sectors(%s) { count }`,
		`sectorValuation(code: "deneme"%s) { memberCount pbRatio { median } }`, `indices(%s) { indices { code name } }`,
		`financials(id: "bist:OLD", timeframe: QUARTERLY%s) { periods { fiscalYear endDate items { code value } } }`,
		`dividendHistory(id: "bist:NEW"%s) { dividends { exDate grossPerShare } }`,
		`filings(symbol: "AAA"%s) { items { disclosureIndex year period incomeStatement { code value } } }`,
		`filingsConnection(symbol: "AAA"%s) { edges { node { disclosureIndex } } }`,
		`dividendsConnection(from: "2026-01-01", to: "2026-12-31"%s) { edges { node { exDate } } }`,
		`instrumentsConnection(first: 9%s) { edges { node { name } } pageInfo { hasNextPage } }`,
		`instruments(market: BIST%s) { instruments { name sectorInfo { code members { instrument { name } } } indices { code constituents { symbol } }
			company { symbol instruments { name } } valuation { marketCap { value } instrument { name } } dividends { exDate status }
			corporateActions { actionId instrument { name } } missingReason(of: DIVIDENDS) { reason } valuationHistory { count }
			financials(timeframe: QUARTERLY) { periods { endDate items { value } } } } }`,
		`sectors(%s) { missingReason { reason } sectors { members { instrument { name dividends { exDate } } } valuation { memberCount } } }`,
		`indices(%s) { missingReason { reason } indices { constituents { instrument { name sectorInfo { code } } } } }`,
		`dividends(from: "2026-01-01", to: "2026-12-31"%s) { dividends { instrument { name indices { memberCount } } } }`,
	}
)

// past is a history of recordings, and a moment in it.
type past struct {
	lines []recording
	at    value.Instant
}

var anyPast = rapid.Custom(func(r *rapid.T) past {
	lines := drawRecordings(r, value.MustInstant("2026-03-02T08:00:00Z"))
	return past{lines, lines[rapid.IntRange(firstLines-1, len(lines)-1).Draw(r, "moment")].at.Add(time.Second)}
})

// What is answered as of a moment is what a store answers that has only what was recorded by then.
func TestPast(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		begun, failing := time.Now(), false
		rapid.Check(t, func(r *rapid.T) {
			if !failing && time.Since(begun) > 4*time.Second { // as many as that takes; one that fails is made smaller for longer
				return
			}
			failing = true
			checkPast(t, r, anyPast.Draw(r, "past"), func() *db.Store { return fixture.OpenStore(t, "") })
			failing = false
		})
	})
	t.Run("postgres", func(t *testing.T) {
		for seed := range 6 { // a database takes long to make
			checkPast(t, t, anyPast.Example(seed), func() *db.Store { return dbtest.Open(t, dbtest.PostgresURL(t)) })
		}
	})
}

// failing is a test or a check of one.
type failing interface {
	Context() context.Context
	Fatalf(format string, args ...any)
}

func checkPast(t *testing.T, r failing, p past, open func() *db.Store) {
	whole, part := open(), open()
	defer whole.Close()
	defer part.Close()
	record(r, whole, p.lines)
	var known []recording
	for _, one := range p.lines {
		if !one.at.After(p.at) {
			known = append(known, one)
		}
	}
	record(r, part, known)
	now, then := serving(t, whole, p.lines[len(p.lines)-1].at.Add(time.Hour)), serving(t, part, p.at)
	for _, path := range pastPaths {
		sep := "?"
		if strings.Contains(path, "?") {
			sep = "&"
		}
		want := answer(then, "GET", path, "")
		if got := answer(now, "GET", path+sep+"known_at="+url.QueryEscape(p.at.String()), ""); got != want {
			r.Fatalf("%s as of %s is\n%s\nand was\n%s", path, p.at, got, want)
		}
	}
	for _, field := range pastFields {
		query := func(known string) string {
			text, _ := json.Marshal(map[string]string{"query": "{ " + fmt.Sprintf(field, known) + " }"})
			return string(text)
		}
		want, _, _ := strings.Cut(answer(then, "POST", "/graphql", query(`, knownAt: null`)), `,"extensions"`)
		got, _, _ := strings.Cut(answer(now, "POST", "/graphql", query(fmt.Sprintf(`, knownAt: "%s"`, p.at))), `,"extensions"`)
		if got != want {
			r.Fatalf("%s as of %s is\n%s\nand was\n%s", field, p.at, got, want)
		}
	}
}

// firstLines is how many recordings make the world that changes.
const firstLines = 7

// drawRecordings draws a history of records that replace each other and are withdrawn.
func drawRecordings(r *rapid.T, at value.Instant) []recording {
	var all []recording
	add := func(format string, args ...any) {
		all = append(all, recording{at, fmt.Sprintf(format, args...)})
		at = at.Add(time.Duration(rapid.IntRange(2, 100_000).Draw(r, "seconds")) * time.Second)
	}
	together := func(format string, args ...any) { all = append(all, recording{at, fmt.Sprintf(format, args...)}) }
	instrument := func(id, name string, rest ...string) {
		add(`{"record":"instrument","instrument_id":"bist:%s","symbol":"%s","name":"%s","market":"bist","asset_type":"STOCK","currency":"TRY"%s}`,
			id, id, name, strings.Join(rest, ""))
	}
	company := func(codes string) {
		add(`{"record":"company","company_id":"K1","codes":[%s],"identity":{"title":"K"}}`, codes)
	}
	index := func(members string) {
		add(`{"record":"index","code":"XTEST","name":"Deneme","verified":true,"synced_at":"%s","members":[%s]}`, at, members)
	}
	instrument("AAA", "A")
	instrument("BBB", "B")
	add(`{"record":"sector","code":"deneme","name":"Deneme","members":["bist:AAA","bist:BBB"]}`)
	index(`{"symbol":"AAA"},{"symbol":"BBB"}`)
	instrument("OLD", "O")
	company(`"AAA"`)
	ids, renamed := []string{"AAA", "BBB", "OLD"}, false
	if apart := rapid.SampledFrom(ids).Draw(r, "apart"); apart == "OLD" { // the new id is there before the rename
		instrument("NEW", "N")
		ids = append(ids, "NEW")
	} else {
		instrument(apart, apart)
	}
	reports, disclosed := map[int]int{}, 0 // figures by the numbers of disclosures that have one
	filed := map[string]value.Instant{}
	for range rapid.IntRange(0, 25).Draw(r, "changes") {
		id := rapid.SampledFrom(ids).Draw(r, "id")
		figure := rapid.IntRange(1, 3).Draw(r, "figure")
		switch kind := rapid.IntRange(0, 16).Draw(r, "kind"); kind {
		case 0:
			instrument(id, fmt.Sprint("name ", figure))
		case 1:
			add(`{"record":"sector","code":"deneme","name":"Deneme","members":["bist:%s"]}`, id)
		case 2:
			index(fmt.Sprintf(`{"symbol":"%s"}`, id))
		case 3, 4: // a filing, or a correction of one under its own time
			year, month := 2025-figure%2, rapid.SampledFrom([]int{3, 6, 9, 12}).Draw(r, "month")
			key := fmt.Sprint(id, year, month)
			if filed[key].IsNull() || rapid.Bool().Draw(r, "restates") {
				filed[key] = at
			}
			add(`{"record":"statement","instrument_id":"bist:%s","fiscal_year":%d,"fiscal_month":%d,"currency":"TRY","end_date":"%d-%02d-28",`+
				`"basis":"inflation_adjusted","template":"industrial","filed_at":"%s","items":[{"code":"2O","label_tr":"Özkaynak",`+
				`"group":"balance_sheet","kind":"stock","value":"%d","role":"equity_attributable_to_parent"},{"code":"3C","label_tr":"Hasılat",`+
				`"group":"income_statement","kind":"flow","value":"%[7]d","role":"revenue"}]}`, id, year, month, year, month, filed[key],
				100*figure)
		case 5:
			for key, when := range filed {
				if strings.HasPrefix(key, id) && len(key) > 7 {
					add(`{"record":"statement","instrument_id":"bist:%s","fiscal_year":%s,"fiscal_month":%s,"currency":"TRY","filed_at":"%s","withdrawn":true}`,
						id, key[3:7], key[7:], when)
					delete(filed, key)
					break
				}
			}
		case 6:
			add(`{"record":"market_metrics","instrument_id":"bist:%s","date":"%s","market_cap":"%d","pe_ratio":"7","as_of":"%s"}`,
				id, value.TurkeyDay(at), 1000*figure, at)
		case 7:
			add(`{"record":"dividend","instrument_id":"bist:%s","ex_date":"2026-0%d-10","gross_per_share":"%d","currency":"TRY"}`, id, 3+figure, figure)
		case 9:
			add(`{"record":"corporate_action","instrument_id":"bist:%s","action_id":"%d","kind":"split","ex_date":"2026-0%d-12","new":"%d","old":"1"}`,
				id, figure, 3+figure, 1+figure)
		case 10:
			add(`{"record":"corporate_action","instrument_id":"bist:%s","action_id":"%d","withdrawn":true}`, id, figure)
		case 11, 12: // a rename; then another instrument comes under the old id
			switch {
			case !renamed:
				renamed = true
				instrument("NEW", "N", fmt.Sprintf(`,"predecessor":"bist:OLD","renamed_on":"%s"`, value.TurkeyDay(at)))
				ids = []string{"AAA", "BBB", "NEW"}
				for key, when := range filed {
					if moved, of := strings.CutPrefix(key, "OLD"); of {
						filed["NEW"+moved] = when
						delete(filed, key)
					}
				}
			case len(ids) == 3:
				add(`{"record":"instrument","instrument_id":"bist:OLD","withdrawn":true}`)
				instrument("OLD", "another")
				ids = append(ids, "OLD")
			}
		case 13: // a filing of the feed, or a correction of one
			disclosed++
			reason := `"reason":"NEW"`
			if of := disclosed - figure; figure > 1 && of > 0 {
				reason = fmt.Sprintf(`"reason":"CORR","related_index":%d`, of)
			}
			together(`{"record":"disclosure","disclosure_index":%d,"type":"FR","class":"FR","symbols":["AAA"],"filer_codes":["AAA"],"company_id":"K1",`+
				`"published_at":"%s",%s,"year":"2025","period":"%d Aylık"}`, disclosed, at, reason, 3*figure)
			reports[disclosed] = figure
			fallthrough
		case 14: // the same again, or other figures of it
			n := disclosed
			if kind == 14 {
				n = rapid.IntRange(max(1, disclosed-2), max(1, disclosed)).Draw(r, "filing")
			}
			if reports[n] > 0 {
				add(`{"record":"filing","disclosure_index":%d,"symbol":"%s","year":"2025","period":"%d Aylık","end_date":"2025-0%d-28",`+
					`"consolidation":"%s","currency":"TRY","template":"industrial","tms29_applied":false,"balance_sheet":[],"income_statement":`+
					`[{"code":"rev","label":{"tr":"H"},"value":"%d","value_type":"monetary"}],"cash_flow":[]}`, n,
					rapid.SampledFrom([]string{"AAA", "ZZZ"}).Draw(r, "symbol"), 3*figure, 3*figure,
					rapid.SampledFrom([]string{"CS", "NC"}).Draw(r, "consolidation"), figure)
			}
		case 15:
			if disclosed > 0 {
				add(`{"record":"filing","disclosure_index":%d,"withdrawn":true}`, rapid.IntRange(1, disclosed).Draw(r, "withdrawn"))
			}
		case 16:
			company([]string{`"AAA"`, `"AAA","ZZZ"`, `"ZZZ"`}[figure-1])
		case 8:
			add(`{"record":"dividend","instrument_id":"bist:%s","ex_date":"2026-0%d-10","withdrawn":true}`, id, 3+figure)
		}
	}
	return all
}

// A history that is loaded later counts since its publication, of each instrument under the id that it had on the day, and of a
// newcomer under a former id not before it is recorded.
func TestPastOfRename(t *testing.T) {
	instrument := func(id, rest string) string {
		return fmt.Sprintf(`{"record":"instrument","instrument_id":"bist:%s","symbol":"%s","name":"%s","market":"bist","asset_type":"STOCK","currency":"TRY"%s}`,
			id, id, id, rest)
	}
	statement := func(id string, year int, filed string) string {
		return fmt.Sprintf(`{"record":"statement","instrument_id":"bist:%s","fiscal_year":%d,"fiscal_month":12,"currency":"TRY","end_date":"%d-12-31",`+
			`"basis":"nominal","template":"industrial","filed_at":"%s","items":[]}`, id, year, year, filed)
	}
	at := func(text string) value.Instant { return value.MustInstant(text) }
	loaded, reused, now := at("2026-03-02T08:00:00Z"), at("2026-03-05T08:00:00Z"), at("2026-03-06T08:00:00Z")
	lines := []recording{
		{loaded, instrument("OLD", "")}, {loaded, statement("OLD", 2022, "2023-03-01T10:00:00Z")},
		{loaded, `{"record":"corporate_action","instrument_id":"bist:OLD","kind":"split","ex_date":"2023-05-02","new":"2","old":"1"}`},
		{loaded.Add(time.Second), instrument("NEW", `,"predecessor":"bist:OLD","renamed_on":"2024-06-03"`)},
		{loaded.Add(time.Second), statement("NEW", 2023, "2024-03-01T10:00:00Z")},
		{loaded.Add(2 * time.Second), `{"record":"instrument","instrument_id":"bist:OLD","withdrawn":true}`},
		{reused, instrument("OLD", "")}, {reused, statement("OLD", 2022, "2023-02-01T10:00:00Z")},
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		store := dbtest.Open(t, url)
		record(t, store, lines)
		s := serving(t, store, now)
		for _, c := range []struct {
			id, at string
			status int
			has    string
		}{
			{"OLD", "2023-04-01T00:00:00Z", 200, `"fiscal_year":2022`}, {"OLD", "2023-02-15T00:00:00Z", 200, `"count":0`},
			{"NEW", "2023-04-01T00:00:00Z", 404, `There is no instrument`},
			{"OLD", "2024-07-01T00:00:00Z", 404, `"successor":["bist:NEW"]`}, {"NEW", "2024-07-01T00:00:00Z", 200, `"count":2`},
			{"NEW", "2026-03-04T00:00:00Z", 200, `"count":2`}, {"OLD", "2026-03-04T00:00:00Z", 404, `"successor":["bist:NEW"]`},
			{"OLD", "2026-03-05T12:00:00Z", 200, `"filed_at":"2023-02-01T10:00:00Z"`}, {"NEW", "2026-03-05T12:00:00Z", 200, `"count":2`},
		} {
			path := "/v1/stocks/bist:" + c.id + "/financials?basis=as_reported&known_at=" + c.at
			r := httptest.NewRequest("GET", path, nil)
			r.Header.Set("X-API-Key", fixture.All)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.has) {
				t.Errorf("%s is %d %s, want %d with %s", path, w.Code, w.Body, c.status, c.has)
			}
		}
		for id, want := range map[string]string{"NEW": `"new":"2"`, "OLD": `"count":0`} {
			if got := answer(s, "GET", "/v1/stocks/bist:"+id+"/corporate-actions", ""); !strings.Contains(got, want) {
				t.Errorf("actions of %s: %s, want %s", id, got, want)
			}
		}
		for _, path := range []string{"/v1/instruments", "/v1/sectors", "/v1/indices", "/v1/sectors/deneme/valuation"} {
			for moment, status := range map[string]string{"2026-03-06T08:00:01Z": "422", "yesterday": "422"} {
				got := answer(s, "GET", path+"?known_at="+moment, "")
				if !strings.HasPrefix(got, status) || !strings.Contains(got, "known_at") {
					t.Errorf("%s at %s: %s", path, moment, got)
				}
			}
		}
	})
}

// What is below a field with knownAt is of its moment, and never of another's instrument; what can be stated as of now alone is
// refused, and the rest is answered.
func TestBelowAMoment(t *testing.T) {
	begun := value.MustInstant("2026-03-02T08:00:00Z")
	at := func(days int, line string) recording {
		return recording{begun.Add(time.Duration(days) * 24 * time.Hour), line}
	}
	stock := func(name, currency string) string {
		return fmt.Sprintf(`{"record":"instrument","instrument_id":"bist:AAA","symbol":"AAA","name":"%s","market":"bist","asset_type":"STOCK","currency":"%s"}`,
			name, currency)
	}
	sector := func(members string) string {
		return `{"record":"sector","code":"deneme","name":"Deneme","members":[` + members + `]}`
	}
	lines := []recording{
		at(0, stock("First", "USD")), at(0, sector(`"bist:AAA"`)),
		at(1, `{"record":"dividend","instrument_id":"bist:AAA","ex_date":"2026-06-10","gross_per_share":"1","currency":"USD"}`),
		at(2, `{"record":"instrument","instrument_id":"bist:AAA","withdrawn":true}`),
		at(3, stock("Second", "TRY")), at(4, sector("")),
	}
	store := fixture.OpenStore(t, "")
	record(t, store, lines)
	s := serving(t, store, begun.Add(5*24*time.Hour))
	for _, c := range []struct{ query, want string }{
		{`instrument(id: "bist:AAA", knownAt: "2026-03-03T12:00:00Z") { name sectorInfo { name } dividends { exDate instrument { name } } }`,
			`{"data":{"it":{"name":"First","sectorInfo":{"name":"Deneme"},"dividends":[{"exDate":"2026-06-10","instrument":{"name":"First"}}]}}`},
		{`instrument(id: "bist:AAA") { name sectorInfo { name } dividends { exDate } }`,
			`{"data":{"it":{"name":"Second","sectorInfo":null,"dividends":[]}}`},
		{`sectorConstituents(code: "deneme", knownAt: "2026-03-03T12:00:00Z") { constituents { instrument { name } } }`,
			`{"data":{"it":{"constituents":[{"instrument":{"name":"First"}}]}}`},
		{`instrument(id: "bist:AAA", knownAt: "2026-03-03T12:00:00Z") { dividends(knownAt: "2026-03-02T12:00:00Z") { exDate } }`,
			`{"data":{"it":{"dividends":[]}}`},
		{`sectors(knownAt: "2026-03-01T12:00:00Z") { count missingReason { reason } }`,
			`{"data":{"it":{"count":0,"missingReason":{"reason":"none_stored"}}}`},
		{`indices(knownAt: "2026-03-01T12:00:00Z") { count missingReason { reason } }`,
			`{"data":{"it":{"count":0,"missingReason":{"reason":"none_stored"}}}`},
	} {
		text, _ := json.Marshal(map[string]string{"query": "{ it: " + c.query + " }"})
		if got := answer(s, "POST", "/graphql", string(text)); !strings.HasPrefix(got, "200 "+c.want) {
			t.Errorf("%s is %s, want %s", c.query, got, c.want)
		}
	}
	for _, field := range []string{"quote { last }", "candles { count }", "eod { count }", "periodic { windows { window } }",
		"indicators { instrumentId }", "logo { url }", "holders { fundId }", "holdings { name }",
		"disclosures { disclosureIndex }", "missingReason(of: QUOTE) { reason }"} {
		text, _ := json.Marshal(map[string]string{
			"query": `{ instrument(id: "bist:AAA", knownAt: "2026-03-03T12:00:00Z") { name it: ` + field + ` } }`})
		got := answer(s, "POST", "/graphql", string(text))
		if !strings.Contains(got, `"data":{"instrument":{"name":"First","it":null}}`) ||
			!strings.Contains(got, "cannot be below a field with knownAt") {
			t.Errorf("%s below a moment: %s", field, got)
		}
	}
}
