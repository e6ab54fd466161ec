package db_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/internal/epoch"
	"piyasa/test/fixture/need"
)

func TestWhatStandbysHaveReached(t *testing.T) {
	for _, test := range []struct {
		names, flushed string
		want           int64
		known          bool
	}{
		{"a", "100", 100, true},
		{"a, b", "100", 100, true},
		{"*", "", 0, true}, // none is connected
		{"FIRST 2 (a, b, c)", "100 90", 90, true},
		{"first 2(a, b)", "100", 0, true},
		{"2 (a, b)", "90 100", 90, true},
		{"ANY 2 (a, b, c)", "100 70 90", 90, true},
		{"any 1 (a, b)", "100 70", 100, true},
		{`"3 (x"`, "100", 100, true}, // a name
		{"a", "?", 0, false},
	} {
		got, known := db.Replicas{Names: test.names, Flushed: test.flushed}.Reached()
		if got != test.want || known != test.known {
			t.Errorf("%s: %s: %d, %t; want %d, %t", test.names, test.flushed, got, known, test.want, test.known)
		}
	}
}

// What every gateway asks after each commit does not grow with the connections of all gateways.
func TestLooksReadNoConnections(t *testing.T) {
	raw := dbtest.Raw(t, dbtest.PostgresURL(t))
	for _, query := range []string{db.ReplicasQuery, db.ReplicationQuery} {
		rows, err := raw.Query("EXPLAIN (VERBOSE) " + query)
		need.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var line string
			need.NoError(t, rows.Scan(&line))
			if strings.Contains(line, "pg_stat_get_activity") {
				t.Errorf("%s\n%s", query, line)
			}
		}
		need.NoError(t, rows.Err())
	}
}

// A look at the log of a primary without synchronous standbys is two statements.
func TestStatementsOfALook(t *testing.T) {
	s := open(t, dbtest.PostgresURL(t))
	_ = look(t, s)
	var asked []string
	_ = look(t, s.WatchedLooks(func(statement string) { asked = append(asked, statement) }))
	if len(asked) != 2 {
		t.Errorf("%d: %s", len(asked), strings.Join(asked, "\n"))
	}
}

// Nothing is published before the standbys have it, everything is once they have all,
// and what is published never goes back within an epoch.
func TestHeldUntilFlushed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, in := new(db.Flushed), epoch.Epoch{ID: "a"}
		written := map[int64]int64{} // position in the WAL by number
		seq, wal, flushed := int64(rapid.IntRange(0, 5).Draw(t, "stored before")), int64(0), int64(0)
		wal = 5
		written[seq] = wal // or before
		published := int64(0)
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0, 1:
				seq, wal = seq+1, wal+10
				written[seq] = wal
			case 2:
				wal += 3 // of others
			case 3:
				flushed = rapid.Int64Range(flushed, wal).Draw(t, "flushed")
			}
			got, sure := f.See(in, seq, wal, flushed)
			if !sure {
				if flushed >= wal {
					t.Fatalf("not sure of %d, written at %d, flushed up to %d", seq, wal, flushed)
				}
				continue
			}
			if got < published || written[got] > flushed {
				t.Fatalf("publishes %d, written at %d, after %d; flushed up to %d", got, written[got], published, flushed)
			}
			published = got
		}
		f.See(in, seq, wal, wal)
		if published, _ = f.See(in, seq, wal, wal); published != seq {
			t.Fatalf("%d of %d are published although the standbys have all", published, seq)
		}
		kept := rapid.Int64Range(0, seq).Draw(t, "kept")
		next := epoch.Epoch{ID: "b", Ended: map[string]int64{db.FeedDisclosures: kept}, Skip: 1000}
		if got, sure := f.See(next, kept+1001, wal+10, wal); got != kept || !sure {
			t.Fatalf("a new epoch begins at %d, %t", got, sure)
		}
		if got, _ := f.See(next, kept+1002, wal+20, wal+10); got != kept+1001 {
			t.Fatalf("a new epoch goes on with %d", got)
		}
	})
}

// A primary without synchronous standbys says so; SQLite has none to fail over to.
func TestLosesLastCommits(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		_ = look(t, s)
		if got := s.LosesLastCommits(); got != dbtest.IsPostgres(url) {
			t.Errorf("loses the last commits: %t", got)
		}
	})
}
