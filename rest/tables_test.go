package rest_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"piyasa/resolvers"
	"piyasa/rest"
	"piyasa/test/fixture"
)

// listsOf names what the rows of a table are in its JSON; the others have rows of their own.
var listsOf = map[string]string{
	"/v1/quotes": "quotes", "/v1/instruments": "instruments", "/v1/stocks/{id}/valuation/history": "points",
	"/v1/stocks/{id}/dividends": "dividends",
	"/v1/valuation":             "valuations", "/v1/dividends": "dividends", "/v1/periodic/{id}": "windows", "/v1/indices": "indices",
	"/v1/indices/{code}/constituents": "constituents",
	"/v1/indices/{code}/periodic":     "windows", "/v1/sectors": "sectors", "/v1/sectors/{code}/constituents": "constituents",
	"/v1/sectors/{code}/returns":  "points",
	"/v1/sectors/{code}/periodic": "windows", "/v1/calendar": "items", "/v1/calendar/events": "items", "/v1/inflation/yi-ufe": "points",
	"/v1/funds/ranking":               "items",
	"/v1/funds/{code}/investor-flows": "points", "/v1/funds/holders-of/{id}": "holders", "/v1/funds/{code}/holdings": "holdings",
	"/v1/ipo":                  "ipos",
	"/v1/kap-feed/disclosures": "items", "/v1/kap": "items",
	"/v1/usage": "operations", "/v1/sources": "sources", "/v1/coverage": "rows", "/v1/candles/{instrument_id}": "bars",
	"/v1/eod/{instrument_id}":    "records",
	"/v1/quotes/{instrument_id}": "", "/v1/instruments/{id}": "", "/v1/markets/bist/status": "", "/v1/stocks/{id}/valuation": "",
	"/v1/sectors/{code}/valuation":   "",
	"/v1/calendar/events/{event_id}": "", "/v1/funds/{code}/profile": "", "/v1/kap/{news_id}": "",
}

// Every table says what the JSON says, member by member, or about the whole in each line.
func TestTablesAreTheJSON(t *testing.T) {
	a := fixture.New(t)
	routes, rows := rest.Routes(resolvers.New(nil)), map[string]int{}
	for _, c := range fixture.Counterparts {
		route := routes[slices.IndexFunc(routes, func(r rest.Route) bool { return r.Pattern == c.Pattern })]
		if !slices.Contains(route.Media, rest.CSV) {
			continue
		}
		res := a.Send("GET", c.Path, fixture.All, "", "Accept", rest.CSV)
		table, err := csv.NewReader(strings.NewReader(res.Text)).ReadAll()
		if err != nil || res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/csv; charset=utf-8; header=present" {
			t.Errorf("%s: %d %s %v", c.Path, res.StatusCode, res.Header.Get("Content-Type"), err)
			continue
		}
		rows[c.Pattern] += len(table) - 1
		name, known := listsOf[c.Pattern]
		if !known {
			continue
		}
		body := map[string]any(a.Get(c.Path, fixture.All).JSON)
		list := []any{body}
		if name != "" {
			list = body[name].([]any)
		}
		if len(table) != 1+len(list) {
			t.Errorf("%s: %d lines, %d rows", c.Path, len(table), len(list))
			continue
		}
		for i, row := range list {
			for j, column := range table[0] {
				if column == "factor" && name != "corporate_actions" { // the JSON states it once for all bars before a day
					continue
				}
				want, has := at(row, column)
				if !has {
					want, has = at(body, column)
				}
				if got := table[1+i][j]; got != want || (!has && got != "") {
					t.Errorf("%s: line %d, %s: %q, the JSON has %q", c.Path, i, column, got, want)
				}
			}
			for _, member := range leavesOf(row) {
				if !slices.Contains(table[0], member) {
					t.Errorf("%s: no column for %s", c.Path, member)
				}
			}
		}
	}
	for _, route := range routes {
		if slices.Contains(route.Media, rest.CSV) && rows[route.Pattern] == 0 {
			t.Errorf("%s: no row was compared", route.Pattern)
		}
	}
}

