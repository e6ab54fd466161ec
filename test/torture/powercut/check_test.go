package powercut_test

import (
	"database/sql"
	"encoding/json"
	"slices"
	"testing"

	"piyasa/test/fixture/need"
)

// check reads a store after a fault: every acknowledged line is there, nothing is
// there that was never written, and the log has no hole.
func (w *writer) check(t *testing.T, store *sql.DB) {
	t.Helper()
	disclosures := column(t, store, "SELECT disclosure_index FROM disclosures ORDER BY 1")
	observations := column(t, store, "SELECT CAST(volume AS BIGINT) FROM observations ORDER BY 1")
	for n := instruments; n < w.tried; n++ {
		of, kind := disclosures, "disclosure"
		if n%3 == 0 {
			of, kind = observations, "observation"
		}
		if _, there := slices.BinarySearch(of, int64(n)); !there && n < w.acked {
			t.Errorf("%s %d is lost: the first %d lines were acknowledged", kind, n, w.acked)
		}
	}
	for _, stored := range [][]int64{disclosures, observations} {
		if len(stored) > 0 && stored[len(stored)-1] >= int64(w.tried) {
			t.Errorf("%d is stored, and was never written", stored[len(stored)-1])
		}
	}
	last := column(t, store, "SELECT seq FROM heads WHERE feed IN ('disclosures', 'quotes') ORDER BY feed")
	jumps, at := jumpsOf(t, store, "disclosures"), int64(0)
	follow := func() {
		for jumps[at] > 0 { // an epoch began after this number
			at += jumps[at]
		}
	}
	for _, number := range column(t, store, "SELECT seq FROM disclosures ORDER BY 1") {
		if follow(); number != at+1 {
			t.Errorf("the log of disclosures goes on with %d after %d", number, at)
		}
		at = number
	}
	if follow(); last[0] != at {
		t.Errorf("the last number of disclosures is %d, and their log ends with %d", last[0], at)
	}
	quotes := column(t, store, "SELECT seq FROM quotes ORDER BY 1")
	if len(slices.Compact(slices.Clone(quotes))) != len(quotes) || len(quotes) > 0 && quotes[len(quotes)-1] > last[1] {
		t.Errorf("the numbers of quotes are %v, and the last is %d", quotes, last[1])
	}
}

// jumpsOf returns by how much the numbers of a feed jumped after which number, when an
// epoch began.
func jumpsOf(t *testing.T, store *sql.DB, feed string) map[int64]int64 {
	t.Helper()
	rows, err := store.QueryContext(t.Context(), "SELECT CAST(ended AS TEXT), skip FROM epochs")
	need.NoError(t, err)
	defer rows.Close()
	jumps := map[int64]int64{}
	for rows.Next() {
		var text string
		var skip int64
		need.NoError(t, rows.Scan(&text, &skip))
		var ended map[string]int64
		need.NoError(t, json.Unmarshal([]byte(text), &ended))
		if last, there := ended[feed]; there { // it is not the first epoch
			jumps[last] = skip
		}
	}
	need.NoError(t, rows.Err())
	return jumps
}

// column returns the numbers that a query answers with.
func column(t *testing.T, store *sql.DB, query string) []int64 {
	t.Helper()
	rows, err := store.QueryContext(t.Context(), query)
	need.NoError(t, err)
	defer rows.Close()
	var numbers []int64
	for rows.Next() {
		var n int64
		need.NoError(t, rows.Scan(&n))
		numbers = append(numbers, n)
	}
	need.NoError(t, rows.Err())
	return numbers
}
