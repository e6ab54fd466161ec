package db

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"piyasa/account/access"
)

// serverRow is a stored server.
type serverRow struct {
	bun.BaseModel `bun:"table:servers"`
	ID            string
	Machine       string
	PID           int `bun:"pid"`
	Shares        bool
	Seen          int64
}

// micros returns an expression for the moment by the database's clock, in microseconds since
// 1970. SQLite uses the clock of this machine.
func (s *Store) micros() bun.Safe {
	if s.isPostgres() {
		return "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint"
	}
	return bun.Safe(fmt.Sprint(time.Now().UnixMicro()))
}

// JoinServers implements access.SharedStore.
func (s *Store) JoinServers(ctx context.Context, self access.Server) (others []access.Server, err error) {
	err = s.amongServers(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewRaw("DELETE FROM servers WHERE seen < ? - ?",
			s.micros(), access.ServerGone.Microseconds()).Exec(ctx); err != nil {
			return err
		}
		if others, err = s.othersThan(ctx, tx, self.ID); err != nil {
			return err
		}
		if self.Shares = len(others) > 0; !self.Shares {
			if _, err := tx.NewRaw("DELETE FROM shared_buckets").Exec(ctx); err != nil {
				return err
			}
		}
		return s.see(ctx, tx, self)
	})
	return others, err
}

// OtherServers implements access.SharedStore.
func (s *Store) OtherServers(ctx context.Context, id string) (others []access.Server, err error) {
	ctx, done := s.following(ctx)
	defer done(&err)
	return s.othersThan(ctx, s.written(), id)
}

func (s *Store) othersThan(ctx context.Context, from bun.IDB, id string) ([]access.Server, error) {
	var rows []serverRow
	if err := from.NewSelect().Model(&rows).Where("id <> ? AND seen >= ? - ?", id, s.micros(),
		access.ServerGone.Microseconds()).Order("id").Scan(ctx); err != nil {
		return nil, err
	}
	others := make([]access.Server, len(rows))
	for i, r := range rows {
		others[i] = access.Server{ID: r.ID, Machine: r.Machine, PID: r.PID, Shares: r.Shares}
	}
	return others, nil
}

// SeeServer implements access.SharedStore.
func (s *Store) SeeServer(ctx context.Context, self access.Server) (err error) {
	ctx, done := s.writing(ctx)
	defer func() {
		done(&err)
		unavailable(&err)
	}()
	return s.see(ctx, s.write, self)
}

func (s *Store) see(ctx context.Context, in bun.IDB, self access.Server) error {
	_, err := in.NewRaw("INSERT INTO servers (id, machine, pid, shares, seen) VALUES (?, ?, ?, ?, ?) "+
		"ON CONFLICT (id) DO UPDATE SET shares = excluded.shares, seen = excluded.seen", self.ID, self.Machine, self.PID, self.Shares,
		s.micros()).Exec(ctx)
	return err
}

// ShareBuckets implements access.SharedStore.
func (s *Store) ShareBuckets(ctx context.Context, id string, asks []access.Ask) error {
	return s.amongServers(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := s.leases(ctx, tx, asks); err != nil {
			return err
		}
		_, err := tx.NewRaw("UPDATE servers SET shares = ? WHERE id = ?", true, id).Exec(ctx)
		return err
	})
}

// PartFromBuckets implements access.SharedStore.
func (s *Store) PartFromBuckets(ctx context.Context, id string, asks []access.Ask) (grants []access.Grant, alone bool, err error) {
	err = s.amongServers(ctx, func(ctx context.Context, tx bun.Tx) error {
		if grants, err = s.leases(ctx, tx, asks); err != nil {
			return err
		}
		others, err := s.othersThan(ctx, tx, id)
		if alone = len(others) == 0; err != nil || !alone {
			return err
		}
		if _, err := tx.NewRaw("DELETE FROM shared_buckets").Exec(ctx); err != nil {
			return err
		}
		_, err = tx.NewRaw("UPDATE servers SET shares = ? WHERE id = ?", false, id).Exec(ctx)
		return err
	})
	return grants, alone, err
}

// LeaveServers implements access.SharedStore.
func (s *Store) LeaveServers(ctx context.Context, id string) error {
	return s.amongServers(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("DELETE FROM servers WHERE id = ?", id).Exec(ctx)
		return err
	})
}

