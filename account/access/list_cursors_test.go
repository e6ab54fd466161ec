package access_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/internal/epoch"
	"piyasa/internal/problem"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// numbered is a row with its key and number.
type numbered struct {
	key int
	seq int64
}

func place(r numbered) (string, int64) { return strconv.Itoa(r.key), r.seq }

// next returns a page after the cursor.
func next(pages access.Pages, rows []numbered, cursor *string, limit, more int) ([]numbered, *string, error) {
	walk, err := pages.Start(cursor)
	if err != nil {
		return nil, nil, err
	}
	after, _ := strconv.Atoi(walk.Key) // an empty key is 0
	found := slices.Clone(rows)
	found = slices.DeleteFunc(found, func(r numbered) bool { return r.key <= after })
	page, cursor := access.Cut(walk, found[:min(len(found), limit+more)], limit, place)
	return page, cursor, nil
}

// Following the cursors gives every row once, in order, and ends without a
// cursor; the last page may be full. When the store goes back meanwhile, the walk
// goes on exactly if it has shown nothing that was lost.
func TestAnyWalkOverPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := make([]numbered, rapid.IntRange(0, 20).Draw(t, "rows"))
		for i, seq := range rapid.Permutation(slices.Collect(upTo(len(rows)))).Draw(t, "numbers") {
			rows[i] = numbered{i + 1, seq}
		}
		lineage := epoch.Lineage{{ID: "a"}}
		pages := access.Pages{Signer: signer, Epochs: new(epoch.View), List: "rows", Query: "all"}
		pages.Epochs.Set(lineage)
		more := rapid.IntRange(1, 3).Draw(t, "rows read beyond the page")
		back := rapid.IntRange(0, 5).Draw(t, "pages before the store goes back")
		var walked []numbered
		for cursor, n := (*string)(nil), 0; n == 0 || cursor != nil; n++ {
			lost := false
			if n == back {
				kept := rapid.Int64Range(0, int64(len(rows))).Draw(t, "kept")
				gone := func(r numbered) bool { return r.seq > kept }
				lost, rows = slices.ContainsFunc(walked, gone), slices.DeleteFunc(rows, gone)
				pages.Epochs.Set(append(lineage, epoch.Epoch{ID: "b", Ended: map[string]int64{"rows": kept}, Skip: 1000}))
			}
			limit := rapid.IntRange(1, 5).Draw(t, "limit")
			page, following, err := next(pages, rows, cursor, limit, more)
			if (calls.KindOf(err) == problem.PositionGone) != lost || !lost && err != nil {
				t.Fatalf("rows were lost: %v; the answer is %v", lost, err)
			}
			if lost {
				return
			}
			if len(page) > limit || following != nil && len(page) < limit {
				t.Fatalf("%d rows of %d, next %v", len(page), limit, following)
			}
			if _, again, _ := next(pages, rows, cursor, limit, more); (again == nil) != (following == nil) || again != nil &&
				*again != *following {
				t.Fatal("the same page has another cursor")
			}
			walked, cursor = append(walked, page...), following
		}
		if !slices.Equal(walked, rows) {
			t.Fatalf("walked over %v of %v", walked, rows)
		}
	})
}

func upTo(n int) func(func(int64) bool) {
	return func(yield func(int64) bool) {
		for i := range n {
			if !yield(int64(i) + 1) {
				return
			}
		}
	}
}

func TestPagesStart(t *testing.T) {
	pages := access.Pages{Signer: signer, List: "rows", Query: "all"}
	if walk, err := pages.Start(nil); walk.Key != "" || err != nil {
		t.Errorf("no cursor: %q, %v", walk.Key, err)
	}
	_, cursor, _ := next(pages, []numbered{{1, 1}, {2, 2}}, nil, 1, 1)
	for name, other := range map[string]access.Pages{
		"another list":   {Signer: signer, List: "columns", Query: "all"},
		"another query":  {Signer: signer, List: "rows", Query: "some"},
		"another secret": {Signer: access.Signer{Secret: []byte("another")}, List: "rows", Query: "all"},
	} {
		if walk, err := other.Start(cursor); walk.Key != "" || calls.KindOf(err) != problem.InvalidCursor {
			t.Errorf("%s: %q, %v", name, walk.Key, err)
		}
	}
}

