package powercut_test

import (
	"database/sql"
	"slices"
	"testing"
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
	last := map[string]int64{}
	rows, err := store.QueryContext(t.Context(), "SELECT feed, seq FROM heads")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var feed string
		var seq int64
		if err := rows.Scan(&feed, &seq); err != nil {
			t.Fatal(err)
		}
		last[feed] = seq
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	numbers := column(t, store, "SELECT seq FROM disclosures ORDER BY 1")
	for i, number := range numbers {
		if number != int64(i)+1 {
			t.Errorf("the log of disclosures goes on with %d after %d", number, i)
			break
		}
	}
	if last["disclosures"] != int64(len(numbers)) {
		t.Errorf("the last number of disclosures is %d, and %d are stored", last["disclosures"], len(numbers))
	}
	quotes := column(t, store, "SELECT seq FROM quotes ORDER BY 1")
	if len(slices.Compact(slices.Clone(quotes))) != len(quotes) || len(quotes) > 0 && quotes[len(quotes)-1] > last["quotes"] {
		t.Errorf("the numbers of quotes are %v, and the last is %d", quotes, last["quotes"])
	}
}

// column returns the numbers that a query answers with.
func column(t *testing.T, store *sql.DB, query string) []int64 {
	t.Helper()
	rows, err := store.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var numbers []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, n)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return numbers
}
