package server_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/graph"
	"piyasa/resolvers"
	"piyasa/rest"
)

// twins asks every route and its root field for the same things. A route
// without a row fails TestEveryRouteHasATwin.
var twins = []struct{ pattern, path, field string }{
	{"/v1/quotes/{instrument_id}", "/v1/quotes/bist:DMOST", `quote(id: "bist:DMOST")`},
	{"/v1/quotes/{instrument_id}", "/v1/quotes/bist:DMALT?currency=USD", `quote(id: "bist:DMALT", currency: USD)`},
	{"/v1/quotes/{instrument_id}", "/v1/quotes/crypto:btc?currency=TRY", `quote(id: "crypto:btc", currency: TRY)`},
	{"/v1/quotes/{instrument_id}", "/v1/quotes/index:SPX?currency=TRY", `quote(id: "index:SPX", currency: TRY)`},
	{"/v1/quotes", "/v1/quotes?ids=crypto:BTC,bist:DMOST,crypto:1,bist:NOPE,cmdty:RAWX,bist:NOPE", `quotes(ids: ["crypto:BTC", "bist:DMOST", "crypto:1", "bist:NOPE", "cmdty:RAWX", "bist:NOPE"])`},
	{"/v1/quotes", "/v1/quotes?ids=bist:DMOST,crypto:1&currency=TRY", `quotes(ids: ["bist:DMOST", "crypto:1"], currency: TRY)`},
	{"/v1/candles/{instrument_id}", "/v1/candles/bist:DMOST", `candles(id: "bist:DMOST")`},
	{"/v1/candles/{instrument_id}", "/v1/candles/bist:DMOST?from=2026-03-13&to=2026-03-16&currency=USD", `candles(id: "bist:DMOST", from: "2026-03-13", to: "2026-03-16", currency: USD)`},
	{"/v1/candles/{instrument_id}", "/v1/candles/bist:DMOST?resolution=5m&from=2026-03-16&to=2026-03-16&currency=USD", `candles(id: "bist:DMOST", resolution: M5, from: "2026-03-16", to: "2026-03-16", currency: USD)`},
	{"/v1/candles/{instrument_id}", "/v1/candles/crypto:btc?resolution=2h", `candles(id: "crypto:btc", resolution: H2)`},
	{"/v1/candles/{instrument_id}", "/v1/candles/crypto:btc?from=2026-01-01", `candles(id: "crypto:btc", from: "2026-01-01")`},
	{"/v1/candles/{instrument_id}", "/v1/candles/index:SPX?currency=TRY", `candles(id: "index:SPX", currency: TRY)`},
	{"/v1/candles/{instrument_id}", "/v1/candles/cmdty:RAWX", `candles(id: "cmdty:RAWX")`},
	{"/v1/candles", "/v1/candles?ids=crypto:BTC,bist:DMOST,crypto:1,bist:NOPE,index:SPX,bist:NOPE", `candlesBatch(ids: ["crypto:BTC", "bist:DMOST", "crypto:1", "bist:NOPE", "index:SPX", "bist:NOPE"])`},
	{"/v1/candles", "/v1/candles?ids=bist:DMOST,fx:USDTRY&from=2026-03-13&to=2026-03-16&currency=USD", `candlesBatch(ids: ["bist:DMOST", "fx:USDTRY"], from: "2026-03-13", to: "2026-03-16", currency: USD)`},
	{"/v1/candles", "/v1/candles?ids=bist:DMALT.F,fx:USDTRY&resolution=5m", `candlesBatch(ids: ["bist:DMALT.F", "fx:USDTRY"], resolution: M5)`},
	{"/v1/candles", "/v1/candles?ids=bist:NOPE", `candlesBatch(ids: ["bist:NOPE"])`},
	{"/v1/eod/{instrument_id}", "/v1/eod/bist:DMOST", `eod(id: "bist:DMOST")`},
	{"/v1/eod/{instrument_id}", "/v1/eod/bist:DMOST?currency=USD", `eod(id: "bist:DMOST", currency: USD)`},
	{"/v1/eod/{instrument_id}", "/v1/eod/bist:DMALT.F?from=2023-12-01&to=2023-12-31", `eod(id: "bist:DMALT.F", from: "2023-12-01", to: "2023-12-31")`},
	{"/v1/instruments", "/v1/instruments", `instruments`},
	{"/v1/instruments", "/v1/instruments?market=crypto&limit=2", `instruments(market: CRYPTO, limit: 2)`},
	{"/v1/instruments", "/v1/instruments?asset_type=etf&search=ALTIN", `instruments(assetType: "etf", search: "ALTIN")`},
	{"/v1/instruments/{id}", "/v1/instruments/bist:DMALT.F", `instrument(id: "bist:DMALT.F")`},
	{"/v1/instruments/{id}", "/v1/instruments/crypto:1", `instrument(id: "crypto:1")`},
	{"/v1/instruments/{id}/parse", "/v1/instruments/crypto:btc/parse", `parseInstrument(id: "crypto:btc")`},
	{"/v1/markets/bist/status", "/v1/markets/bist/status", `marketStatus`},
	{"/v1/markets/bist/movers", "/v1/markets/bist/movers", `movers`},
	{"/v1/markets/bist/movers", "/v1/markets/bist/movers?limit=1&currency=USD", `movers(limit: 1, currency: USD)`},
	{"/v1/kap-feed/disclosures", "/v1/kap-feed/disclosures", `disclosures`},
	{"/v1/kap-feed/disclosures", "/v1/kap-feed/disclosures?symbol=dmosr&type=fr&order=asc&limit=1", `disclosures(symbol: "dmosr", type: FR, order: ASC, limit: 1)`},
	{"/v1/kap-feed/disclosures/{index}", "/v1/kap-feed/disclosures/1505", `disclosure(index: 1505)`},
	{"/v1/kap-feed/disclosures/{index}", "/v1/kap-feed/disclosures/1501", `disclosure(index: 1501)`},
	{"/v1/kap-feed/disclosures/{index}/body", "/v1/kap-feed/disclosures/1501/body", `disclosureBody(index: 1501)`},
	{"/v1/kap-feed/disclosures/{index}/body", "/v1/kap-feed/disclosures/1501/body?format=kap", `disclosureBody(index: 1501, format: KAP)`},
	{"/v1/kap-feed/financials/{symbol}", "/v1/kap-feed/financials/DMOST", `filings(symbol: "DMOST")`},
	{"/v1/kap-feed/financials/{symbol}", "/v1/kap-feed/financials/bist:dmosr?basis=yiufe_adjusted&unit=thousand&as_of=2025-12&limit=1", `filings(symbol: "bist:dmosr", basis: YIUFE_ADJUSTED, unit: THOUSAND, asOf: "2025-12", limit: 1)`},
	{"/v1/kap-feed/financials/{symbol}", "/v1/kap-feed/financials/DMOST?basis=tufe_adjusted&consolidation=NC&year=2025&period=Annual", `filings(symbol: "DMOST", basis: TUFE_ADJUSTED, consolidation: NC, year: "2025", period: "Annual")`},
	{"/v1/kap-feed/financials/{symbol}", "/v1/kap-feed/financials/DMSIG", `filings(symbol: "DMSIG")`},
	{"/v1/kap-feed/companies/{symbol}", "/v1/kap-feed/companies/DMOSR", `company(symbol: "DMOSR")`},
	{"/v1/kap", "/v1/kap", `news`},
	{"/v1/kap", "/v1/kap?symbol=DMOSR&from=2026-03-17&to=2026-03-18&limit=1", `news(symbol: "DMOSR", from: "2026-03-17", to: "2026-03-18", limit: 1)`},
	{"/v1/kap/{news_id}", "/v1/kap/n-2", `newsItem(newsId: "n-2")`},
}