// at returns the text of a member by its path.
func at(of any, path string) (text string, has bool) {
	for name := range strings.SplitSeq(path, ".") {
		object, ok := of.(map[string]any)
		if !ok {
			return "", of == nil
		}
		if of, has = object[name]; !has {
			return "", false
		}
	}
	switch of := of.(type) {
	case nil:
		return "", true
	case []any:
		words := make([]string, len(of))
		for i, w := range of {
			words[i] = fmt.Sprint(w)
		}
		return strings.Join(words, " "), true
	default:
		return guarded(fmt.Sprint(of)), true
	}
}

var figure = regexp.MustCompile(`^-[0-9.]+$`)

// guarded is text that no spreadsheet runs.
func guarded(text string) string {
	if text != "" && strings.Contains("=+-@", text[:1]) && !figure.MatchString(text) {
		return "'" + text
	}
	return text
}

// leavesOf returns the paths of members that have one value.
func leavesOf(row any) (all []string) {
	for name, of := range row.(map[string]any) {
		switch of := of.(type) {
		case map[string]any:
			if name != "inputs" { // which data name
				for _, below := range leavesOf(of) {
					all = append(all, name+"."+below)
				}
			}
		case string, bool, json.Number:
			all = append(all, name)
		}
	}
	return all
}

// Tables whose rows are made of several lists have one for each of their entries.
func TestTablesOfSeveralLists(t *testing.T) {
	a := fixture.New(t)
	for path, count := range map[string]func(body map[string]any) int{
		"/v1/markets/bist/movers": func(b map[string]any) int {
			return lengths(b, "gainers", "losers", "most_traded")
		},
		"/v1/stocks/bist:DMBNK/indicators?indicators=rsi,atr": func(b map[string]any) int { return lengths(b, "values", "unavailable") },
		"/v1/stocks/bist:DMOST/financials": func(b map[string]any) (n int) {
			for _, p := range b["periods"].([]any) {
				n += lengths(p.(map[string]any), "income_statement", "balance_sheet", "cash_flow")
			}
			return n
		},
		"/v1/kap-feed/financials/DMOST": func(b map[string]any) (n int) {
			for _, p := range b["items"].([]any) {
				n += lengths(p.(map[string]any), "income_statement", "balance_sheet", "cash_flow")
			}
			return n
		},
		"/v1/periodic?ids=bist:DMOST,us:DMAP": func(b map[string]any) (n int) {
			for _, p := range b["periodic"].([]any) {
				n += lengths(p.(map[string]any), "windows")
			}
			return n
		},
	} {
		body := a.Get(path, fixture.All)
		join := "?"
		if strings.Contains(path, "?") {
			join = "&"
		}
		table := a.Get(path+join+"format=csv", fixture.All)
		if want := count(body.JSON); want == 0 || strings.Count(table.Text, "\n") != 1+want {
			t.Errorf("%s: want %d rows\n%.600s", path, want, table.Text)
		}
	}
	none := a.Get("/v1/stocks/bist:DMOST/financials?timeframe=quarterly_standalone&format=csv", fixture.All).Text
	if !strings.Contains(none, "missing_input_period") {
		t.Errorf("a period without lines does not say why:\n%.600s", none)
	}
}

func lengths(of map[string]any, names ...string) (n int) {
	for _, name := range names {
		n += len(of[name].([]any))
	}
	return n
}

