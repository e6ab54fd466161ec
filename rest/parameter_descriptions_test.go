package rest_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"piyasa/resolvers"
	"piyasa/rest"
	"piyasa/test/fixture/need"
)

// What a route says of its parameters is what the OpenAPI document says.
func TestParametersAsDescribed(t *testing.T) {
	type schema struct {
		Enum             []string
		Minimum, Maximum *float64
		MinItems         *int
		MaxItems         *int
		Default          *float64
		Items            *schema
	}
	var doc struct {
		Paths map[string]struct {
			Get struct {
				Parameters []struct {
					Name, In, Description string
					Required              bool
					Explode               *bool
					Schema                schema
				}
			}
		}
	}
	routes := rest.Routes(&resolvers.Root{})
	need.NoError(t, json.Unmarshal(rest.OpenAPI(routes, "https://api.example.test", "test"), &doc))
	number := func(n *int) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	float := func(n *float64) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(int(*n))
	}
	for _, route := range routes {
		var said, described []string
		for _, p := range route.Parameters() {
			said = append(said, fmt.Sprintln(p.In, p.Name, p.Required, p.Description, strings.Join(p.Values, ","), p.Repeated,
				number(p.Min), number(p.Max), number(p.Default)))
		}
		for _, p := range doc.Paths[route.Pattern].Get.Parameters {
			repeated := p.Schema.Items != nil && (p.Explode == nil || *p.Explode)
			least, most := float(p.Schema.Minimum), float(p.Schema.Maximum)
			if p.Schema.Items != nil {
				least, most = number(p.Schema.MinItems), number(p.Schema.MaxItems)
			}
			described = append(described, fmt.Sprintln(p.In, p.Name, p.Required, p.Description, strings.Join(p.Schema.Enum, ","), repeated,
				least, most, float(p.Schema.Default)))
		}
		slices.Sort(said)
		slices.Sort(described)
		if !reflect.DeepEqual(said, described) {
			t.Errorf("%s says\n%s\nand is described with\n%s", route.Pattern, strings.Join(said, ""), strings.Join(described, ""))
		}
	}
}
