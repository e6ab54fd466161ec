package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/test/fixture"
)

// A row that comes before all others moves no cursor: what follows a row still does, and the
// new one is before it.
func TestCursorsOfConnectionsStay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := fixture.New(t, fixture.On(url))
		for name, list := range pagedLists {
			t.Run(name, func(t *testing.T) { cursorsStay(t, a, list) })
		}
	})
}

func cursorsStay(t *testing.T, a *fixture.Server, list pagedList) {
	_, fields, _ := strings.Cut(list.row, " ")
	part := func(args string) (row, cursor string) {
		t.Helper()
		res := a.Query(`{ it: `+strings.Replace(list.field, "(", "Connection(", 1)+args+`) { edges { cursor node `+fields+
			` } } }`, fixture.All)
		var body struct {
			Data struct {
				It struct {
					Edges []struct {
						Cursor string
						Node   json.RawMessage
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(res.Text), &body); err != nil || len(body.Data.It.Edges) != 1 {
			t.Fatalf("%s: %s", args, res.Text)
		}
		return string(body.Data.It.Edges[0].Node), body.Data.It.Edges[0].Cursor
	}
	_, cursor := part("first: 1")
	follows, _ := part(fmt.Sprintf("first: 1, after: %q", cursor))
	storeOne(t, a.Store, list.first(1))
	if got, _ := part(fmt.Sprintf("first: 1, after: %q", cursor)); got != follows {
		t.Errorf("%s follows, before it was %s", got, follows)
	}
	before, _ := part(fmt.Sprintf("last: 1, before: %q", cursor))
	if first, _ := part("first: 1"); before != first || first == follows {
		t.Errorf("%s is before it, and %s the first", before, first)
	}
}
