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

// hosts is what connections to Postgres have shown of the hosts behind them.
//
// All reads go to one host at a time. Two hosts may have replayed the log to different
// numbers, and a reader that saw a number on one and asked the other for its row would
// believe that there is none. So when a new connection leads to another host, connections
// to the one before are closed, and reads fail until Look has seen that the new host has
// all that was seen before.
type hosts struct {
	mu      sync.Mutex
	lost    map[string]time.Time // when a host did not answer, by its network address
	suspect time.Time            // connections not checked since are checked before use
	current string               // the host that is read, as identity shows it
	moves   int                  // how often that changed
	looked  string               // the host that was looked at last
}

// maxLost bounds how many addresses are remembered, lostTime how long other hosts are
// preferred to one that did not answer.
const (
	maxLost  = 64
	lostTime = 10 * time.Second
)

// suspectAll has every connection checked before it is used again.
func (h *hosts) suspectAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.suspect = time.Now()
}

// lose remembers that a host did not answer.
func (h *hosts) lose(address string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost == nil || len(h.lost) >= maxLost {
		h.lost = map[string]time.Time{}
	}
	h.lost[address] = time.Now()
}

// leaveHost has reads move to another host, if there is one that answers.
func (s *Store) leaveHost() {
	if at := s.readFrom.last.Load(); at != nil && s.readFrom.several {
		slog.Warn("reads leave a host that is behind the primary", "address", *at)
		s.hosts.lose(*at)
	}
}

// lostLately reports whether a host did not answer a moment ago.
func (h *hosts) lostLately(address string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	at, ok := h.lost[address]
	return ok && time.Since(at) < lostTime
}

// reached remembers the host that a new connection for reading leads to.
func (h *hosts) reached(host string) (moved bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if moved = h.current != "" && h.current != host; moved {
		h.moves++
	}
	h.current = host
	return moved
}

// state returns how often the host that is read has changed.
func (h *hosts) state() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.moves
}

// look remembers that the host that is read has all that was seen before, unless it has
// changed since moves.
func (h *hosts) look(moves int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.moves == moves {
		h.looked = h.current
	}
}

// errMoved reports that a read may have missed what was seen before.
var errMoved = errors.New("reads have moved to another host, which has not shown yet that it has all that was read before")

// stayed returns errMoved if the host that is read has changed since moves, or has not been
// looked at.
func (h *hosts) stayed(moves int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.moves != moves || h.looked != "" && h.looked != h.current {
		return errMoved
	}
	return nil
}

// checkInterval is how long a connection is used without asking what its host is.
const checkInterval = time.Second

// identity is the state that a host reports: whether it is read-only, whether it is in
// recovery, and since when it runs.
const identity = "concat_ws(' ', current_setting('transaction_read_only'), pg_is_in_recovery(), extract(epoch FROM " +
	"pg_postmaster_start_time()))"

// The keys of what a connection remembers.
const (
	checkedAt = "piyasa checked at" // when it was asked last
	itsHost   = "piyasa host"       // the identity of its host
	itReads   = "piyasa reads"      // whether it is for reading
)

// checkHost asks the host of a connection that is about to be used again whether it is
// still there and still what it was: a primary may have become a standby or the reverse,
// and a pooler may lead elsewhere. Otherwise it closes the connection, which reusable
// sees. The other connections to a host that does not answer are closed without asking,
// so that there is time left for another host.
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

// suspicion returns whether a host has been lost since a connection to it was checked,
// and whether the connection must be checked again.
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

// order has the hosts of an address tried in the best order: first the one that the last
// connection led to, last those that did not answer a moment ago.
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
	found, _ := a.LookupFunc(ctx, f.Host) // who cannot be found is tried in its turn
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
