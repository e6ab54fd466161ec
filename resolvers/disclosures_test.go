package resolvers_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/attachment"
	"piyasa/internal/value"
	"piyasa/test/fixture"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// newKAPAPI is an API with 100 companies that have three disclosures each, the
// newest of which corrects the oldest, besides those that every API has: 2000
// of a fund, and 2001, which is market-wide.
func newKAPAPI(t testing.TB) *fixture.Server {
	a := fixture.New(t)
	instruments := []*market.Instrument{{InstrumentID: "fund:DMF", Symbol: "DMF", Market: market.Fund, AssetType: market.FundUnit}}
	batch, outcomes := new(db.Batch), make([]db.Outcome, 400)
	put := func(index int, symbols []string, change func(*kap.Record)) {
		r := &kap.Record{Disclosure: kap.Disclosure{
			DisclosureIndex: index, Type: kap.ODA, Class: "ODA", Symbols: symbols, FilerCodes: symbols,
			PublishedAt: value.MustInstant("2026-03-18T07:00:00Z"),
		}}
		change(r)
		db.Put(batch, r, &outcomes[0])
		outcomes = outcomes[1:]
	}
	nothing := func(*kap.Record) {}
	records := []*kap.CompanyRecord{{CompanyID: "K0001", Codes: []string{"DMOST", "DMOSR"}}}
	for i, id := range a.AddStocks(100, 1) {
		code := strings.TrimPrefix(id, "bist:")
		records = append(records, &kap.CompanyRecord{CompanyID: code, Codes: []string{code, "X" + code}})
		put(3000+10*i, []string{code}, func(r *kap.Record) {
			r.Body = &kap.Content{SourceFormat: "flatData", FileType: "x",
				Content: json.RawMessage(`[{"key":"n","label":{"tr":"N"},"value":{"tr":"2.50"}}]`)}
			r.Attachments = []attachment.Document{{Name: "a.pdf", Location: "/a"}}
		})
		put(3001+10*i, []string{"X" + code}, nothing)
		put(3002+10*i, []string{code}, func(r *kap.Record) { r.RelatedIndex, r.Reason = new(3000+10*i), new(kap.Corrects) })
	}
	put(2000, []string{"DMF"}, nothing)
	put(2001, []string{}, func(r *kap.Record) { r.RelatedIndex = new(77) })
	need.NoError(t, a.Store.Store(t.Context(), batch))
	a.Services.KAP.Live.PutCompanies(records)
	a.Services.Market.Live.PutCatalog(instruments, nil)
	return a
}