// refusals are asked of both sides and must be the same problem.
var refusals = []struct{ path, field string }{
	{"/v1/quotes/bist:NOPE", `quote(id: "bist:NOPE")`},
	{"/v1/quotes/foo:BAR", `quote(id: "foo:BAR")`},
	{"/v1/quotes/cmdty:RAWX", `quote(id: "cmdty:RAWX")`},
	{"/v1/quotes/crypto:ONE", `quote(id: "crypto:ONE")`},
	{"/v1/quotes/fund:DMA", `quote(id: "fund:DMA")`},
	{"/v1/quotes/bist:DMOST?currency=EUR", `quote(id: "bist:DMOST", currency: EUR)`},
	{"/v1/quotes?ids=crypto:ONE", `quotes(ids: ["crypto:ONE"])`},
	{"/v1/quotes?ids=", `quotes(ids: [])`},
	{"/v1/candles/bist:DMOST?from=2026-03-02&to=2026-03-01", `candles(id: "bist:DMOST", from: "2026-03-02", to: "2026-03-01")`},
	{"/v1/candles/bist:DMOST?resolution=2h", `candles(id: "bist:DMOST", resolution: H2)`},
	{"/v1/candles/crypto:1?resolution=5m", `candles(id: "crypto:1", resolution: M5)`},
	{"/v1/candles/crypto:1?resolution=2h&from=2025-12-16&to=2026-03-18", `candles(id: "crypto:1", resolution: H2, from: "2025-12-16", to: "2026-03-18")`},
	{"/v1/candles/bist:DMOST?currency=EUR", `candles(id: "bist:DMOST", currency: EUR)`},
	{"/v1/candles/bist:NOPE", `candles(id: "bist:NOPE")`},
	{"/v1/candles?ids=", `candlesBatch(ids: [])`},
	{"/v1/candles?ids=" + strings.Repeat("bist:DMOST,", 20) + "bist:DMOST", `candlesBatch(ids: [` + strings.Repeat(`"bist:DMOST",`, 20) + `"bist:DMOST"])`},
	{"/v1/candles?ids=bist:DMOST,crypto:ONE", `candlesBatch(ids: ["bist:DMOST", "crypto:ONE"])`},
	{"/v1/candles?ids=bist:DMOST,crypto:1&resolution=5m", `candlesBatch(ids: ["bist:DMOST", "crypto:1"], resolution: M5)`},
	{"/v1/candles?ids=bist:DMOST,crypto:1&from=2026-03-02&to=2026-03-01", `candlesBatch(ids: ["bist:DMOST", "crypto:1"], from: "2026-03-02", to: "2026-03-01")`},
	{"/v1/candles?ids=index:SPX,bist:DMOST&currency=EUR", `candlesBatch(ids: ["index:SPX", "bist:DMOST"], currency: EUR)`},
	{"/v1/eod/crypto:ONE", `eod(id: "crypto:ONE")`},
	{"/v1/eod/bist:DMOST?to=2020-01-01", `eod(id: "bist:DMOST", to: "2020-01-01")`},
	{"/v1/instruments?limit=5001", `instruments(limit: 5001)`},
	{"/v1/instruments/bist:NOPE", `instrument(id: "bist:NOPE")`},
	{"/v1/instruments/bist:DMALT/parse", `parseInstrument(id: "bist:DMALT")`},
	{"/v1/markets/bist/movers?limit=0", `movers(limit: 0)`},
	{"/v1/kap-feed/disclosures?symbol=D-M", `disclosures(symbol: "D-M")`},
	{"/v1/kap-feed/disclosures?cursor=garbage", `disclosures(cursor: "garbage")`},
	{"/v1/kap-feed/disclosures/7", `disclosure(index: 7)`},
	{"/v1/kap-feed/disclosures/1505/body", `disclosureBody(index: 1505)`},
	{"/v1/kap-feed/disclosures/1501/body?format=html", `disclosureBody(index: 1501, format: HTML)`},
	{"/v1/kap-feed/financials/ZZZZZ", `filings(symbol: "ZZZZZ")`},
	{"/v1/kap-feed/financials/D-M", `filings(symbol: "D-M")`},
	{"/v1/kap-feed/financials/DMOST?limit=13", `filings(symbol: "DMOST", limit: 13)`},
	{"/v1/kap-feed/financials/DMOST?as_of=2025-12", `filings(symbol: "DMOST", asOf: "2025-12")`},
	{"/v1/kap-feed/financials/DMOST?as_of=2025-11&basis=tufe_adjusted", `filings(symbol: "DMOST", asOf: "2025-11", basis: TUFE_ADJUSTED)`},
	{"/v1/kap-feed/financials/DMOST?as_of=2026-03&basis=tufe_adjusted", `filings(symbol: "DMOST", asOf: "2026-03", basis: TUFE_ADJUSTED)`},
	{"/v1/kap-feed/financials/DMOST?cursor=garbage", `filings(symbol: "DMOST", cursor: "garbage")`},
	{"/v1/kap-feed/companies/ZZZZZ", `company(symbol: "ZZZZZ")`},
	{"/v1/kap?symbol=D-M", `news(symbol: "D-M")`},
	{"/v1/kap?limit=0", `news(limit: 0)`},
	{"/v1/kap?from=2026-03-02&to=2026-03-01", `news(from: "2026-03-02", to: "2026-03-01")`},
	{"/v1/kap?cursor=garbage", `news(cursor: "garbage")`},
	{"/v1/kap/n-nope", `newsItem(newsId: "n-nope")`},
}

