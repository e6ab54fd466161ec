package resolvers_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/domain/funds"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// Each edge says what its root field says.
func TestEdgesOfTheEconomy(t *testing.T) {
	a := fixture.New(t)
	for field, want := range map[string]string{
		`calendarEvent(eventId: 10) { items { time actual event { eventId importance } } }`:                                  `{"items":[{"time":"2026-03-17T21:30:00Z","actual":2.50,"event":{"eventId":10,"importance":3}},{"time":"2026-03-19T07:00:00Z","actual":-0.0,"event":{"eventId":10,"importance":3}}]}`,
		`calendarEvent(eventId: 10) { items(first: 1) { time } }`:                                                            `{"items":[{"time":"2026-03-17T21:30:00Z"}]}`,
		`calendarEvent(eventId: 10) { items(from: "2026-03-19", to: "2026-03-19") { time } }`:                                `{"items":[{"time":"2026-03-19T07:00:00Z"}]}`,
		`calendarEvent(eventId: 12) { items(from: "1999-01-01") { time } }`:                                                  `{"items":[]}`,
		`calendarEvents { items { eventId items { actual } } }`:                                                              `{"items":[{"eventId":10,"items":[{"actual":2.50},{"actual":-0.0}]},{"eventId":11,"items":[{"actual":null}]},{"eventId":12,"items":[{"actual":null}]}]}`,
		`calendar(eventId: 11) { items { event { name items { event { eventId } } } } }`:                                     `{"items":[{"event":{"name":"Tarım Dışı İstihdam","items":[{"event":{"eventId":11}}]}}]}`,
		`indices { indices { code constituents { symbol sector instrument { name } } } }`:                                    `{"indices":[{"code":"XKUCK","constituents":[{"symbol":"DMBNK","sector":null,"instrument":{"name":"Demo Bankası"}}]},{"code":"XU100","constituents":[{"symbol":"DMBNK","sector":null,"instrument":{"name":"Demo Bankası"}},{"symbol":"DMOST","sector":"Automotive","instrument":{"name":"Demo Otomotiv Şirketi"}}]}]}`,
		`indices { indices { constituents(first: 1) { symbol } } }`:                                                          `{"indices":[{"constituents":[{"symbol":"DMBNK"}]},{"constituents":[{"symbol":"DMBNK"}]}]}`,
		`indexConstituents(code: "XU100") { constituents { instrument { instrumentId quote { last } } } }`:                   `{"constituents":[{"instrument":{"instrumentId":"bist:DMBNK","quote":null}},{"instrument":{"instrumentId":"bist:DMOST","quote":{"last":"305.25"}}}]}`,
		`instrument(id: "bist:DMBNK") { indices { code memberCount syncedAt constituents(first: 1) { symbol } } }`:           `{"indices":[{"code":"XKUCK","memberCount":1,"syncedAt":"2026-03-18T05:00:00Z","constituents":[{"symbol":"DMBNK"}]},{"code":"XU100","memberCount":3,"syncedAt":"2026-03-18T05:00:00Z","constituents":[{"symbol":"DMBNK"}]}]}`,
		`instrument(id: "bist:DMBNK") { indices(first: 1) { code } }`:                                                        `{"indices":[{"code":"XKUCK"}]}`,
		`instrument(id: "us:DMAP") { indices { code } holders { fundCode } }`:                                                `{"indices":[],"holders":[]}`,
		`instrument(id: "bist:DMOST") { holders { fundCode name weightPct marketValue reportMonth instrument { symbol } } }`: `{"holders":[{"fundCode":"DMX","name":"Demo X","weightPct":null,"marketValue":"40000000","reportMonth":"2026-01","instrument":{"symbol":"DMX"}},{"fundCode":"DMF","name":"Demo Hisse & Fonu","weightPct":"4.20","marketValue":"34104000","reportMonth":"2026-02","instrument":{"symbol":"DMF"}}]}`,
		`instrument(id: "bist:DMOST") { holders(first: 1) { fundId } }`:                                                      `{"holders":[{"fundId":"fund:DMX"}]}`,
		`instrument(id: "fund:DMX") { holdings { instrumentId name marketValue instrument { symbol } } }`:                    `{"holdings":[{"instrumentId":"bist:DMOST","name":"Demo Otomotiv Şirketi","marketValue":"40000000","instrument":{"symbol":"DMOST"}},{"instrumentId":"bist:DMBNK","name":"Demo Bankası","marketValue":null,"instrument":{"symbol":"DMBNK"}}]}`,
		`instrument(id: "bist:DMOST") { holdings { name } }`:                                                                 `{"holdings":null}`,
		`fundHoldings(code: "DMX") { instrument { symbol holdings(first: 1) { name } } }`:                                    `{"instrument":{"symbol":"DMX","holdings":[{"name":"Demo Otomotiv Şirketi"}]}}`,
		`fundHolders(id: "bist:DMOST") { instrument { symbol indices { code } } }`:                                           `{"instrument":{"symbol":"DMOST","indices":[{"code":"XU100"}]}}`,
		`ipo(id: "dmipo-old") { instrumentId instrument { symbol } }`:                                                        `{"instrumentId":"bist:DMOST","instrument":{"symbol":"DMOST"}}`,
		`ipos(state: COMPLETED) { ipos { instrument { holders(first: 1) { fundCode } } } }`:                                  `{"ipos":[{"instrument":{"holders":[{"fundCode":"DMX"}]}}]}`,
		`ipo(id: "dmipo-2026") { symbol instrumentId instrument { symbol } }`:                                                `{"symbol":"DMGDA","instrumentId":null,"instrument":null}`,
	} {
		res := a.Query("{ it: "+field+" }", fixture.All)
		if got := fmt.Sprintf(`{"data":{"it":%s}`, want); res.JSON["errors"] != nil || !strings.HasPrefix(res.Text, got) {
			t.Errorf("%s\n%s, want %s", field, res.Text, want)
		}
	}
	list := a.Data(`{ indices { indices { code it: `+whole("BistIndex", "periodic")+` } } }`,
		fixture.All)["indices"].(map[string]any)["indices"].([]any)
	for _, i := range list {
		code := i.(map[string]any)["code"].(string)
		want := a.Data(`{ it: `+whole("Query", fmt.Sprintf("indexPeriodic(code: %q)", code))+` }`, fixture.All)["it"]
		if got := i.(map[string]any)["it"]; got == nil || !reflect.DeepEqual(got, want) {
			t.Errorf("windows of %s:\nedge %v\nroot %v", code, got, want)
		}
	}
}

