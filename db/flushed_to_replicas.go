package db

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"piyasa/internal/epoch"
)

// flushed holds disclosures back until as many synchronous standbys have written them to disk
// as the primary's settings demand. Postgres shows a commit to others before that if its wait
// is cancelled or the server crashes during it; anything published from it would be gone after
// a failover.
type flushed struct {
	mu      sync.Mutex
	epoch   string
	safe    int64     // up to here the standbys have everything; meaningless before sure
	sure    bool      // whether safe is known
	waiting []waiting // the oldest first
	since   time.Time // when the oldest waiting number was seen
	warned  bool      // whether the log has warned that some wait for long
	without *bool     // whether there is no synchronous standby; nil: not known yet
}

// waiting is a last number, and the position in the WAL before which it was committed.
type waiting struct{ seq, before int64 }

// Bounds of flushed.
const (
	maxWaiting    = 64
	waitingLogged = 5 * time.Second
	holdInterval  = 20 * time.Millisecond // between looks at the standbys
)

// replicas is the state of a primary's standbys.
type replicas struct {
	Names   string // synchronous_standby_names
	Written int64  // position in the WAL after all that can be seen
	Flushed string // position of each synchronous standby, "?" if the role may not see it
}

// replicasQuery reads replicas. It must run after the read of the numbers to judge. It avoids
// pg_stat_replication, which reads every connection of the server, those of all gateways
// included.
const replicasQuery = `SELECT current_setting('synchronous_standby_names') AS names, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS written,
(SELECT COALESCE(string_agg(COALESCE(pg_wal_lsn_diff(flush_lsn, '0/0')::bigint::text, '?'), ' '), '') FROM pg_stat_get_wal_senders()
	WHERE sync_state IS NULL OR sync_state IN ('sync', 'quorum')) AS flushed`

// requiredPattern finds how many standbys a commit waits for: "ANY 2 (a, b, c)", "FIRST 2 (a,
// b)", "2 (a, b)", or names alone, which mean FIRST 1.
var requiredPattern = regexp.MustCompile(`(?i)^\s*(?:any\s+|first\s+)?(\d+)\s*\(`)

// reached returns the position up to which the synchronous standbys have everything; known is
// false if the role may not see it.
func (r replicas) reached() (position int64, known bool) {
	required := 1
	if found := requiredPattern.FindStringSubmatch(r.Names); found != nil {
		required, _ = strconv.Atoi(found[1])
	}
	var positions []int64
	for text := range strings.FieldsSeq(r.Flushed) {
		position, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, false
		}
		positions = append(positions, position)
	}
	if len(positions) < required {
		return 0, true
	}
	slices.Sort(positions)
	return positions[len(positions)-required], true
}

// holdBack returns the last number of disclosures that may be published in an epoch. sure is
// false until the standbys have all that existed at the first look. Without synchronous
// standbys it asks nothing.
func (s *Store) holdBack(ctx context.Context, in epoch.Epoch, last int64, synchronous bool) (safe int64, sure bool, err error) {
	if !s.isPostgres() || s.lag.ofStandby() {
		return last, true, nil // a standby shows only what it has flushed itself
	}
	var r replicas
	if synchronous {
		if err := s.looks.scan(ctx, s.follow.NewRaw(replicasQuery), &r); err != nil {
			return 0, false, err
		}
	}
	position, known := r.reached()
	safe, sure = s.flushed.see(in, last, r.Written, position, r.Names == "", known)
	if !sure || safe < last {
		time.AfterFunc(holdInterval, s.poke)
	}
	return safe, sure, nil
}

// see records a last number that was committed before a position in the WAL, and the position
// that the standbys have reached. It returns the last number that they have, and whether that
// is known.
func (f *flushed) see(in epoch.Epoch, last, written, reached int64, without, known bool) (safe int64, sure bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.without == nil || *f.without != without {
		f.without = &without
		if without {
			slog.Warn("no synchronous standby is configured: a failover may lose the last commits, also what was published")
		}
		if !without && !known {
			slog.Warn("this role may not see how far the synchronous standbys are (GRANT pg_monitor): a failover may " +
				"lose what was published")
		}
	}
	if without || !known {
		f.epoch, f.safe, f.sure, f.waiting = in.ID, last, true, nil
		return last, true
	}
	if f.epoch != in.ID { // the numbers kept so far may not have reached the standbys either
		f.epoch, f.safe, f.waiting = in.ID, min(f.safe, in.Ended[FeedDisclosures]), nil
	}
	if len(f.waiting) == 0 {
		f.since = time.Now()
	}
	if n := len(f.waiting); (last > f.safe || !f.sure) && (n == 0 || f.waiting[n-1].seq < last) {
		if n == maxWaiting { // the remaining ones are coarser, but never too early
			f.waiting = slices.Delete(f.waiting, n/2, n/2+1)
		}
		f.waiting = append(f.waiting, waiting{last, written})
	}
	for len(f.waiting) > 0 && f.waiting[0].before <= reached {
		f.safe, f.sure, f.waiting, f.since = f.waiting[0].seq, true, f.waiting[1:], time.Now()
	}
	switch late := len(f.waiting) > 0 && time.Since(f.since) > waitingLogged; {
	case late && !f.warned:
		slog.Warn("disclosures are not published: the synchronous standbys do not have them yet",
			"published_up_to", f.safe, "stored_up_to", last)
		f.warned = true
	case f.warned && len(f.waiting) == 0:
		slog.Info("the synchronous standbys have caught up; disclosures are published again")
		f.warned = false
	}
	return f.safe, f.sure
}

// LosesLastCommits reports whether a failover may lose the last commits: whether the primary is
// known to have no synchronous standby. An SQLite database has no failover.
func (s *Store) LosesLastCommits() bool {
	s.flushed.mu.Lock()
	defer s.flushed.mu.Unlock()
	return s.flushed.without != nil && *s.flushed.without
}
