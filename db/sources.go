package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

type sourceRow struct {
	bun.BaseModel `bun:"table:source_status"`
	market.SourceStatus
	Seq int64
}

// ownClock is how far the clocks of collectors may lie apart: what is of later, a clock said
// that has been put right, and it must not outlive what is said since.
const ownClock = 10 * time.Second

// mostClaim is longer than any claim of a source: one that lasts longer is of a clock that
// was fast.
const mostClaim = time.Hour

var sources = table[market.SourceStatus, sourceRow, string]{
	feed:    FeedSources,
	columns: []string{"source"},
	key:     func(r *market.SourceStatus) string { return r.Source },
	lookUp:  func(source string) any { return source },
	row:     func(r *market.SourceStatus, seq int64) *sourceRow { return &sourceRow{SourceStatus: *r, Seq: seq} },
	record:  func(r *sourceRow) *market.SourceStatus { return &r.SourceStatus },
	asOf:    func(r *market.SourceStatus) value.Instant { return r.AsOf },
	ahead:   ownClock,
}

// Sources returns whether each source was up when it was last checked.
func (s *Store) Sources(ctx context.Context) ([]*market.SourceStatus, error) {
	return after(ctx, s, 0, sources.record)
}

type sourceStateRow struct {
	bun.BaseModel `bun:"table:source_states"`
	Source        string
	State         string
	AsOf          value.Instant
	Seq           int64
}

var sourceStates = table[market.SourceState, sourceStateRow, string]{
	feed:    FeedSources,
	columns: []string{"source"},
	key:     func(r *market.SourceState) string { return r.Source },
	lookUp:  func(source string) any { return source },
	row: func(r *market.SourceState, seq int64) *sourceStateRow {
		return &sourceStateRow{Source: r.Source, State: string(r.State), AsOf: r.AsOf, Seq: seq}
	},
	record: func(r *sourceStateRow) *market.SourceState {
		return &market.SourceState{Source: r.Source, State: json.RawMessage(r.State), AsOf: r.AsOf}
	},
	asOf:  func(r *market.SourceState) value.Instant { return r.AsOf },
	ahead: ownClock,
}

// ClaimSource lets a holder collect a source for a while, unless another one does, and
// returns the state of the source; nil: none yet.
func (s *Store) ClaimSource(ctx context.Context, source, holder string, lease time.Duration) (state json.RawMessage,
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
		source, holder, s.micros(), min(lease, mostClaim).Microseconds(), s.micros(), s.micros(),
		mostClaim.Microseconds()).Scan(ctx, &until)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var text string
	err = s.written().NewRaw("SELECT state FROM source_states WHERE source = ?", source).Scan(ctx, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, true, nil
	}
	return json.RawMessage(text), err == nil, err
}

// ReleaseSource ends the claim of a holder.
func (s *Store) ReleaseSource(ctx context.Context, source, holder string) (err error) {
	ctx, done := s.writing(ctx)
	defer func() {
		done(&err)
		unavailable(&err)
	}()
	_, err = s.write.NewRaw("DELETE FROM collectors WHERE source = ? AND holder = ?", source, holder).Exec(ctx)
	return err
}
