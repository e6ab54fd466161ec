package rest

import (
	"reflect"
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