// A cursor goes on where everything that its walk has shown is still stored. Its walk
// begins with three rows, of which the first has the highest number.
func TestCursorsOfOtherEpochs(t *testing.T) {
	rows := []numbered{{1, 9}, {2, 3}, {3, 4}, {4, 5}}
	back := func(kept int64) epoch.Lineage {
		return epoch.Lineage{{ID: "a"}, {ID: "b", Ended: map[string]int64{"rows": kept}, Skip: 1000}}
	}
	for name, test := range map[string]struct {
		shown, now epoch.Lineage
		want       problem.Kind
	}{
		"the same epoch":                                     {back(9)[:1], back(9)[:1], ""},
		"a new epoch, and nothing lost":                      {back(9)[:1], back(9), ""},
		"a row of the first page lost":                       {back(9)[:1], back(8), problem.PositionGone},
		"another store":                                      {back(9)[:1], epoch.Lineage{{ID: "c"}}, problem.PositionGone},
		"an older epoch of the store":                        {back(9), back(9)[:1], ""},
		"made before the first look":                         {nil, back(9), ""},
		"made before it, and a row lost":                     {nil, back(8), problem.PositionGone},
		"asked before the first look":                        {back(9), nil, ""},
		"asked before the first look, with an unknown epoch": {epoch.Lineage{{ID: "c"}}, nil, ""},
	} {
		pages := access.Pages{Signer: signer, Epochs: new(epoch.View), List: "rows", Query: "all"}
		pages.Epochs.Set(test.shown)
		_, cursor, err := next(pages, rows, nil, 1, 1)
		need.NoError(t, err)
		_, cursor, err = next(pages, rows, cursor, 2, 1)
		need.NoError(t, err)
		pages.Epochs.Set(test.now)
		walk, err := pages.Start(cursor)
		if calls.KindOf(err) != test.want || test.want == "" && (err != nil || walk.Key != "3") {
			t.Errorf("%s: %q, %v", name, walk.Key, err)
		}
		if err != nil {
			if e := calls.WantProblem(t, err, problem.PositionGone); e.Members.Parameter != "cursor" || e.Members.ResumeFrom != "" {
				t.Errorf("%s: %+v", name, e.Members)
			}
		}
	}
}

// Cursors of older versions state no position; they go on in any epoch. Older
// versions refuse those that do.
func TestCursorsOfOlderVersions(t *testing.T) {
	pages := access.Pages{Signer: signer, Epochs: new(epoch.View), List: "rows", Query: "all"}
	pages.Epochs.Set(epoch.Lineage{{ID: "a"}})
	for _, key := range []string{"2", "1773820800000 1501"} {
		if walk, err := pages.Start(new(signer.Cursor(key, "rows", "all"))); err != nil || walk.Key != key {
			t.Errorf("%q: %q, %v", key, walk.Key, err)
		}
	}
	rows := []numbered{{1, 9}, {2, 3}, {3, 4}}
	_, cursor, err := next(pages, rows, new(signer.Cursor("1", "rows", "all")), 1, 1)
	need.NoError(t, err)
	if key, err := signer.Key(*cursor, "rows", "all"); calls.KindOf(err) != problem.InvalidCursor {
		t.Errorf("an older version reads %q", key)
	}
	pages.Epochs.Set(epoch.Lineage{{ID: "a"}, {ID: "b", Ended: map[string]int64{"rows": 2}, Skip: 1000}})
	if _, err := pages.Start(cursor); calls.KindOf(err) != problem.PositionGone { // 3 is lost
		t.Errorf("a walk that an older version began: %v", err)
	}
}