// every edge between disclosures, companies and instruments leads where it
// should.
func TestEdgesOfDisclosures(t *testing.T) {
	a := newKAPAPI(t)
	for document, want := range map[string]string{
		`instrument(id: "bist:S007") { disclosures(first: 2) { disclosureIndex related { disclosureIndex } } company { identity { companyId } } }`:                                                                                                                `{"disclosures":[{"disclosureIndex":3072,"related":{"disclosureIndex":3070}},{"disclosureIndex":3071,"related":null}],"company":{"identity":{"companyId":"S007"}}}`,
		`instrument(id: "fund:DMF") { disclosures { disclosureIndex } company { symbol } }`:                                                                                                                                                                       `{"disclosures":[{"disclosureIndex":2000}],"company":null}`,
		`instrument(id: "crypto:1") { disclosures { disclosureIndex } company { symbol } }`:                                                                                                                                                                       `{"disclosures":[],"company":null}`,
		`company(symbol: "XS007") { instruments { instrumentId } disclosures(first: 1) { disclosureIndex symbols } }`:                                                                                                                                             `{"instruments":[{"instrumentId":"bist:S007"}],"disclosures":[{"disclosureIndex":3072,"symbols":["S007"]}]}`,
		`disclosures(symbol: "DMF") { items { instruments { instrumentId } company { symbol } related { disclosureIndex } detail { hasBody } } }`:                                                                                                                 `{"items":[{"instruments":[{"instrumentId":"fund:DMF"}],"company":null,"related":null,"detail":{"hasBody":false}}]}`,
		`disclosures(symbol: "S007", order: ASC, limit: 1) { items { instruments { symbol } company { symbol } detail { disclosureIndex attachments { name } body { fields { key } } instruments { symbol } company { symbol } related { disclosureIndex } } } }`: `{"items":[{"instruments":[{"symbol":"S007"}],"company":{"symbol":"S007"},"detail":{"disclosureIndex":3070,"attachments":[{"name":"a.pdf"}],"body":{"fields":[{"key":"n"}]},"instruments":[{"symbol":"S007"}],"company":{"symbol":"S007"},"related":null}}]}`,
		`disclosure(index: 2001) { instruments { symbol } company { symbol } related { disclosureIndex } }`:                                                                                                                                                       `{"instruments":[],"company":null,"related":null}`,
		`disclosure(index: 3072) { related { disclosureIndex detail { disclosureIndex } } company { disclosures(first: 1) { company { instruments { symbol } } } } }`:                                                                                             `{"related":{"disclosureIndex":3070,"detail":{"disclosureIndex":3070}},"company":{"disclosures":[{"company":{"instruments":[{"symbol":"S007"}]}}]}}`,
		// by its id
		`disclosure(index: 1505) { company { identity { companyId } } }`: `{"company":{"identity":{"companyId":"K0001"}}}`,
	} {
		res := a.Query("{ it: "+document+" }", fixture.All)
		if got := fmt.Sprintf(`{"data":{"it":%s}`, want); res.JSON["errors"] != nil || !strings.HasPrefix(res.Text, got) {
			t.Errorf("%s\n%s, want %s", document, res.Text, want)
		}
	}
}

// Links of an edge work as those of the root field do.
func TestLinksOfDetails(t *testing.T) {
	a := newKAPAPI(t)
	res := a.Query(`{ disclosures(symbol: "DMOST", limit: 1) { items { disclosureIndex detail { attachments { url } } } } disclosure(index: 1505) { attachments { url } } }`, fixture.All)
	data := res.JSON["data"].(map[string]any)
	edge := data["disclosures"].(map[string]any)["items"].([]any)[0].(map[string]any)["detail"].(map[string]any)
	if root := data["disclosure"].(map[string]any); !reflect.DeepEqual(edge["attachments"], root["attachments"]) ||
		!strings.Contains(res.Text, "/v1/kap-feed/disclosures/1505/attachments/1?expires=") {
		t.Errorf("%s", res.Text)
	}
}

// 100 parents take as many reads as one.
func TestReadsOfDisclosureEdges(t *testing.T) {
	a := newKAPAPI(t)
	var ids []string
	for i := range 100 {
		ids = append(ids, fmt.Sprintf(`"bist:S%03d"`, i))
	}
	watchlist := func(n int) string { return "watchlist(ids: [" + strings.Join(ids[:n], ", ") + "])" }
	disclosures := func(n int) string { return fmt.Sprintf("disclosures(limit: %d)", n) }
	for _, c := range []struct {
		root  func(int) string
		field string
		reads int64
	}{
		{watchlist, "{ disclosures { disclosureIndex } }", 1},
		{watchlist, "{ company { disclosures(first: 100) { disclosureIndex } instruments { symbol } } }", 1},
		{watchlist, "{ a: disclosures(first: 1) { disclosureIndex } b: disclosures(first: 2) { disclosureIndex } }", 2},
		{watchlist, "{ disclosures(first: 3) { detail { hasBody } related { disclosureIndex } } }", 3},
		{watchlist, "{ company { disclosures(first: 3) { instruments { disclosures(first: 1) { detail { body { format } } } } } } }", 5},
		{disclosures, "{ items { detail { hasBody } } }", 1},
		{disclosures, "{ items { related { disclosureIndex } company { symbol } instruments { symbol } } }", 1},
		{disclosures, "{ items { detail { body { fields { key } } } } }", 3},
		{disclosures, "{ items { company { disclosures(first: 2) { disclosureIndex } } } }", 1},
	} {
		for _, n := range []int{1, 100} {
			fewest := int64(math.MaxInt64) // on a busy machine a batch may leave before its last sibling
			for range 5 {
				a.Reads.Store(0)
				document := "{ " + c.root(n) + " " + c.field + " }"
				if res := a.Query(document, fixture.All); res.StatusCode != 200 || res.JSON["data"] == nil {
					t.Fatalf("%s: %.300s", document, res.Text)
				}
				if fewest = min(fewest, a.Reads.Load()); fewest <= c.reads {
					break
				}
			}
			if fewest > c.reads || fewest == 0 {
				t.Errorf("%d of %s: %d reads, want at most %d", n, c.field, fewest, c.reads)
			}
		}
	}
}