var schema = graph.NewExecutableSchema(graph.Config{}).Schema()

// edges lead from a record to another one; REST bodies do not have them.
var edges = map[string]bool{
	"Instrument.quote": true, "Instrument.candles": true, "Instrument.eod": true, "Instrument.periodic": true, "Instrument.indicators": true,
	"Instrument.valuation": true, "Instrument.valuationHistory": true, "Instrument.financials": true, "Instrument.dividends": true, "Instrument.sectorInfo": true,
	"Sector.members": true, "Sector.valuation": true, "Sector.returns": true, "CandleSeries.columns": true, "DisclosureDetail.body": true,
}

// selection is everything the schema has under a type, but its edges.
func selection(typeName string) string {
	def := schema.Types[typeName]
	if def.IsLeafType() {
		return ""
	}
	var fields []string
	for _, f := range def.Fields {
		if f.Name == "instrument" || edges[typeName+"."+f.Name] || strings.HasPrefix(f.Name, "__") {
			continue
		}
		fields = append(fields, f.Name+selection(f.Type.Name()))
	}
	return " { " + strings.Join(fields, " ") + " }"
}

func rootField(field string) *ast.FieldDefinition {
	name, _, _ := strings.Cut(field, "(")
	return schema.Query.Fields.ForName(name)
}

