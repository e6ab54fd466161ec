package rest

import (
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"piyasa/account/cost"
	"piyasa/internal/value"
	"piyasa/resolvers"
)

// A route costs what its counterpart costs: one that is a list has it in its row.
func TestListsHaveCosts(t *testing.T) {
	lists := reflect.ValueOf(cost.New(value.SystemClock).Lists().Query)
	for _, r := range Routes(resolvers.New(nil)) {
		f := lists.FieldByName(strings.ToUpper(r.Counterpart[:1]) + r.Counterpart[1:])
		if isList := f.IsValid() && !f.IsNil(); isList != (r.list != nil) {
			t.Errorf("%s: its counterpart %s is a list: %t", r.Pattern, r.Counterpart, isList)
		}
	}
}

// A series of indicators costs by its length, and the longest is within what a plan allows by default.
func TestSeriesHaveCosts(t *testing.T) {
	routes, costs := Routes(resolvers.New(nil)), cost.New(value.SystemClock)
	r := routes[slices.IndexFunc(routes, func(r Route) bool { return r.Counterpart == "indicators" })]
	of := func(query string) int {
		return r.Cost(costs, r.Prepare(httptest.NewRequest("GET", "/v1/stocks/bist:DMOST/indicators"+query, nil), JSON))
	}
	none, one, hundred, most := of(""), of("?last=1"), of("?last=100"), of("?last=5000")
	if none > 1500 || one < none+2000 || hundred < one+99*20 || most < hundred+4900*20 || most > 250_000 {
		t.Errorf("none, 1, 100 and 5000 bars cost %d, %d, %d and %d", none, one, hundred, most)
	}
}