// Each edge costs what it says, and needs kap where it says so.
func TestCostAndScopeOfDisclosureEdges(t *testing.T) {
	a := newKAPAPI(t)
	units := func(document string) json.Number {
		res := a.Query("{ "+document+" }", fixture.All)
		if res.JSON["errors"] != nil {
			t.Errorf("%s: %s", document, res.Text)
		}
		return res.JSON["extensions"].(map[string]any)["usage_units"].(json.Number)
	}
	for document, want := range map[string]json.Number{
		`watchlist(ids: ["bist:S001", "bist:S002", "crypto:1"]) { disclosures { disclosureIndex } }`:                               "3",
		`watchlist(ids: ["bist:S001"]) { company { symbol disclosures { disclosureIndex } instruments { symbol } } }`:              "2",
		`disclosures(symbol: "S001") { items { instruments { symbol } company { symbol } } }`:                                      "1",
		`disclosures(symbol: "S001") { items { related { disclosureIndex } } }`:                                                    "2",
		`disclosures(symbol: "S001") { items { detail { hasBody } } }`:                                                             "4",
		`disclosures(symbol: "S001", order: ASC, limit: 1) { items { detail { hasBody body { format } body { sourceFormat } } } }`: "3",
	} {
		if got := units(document); got != want {
			t.Errorf("%s: %s units, want %s", document, got, want)
		}
	}
	const deaf = "piyasa_live_deaf"
	a.Keys(fixture.Key(fixture.All, access.Scopes...), fixture.Key(deaf, calls.Without(access.KAP)...))
	for _, edge := range []string{"disclosures { disclosureIndex }", "company { symbol }"} {
		res := a.Query(`{ watchlist(ids: ["bist:S001", "crypto:1"]) { symbol `+edge+` } }`, deaf)
		name, _, _ := strings.Cut(edge, " ")
		var at []string
		for _, e := range fixture.ErrorsOf(res) {
			problem := e["extensions"].(map[string]any)["problem"].(map[string]any)
			at = append(at, fmt.Sprintf("%v %v %v", e["path"], fixture.CodeOf(e), problem["missing_scopes"]))
		}
		slices.Sort(at)
		if want := []string{"[watchlist 0 " + name + "] FORBIDDEN [kap]", "[watchlist 1 " + name +
			"] FORBIDDEN [kap]"}; !slices.Equal(at, want) {
			t.Errorf("%s: %q, want %q", edge, at, want)
		}
		if data := res.JSON["data"].(map[string]any)["watchlist"].([]any)[0].(map[string]any); data["symbol"] != "S001" ||
			data[name] != nil {
			t.Errorf("%s: %v", edge, data)
		}
	}
	for _, edge := range []string{`instrument(id: "bist:S001") { disclosures(first: 0) { symbols } }`,
		`instrument(id: "bist:S001") { disclosures(first: 101) { symbols } }`,
		`disclosure(index: 2000) { instruments(first: 0) { symbol } }`, `company(symbol: "S001") { disclosures(first: 101) { symbols } }`} {
		if errs := fixture.ErrorsOf(a.Query("{ "+edge+" }", fixture.All)); len(errs) != 1 ||
			fixture.CodeOf(errs[0]) != "INVALID_PARAMETER" || len(errs[0]["path"].([]any)) != 2 {
			t.Errorf("%s: %v", edge, errs)
		}
	}
}