// A fund leads to what the catalog says of it; while that is nothing, to what
// its own record says.
func TestFundsLeadToInstruments(t *testing.T) {
	a := fixture.New(t)
	for i, want := range []string{`{"name":"Demo Hisse & Fonu"}`, `{"name":"Demo Hisse Fonu"}`} {
		if i == 1 {
			a.Services.Market.Live.PutCatalog([]*market.Instrument{{InstrumentID: "fund:DMF", Symbol: "DMF", Name: "Demo Hisse Fonu",
				Market: market.Fund, AssetType: market.FundUnit, Currency: "TRY"}}, nil)
		}
		for _, field := range []string{
			`fundProfile(code: "DMF") { instrument { name } }`, `fundInvestorFlows(code: "DMF") { instrument { name } }`,
			`fundRanking(category: "Hisse") { items { instrument { name } } }`,
			`instrument(id: "bist:DMOST") { holders { instrument { name } } }`,
		} {
			if res := a.Query("{ it: "+field+" }", fixture.All); !strings.Contains(res.Text, `{"instrument":`+want+"}") {
				t.Errorf("%s: %s", field, res.Text)
			}
		}
	}
}

// A missing scope takes away its edge and nothing beside it.
func TestScopesOfTheEconomysEdges(t *testing.T) {
	a := fixture.New(t)
	for _, c := range []struct {
		document string // %s is the edge
		edge     string
		parent   access.Scope
		needs    access.Scope
	}{
		{`{ indices { indices { code %s } } }`, `periodic { code }`, access.QuotesBIST, access.History},
		{`{ instrument(id: "bist:DMOST") { symbol %s } }`, `indices { code }`, "", access.QuotesBIST},
		{`{ instrument(id: "bist:DMOST") { symbol %s } }`, `holders { fundCode }`, "", access.QuotesFund},
		{`{ instrument(id: "fund:DMF") { symbol %s } }`, `holdings { name }`, "", access.QuotesFund},
		{`{ calendar { items { eventId %s } } }`, `event { name }`, access.CalendarRead, ""},
		{`{ ipo(id: "dmipo-old") { id %s } }`, `instrument { name }`, access.IPORead, ""},
	} {
		a.Keys(fixture.Key("piyasa_live_with", c.parent, c.needs), fixture.Key("piyasa_live_without", calls.Without(c.needs)...))
		document := fmt.Sprintf(c.document, c.edge)
		if res := a.Query(document, "piyasa_live_with"); res.JSON["errors"] != nil {
			t.Errorf("%s: %s", document, res.Text)
		}
		if c.needs == "" {
			continue
		}
		res, name := a.Query(document, "piyasa_live_without"), strings.Fields(c.edge)[0]
		if e := fixture.ErrorsOf(res); len(e) == 0 || fixture.CodeOf(e[0]) != "FORBIDDEN" ||
			!strings.Contains(fmt.Sprint(e[0]["path"]), name) || !strings.Contains(res.Text, `"`+name+`":null`) {
			t.Errorf("%s: %s", document, res.Text)
		}
		if units := res.JSON["extensions"].(map[string]any)["usage_units"]; units != json.Number("1") {
			t.Errorf("%s costs %s", document, units)
		}
	}
}