// The next page of a table is named where rows cannot say it, and leads on.
func TestPagesOfTables(t *testing.T) {
	a := fixture.New(t)
	next, seen := "/v1/kap-feed/disclosures?limit=1&format=csv", 0
	for pages := 0; next != ""; pages++ {
		res := a.Get(next, fixture.All)
		seen += strings.Count(res.Text, "\n") - 1
		link := res.Header.Get("Link")
		if next, _ = strings.CutSuffix(strings.TrimPrefix(link, "<"), `>; rel="next"`); pages > 20 || res.StatusCode != http.StatusOK ||
			(link != "" && next == link) {
			t.Fatalf("%d %s %q", res.StatusCode, res.Text, link)
		}
	}
	whole := a.Get("/v1/kap-feed/disclosures?limit=100", fixture.All)
	if want := len(whole.JSON["items"].([]any)); seen != want || want < 3 || whole.Header.Get("Link") != "" {
		t.Errorf("%d rows in pages, %d at once, Link %q", seen, want, whole.Header.Get("Link"))
	}
	if got := a.Get("/v1/kap/disclosures?limit=1&format=csv", fixture.All).Header.Values("Link"); len(got) != 2 {
		t.Errorf("the older path names its successor and the next page: %q", got)
	}
	if got := a.Get("/v1/kap-feed/disclosures?limit=1", fixture.All).Header.Get("Link"); got != "" {
		t.Errorf("JSON has the cursor in its body: %q", got)
	}
	if got := a.Get("/v1/valuation?ids=bist:NOPE,bist:DMOST&format=csv", fixture.All).Header.Get("X-Not-Found"); got != "bist:NOPE" {
		t.Errorf("X-Not-Found: %q", got)
	}
	if got := a.Get("/v1/indices/xu100/constituents?format=csv", fixture.All).Header.Get("X-Not-Found"); got != "DMOLD" {
		t.Errorf("X-Not-Found: %q", got)
	}
}

// What is ignored is said, with what was probably meant; what is known is not.
func TestUnknownParameters(t *testing.T) {
	a := fixture.New(t)
	for path, want := range map[string][]string{
		"/v1/quotes/bist:DMOST":                                nil,
		"/v1/quotes/bist:DMOST?currency=USD&format=json":       nil,
		"/v1/quotes/bist:DMOST?currancy=USD":                   {`299 - "Parameter currancy is unknown here and was ignored; did you mean currency? Known: currency, format, dialect."`},
		"/v1/quotes/bist:DMOST?foo=1&foo=2&%22b%C5%9F%0A=3":    {`299 - "Parameter foo is unknown here and was ignored. Known: currency, format, dialect."`, `299 - "Parameter \"b\u015f\n is unknown here and was ignored. Known: currency, format, dialect."`},
		"/v1/quotes/bist:DMOST?a=&b=&c=&d=&e=&g=&h=":           {"", "", "", "", ""},
		"/v1/quotes/bist:NOPE?foo=1":                           {""},
		"/v1/markets/bist/status?piyasa_live_abc=1":            {`299 - "Parameter [key] is unknown here and was ignored. Known: format, dialect."`},
		"/v1/kap/disclosures?limt=1":                           {`299 - "Parameter limt is unknown here and was ignored; did you mean limit? Known: symbol, symbols, companyId, type, class, reason, q, from, to, order, cursor, limit, format, dialect."`},
		"/graphql?query=%7BmarketStatus%7Bstate%7D%7D&querry=": {`299 - "Parameter querry is unknown here and was ignored; did you mean query? Known: query, documentId, operationName, variables, extensions."`},
	} {
		for range 2 { // made, and given again
			got := a.Get(path, fixture.All).Header.Values("Warning")
			if len(got) != len(want) {
				t.Errorf("%s: %q", path, got)
				continue
			}
			for i, text := range want {
				if text != "" && got[i] != text {
					t.Errorf("%s: %q, want %q", path, got[i], text)
				}
			}
		}
	}
	res := a.Get("/v1/dividends?simbols=DMOST", fixture.All)
	res.WantProblem(t, 400, "unknown-parameter")
	if !strings.Contains(res.Text, "did you mean symbols?") {
		t.Error(res.Text)
	}
}
