package rest_test

import (
	"encoding/json"
	"piyasa/resolvers"
	"piyasa/rest"
	"piyasa/test/fixture"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/vektah/gqlparser/v2/ast"
)

// turned is an enum member that REST begins with a digit.
var turned = regexp.MustCompile(`^([A-Z]+)([0-9]+)$`)

// optional says which members a series has over REST: its rates even when they are unknown,
// and whether days are over.
type optional struct{ converted, dated bool }

// toREST respells a GraphQL value of a type as REST writes it.
func toREST(t *ast.Type, v any, shown optional) any {
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
		if t.Name() == "NamedValue" || t.Name() == "StatementItem" { // and so are these
			return keyed(v)
		}
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = toREST(t.Elem, e, shown)
		}
		return list
	case map[string]any:
		out := map[string]any{}
		for _, f := range fixture.Schema.Types[t.Name()].Fields {
			value, asked := v[f.Name]
			switch {
			case !asked || (value == nil && strings.HasPrefix(f.Name, "fx") && !shown.converted && t.Name() != "Valuation"), value == nil &&
				(t.Name() == "DisclosureBody" || strings.HasPrefix(t.Name(), "Ipo") && f.Name == "note"):
				// REST leaves these out
			case value == nil && slices.Contains([]string{"availableFrom", "adjustment", "adjust", "adjustNote"}, f.Name):
				// and these
			case f.Name == "adjust" && (value == "NONE") == (t.Name() == "CandleSeries" || t.Name() == "EodSeries") &&
				(value == "NONE" || value == "SPLITS"): // and what was adjusted as usual
			case f.Name == "factors" && v["adjust"] == "NONE":
			case value == nil && t.Name() == "FinancialPeriod" && (f.Name == "startDate" || f.Name == "consolidation"):
			case t.Name() == "FinancialPeriod" && f.Name == "filedAt": // only with known_at
			case (f.Name == "date" && t.Name() == "Bar" || f.Name == "complete") && !shown.dated:
			case t.Name() == "InflationPoint" && f.Name == "base": // only where bases differ
			case value == nil && f.Name == "meaningChanged",
				reflect.DeepEqual(value, []any{}) && slices.Contains([]string{"bridges", "links", "meaningChanges"}, f.Name),
				reflect.DeepEqual(value, []any{}) && f.Name == "corporateActions" && strings.HasPrefix(t.Name(), "Disclosure"):
				// REST says nothing where no meaning changed
			case value == nil && (slices.Contains([]string{"isin", "validFrom", "predecessor", "renamedOn"}, f.Name) ||
				f.Name == "unit" && (t.Name() == "CandleSeries" || t.Name() == "EodSeries")):
			case f.Name == "id" && slices.Contains(fixture.Schema.Types[t.Name()].Interfaces, "Node"): // of the graph
			case t.Name() == "Periodic" && (f.Name == "kind" || value == nil &&
				slices.Contains([]string{"instrumentId", "code", "assetType"}, f.Name)):
			case t.Name() == "DividendHistory" && f.Name == "dividends":
				rows := toREST(f.Type, value, shown).([]any)
				for _, row := range rows {
					delete(row.(map[string]any), "instrument_id") // told once
				}
				out["dividends"] = rows
			case t.Name() == "FundProfile" && f.Name == "returns": // of the ranking, in REST
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
				out[snake(f.Name)] = toREST(f.Type, value, shown)
			}
		}
		return out
	case string:
		if fixture.Schema.Types[t.Name()].Kind == ast.Enum {
			if strings.HasPrefix(t.Name(), "Disclosure") || v == "CS" || v == "NC" { // the platform's own words
				return v
			}
			return strings.ToLower(turned.ReplaceAllString(v, "$2$1"))
		}
	}
	return v
}

// keyed are named values, or items with a code, as an object.
func keyed(list []any) map[string]any {
	out := map[string]any{}
	for _, e := range list {
		row := e.(map[string]any)
		if name, ok := row["name"].(string); ok {
			out[name] = row["value"]
			continue
		}
		out[row["code"].(string)] = map[string]any{"value": row["value"], "label_tr": row["labelTr"]}
	}
	return out
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
	a := fixture.New(t)
	for _, twin := range fixture.Counterparts {
		t.Run(twin.Path, func(t *testing.T) {
			over := a.Get(twin.Path, fixture.All)
			if over.StatusCode != 200 {
				t.Fatalf("REST: %d %s", over.StatusCode, over.Text)
			}
			def := fixture.RootField(twin.Field)
			asked := a.Query("{ it: "+twin.Field+fixture.Selection(def.Type.Name())+" }", fixture.All)
			if asked.JSON["errors"] != nil {
				t.Fatalf("GraphQL: %s", asked.Text)
			}
			var shown optional
			if slices.Contains([]string{"CandleSeries", "CandlesBatch", "EodSeries"}, def.Type.Name()) {
				shown.converted = strings.Contains(twin.Path, "currency=USD")
				shown.dated = strings.Contains(twin.Path, "adjust=") || strings.Contains(twin.Path, "resolution=1w") ||
					strings.Contains(twin.Path, "resolution=1mo")
			}
			got := toREST(def.Type, asked.JSON["data"].(map[string]any)["it"], shown)
			if !reflect.DeepEqual(got, map[string]any(over.JSON)) {
				g, _ := json.Marshal(got)
				t.Errorf("GraphQL %s\nREST    %s", g, over.Text)
			}
			if rest, gql := over.Header.Get("X-Usage-Units"),
				asked.JSON["extensions"].(map[string]any)["usage_units"]; rest != gql.(json.Number).String() {
				t.Errorf("cost: REST %s, GraphQL %s", rest, gql)
			}
		})
	}
}

func TestEveryRouteHasATwin(t *testing.T) {
	for _, route := range rest.Routes(resolvers.New(nil)) {
		if route.Media[0] == rest.PNG { // TestLogoTwins
			continue
		}
		i := slices.IndexFunc(fixture.Counterparts, func(tw fixture.Counterpart) bool { return tw.Pattern == route.Pattern })
		if i < 0 {
			t.Errorf("%s has no row in counterparts", route.Pattern)
			continue
		}
		if name, _, _ := strings.Cut(fixture.Counterparts[i].Field, "("); name != route.Counterpart {
			t.Errorf("%s says its twin is %s; the test asks %s", route.Pattern, route.Counterpart, name)
		}
	}
}
