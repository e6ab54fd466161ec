package db

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"piyasa/internal/epoch"
	"piyasa/internal/value"
)

// epochRow is a stored epoch.
type epochRow struct {
	bun.BaseModel `bun:"table:epochs"`
	Number        int64
	ID            string
	Place         string
	Ended         map[string]int64 `bun:"type:jsonb"`
	Skip          int64
	Began         value.Instant
}

// maxEpochs is how many epochs are remembered.
const maxEpochs = 1000

// minSkip is the least distance by which numbers jump when an epoch begins: more rows than a
// store can lose. A random distance of up to the same size is added, so that two servers that
// both continue from one copy number differently.
const minSkip = 1 << 32

// knownEpochs is what this process has seen of the epochs. It rejects epochs that have ended.
type knownEpochs struct {
	mu      sync.Mutex
	lineage epoch.Lineage
	place   string           // of the newest
	left    map[string]bool  // epochs that ended before the newest that was seen
	seen    map[string]int64 // the last numbers of the newest

	reads atomic.Pointer[string] // the expression of the place; nil: not known yet
}

// errOlderEpoch reports a database that does not know an epoch that was already seen: a former
// primary, or a standby that is behind.
var errOlderEpoch = errors.New("the database is in an epoch that has ended: it is a former primary, or a standby that is behind")

// check rejects an epoch that has ended, and one that began on an older timeline than one
// already seen: it began on a former primary.
func (k *knownEpochs) check(id, place string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left[id] || k.older(place) {
		return errOlderEpoch
	}
	return nil
}

// current returns the lineage whose newest epoch is id; nil if it is not known yet.
func (k *knownEpochs) current(id string) epoch.Lineage {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.lineage) > 0 && k.lineage.Current() == id {
		return k.lineage
	}
	return nil
}

// enter records a newer lineage and the place on which its newest epoch began.
func (k *knownEpochs) enter(l epoch.Lineage, place string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range slices.Concat(k.lineage, l) {
		k.left[e.ID] = true
	}
	delete(k.left, l.Current())
	k.lineage, k.place, k.seen = l, place, nil
}

// refuses reports whether no epoch may begin at a place: it is a former primary.
func (k *knownEpochs) refuses(here string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.older(here)
}

// older reports whether a place is on an older timeline than one already seen of the same
// system. The caller holds mu.
func (k *knownEpochs) older(place string) bool {
	system, timeline := timelineOf(place)
	newestSystem, newest := timelineOf(k.place)
	return system == newestSystem && timeline < newest
}

// behind reports whether heads are below those already seen in the same epoch.
func (k *knownEpochs) behind(id string, heads map[string]int64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lineage.Current() == id && epoch.Behind(k.seen, heads)
}

// see records last numbers of an epoch.
func (k *knownEpochs) see(id string, heads map[string]int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lineage.Current() == id {
		k.seen = heads
	}
}

// newestEpoch is a row of the current epoch.
type newestEpoch struct {
	ID    *string // nil: there is none yet
	Place *string
	Here  *string // the present place of the database; nil: not known, as on a standby
}

// moved reports whether the store may have gone back since the epoch began.
func (n newestEpoch) moved() bool {
	return n.ID == nil || n.Here != nil && !samePlace(*n.Here, *n.Place)
}

// selectNewest returns the statement that reads newestEpoch.
func (s *Store) selectNewest() string {
	here := "NULL"
	if s.isPostgres() {
		here = s.here()
	}
	return "SELECT (SELECT id FROM epochs ORDER BY number DESC LIMIT 1) AS id, (SELECT place FROM epochs ORDER BY number DESC " +
		"LIMIT 1) AS place, " + here + " AS here"
}

