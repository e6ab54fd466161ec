package graphqlhttp_test

import (
	"fmt"
	"strings"
	"testing"

	"piyasa/access"
	"piyasa/fixture"
)

// G-80: a subscription costs a unit, and one for each disclosure that it delivers, on
// every transport; a query on one costs what it costs over HTTP.
func TestUsageOfSubscriptions(t *testing.T) {
	b := fixture.NewBroadcast(t)
	b.Publish(1, 2)
	l := b.Listen(fixture.Follow(", lastSeenIndex: 0"))
	l.Hears("retry 2000", "Subscribed", "R1", "R2", "done 2 #2")
	b.Publish(3)
	l.Hears("L3 #3")
	b.Listen(question).Hears("retry 2000", `{"data":{"marketStatus":{"state":"open"}},"extensions":{"usage_units":1}}`, "complete", "end")
	ctx, _ := access.WithCall(t.Context(), &access.Key{ID: fixture.All})
	want := "/graphql:disclosureStream 1, /graphql:disclosureStream:events 3, /graphql:marketStatus 1, "
	fixture.Eventually(t, "the units "+want, func() bool {
		r, err := b.Services.Meter.Report(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, o := range r.Operations {
			got += fmt.Sprintf("%s %d, ", o.Operation, o.Units)
		}
		return got == want
	})
	if metrics := b.Metrics(); !strings.Contains(metrics, "\npiyasa_disclosures_delivered_total 3\n") {
		t.Error(metrics)
	}
}
