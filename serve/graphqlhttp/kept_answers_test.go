package graphqlhttp_test

import (
	"slices"
	"strings"
	"testing"

	"piyasa/graph"
	"piyasa/resolvers"
	"piyasa/services"
)

// The table of reads lists every field that is asked for: an answer with a field that is
// missing there is never given again. Streams have no such answers, and not every plan allows
// introspection.
func TestReadsOfEveryFieldAreKnown(t *testing.T) {
	for _, o := range graph.Objects(resolvers.New(&services.Services{})) {
		for _, f := range o.Fields {
			// every request changes it, or the plan of the key
			if f.Each == nil && f.All == nil || slices.Contains([]string{"position", "usage", "bulkFiles"}, f.Name) ||
				o.Name == "Mutation" || o.Name+f.Name == "Querywebhooks" ||
				strings.HasPrefix(o.Name, "__") || strings.HasPrefix(f.Name, "__") {
				continue
			}
			if _, known := services.ReadsOf(o.Name+"."+f.Name, false); !known {
				t.Errorf("%s.%s is in no entry of reads", o.Name, f.Name)
			}
		}
	}
}
