package db

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"piyasa/internal/value"
)

// lag is how far the host that is read is behind the primary. The primary's last numbers, read
// a moment ago, show it exactly. If the primary cannot be reached, the host's replication shows
// it: by now it has replayed what it had received a moment ago, and it is still receiving.
type lag struct {
	mu       sync.Mutex
	host     string    // the host of asOf
	standby  bool      // whether that host is a standby
	asOf     time.Time // as of when the host is known to have everything; zero: not known
	primary  marks     // last numbers
	server   string    // the primary's identity
	probed   time.Time // when the primary last answered
	received marks     // positions in the WAL
	behind   bool      // whether the log has reported it
	leave    bool      // whether reads should move to another host
	left     time.Time // when a host was last left because it was behind
}

// Bounds of lag.
const (
	probeInterval = time.Second
	probeFresh    = 3 * probeInterval // for how long an answer of the primary counts
	lagLogged     = 5 * time.Second
	leaveInterval = 30 * time.Second // between leaving two hosts because they are behind
	maxMarks      = 64
)

// mark is last numbers at a moment.
type mark struct {
	at      time.Time
	numbers map[string]int64
}

// marks are ordered, the oldest first. The newest one that was reached stays, since another
// host may have to reach it, too.
type marks []mark

// add adds a mark. If there are many, it drops every second one, which makes the lag coarser
// but never smaller.
func (m *marks) add(at time.Time, numbers map[string]int64) {
	if len(*m) >= maxMarks {
		kept := (*m)[:0]
		for i := 0; i < len(*m); i += 2 {
			kept = append(kept, (*m)[i])
		}
		*m = kept
	}
	*m = append(*m, mark{at, maps.Clone(numbers)})
}

// reached returns the time of the newest mark that numbers have reached; zero: none.
func (m *marks) reached(numbers map[string]int64) time.Time {
	for i, mark := range slices.Backward(*m) {
		behind := false
		for feed, seq := range mark.numbers {
			behind = behind || numbers[feed] < seq
		}
		if !behind {
			*m = (*m)[i:]
			return mark.at
		}
	}
	return time.Time{}
}

// replication is the state of replication that a host reports.
type replication struct {
	Identity  string
	Standby   bool
	Receiving bool          // whether it is connected to the host that it replicates
	Received  int64         // up to which position it has the WAL
	Replayed  int64         // up to which position it shows it
	Last      value.Instant // when the last transaction that it shows was committed
}

// wal is the key of the WAL position among numbers.
const wal = "wal"

// replicationQuery reads replication. A role with pg_read_all_stats also sees the primary's
// position, which shows whether a standby that was cut off is catching up.
const replicationQuery = `SELECT ` + identity + ` AS identity, pg_is_in_recovery() AS standby,
EXISTS (SELECT 1 FROM pg_stat_wal_receiver) AS receiving,
COALESCE(pg_wal_lsn_diff(GREATEST(pg_last_wal_receive_lsn(), (SELECT latest_end_lsn FROM pg_stat_wal_receiver)), '0/0'), 0)::bigint AS received,
COALESCE(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::bigint AS replayed,
pg_last_xact_replay_timestamp() AS last`

// replication asks the host that is read for its state. Call it before reading the last numbers
// for see.
func (s *Store) replication(ctx context.Context) (host replication, err error) {
	if s.isPostgres() {
		err = s.looks.scan(ctx, s.follow.NewRaw(replicationQuery), &host)
	}
	return host, err
}

// see returns the moment as of which a host has everything, given its state, read after now,
// and then its last numbers; the zero time if not known. A database without hosts reports no
// state and always has everything.
func (l *lag) see(now time.Time, host replication, numbers map[string]int64) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.host != host.Identity {
		l.host, l.asOf = host.Identity, time.Time{}
	}
	at := host.Last.Time() // by the primary's clock, for want of a better one
	if host.Last.IsNull() || at.After(now) || !l.asOf.IsZero() {
		at = l.asOf
	}
	l.standby = host.Standby
	probing := now.Sub(l.probed) < probeFresh
	if host.Standby && host.Receiving {
		l.received.add(now, map[string]int64{wal: host.Received})
	}
	switch {
	case !host.Standby && (!probing || l.server == host.Identity):
		at = now
	case probing:
		at = later(at, l.primary.reached(numbers))
	case host.Receiving:
		at = later(at, l.received.reached(map[string]int64{wal: host.Replayed}))
	}
	l.asOf = at
	if host.Standby && probing && now.Sub(at) >= lagLogged && now.Sub(l.left) >= leaveInterval {
		l.left, l.leave = now, true
	}
	switch behind := now.Sub(at); {
	case !l.behind && behind >= lagLogged:
		l.behind = true
		slog.Warn("the database that is read is behind the primary",
			"receiving", host.Receiving, "primary_reachable", probing, "last_transaction", host.Last)
	case l.behind && behind < lagLogged:
		l.behind = false
		slog.Info("the database that is read has caught up with the primary")
	}
	return at
}

// leaving reports, once, that the host that is read is behind a primary that answers, so that
// another host may be better.
func (l *lag) leaving() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.leave
	l.leave = false
	return was
}

// ofStandby reports whether the last host seen is a standby.
func (l *lag) ofStandby() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.standby
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// probe records the last numbers of the primary, read at a moment.
func (l *lag) probe(at time.Time, identity string, numbers map[string]int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.server, l.probed = identity, at
	l.primary.add(at, numbers)
}
