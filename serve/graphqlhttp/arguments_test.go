package graphqlhttp_test

import (
	"fmt"
	"piyasa/test/fixture"
	"reflect"
	"strings"
	"testing"
)

// An argument that its scalar cannot read is the problem that REST would name,
// on the field: nothing went wrong on our side.
func TestRefusedArguments(t *testing.T) {
	a := fixture.New(t)
	for _, c := range []struct{ field, parameter, value string }{
		{`calendar(from: "2026-02-30")`, "from", "2026-02-30"},
		{`eod(id: "bist:DMOST", to: "tomorrow")`, "to", "tomorrow"},
		{`producerPriceIndex(from: "2026-13")`, "from", "2026-13"},
		{`filings(symbol: "DMOST", asOf: "2025")`, "asOf", "2025"},
		{`disclosures(from: "18.03.2026")`, "from", "18.03.2026"},
	} {
		got := a.Query(`{a: `+c.field+` { count } marketStatus { state }}`, fixture.All)
		data, errs := got.JSON["data"].(map[string]any), got.JSON["errors"].([]any)
		if len(errs) != 1 || data["a"] != nil || data["marketStatus"] == nil {
			t.Errorf("%s: %s", c.field, got.Text)
			continue
		}
		e := errs[0].(map[string]any)
		extensions := e["extensions"].(map[string]any)
		p := extensions["problem"].(map[string]any)
		if !reflect.DeepEqual(e["path"], []any{"a"}) || extensions["code"] != "INVALID_PARAMETER" || fmt.Sprint(p["status"]) != "422" ||
			p["parameter"] != c.parameter || p["value"] != c.value {
			t.Errorf("%s: %s", c.field, got.Text)
		}
		if message := e["message"].(string); !strings.HasPrefix(message, c.parameter+" must be ") || !strings.Contains(message, c.value) {
			t.Errorf("%s: %s", c.field, message)
		}
	}
}