// Long lists in lists are priced with their lengths.
func TestComplexityOfDisclosureEdges(t *testing.T) {
	a := newKAPAPI(t)
	for document, fits := range map[string]bool{
		`{ disclosures(limit: 100) { items { instruments(first: 5) { symbol quote { last } } company { symbol } related { disclosureIndex } detail { hasBody } } } }`: true,
		`{ disclosures(limit: 100) { items { detail { facts { concept value } } } } }`:                                                                                true,
		`{ instruments(limit: 5000) { instruments { disclosures(first: 100) { disclosureIndex } } } }`:                                                                false,
		`{ disclosures(limit: 100) { items { instruments(first: 100) { disclosures(first: 100) { symbols } } } } }`:                                                   false,
		`{ disclosures(limit: 100) { items { company { disclosures(first: 100) { detail { facts { concept } } } } } } }`:                                              false,
	} {
		res := a.Query(document, fixture.All)
		if got := res.StatusCode == 200; got != fits {
			t.Errorf("%s: %d %.200s", document, res.StatusCode, res.Text)
		}
	}
}

// The edges of an event are those of any answer, read again for each.
func TestEdgesOfEvents(t *testing.T) {
	b := fixture.NewBroadcast(t)
	b.Publish(1)
	const document = `subscription { disclosureStream(topics: ["all"], afterSeq: 0) { ... on DisclosureEvent { data {
		disclosureIndex instruments { instrumentId disclosures(first: 1) { disclosureIndex } } company { symbol } related { disclosureIndex } detail { hasBody attachments { url } } } } } }`
	l := b.Listen(document)
	want := func(n int) string {
		return fmt.Sprintf(`{"data":{"disclosureStream":{"data":{"disclosureIndex":%d,"instruments":[{"instrumentId":"bist:DMOST","disclosures":[{"disclosureIndex":%d}]}],"company":null,"related":null,"detail":{"hasBody":false,"attachments":[]}}}}}`, n, n)
	}
	heard := func(want string) {
		t.Helper()
		for {
			switch got := l.Data(); {
			case strings.Contains(got, `"disclosureStream":{}`): // an event of another type
			case got != want:
				t.Fatalf("%s, want %s", got, want)
			default:
				return
			}
		}
	}
	heard(want(1)) // replayed
	b.Publish(2)
	heard(want(2))
	b.Publish(3)
	heard(want(3))

	l = b.Listen(`subscription { stream: disclosureStream(topics: ["all"], afterSeq: 2) { ... on DisclosureEvent { data { instruments { disclosures(first: 101) { disclosureIndex } } } } } }`)
	for got := l.Data(); !strings.Contains(got, `"path":["stream","data","instruments",0,"disclosures"]`); got = l.Data() {
		if !strings.Contains(got, `"stream":{}`) {
			t.Fatalf("an edge fails at another path: %s", got)
		}
	}

	l = b.Listen(`subscription { quoteStream(ids: ["crypto:1"]) { ... on QuoteEvent { data { last instrument { quote { last } } } } ... on NoQuote { instrumentId nullReason asOf } } }`)
	l.Data() // Subscribed
	for _, last := range []string{"68250.12", "70000.5", "71000.25"} {
		if last != "68250.12" {
			b.Services.Market.Live.PutQuotes([]*market.Observation{{InstrumentID: "crypto:1",
				AsOf: value.MustInstant("2026-03-18T11:59:59Z"), Last: value.MustDecimal(last)}})
			b.Services.Prices.Changed([]market.ID{"crypto:1"})
		}
		if got, want := l.Data(), fmt.Sprintf(`{"data":{"quoteStream":{"data":{"last":"%s","instrument":{"quote":{"last":"%s"}}}}}}`,
			last, last); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
	b.Services.Market.Live.PutQuotes([]*market.Observation{{InstrumentID: "crypto:1", AsOf: value.MustInstant("2026-03-18T12:00:01Z")}})
	b.Services.Prices.Changed([]market.ID{"crypto:1"})
	if got, want := l.Data(),
		`{"data":{"quoteStream":{"instrumentId":"crypto:1","nullReason":"no_honest_value","asOf":"2026-03-18T12:00:01Z"}}}`; got != want {
		t.Fatalf("withdrawn: %s, want %s", got, want)
	}
}