// ensureEpoch begins a new epoch if there is none, or if the store may have gone back since the
// newest one began. The new numbers start far above the last stored ones.
func (s *Store) ensureEpoch(ctx context.Context) (err error) {
	ctx, done := s.writing(ctx)
	defer done(&err)
	var last epochRow
	var next *epochRow
	var why string
	err = s.write.RunInTx(ctx, &sql.TxOptions{}, func(ctx context.Context, tx bun.Tx) error {
		heads := map[string]int64{}
		for _, feed := range Feeds { // in name order, like every writer
			seq, err := lockHead(ctx, tx, feed)
			if err != nil {
				return err
			}
			heads[feed] = seq
		}
		if err := tx.NewSelect().Model(&last).OrderExpr("number DESC").Limit(1).Scan(ctx); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		var here string
		why, here, err = s.wentBack(ctx, tx, last, heads)
		if err != nil || why == "" {
			return err
		}
		next = &epochRow{Number: last.Number + 1, ID: newEpochID(), Place: here, Ended: map[string]int64{}, Began: value.At(time.Now())}
		if last.Number > 0 {
			next.Ended, next.Skip = heads, newSkip()
			if _, err := tx.NewRaw("UPDATE heads SET seq = seq + ?", next.Skip).Exec(ctx); err != nil {
				return err
			}
		}
		if _, err := tx.NewInsert().Model(next).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model((*epochRow)(nil)).Where("number <= ?", next.Number-maxEpochs).Exec(ctx); err != nil {
			return err
		}
		return s.testify(ctx, tx, next.ID)
	})
	if err != nil {
		s.retract(next != nil)
	}
	if err == nil && next != nil && last.Number > 0 {
		slog.Warn("a new epoch begins: the store may have gone back", "why", why, "epoch", next.ID, "before", last.ID)
	}
	return err
}

// wentBack returns why a new epoch must begin, or "" if the newest continues, and the present
// place of the database.
func (s *Store) wentBack(ctx context.Context, tx bun.Tx, last epochRow, heads map[string]int64) (why, here string, err error) {
	if s.isPostgres() {
		if err := tx.NewRaw("SELECT "+s.here()).Scan(ctx, &here); err != nil {
			return "", "", err
		}
	}
	switch {
	case last.Number == 0:
		return "it is the first", here, nil
	case s.epochs.refuses(here):
		return "", "", errOlderEpoch
	case !samePlace(here, last.Place):
		return "the server is another one, or has been restarted", here, nil
	case s.epochs.behind(last.ID, heads):
		return "numbers that were seen are gone", here, nil
	case s.file != nil:
		return s.file.witness.contradicts(last.ID, total(heads)), here, nil
	}
	return "", here, nil
}

// testify writes the state that the transaction leaves to the witness of an SQLite file.
func (s *Store) testify(ctx context.Context, tx bun.Tx, id string) error {
	if s.file == nil {
		return nil
	}
	var all int64
	if err := tx.NewRaw("SELECT SUM(seq) FROM heads").Scan(ctx, &all); err != nil {
		return err
	}
	return s.file.witness.state(id, all)
}

// retract undoes testify after a failed transaction, if it may have written.
func (s *Store) retract(testified bool) {
	if s.file != nil && testified {
		s.file.witness.retract()
	}
}

func total(heads map[string]int64) (sum int64) {
	for _, seq := range heads {
		sum += seq
	}
	return sum
}

func newEpochID() string { return strings.ToLower(rand.Text())[:13] }

func newSkip() int64 {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	return minSkip + int64(binary.BigEndian.Uint64(random[:])%minSkip)
}

// lineage reads the epochs up to the one with this id, which is the newest.
func (s *Store) lineage(ctx context.Context, from *bun.DB, id string) (epoch.Lineage, error) {
	if known := s.epochs.current(id); known != nil {
		return known, nil
	}
	var rows []epochRow
	if err := from.NewSelect().Model(&rows).OrderExpr("number").Scan(ctx); err != nil {
		return nil, err
	}
	l := lineageOf(rows)
	if l.Current() != id {
		return nil, fmt.Errorf("another epoch began while epoch %s was read", id)
	}
	place := rows[len(rows)-1].Place
	if err := s.epochs.check(id, place); err != nil {
		return nil, err
	}
	s.epochs.enter(l, place)
	return l, nil
}

