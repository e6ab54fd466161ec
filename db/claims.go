package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/uptrace/bun"
)

// A claim is the right of one process to do a job for some time: to collect a source, or to
// deliver a sink. The name of a sink's claim begins with claimedSink, with which no source's
// name begins.
const claimedSink = "to "

// claim gives a holder a claim unless another holder has it. It returns the state that the
// statement selects; nil: none yet.
func (s *Store) claim(ctx context.Context, what, holder string, lease time.Duration, state string, args ...any) (text json.RawMessage,
	claimed bool, err error) {
	ctx, done := s.writing(ctx)
	defer func() {
		done(&err)
		unavailable(&err)
	}()
	var until int64
	err = s.write.NewRaw("INSERT INTO collectors AS c (source, holder, until) VALUES (?, ?, ? + ?) "+
		"ON CONFLICT (source) DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE c.holder = "+
		"excluded.holder OR c.until < ? "+
		"OR c.until > ? + ? RETURNING until",
		what, holder, s.micros(), min(lease, mostClaim).Microseconds(), s.micros(), s.micros(),
		mostClaim.Microseconds()).Scan(ctx, &until)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var found string
	err = s.written().NewRaw(state, args...).Scan(ctx, &found)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, true, nil
	}
	return json.RawMessage(found), err == nil, err
}

// release ends a holder's claim.
func (s *Store) release(ctx context.Context, what, holder string) (err error) {
	ctx, done := s.writing(ctx)
	defer func() {
		done(&err)
		unavailable(&err)
	}()
	_, err = s.write.NewRaw("DELETE FROM collectors WHERE source = ? AND holder = ?", what, holder).Exec(ctx)
	return err
}

// ClaimSink gives a holder the claim to deliver a sink until the lease ends, unless another
// holder has it. It returns the state of the sink (nil: none yet) and whether the holder has
// the claim.
func (s *Store) ClaimSink(ctx context.Context, sink, holder string, lease time.Duration) (json.RawMessage, bool, error) {
	return s.claim(ctx, claimedSink+sink, holder, lease, "SELECT state FROM sinks WHERE name = ?", sink)
}

// ReleaseSink ends a holder's claim.
func (s *Store) ReleaseSink(ctx context.Context, sink, holder string) error {
	return s.release(ctx, claimedSink+sink, holder)
}

// ErrNotHeld reports that another process has the claim.
var ErrNotHeld = errors.New("another process has taken over")

// KeepSink stores the state of a sink, or returns ErrNotHeld if the holder no longer has its
// claim.
func (s *Store) KeepSink(ctx context.Context, sink, holder string, state json.RawMessage) (err error) {
	ctx, done := s.writing(ctx)
	defer func() {
		done(&err)
		unavailable(&err)
	}()
	return s.write.RunInTx(ctx, &sql.TxOptions{}, func(ctx context.Context, tx bun.Tx) error {
		if err := holds(ctx, tx, sink, holder); err != nil {
			return err
		}
		_, err := tx.NewRaw("INSERT INTO sinks (name, state) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET state = excluded.state",
			sink, string(state)).Exec(ctx)
		return err
	})
}

// holds returns ErrNotHeld unless the holder has the claim of a sink, which it then keeps until
// the end of tx.
func holds(ctx context.Context, tx bun.Tx, sink, holder string) error {
	held, err := tx.NewRaw("UPDATE collectors SET until = until WHERE source = ? AND holder = ?", claimedSink+sink, holder).Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := held.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return ErrNotHeld
}

// Sinks returns the states of all sinks by name.
func (s *Store) Sinks(ctx context.Context) (_ map[string]json.RawMessage, err error) {
	ctx, done := s.following(ctx)
	defer done(&err)
	var rows []struct{ Name, State string }
	err = s.follow.NewRaw("SELECT name, state FROM sinks").Scan(ctx, &rows)
	states := make(map[string]json.RawMessage, len(rows))
	for _, r := range rows {
		states[r.Name] = json.RawMessage(r.State)
	}
	return states, err
}