// turned is an enum member that REST begins with a digit.
var turned = regexp.MustCompile(`^([A-Z])([0-9]+)$`)

// toREST respells a GraphQL value of a type as REST writes it. Rows of a
// converted series state their rate even when it is unknown.
func toREST(t *ast.Type, v any, converted bool) any {
	if t.Name() == "JSON" {
		return v
	}
	switch v := v.(type) {
	case []any:
		if t.Name() == "MarketSize" { // lists keyed by data are objects in REST
			keyed := map[string]any{}
			for _, e := range v {
				row := e.(map[string]any)
				keyed[strings.ToLower(row["market"].(string))] = row["size"]
			}
			return keyed
		}
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = toREST(t.Elem, e, converted)
		}
		return list
	case map[string]any:
		out := map[string]any{}
		for _, f := range schema.Types[t.Name()].Fields {
			value, asked := v[f.Name]
			switch {
			case !asked || (value == nil && strings.HasPrefix(f.Name, "fx") && !converted), value == nil && t.Name() == "DisclosureBody": // REST leaves these out
			case f.Name == "asOfMonth":
				out["as_of"] = value
			case f.Type.Name() == "NotFound":
				ids, reasons := []any{}, map[string]any{}
				for _, e := range value.([]any) {
					row := e.(map[string]any)
					ids = append(ids, row["id"])
					reasons[row["id"].(string)] = row["reason"]
				}
				out["not_found"], out["not_found_reasons"] = ids, reasons
			default:
				out[snake(f.Name)] = toREST(f.Type, value, converted)
			}
		}
		return out
	case string:
		if schema.Types[t.Name()].Kind == ast.Enum {
			if strings.HasPrefix(t.Name(), "Disclosure") || v == "CS" || v == "NC" { // the platform's own words
				return v
			}
			return strings.ToLower(turned.ReplaceAllString(v, "$2$1"))
		}
	}
	return v
}

