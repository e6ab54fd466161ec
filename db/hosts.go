package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// hosts is what connections to Postgres have shown about the hosts behind them.
//
// All reads go to one host at a time. Two hosts may have replayed the log up to different
// numbers, and a reader that saw a number on one and asked the other for its row would conclude
// that the row does not exist. So when a new connection leads to another host, connections to
// the previous one are closed, and reads fail until Look has seen that the new host has
// everything that was seen before.
type hosts struct {
	mu      sync.Mutex
	lost    map[string]time.Time // when a host last failed to answer, by its network address
	suspect time.Time            // connections last checked before this are checked before use
	current string               // the host for reads, as identity shows it
	moves   int                  // how often current changed
	looked  string               // the host that Look has checked last
}

// maxLost is how many addresses are remembered; lostTime is for how long other hosts are
// preferred to one that did not answer.
const (
	maxLost  = 64
	lostTime = 10 * time.Second
)

// suspectAll makes every connection be checked before its next use.
func (h *hosts) suspectAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.suspect = time.Now()
}

// lose records that a host did not answer.
func (h *hosts) lose(address string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost == nil || len(h.lost) >= maxLost {
		h.lost = map[string]time.Time{}
	}
	h.lost[address] = time.Now()
}

// leaveHost moves reads to another host, if one answers.
func (s *Store) leaveHost() {
	if at := s.readFrom.last.Load(); at != nil && s.readFrom.several {
		slog.Warn("reads leave a host that is behind the primary", "address", *at)
		s.hosts.lose(*at)
	}
}

// lostLately reports whether a host recently failed to answer.
func (h *hosts) lostLately(address string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	at, ok := h.lost[address]
	return ok && time.Since(at) < lostTime
}

// reached records the host of a new connection for reading, and reports whether it is another
// one.
func (h *hosts) reached(host string) (moved bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if moved = h.current != "" && h.current != host; moved {
		h.moves++
	}
	h.current = host
	return moved
}

// state returns how often the host for reads has changed.
func (h *hosts) state() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.moves
}

// look records that the host for reads has everything that was seen before, unless it has
// changed since moves.
func (h *hosts) look(moves int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.moves == moves {
		h.looked = h.current
	}
}

// errMoved reports a read that may have missed data that was seen before.
var errMoved = errors.New("reads have moved to another host, which has not shown yet that it has all that was read before")

// stayed returns errMoved if the host for reads has changed since moves, or has not been
// checked.
func (h *hosts) stayed(moves int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.moves != moves || h.looked != "" && h.looked != h.current {
		return errMoved
	}
	return nil
}

// checkInterval is how long a connection is used without checking its host.
const checkInterval = time.Second

// identity is the state that a host reports: whether it is read-only, whether it is in
// recovery, and when it started.
const identity = "concat_ws(' ', current_setting('transaction_read_only'), pg_is_in_recovery(), extract(epoch FROM " +
	"pg_postmaster_start_time()))"

// The keys of the data that a connection carries.
const (
	checkedAt = "piyasa checked at" // when it was last checked
	itsHost   = "piyasa host"       // the identity of its host
	itReads   = "piyasa reads"      // whether it is for reading
)

// checkHost checks whether the host of a connection that is about to be used again still
// answers and is unchanged: a primary may have become a standby or the reverse, and a pooler
// may lead elsewhere. Otherwise it closes the connection, which reusable notices. Other
// connections to a host that does not answer are closed without a check, so that there is time
// left for another host.
func (s *Store) checkHost(ctx context.Context, p stdlib.ShouldPingParams) bool {
	conn := p.Conn.PgConn()
	data := conn.CustomData()
	at, _ := data[checkedAt].(time.Time)
	address := conn.Conn().RemoteAddr().String()
	gone, ask := s.hosts.suspicion(at, address)
	if data[itReads] == true && !s.hosts.reads(data[itsHost].(string)) {
		gone = true
	}
	if gone {
		_ = conn.Conn().Close()
		_ = conn.Close(ctx)
		return false
	}
	if !ask {
		return false
	}
	bounded, cancel := context.WithTimeout(ctx, s.timeout/slowFactor)
	defer cancel()
	began := time.Now()
	results, err := conn.Exec(bounded, "SELECT "+identity).ReadAll()
	switch {
	case err != nil:
		if ctx.Err() == nil {
			s.hosts.lose(address)
		}
		_ = conn.Close(bounded)
	case string(results[0].Rows[0][0]) != data[itsHost]:
		s.hosts.suspectAll()
		_ = conn.Close(bounded)
	default:
		data[checkedAt] = began
	}
	return false
}

// suspicion returns whether a host has been lost since a connection to it was checked, and
// whether the connection must be checked again.
func (h *hosts) suspicion(checked time.Time, address string) (lost, check bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lost[address].After(checked), h.suspect.After(checked) || time.Since(checked) > checkInterval
}

func (h *hosts) reads(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.current == host
}

func reusable(_ context.Context, conn *pgx.Conn) error {
	if conn.IsClosed() {
		return driver.ErrBadConn
	}
	return nil
}

// order sorts the hosts of an address: first the host of the last connection, last those that
// recently failed to answer.
func (a *address) order(ctx context.Context, config *pgx.ConnConfig) error {
	if !a.several {
		return nil
	}
	all := append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...)
	rank := map[*pgconn.FallbackConfig]int{}
	for _, f := range all {
		rank[f] = a.rank(ctx, f)
	}
	slices.SortStableFunc(all, func(x, y *pgconn.FallbackConfig) int { return rank[x] - rank[y] })
	config.Host, config.Port, config.TLSConfig, config.Fallbacks = all[0].Host, all[0].Port, all[0].TLSConfig, all[1:]
	return nil
}

func (a *address) rank(ctx context.Context, f *pgconn.FallbackConfig) int {
	rank := 1
	found, _ := a.LookupFunc(ctx, f.Host) // a host that cannot be resolved is tried in its turn
	for _, ip := range found {
		at := net.JoinHostPort(ip, strconv.Itoa(int(f.Port)))
		switch last := a.last.Load(); {
		case a.hosts.lostLately(at):
			return 2
		case last != nil && *last == at:
			rank = 0
		}
	}
	return rank
}