// beginEpoch does the same as Look for writers, without the hosts that are read.
func (s *Store) beginEpoch(ctx context.Context) error {
	if !s.isPostgres() {
		_, err := s.Look(ctx)
		return err
	}
	var newest newestEpoch
	read := func() (err error) {
		ctx, done := s.writing(ctx)
		defer done(&err)
		if err := s.learnPlace(ctx, s.write); err != nil {
			return err
		}
		return s.write.NewRaw(s.selectNewest()).Scan(ctx, &newest)
	}
	if err := read(); err != nil {
		return err
	}
	if newest.moved() {
		if err := s.ensureEpoch(ctx); err != nil {
			return err
		}
		if err := read(); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, s.writeTimeout)
	defer cancel()
	_, err := s.lineage(ctx, s.write, *newest.ID)
	return err
}

// lineageOf returns the epochs of rows.
func lineageOf(rows []epochRow) epoch.Lineage {
	l := make(epoch.Lineage, len(rows))
	for i, r := range rows {
		l[i] = epoch.Epoch{ID: r.ID, Ended: r.Ended, Skip: r.Skip}
	}
	return l
}

// Look returns the last number of every feed and the epoch that they belong to. It begins a new
// epoch if the store may have gone back.
func (s *Store) Look(ctx context.Context) (m epoch.Moment, err error) {
	ctx, done := s.following(ctx)
	defer done(&err)
	m, moved, err := s.look(ctx)
	if !moved || err != nil {
		return m, err
	}
	begin := s.ensureEpoch
	if s.lag.ofStandby() { // only the primary knows; asking it first locks nothing
		begin = s.beginEpoch
	}
	switch err := begin(ctx); {
	case err == nil:
		m, _, err = s.look(ctx)
		return m, err
	case (CannotWrite(err) || NotThereYet(err)) && m.Epochs != nil && !s.epochs.behind(m.Epochs.Current(), m.Heads):
		return m, nil // until a writer begins the epoch, nothing can be stored
	default:
		return m, fmt.Errorf("begin a new epoch: %w", err)
	}
}

// look reads the result of Look. moved reports that the store may have gone back.
func (s *Store) look(ctx context.Context) (m epoch.Moment, moved bool, err error) {
	m.AsOf = time.Now()
	if s.file != nil {
		if err := s.file.follow(); err != nil {
			return m, false, err
		}
	}
	var rows []struct {
		Feed string
		Seq  int64
		newestEpoch
		Standbys string // synchronous_standby_names
	}
	standbys := "''"
	if s.isPostgres() {
		standbys = "current_setting('synchronous_standby_names')"
	}
	moves := s.hosts.state()
	if err := s.learnPlace(ctx, s.follow); err != nil {
		return m, false, err
	}
	host, err := s.replication(ctx)
	if err != nil {
		return m, false, err
	}
	if err := s.looks.scan(ctx, s.follow.NewRaw("SELECT h.feed, h.seq, n.*, "+standbys+" AS standbys FROM heads AS h, ("+
		s.selectNewest()+") AS n"), &rows); err != nil {
		return m, false, err
	}
	m.Heads = make(map[string]int64, len(rows))
	for _, r := range rows {
		m.Heads[r.Feed] = r.Seq
	}
	if m.AsOf = s.lag.see(m.AsOf, host, m.Heads); s.lag.leaving() {
		s.leaveHost()
	}
	if len(rows) == 0 || rows[0].ID == nil {
		return m, true, nil
	}
	id := *rows[0].ID
	moved = rows[0].moved() || s.epochs.behind(id, m.Heads) || s.file != nil && s.file.witness.contradicts(id, total(m.Heads)) != ""
	switch err := s.epochs.check(id, *rows[0].Place); {
	case err != nil && moved: // an older copy: its numbers do not count before its new epoch begins
		return m, true, nil
	case err != nil:
		return m, false, err
	}
	if m.Epochs, err = s.lineage(ctx, s.follow, id); err != nil {
		return m, false, err
	}
	if !moved {
		s.epochs.see(id, maps.Clone(m.Heads))
		s.hosts.look(moves)
		safe, sure, err := s.holdBack(ctx, m.Epochs[len(m.Epochs)-1], m.Heads[FeedDisclosures], rows[0].Standbys != "")
		if err != nil {
			return m, false, err
		}
		if m.Heads[FeedDisclosures] = safe; !sure {
			delete(m.Heads, FeedDisclosures)
		}
	}
	return m, moved, nil
}