func snake(camel string) string {
	var b strings.Builder
	for _, r := range camel {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func TestParity(t *testing.T) {
	a := newAPI(t)
	for _, twin := range twins {
		t.Run(twin.path, func(t *testing.T) {
			over := a.get(twin.path, all)
			if over.StatusCode != 200 {
				t.Fatalf("REST: %d %s", over.StatusCode, over.text)
			}
			def := rootField(twin.field)
			asked := a.query("{ it: "+twin.field+selection(def.Type.Name())+" }", all)
			if asked.body["errors"] != nil {
				t.Fatalf("GraphQL: %s", asked.text)
			}
			series := []string{"CandleSeries", "CandlesBatch", "EodSeries"}
			got := toREST(def.Type, asked.body["data"].(map[string]any)["it"], slices.Contains(series, def.Type.Name()) && strings.Contains(twin.path, "currency=USD"))
			if !reflect.DeepEqual(got, map[string]any(over.body)) {
				g, _ := json.Marshal(got)
				t.Errorf("GraphQL %s\nREST    %s", g, over.text)
			}
			if rest, gql := over.Header.Get("X-Usage-Units"), asked.body["extensions"].(map[string]any)["usage_units"]; rest != gql.(json.Number).String() {
				t.Errorf("cost: REST %s, GraphQL %s", rest, gql)
			}
		})
	}
}

func TestParityOfProblems(t *testing.T) {
	a := newAPI(t)
	for _, twin := range refusals {
		t.Run(twin.path, func(t *testing.T) {
			over := a.get(twin.path, all)
			if over.StatusCode < 400 {
				t.Fatalf("REST: %d %s", over.StatusCode, over.text)
			}
			asked := a.query("{ it: "+twin.field+selection(rootField(twin.field).Type.Name())+" }", all)
			errs, _ := asked.body["errors"].([]any)
			if asked.StatusCode != 200 || len(errs) != 1 || asked.body["data"].(map[string]any)["it"] != nil {
				t.Fatalf("GraphQL: %d %s", asked.StatusCode, asked.text)
			}
			problem := errs[0].(map[string]any)["extensions"].(map[string]any)["problem"].(map[string]any)
			for _, name := range []string{"instance", "request_id"} {
				delete(problem, name)
				delete(over.body, name)
			}
			if !reflect.DeepEqual(problem, over.body) {
				t.Errorf("GraphQL %v\nREST    %v", problem, over.body)
			}
		})
	}
}

func TestEveryRouteHasATwin(t *testing.T) {
	for _, route := range rest.Routes(&resolvers.Root{}) {
		i := slices.IndexFunc(twins, func(tw struct{ pattern, path, field string }) bool { return tw.pattern == route.Pattern })
		if i < 0 {
			t.Errorf("%s has no row in twins", route.Pattern)
			continue
		}
		if name, _, _ := strings.Cut(twins[i].field, "("); name != route.Twin {
			t.Errorf("%s says its twin is %s; the test asks %s", route.Pattern, route.Twin, name)
		}
	}
}
