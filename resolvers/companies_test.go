package resolvers_test

import (
	"encoding/json"
	"fmt"
	"piyasa/account/access"
	"piyasa/test/fixture"
	"piyasa/test/fixture/calls"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// whole is an edge or root field with everything its type has, but the edges.
func whole(parent, field string) string {
	name, _, _ := strings.Cut(field, "(")
	return field + fixture.Selection(fixture.Schema.Types[parent].Fields.ForName(name).Type.Name())
}

// One document asks for everything about a company of every market: each edge
// says what its root field says, and is null where the market has none.
func TestEdgesOfInstruments(t *testing.T) {
	a := fixture.New(t)
	ids := []string{"bist:DMOST", "bist:DMBNK", "bist:DMNEW", "bist:DMALTF", "us:DMAP", "cmdty:XAU", "crypto:1", "fx:USDTRY", "index:SPX"}
	edges := []struct {
		edge, root string   // %q is the id
		has        []string // the others are null
	}{
		{`periodic`, `periodic(id: %q)`, []string{"bist:DMOST", "bist:DMBNK", "bist:DMNEW", "bist:DMALTF", "us:DMAP", "cmdty:XAU"}},
		{`indicators`, `indicators(id: %q)`, []string{"bist:DMOST", "bist:DMBNK", "bist:DMNEW", "bist:DMALTF"}},
		{`indicators(indicators: [ATR, SMA], periods: [3], resolution: M5)`,
			`indicators(id: %q, indicators: [ATR, SMA], periods: [3], resolution: M5)`,
			[]string{"bist:DMOST", "bist:DMBNK", "bist:DMNEW", "bist:DMALTF"}},
		{`valuation`, `valuation(id: %q)`, []string{"bist:DMOST", "bist:DMBNK", "us:DMAP"}},
		{`valuation(currency: TRY)`, `valuation(id: %q, currency: TRY)`, []string{"bist:DMOST", "bist:DMBNK", "us:DMAP"}},
		{`valuationHistory`, `valuationHistory(id: %q)`, []string{"bist:DMOST", "bist:DMBNK", "bist:DMNEW"}},
		{`valuationHistory(from: "2026-03-18", to: "2026-03-18")`, `valuationHistory(id: %q, from: "2026-03-18", to: "2026-03-18")`,
			[]string{"bist:DMOST", "bist:DMBNK", "bist:DMNEW"}},
		{`financials`, `financials(id: %q)`, []string{"bist:DMOST", "bist:DMBNK", "bist:DMNEW", "bist:DMALTF", "us:DMAP"}},
		{`financials(timeframe: QUARTERLY, currency: USD, limit: 1)`, `financials(id: %q, timeframe: QUARTERLY, currency: USD, limit: 1)`,
			[]string{"bist:DMOST", "bist:DMBNK", "bist:DMNEW", "bist:DMALTF", "us:DMAP"}},
	}
	var asked, roots strings.Builder
	for i, e := range edges {
		fmt.Fprintf(&asked, " e%d: %s", i, whole("Instrument", e.edge))
	}
	answer := a.Query(`{ watchlist(ids: ["`+strings.Join(ids, `", "`)+`"]) { instrumentId sectorInfo { code } dividends `+
		fixture.Selection("Dividend")+asked.String()+` } }`, fixture.All)
	if answer.JSON["errors"] != nil {
		t.Fatalf("%.2000s", answer.Text)
	}
	list := answer.JSON["data"].(map[string]any)["watchlist"].([]any)
	units := 1 + 5 // the list, and the dividends of what is of bist or us
	for i, id := range ids {
		roots.Reset()
		for n, e := range edges {
			if slices.Contains(e.has, id) {
				units++
				fmt.Fprintf(&roots, " e%d: %s", n, whole("Query", fmt.Sprintf(e.root, id)))
			}
		}
		want := map[string]any{}
		if roots.Len() > 0 {
			want = a.Data("{"+roots.String()+"}", fixture.All)
		}
		for n, e := range edges {
			if got := list[i].(map[string]any)[fmt.Sprint("e", n)]; !reflect.DeepEqual(got, want[fmt.Sprint("e", n)]) {
				t.Errorf("%s %s:\nedge %v\nroot %v", id, e.edge, got, want[fmt.Sprint("e", n)])
			}
		}
	}
	if got := answer.JSON["extensions"].(map[string]any)["usage_units"]; got != json.Number(fmt.Sprint(units)) {
		t.Errorf("costs %s, want %d", got, units)
	}
	for i, want := range []any{"otomotiv", "bankacilik", nil, nil, "otomotiv", nil, nil, nil, nil} {
		var got any
		if info, ok := list[i].(map[string]any)["sectorInfo"].(map[string]any); ok {
			got = info["code"]
		}
		if got != want {
			t.Errorf("%s is of sector %v, want %v", ids[i], got, want)
		}
	}
	for i, id := range ids { // newest first, where the root field gives the oldest first
		got := list[i].(map[string]any)["dividends"].([]any)
		want := []any{}
		if strings.HasPrefix(id, "bist:") || strings.HasPrefix(id, "us:") {
			history := a.Data(fmt.Sprintf(`{ it: dividendHistory(id: %q) { dividends %s } }`, id, fixture.Selection("Dividend")),
				fixture.All)["it"].(map[string]any)
			want = history["dividends"].([]any)
			slices.Reverse(want)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("dividends of %s: %v, want %v", id, got, want)
		}
	}
	first := a.Data(`{ instrument(id: "bist:DMOST") { dividends(first: 2) { exDate installment } } }`, fixture.All)
	if got := fmt.Sprint(first["instrument"].(map[string]any)["dividends"]); got != "[map[exDate:2026-04-10 installment:2] "+
		"map[exDate:2026-04-10 installment:1]]" {
		t.Errorf("the first two dividends: %s", got)
	}
}

func TestEdgesOfSectors(t *testing.T) {
	a := fixture.New(t)
	edges := map[string]string{
		`valuation`:                       `sectorValuation(code: %q)`,
		`valuation(market: US)`:           `sectorValuation(code: %q, market: US)`,
		`returns`:                         `sectorReturns(code: %q)`,
		`returns(from: "2026-03-01")`:     `sectorReturns(code: %q, from: "2026-03-01")`,
		`returns(market: US, from: null)`: `sectorReturns(code: %q, market: US)`,
	}
	// Every member of a year of every sector would cost more than a document may.
	but := func(one string) string {
		return strings.NewReplacer(" availableFrom", "", " adjustment adjust bridges { kind on factor source }", "").Replace(one)
	}
	for edge, root := range edges {
		sectors := a.Data(`{ sectors { sectors { code it: `+but(whole("Sector", edge))+` } } }`,
			fixture.All)["sectors"].(map[string]any)["sectors"].([]any)
		if len(sectors) != 2 {
			t.Fatalf("%d sectors", len(sectors))
		}
		for _, s := range sectors {
			code := s.(map[string]any)["code"].(string)
			want := a.Data("{ it: "+but(whole("Query", fmt.Sprintf(root, code)))+" }", fixture.All)["it"]
			if got := s.(map[string]any)["it"]; got == nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s of %s:\nedge %v\nroot %v", edge, code, got, want)
			}
		}
	}
	res := a.Data(`{ sectors { sectors { code bist: members { symbol instrument { name sectorInfo { code } } } one: members(first: 1) { instrumentId } us: members(market: US) { instrumentId } } } }`, fixture.All)
	got, _ := json.Marshal(res["sectors"].(map[string]any)["sectors"].([]any)[1])
	if want := `{"bist":[{"instrument":{"name":"Demo Bankası","sectorInfo":{"code":"bankacilik"}},"symbol":"DMBNK"},{"instrument":{"name":"Demo Otomotiv Şirketi","sectorInfo":{"code":"otomotiv"}},"symbol":"DMOST"}],"code":"otomotiv","one":[{"instrumentId":"bist:DMBNK"}],"us":[{"instrumentId":"us:DMAP"}]}`; string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Whatever names an instrument leads to it.
func TestEveryAnswerLeadsToItsInstrument(t *testing.T) {
	a := fixture.New(t)
	for field, want := range map[string]string{
		`indicators(id: "bist:DMALT") { instrument { instrumentId } }`:                                      "bist:DMALTF",
		`financials(id: "bist:DMOST") { instrument { instrumentId } }`:                                      "bist:DMOST",
		`valuation(id: "us:DMAP") { instrument { instrumentId } }`:                                          "us:DMAP",
		`valuations(ids: ["bist:DMBNK"]) { valuations { instrument { instrumentId } } }`:                    "bist:DMBNK",
		`valuationHistory(id: "bist:DMOST") { instrument { instrumentId } }`:                                "bist:DMOST",
		`dividendHistory(id: "bist:DMOST") { instrument { instrumentId } }`:                                 "bist:DMOST",
		`dividendHistory(id: "us:DMAP") { dividends { instrument { instrumentId } } }`:                      "us:DMAP",
		`dividends(market: US) { dividends { instrument { instrumentId } } }`:                               "us:DMAP",
		`periodic(id: "bist:DMALT.F") { instrument { instrumentId } }`:                                      "bist:DMALTF",
		`periodicBatch(ids: ["us:DMAP"]) { periodic { instrument { instrumentId } } }`:                      "us:DMAP",
		`sectorConstituents(code: "otomotiv", market: US) { constituents { instrument { instrumentId } } }`: "us:DMAP",
		`indexPeriodic(code: "XU100") { instrument { instrumentId } }`:                                      "",
		`sectorPeriodic(code: "otomotiv") { instrument { instrumentId } }`:                                  "",
	} {
		text, _ := json.Marshal(a.Data("{ "+field+" }", fixture.All))
		if leads := strings.Contains(string(text), `"instrumentId":"`+want+`"`); leads != (want != "") {
			t.Errorf("%s leads to %s, want %q", field, text, want)
		}
	}
}

// A missing scope takes away its edge and nothing beside it.
func TestScopesOfEdges(t *testing.T) {
	a := fixture.New(t)
	const instrument, sector = `instrument(id: "bist:DMOST") { symbol %s }`, `sectors { sectors { code %s } }`
	for _, c := range []struct {
		parent, edge string
		needs        access.Scope
	}{
		{instrument, `periodic { count }`, access.History},
		{instrument, `indicators { count }`, access.History},
		{instrument, `valuation { currency }`, access.History},
		{instrument, `valuationHistory { count }`, access.History},
		{instrument, `financials { count }`, access.History},
		{instrument, `dividends { exDate }`, access.History},
		{instrument, `quote { last }`, access.QuotesBIST},
		{instrument, `sectorInfo { code }`, ""},
		{sector, `members { symbol }`, access.QuotesBIST},
		{sector, `members(market: US) { symbol }`, access.QuotesUS},
		{sector, `valuation { memberCount }`, access.History},
		{sector, `valuation(market: US) { memberCount }`, access.History},
		{sector, `returns { count }`, access.History},
	} {
		t.Run(c.edge, func(t *testing.T) {
			name, _, _ := strings.Cut(c.edge, " ")
			name, _, _ = strings.Cut(name, "(")
			a.Keys(fixture.Key("piyasa_live_only", c.needs), fixture.Key("piyasa_live_without", calls.Without(c.needs)...))
			document := "{ " + fmt.Sprintf(c.parent, c.edge) + " }"
			parents := func(res fixture.Answer) []any {
				data := res.JSON["data"].(map[string]any)
				if c.parent == sector {
					return data["sectors"].(map[string]any)["sectors"].([]any)
				}
				return []any{data["instrument"]}
			}
			if res := a.Query(document, "piyasa_live_only"); res.JSON["errors"] != nil || parents(res)[0].(map[string]any)[name] == nil {
				t.Errorf("with only %q: %s", c.needs, res.Text)
			}
			res := a.Query(document, "piyasa_live_without")
			if c.needs == "" {
				return
			}
			e := fixture.ErrorsOf(res)
			if len(e) != len(parents(res)) {
				t.Fatalf("without %s: %s", c.needs, res.Text)
			}
			for i, parent := range parents(res) {
				p := parent.(map[string]any)
				if p[name] != nil || p["symbol"] == nil && p["code"] == nil || fixture.CodeOf(e[i]) != "FORBIDDEN" ||
					!strings.Contains(fmt.Sprint(e[i]["path"]), name) {
					t.Errorf("without %s: %s", c.needs, res.Text)
				}
				problem := e[i]["extensions"].(map[string]any)["problem"].(map[string]any)
				if fmt.Sprint(problem["missing_scopes"]) != "["+string(c.needs)+"]" {
					t.Errorf("missing %v", problem["missing_scopes"])
				}
			}
			if units := res.JSON["extensions"].(map[string]any)["usage_units"]; units != json.Number("1") {
				t.Errorf("costs %s", units)
			}
		})
	}
}

// TK-01 to TK-03 and DL-14: a key of the test plan.
func TestKeysOfTheTestPlan(t *testing.T) {
	a := fixture.New(t)
	test := fixture.Key("piyasa_test_key", access.Scopes...)
	test.Test = true
	a.Keys(test)
	for path, kind := range map[string]string{
		"/v1/stocks/bist:DMOST/dividends":   "test-plan",
		"/v1/stocks/bist:NOPE/dividends":    "test-plan",
		"/v1/dividends?symbols=DMNEW":       "test-plan",
		"/v1/dividends?symbols=DMOST,DMSG2": "test-plan",
		"/v1/dividends?market=us":           "test-plan",
		"/v1/dividends":                     "",
		"/v1/dividends?symbols=DMOST":       "",
		"/v1/stocks/bist:DMOST/valuation":   "",
		"/v1/stocks/bist:DMOST/financials":  "",
		"/v1/periodic/us:DMAP":              "",
		"/v1/sectors/otomotiv/valuation":    "",
		"/v1/stocks/bist:DMOST/indicators":  "",
		"/v1/valuation?ids=bist:DMBNK":      "",
		"/v1/sectors/otomotiv/returns":      "",
		"/v1/sectors/otomotiv/constituents": "",
		"/v1/indices/XU100/periodic":        "",
		"/v1/quotes/bist:DMOST":             "",
	} {
		res := a.Get(path, "piyasa_test_key")
		if kind != "" {
			res.WantProblem(t, 403, kind)
		} else if res.StatusCode != 200 {
			t.Errorf("%s: %d %s", path, res.StatusCode, res.Text)
		}
	}
	res := a.Query(`{ instrument(id: "bist:DMOST") { symbol dividends { exDate } valuation { currency } } }`, "piyasa_test_key")
	in := res.JSON["data"].(map[string]any)["instrument"].(map[string]any)
	if e := fixture.ErrorsOf(res); len(e) != 1 || fixture.CodeOf(e[0]) != "FORBIDDEN" || in["dividends"] != nil || in["valuation"] == nil ||
		in["symbol"] == nil {
		t.Errorf("the edge: %s", res.Text)
	}
}
