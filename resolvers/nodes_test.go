package resolvers_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/test/fixture"
)

// Each kind of entity is found again by the id that it states; whatever else is null.
func TestNodes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) { nodesAreFound(t, fixture.New(t, fixture.On(url))) })
}

func nodesAreFound(t *testing.T, a *fixture.Server) {
	asked := a.Query(`{
		instrument(id: "crypto:btc") { id instrumentId } sectors { sectors { id code } } indices { indices { id } } calendarEvents { items { id } }
		disclosures { items { id } } company(symbol: "DMOST") { id } news { items { id } }
	}`, fixture.All)
	data := asked.JSON["data"].(map[string]any)
	if in := data["instrument"].(map[string]any); in["id"] != "crypto:1" || in["instrumentId"] != in["id"] {
		t.Errorf("%v", in)
	}
	var ids []string
	var collect func(any)
	collect = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				collect(e)
			}
		case map[string]any:
			if id, ok := v["id"].(string); ok {
				ids = append(ids, id)
			}
			for _, name := range []string{"sectors", "indices", "items"} {
				collect(v[name])
			}
		}
	}
	for _, v := range data {
		collect(v)
	}
	kinds := map[string]bool{}
	for _, id := range ids {
		kind, _, _ := strings.Cut(id, ":")
		kinds[kind] = true
	}
	if len(kinds) != 7 || len(ids) != len(slices.Compact(slices.Sorted(slices.Values(ids)))) {
		t.Errorf("%v", ids)
	}
	list, _ := json.Marshal(ids)
	before := a.Reads.Load()
	found := a.Query(`{ nodes(ids: `+string(list)+`) { __typename id } }`, fixture.All)
	if reads := a.Reads.Load() - before; reads > 2 {
		t.Errorf("%d statements for %d nodes", reads, len(ids))
	}
	nodes := found.JSON["data"].(map[string]any)["nodes"].([]any)
	for i, id := range ids {
		if got := nodes[i].(map[string]any)["id"]; got != id {
			t.Errorf("%s is found as %v", id, got)
		}
	}
	if units := fmt.Sprint(found.JSON["extensions"].(map[string]any)["usage_units"]); units != fmt.Sprint(len(ids)) {
		t.Errorf("%s units for %d nodes", units, len(ids))
	}
	for _, id := range []string{"bist:NOPE", "bist:dmost", "crypto:btc", "disclosure:1", "disclosure:01501", "disclosure:",
		"disclosure:99999999999999999999", "news:nope", "company:", "sector:eski-oto", "bist-index:xu100", "event:x", "event:-1",
		"other:1", "", ":"} {
		if res := a.Query(`{ node(id: `+fmt.Sprintf("%q", id)+`) { id } }`, fixture.All); !strings.HasPrefix(res.Text,
			`{"data":{"node":null}`) || !strings.Contains(res.Text, `"usage_units":0`) {
			t.Errorf("%q: %s", id, res.Text)
		}
	}
	if res := a.Query(`{ node(id: "disclosure:1501") { ... on Disclosure { disclosureIndex instruments { id } } ... on Instrument { symbol } } }`, fixture.All); !strings.Contains(res.Text, `"disclosureIndex":1501,"instruments":[{"id":"bist:`) {
		t.Error(res.Text)
	}
	for id, scope := range map[string]string{"disclosure:1501": "kap", "bist-index:XU100": "quotes:bist", "event:10": "calendar:read",
		"news:n-2": "news"} {
		if res := a.Query(`{ node(id: "`+id+`") { id } }`, fixture.None); !strings.Contains(res.Text, "FORBIDDEN") ||
			!strings.Contains(res.Text, scope) {
			t.Errorf("%s: %s", id, res.Text)
		}
	}
	for _, ids := range []string{"", strings.Repeat(`"bist:DMOST",`, 101)} {
		if res := a.Query(`{ nodes(ids: [`+ids+`]) { id } }`, fixture.All); res.JSON["errors"] == nil {
			t.Error(res.Text)
		}
	}
}

// connection is what a client has of a part of a list.
type connection struct {
	Edges []struct {
		Cursor string
		Node   map[string]any
	}
	PageInfo struct {
		HasNextPage, HasPreviousPage bool
		StartCursor, EndCursor       *string
	}
}

// connected asks for a part of a list.
func connected(t *testing.T, a *fixture.Server, field, args, key string) (c connection, ids []any) {
	t.Helper()
	res := a.Query(`{ it: `+field+args+`) { edges { cursor node { `+key+
		` } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`, fixture.All)
	var body struct{ Data struct{ It *connection } }
	if err := json.Unmarshal([]byte(res.Text), &body); err != nil || body.Data.It == nil {
		t.Fatalf("%s%s: %s", field, args, res.Text)
	}
	for _, e := range body.Data.It.Edges {
		ids = append(ids, e.Node[key])
	}
	return *body.Data.It, ids
}

