package connectors_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/connectors"
	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

// Where a case is not like the others.
var (
	starts = map[string]time.Time{}
	given  = map[string]string{}
)

// Every connector that has a stand-in does what all must do.
func TestConnectorsAgainstTheirStandIns(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(standin.Makers)) {
		t.Run(name, func(t *testing.T) {
			start, ok := starts[name]
			if !ok {
				start = time.Date(2031, 6, 3, 21, 0, 0, 0, collect.Istanbul)
			}
			connector, example, err := standin.ExampleOf(name, start)
			need.NoError(t, err)
			c := collecttest.Case{
				Name: name, New: connectors.Makers[connector], StandIn: standin.Makers[name], Given: given[name], Days: 4,
				Start: start, Settings: example.Settings, Env: example.Env,
			}
			if c.New == nil {
				t.Fatal("there is no such connector")
			}
			collecttest.Check(t, c)
		})
	}
}
