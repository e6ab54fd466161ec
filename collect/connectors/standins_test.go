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
			c := collecttest.Case{
				Name: name, New: connectors.Makers[name], StandIn: standin.Makers[name], Given: given[name], Days: 4,
				Start: time.Date(2031, 6, 3, 21, 0, 0, 0, collect.Istanbul),
			}
			if start, ok := starts[name]; ok {
				c.Start = start
			}
			if c.New == nil {
				t.Fatal("there is no such connector")
			}
			if example := standin.Examples[name]; example != nil {
				e := example(c.Start)
				c.Settings, c.Env = e.Settings, e.Env
			}
			collecttest.Check(t, c)
		})
	}
}