// Connections walk the same list as the pages, forward and backward, with cursors that are
// accepted by both.
func TestConnections(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := fixture.New(t, fixture.On(url))
		for _, c := range []struct{ list, connection, filter, rows, key string }{
			{"disclosures", "disclosuresConnection", "order: DESC", "items", "disclosureIndex"},
			{"disclosures", "disclosuresConnection", "order: ASC", "items", "disclosureIndex"},
			{"disclosures", "disclosuresConnection", `symbol: "DMOST"`, "items", "disclosureIndex"},
			{"news", "newsConnection", `to: "2026-03-18"`, "items", "newsId"},
			{"news", "newsConnection", `symbol: "DMOSR"`, "items", "newsId"},
			{"filings", "filingsConnection", `symbol: "DMOST"`, "items", "period"},
			{"dividends", "dividendsConnection", `from: "2025-06-01", to: "2026-05-31"`, "dividends", "exDate"},
			{"dividends", "dividendsConnection", `from: "2025-06-01", to: "2026-05-31", dateField: PAY`, "dividends", "exDate"},
		} {
			name := c.connection + "(" + c.filter
			pages := a.Query(`{ it: `+c.list+`(`+c.filter+`) { `+c.rows+` { `+c.key+` } nextCursor } }`, fixture.All)
			var all []any
			for _, row := range pages.JSON["data"].(map[string]any)["it"].(map[string]any)[c.rows].([]any) {
				all = append(all, row.(map[string]any)[c.key])
			}
			if len(all) < 2 {
				t.Fatalf("%s has %d rows", name, len(all))
			}
			same := func(what string, got []any) {
				t.Helper()
				if fmt.Sprint(got) != fmt.Sprint(all) {
					t.Errorf("%s, %s: %v, the list has %v", name, what, got, all)
				}
			}
			whole, ids := connected(t, a, name, "", c.key)
			same("at once", ids)
			if whole.PageInfo.HasNextPage || whole.PageInfo.HasPreviousPage {
				t.Errorf("%s: %+v", name, whole.PageInfo)
			}
			var walked []any
			for args, n := ", first: 1", 0; ; n++ {
				part, ids := connected(t, a, name, args, c.key)
				walked = append(walked, ids...)
				if part.PageInfo.HasPreviousPage != (n > 0) || len(ids) != 1 || *part.PageInfo.StartCursor != part.Edges[0].Cursor {
					t.Errorf("%s: part %d is %+v", name, n, part)
				}
				if !part.PageInfo.HasNextPage || n > len(all) {
					break
				}
				args = fmt.Sprintf(", first: 1, after: %q", *part.PageInfo.EndCursor)
			}
			same("forward", walked)
			walked = nil
			for args, n := ", last: 1", 0; ; n++ {
				part, ids := connected(t, a, name, args, c.key)
				walked = append(ids, walked...)
				if part.PageInfo.HasNextPage != (n > 0) {
					t.Errorf("%s: part %d from the end is %+v", name, n, part)
				}
				if !part.PageInfo.HasPreviousPage || n > len(all) {
					break
				}
				args = fmt.Sprintf(", last: 1, before: %q", *part.PageInfo.StartCursor)
			}
			same("backward", walked)
			after := a.Query(`{ it: `+c.list+`(`+c.filter+fmt.Sprintf(`, cursor: %q) { `, whole.Edges[0].Cursor)+c.rows+` { `+c.key+
				` } } }`, fixture.All)
			if got := len(after.JSON["data"].(map[string]any)["it"].(map[string]any)[c.rows].([]any)); got != len(all)-1 {
				t.Errorf("%s: %d rows of the list after the first cursor, want %d: %s", name, got, len(all)-1, after.Text)
			}
		}
		listed := a.Query(`{ instruments(limit: 3) { instruments { instrumentId } } }`, fixture.All)
		part, _ := connected(t, a, "instrumentsConnection(first: 2", "", "instrumentId")
		rest, _ := connected(t, a, "instrumentsConnection(first: 1", fmt.Sprintf(", after: %q", *part.PageInfo.EndCursor), "instrumentId")
		for i, e := range append(part.Edges, rest.Edges...) {
			instruments := listed.JSON["data"].(map[string]any)["instruments"].(map[string]any)["instruments"].([]any)
			if want := instruments[i].(map[string]any)["instrumentId"]; e.Node["instrumentId"] != want {
				t.Errorf("instrument %d is %v, want %v", i, e.Node, want)
			}
		}
		for args, want := range map[string]string{
			"first: 1, last: 1": "CONFLICTING_PARAMETERS", `first: 1, before: "x"`: "CONFLICTING_PARAMETERS",
			`last: 1, after: "x"`: "CONFLICTING_PARAMETERS",
			"first: 0":            "INVALID_PARAMETER", "last: 101": "INVALID_PARAMETER",
			`after: "garbage"`: "after must be a cursor of this list", `before: "garbage"`: `"parameter":"before","value":"garbage"`,
		} {
			if res := a.Query(`{ disclosuresConnection(`+args+`) { edges { cursor } } }`, fixture.All); !strings.Contains(res.Text, want) {
				t.Errorf("%s: %s, want %s", args, res.Text, want)
			}
		}
		if res := a.Query(`{ disclosuresConnection(class: "nosuchclass") { edges { cursor } pageInfo { startCursor endCursor hasNextPage } missingReason { reason } } }`, fixture.All); !strings.Contains(res.Text, `{"edges":[],"pageInfo":{"startCursor":null,"endCursor":null,"hasNextPage":false},"missingReason":{"reason":"filtered_out"}}`) {
			t.Error(res.Text)
		}
	})
}