// The number of statements does not depend on the number of parents.
func TestEdgesOfTheEconomyAreBatched(t *testing.T) {
	a := fixture.New(t)
	var indices []*market.BistIndex
	var events []*macro.CalendarEvent
	stocks, batch := a.AddStocks(100, 1), new(db.Batch)
	var portfolios []string
	for i, id := range stocks {
		symbol := strings.TrimPrefix(id, "bist:")
		indices = append(indices, &market.BistIndex{Code: "X" + symbol, Name: symbol, Verified: true,
			Members: []market.IndexMember{{Symbol: symbol}}})
		portfolios = append(portfolios, "fund:"+symbol)
		a.Services.Funds.Live.PutFunds([]*funds.Fund{{Profile: funds.Profile{InstrumentID: market.FundID(symbol), Code: symbol,
			Name: symbol, Currency: "TRY"}}})
		db.Put(batch, &funds.Holding{FundCode: symbol, InstrumentID: market.ID(id), ReportMonth: value.MustMonth("2026-02")},
			new(db.Outcome))
		event := *fixture.CalendarEvents()[0]
		event.EventID = 1000 + i
		events = append(events, &event)
		db.Put(batch, &macro.CalendarRecord{EventID: event.EventID, Time: fixture.Now, Actual: macro.Number(fmt.Sprint(i))},
			new(db.Outcome))
	}
	a.Services.Market.Live.PutFunds(a.Services.Funds.Live.Instruments())
	need.NoError(t, a.Store.Store(t.Context(), batch))
	for _, n := range []int{1, 2, 100} {
		a.Services.Market.Live.PutIndices(indices[:n])
		a.Services.Macro.Live.PutEvents(events[:n])
		for _, c := range []struct {
			document, holds string
			units           int
		}{
			{`{ calendarEvents { items { items { actual event { eventId } } } } }`,
				fmt.Sprintf(`{"actual":%d,"event":{"eventId":%d}}`, n-1, 999+n), 1 + n},
			{`{ calendar(from: "2026-03-18", to: "2026-03-18") { items { event { items(first: 1) { actual } } } } }`,
				fmt.Sprintf(`{"actual":%d}`, n-1), 1 + n},
			{`{ indices { indices { periodic { windows { window } } } } }`, `"window":`, 1 + n},
			{`{ watchlist(ids: ["` + strings.Join(stocks[:n], `", "`) + `"]) { holders { fundCode } indices { code } } }`,
				`"indices":[{"code":"XS`, 1 + n},
			{`{ watchlist(ids: ["` + strings.Join(portfolios[:n], `", "`) + `"]) { holdings { instrumentId } } }`,
				`{"holdings":[{"instrumentId":"` + stocks[n-1] + `"}]}`, 1 + n},
		} {
			a.Reads.Store(0)
			res := a.Query(c.document, fixture.All)
			if res.JSON["errors"] != nil || !strings.Contains(res.Text, c.holds) {
				t.Fatalf("%s: %.1000s", c.document, res.Text)
			}
			wantReads := int64(1)
			if strings.HasPrefix(c.document, "{ calendar(") {
				wantReads = 2 // the calendar itself
			}
			if got := a.Reads.Load(); got != wantReads {
				t.Errorf("%d parents, %d reads: %.120s", n, got, c.document)
			}
			if units := res.JSON["extensions"].(map[string]any)["usage_units"]; units != json.Number(fmt.Sprint(c.units)) {
				t.Errorf("%d parents cost %s: %.120s", n, units, c.document)
			}
		}
	}
}
