package graphqlhttp_test

import (
	"testing"

	"piyasa/graph"
	"piyasa/resolvers"
	"piyasa/services"
)

// It is known what each field reads that is asked for; otherwise no answer that has it
// would be given again. Events of streams are not.
func TestReadsOfEveryFieldAreKnown(t *testing.T) {
	for _, o := range graph.Objects(resolvers.New(&services.Services{})) {
		for _, f := range o.Fields {
			if f.Each == nil && f.All == nil || f.Name == "position" {
				continue
			}
			if _, known := services.ReadsOf(o.Name+"."+f.Name, false); !known {
				t.Errorf("%s.%s is in no entry of reads", o.Name, f.Name)
			}
		}
	}
}
