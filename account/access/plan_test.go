package access_test

import (
	"maps"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/test/fixture/need"
)

func TestPlansWith(t *testing.T) {
	shipped := access.ShippedPlans()
	for _, c := range []struct {
		name, file string
		plan       string
		want       access.Plan
		names      string
	}{
		{"nothing", `{}`, "basic", access.Plan{Bucket: 60, RefillPerSec: 2, UnitsPerMonth: 100_000, Work: 1_200_000, WorkPerSec: 40_000,
			CostPerDocument: 250_000, Operations: 100, Webhooks: 2}, "basic, enterprise, internal, pro, test"},
		{"one more", `{"gold": {"bucket": 10, "refill_per_second": 5, "units_per_month": 7}}`, "gold",
			access.Plan{Bucket: 10, RefillPerSec: 5, UnitsPerMonth: 7, Work: 250_000, WorkPerSec: 100_000, CostPerDocument: 250_000,
				Operations: 100, Webhooks: 1}, "basic, enterprise, gold, internal, pro, test"},
		{"one changed", ` {"basic": {"bucket": 1, "refill_per_second": 1}} ` + "\n", "basic",
			access.Plan{Bucket: 1, RefillPerSec: 1, Work: 250_000, WorkPerSec: 20_000, CostPerDocument: 250_000, Operations: 100,
				Webhooks: 1},
			"basic, enterprise, internal, pro, test"},
		{
			"every limit",
			`{"gold": {"bucket": 10, "refill_per_second": 5, "work": 7000, "work_per_second": 0.5e4, "cost_per_document": 6000, "depth": 3,
				"connections": 4, "operations_per_connection": 5, "streams": 6, "webhooks": 7, "introspection": false}}`, "gold",
			access.Plan{
				Bucket: 10, RefillPerSec: 5, Work: 7000, WorkPerSec: 5000, CostPerDocument: 6000, Depth: 3,
				Connections: 4, Operations: 5, Streams: 6, Webhooks: 7, NoIntrospection: true,
			}, "basic, enterprise, gold, internal, pro, test",
		},
		{
			"no limit of anything",
			`{"gold": {"bucket": 10, "refill_per_second": 5, "units_per_month": null, "work": null, "work_per_second": null, "cost_per_document": null, "depth": null,
				"connections": null, "operations_per_connection": null, "streams": null, "webhooks": 0, "introspection": true}}`, "gold",
			access.Plan{Bucket: 10, RefillPerSec: 5}, "basic, enterprise, gold, internal, pro, test",
		},
	} {
		got, err := shipped.With([]byte(c.file))
		if err != nil || got[c.plan] != c.want || got.Names() != c.names {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
		if got["pro"] != shipped["pro"] {
			t.Errorf("%s: pro is %v", c.name, got["pro"])
		}
	}
	if !maps.Equal(shipped, access.ShippedPlans()) {
		t.Errorf("the shipped plans are now %v", shipped)
	}
}

func TestPlansWithMistakes(t *testing.T) {
	for name, c := range map[string]struct{ file, says string }{
		"no JSON":            {`bucket: 60`, "must be a JSON object"},
		"nothing at all":     {``, "must be a JSON object"},
		"a list":             {`[{"bucket": 60}]`, "must be a JSON object"},
		"cut off":            {`{"basic": {"bucket": 60`, "must be a JSON object"},
		"an unknown member":  {`{"basic": {"bucket": 60, "refil_per_second": 2, "units_per_month": 1}}`, "refil_per_second"},
		"text for a number":  {`{"basic": {"bucket": "60", "refill_per_second": 2}}`, "bucket"},
		"a fraction":         {`{"basic": {"bucket": 60.5, "refill_per_second": 1}}`, "bucket"},
		"hardly any refill":  {`{"gold": {"bucket": 60, "refill_per_second": 0.000001}}`, "plan gold:"},
		"an empty bucket":    {`{"gold": {"bucket": 0, "refill_per_second": 2}}`, "plan gold:"},
		"a negative bucket":  {`{"gold": {"bucket": -1, "refill_per_second": 2}}`, "plan gold:"},
		"no refill":          {`{"gold": {"bucket": 60}}`, "plan gold:"},
		"a negative quota":   {`{"gold": {"bucket": 60, "refill_per_second": 2, "units_per_month": -1}}`, "plan gold:"},
		"negative webhooks":  {`{"gold": {"bucket": 60, "refill_per_second": 2, "webhooks": -1}}`, "webhooks must be from 0 to 1000"},
		"an empty plan":      {`{"gold": {}}`, "plan gold:"},
		"a null plan":        {`{"gold": null}`, "plan gold:"},
		"the second of two":  {`{"a": {"bucket": 1, "refill_per_second": 1}, "b": {}}`, "plan b:"},
		"too large a number": {`{"gold": {"bucket": 99999999999999999999, "refill_per_second": 2}}`, "bucket"},
		"no work at all": {`{"gold": {"bucket": 1, "refill_per_second": 1, "work": 0}}`,
			"work must be from 1 to 1000000000, or null"},
		"half a connection":    {`{"gold": {"bucket": 1, "refill_per_second": 1, "connections": 0.5}}`, "connections"},
		"negative depth":       {`{"gold": {"bucket": 1, "refill_per_second": 1, "depth": -1}}`, "depth must be from 1"},
		"dearer than the work": {`{"gold": {"bucket": 1, "refill_per_second": 1, "work": 5000}}`, "could never run"},
		"dearer than any work": {`{"gold": {"bucket": 1, "refill_per_second": 1, "work": 5000, "cost_per_document": null}}`,
			"could never run"},
		"another sort of key": {`{"gold": 60}`, "must be a JSON object"},
	} {
		if _, err := access.ShippedPlans().With([]byte(c.file)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Every bad plan is named, in order.
	_, err := access.ShippedPlans().With([]byte(`{"z": {}, "a": {}, "m": {"bucket": 1, "refill_per_second": 1}}`))
	if err == nil || !strings.Contains(err.Error(), "plan a:") ||
		strings.Index(err.Error(), "plan z:") < strings.Index(err.Error(), "plan a:") || strings.Contains(err.Error(), "plan m:") {
		t.Errorf("%v", err)
	}
}

func TestRefillMayBeAFraction(t *testing.T) {
	plans, err := access.ShippedPlans().With([]byte(`{"slow": {"bucket": 1, "refill_per_second": 0.1}}`))
	need.NoError(t, err)
	gate, k := access.NewGate(plans), key("k", "x", "slow")
	if a := gate.Take(t.Context(), k, at(0)); !a.Allowed || a.Reset != 10 {
		t.Errorf("%+v", a)
	}
	if a := gate.Take(t.Context(), k, at(0)); a.Allowed || a.RetryAfter != 10 {
		t.Errorf("%+v", a)
	}
	gate.SetPlans(access.Plans{"slow": {Bucket: 5, RefillPerSec: 1}})
	if a := gate.Take(t.Context(), k, at(3000)); !a.Allowed || a.Limit != 5 {
		t.Errorf("with its new plan: %+v", a)
	}
}

func TestPlansFileHoldsOneObject(t *testing.T) {
	for _, file := range []string{`{} {"basic": {"bucket": 1, "refill_per_second": 1}}`,
		`{"a": {"bucket": 1, "refill_per_second": 1}} x`, `null`} {
		if _, err := access.ShippedPlans().With([]byte(file)); err == nil {
			t.Errorf("%s passes", file)
		}
	}
}