// LeaseTokens implements access.SharedStore.
func (s *Store) LeaseTokens(ctx context.Context, asks []access.Ask) (grants []access.Grant, err error) {
	ctx, done := s.writing(ctx)
	defer func() {
		done(&err)
		unavailable(&err)
	}()
	if len(asks) == 1 {
		return s.leases(ctx, s.write, asks)
	}
	err = s.write.RunInTx(ctx, &sql.TxOptions{}, func(ctx context.Context, tx bun.Tx) error {
		grants, err = s.leases(ctx, tx, asks)
		return err
	})
	return grants, err
}

// serversLock is the key of the advisory lock under which servers join and leave.
const serversLock = migrationLock + 1

// amongServers runs a transaction during which no other server joins or leaves.
func (s *Store) amongServers(ctx context.Context, do func(context.Context, bun.Tx) error) (err error) {
	ctx, done := s.writing(ctx)
	defer func() {
		done(&err)
		unavailable(&err)
	}()
	return s.write.RunInTx(ctx, &sql.TxOptions{}, func(ctx context.Context, tx bun.Tx) error {
		if s.isPostgres() {
			if _, err := tx.NewRaw("SELECT pg_advisory_xact_lock(?)", serversLock).Exec(ctx); err != nil {
				return err
			}
		}
		return do(ctx, tx)
	})
}

// leaseQuery takes tokens from a bucket. A bucket without a row is full. It adds the tokens
// that came back since the last change, takes those that are owed, and then the wanted tokens,
// if there are enough.
const leaseQuery = `INSERT INTO shared_buckets AS b (key_id, sort, tokens, granted, at) VALUES (?key, ?sort, ?left, ?granted, ?now)
ON CONFLICT (key_id, sort) DO UPDATE SET at = GREATEST(b.at, excluded.at),
granted = CASE WHEN {level} >= ?need THEN LEAST(?want, {level}) ELSE 0 END,
tokens = {level} - CASE WHEN {level} >= ?need THEN LEAST(?want, {level}) ELSE 0 END
RETURNING tokens, granted`

// leaseLevel is the tokens in a bucket at the moment of the statement, without those that are
// owed.
const leaseLevel = `LEAST(?size, CAST(LEAST(?size, b.tokens + GREATEST(0, excluded.at - b.at) * ?per_sec) AS BIGINT) - ?owed)`

var (
	leasePostgres = strings.ReplaceAll(leaseQuery, "{level}", leaseLevel)
	leaseSQLite   = strings.NewReplacer("LEAST", "MIN", "GREATEST", "MAX").Replace(leasePostgres)
)

// leaseArgs are the arguments of leaseQuery, in millionths of a token.
type leaseArgs struct {
	Key                    string
	Sort                   access.Sort
	Left, Granted          int64 // of a bucket that was full
	Size, Owed, Need, Want int64
	PerSec                 float64
	Now                    bun.Safe
}

// leases runs leaseQuery for each of asks.
func (s *Store) leases(ctx context.Context, in bun.IDB, asks []access.Ask) ([]access.Grant, error) {
	query := leaseSQLite
	if s.isPostgres() {
		query = leasePostgres
	}
	grants := make([]access.Grant, len(asks))
	for i, a := range asks {
		args := leaseArgs{
			Key: a.KeyID, Sort: a.Sort, Size: millionths(a.Size), Owed: millionths(a.Owed), Need: millionths(a.Need),
			Want:   millionths(a.Want),
			PerSec: a.PerSec, Now: s.micros(),
		}
		if args.Left = min(args.Size, args.Size-args.Owed); args.Left >= args.Need {
			args.Granted = min(args.Want, args.Left)
			args.Left -= args.Granted
		}
		var row struct{ Tokens, Granted int64 }
		if err := in.NewRaw(query, args).Scan(ctx, &row); err != nil {
			return nil, err
		}
		grants[i] = access.Grant{Tokens: float64(row.Granted) / million, Left: float64(row.Tokens) / million}
	}
	return grants, nil
}

const million = 1_000_000

// millionths bounds tokens so that the sum of two still fits.
func millionths(tokens float64) int64 {
	return int64(math.Round(max(-math.MaxInt64/4, min(math.MaxInt64/4, tokens*million))))
}
