package rest_test

import (
	"fmt"
	"piyasa/resolvers"
	"piyasa/rest"
	"piyasa/test/fixture"
	"strings"
	"testing"
)

// What the table says of the cost of a route is what its answers cost.
func TestCostOfRoutes(t *testing.T) {
	a := fixture.New(t)
	counted := map[string]string{ // of which routes, by what they are counted by: a request and its cost
		"instrument found":         "/v1/candles?ids=bist:DMOST,fx:USDTRY,bist:NONE 2",
		"distinct id":              "/v1/valuation?ids=bist:DMOST,bist:NONE,bist:DMOST 2",
		"100 rows or part of them": "/v1/dividends 1",
	}
	routes := map[string]rest.Route{}
	for _, route := range rest.Routes(resolvers.New(nil)) {
		routes[route.Pattern] = route
		if route.Charge.Per == "" {
			continue
		}
		path, cost, _ := strings.Cut(counted[route.Charge.Per], " ")
		if got := a.Get(path, fixture.All).Header.Get("X-Usage-Units"); got != cost {
			t.Errorf("%s costs %s, want %s", path, got, cost)
		}
	}
	for _, twin := range fixture.Counterparts {
		cost := routes[twin.Pattern].Charge
		if got := a.Get(twin.Path, fixture.All).Header.Get("X-Usage-Units"); cost.Per == "" && got != fmt.Sprint(cost.Units) {
			t.Errorf("%s costs %s, and is described with %s", twin.Path, got, cost)
		}
	}
}
