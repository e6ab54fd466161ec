package access_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"piyasa/access"
	"piyasa/fixture/calls"
)

// Following the cursors gives every row once, in order, and ends without a
// cursor; the last page may be full.
func TestAnyWalkOverPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := make([]int, rapid.IntRange(0, 20).Draw(t, "rows"))
		for i := range rows {
			rows[i] = i + 1
		}
		extra := rapid.IntRange(1, 3).Draw(t, "rows read beyond the page")
		pages := access.Pages{Signer: signer, List: "rows", Query: "all"}
		var walked []int
		for cursor := new(""); cursor != nil; {
			key, err := pages.Start(cursor)
			if err != nil {
				t.Fatal(err)
			}
			after, _ := strconv.Atoi(key) // an empty key is 0
			limit := rapid.IntRange(1, 5).Draw(t, "limit")
			found := rows[after:min(len(rows), after+limit+extra)]
			var page []int
			page, cursor = access.Cut(pages, found, limit, strconv.Itoa)
			if len(page) > limit || cursor != nil && len(page) < limit {
				t.Fatalf("%d rows of %d, next %v", len(page), limit, cursor)
			}
			walked = append(walked, page...)
		}
		if !slices.Equal(walked, rows) {
			t.Fatalf("walked over %v of %v", walked, rows)
		}
	})
}

func TestPagesStart(t *testing.T) {
	pages := access.Pages{Signer: signer, List: "rows", Query: "all"}
	if key, err := pages.Start(nil); key != "" || err != nil {
		t.Errorf("no cursor: %q, %v", key, err)
	}
	_, next := access.Cut(pages, []int{1, 2}, 1, strconv.Itoa)
	for name, other := range map[string]access.Pages{
		"another list":   {Signer: signer, List: "columns", Query: "all"},
		"another query":  {Signer: signer, List: "rows", Query: "some"},
		"another secret": {Signer: access.Signer{Secret: []byte("another")}, List: "rows", Query: "all"},
	} {
		if key, err := other.Start(next); key != "" || calls.KindOf(err) != "invalid-cursor" {
			t.Errorf("%s: %q, %v", name, key, err)
		}
	}
}
